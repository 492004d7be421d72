"""Part 2: a distribution in the latent space, samples of it, and images from them.

The networks are the student's own; where those do not work, plain ones take their place.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("VAE")

Normal = Callable[..., Tensor]


@pytest.fixture
def make(autoencoder: Any, student: Any) -> Callable[..., Any]:
    """``make(z_dim, in_size)``: a VAE in eval mode."""
    return lambda z_dim, in_size=(3, 64, 64): student.probe.vae(in_size, z_dim)


def encoded(vae: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    result = vae.encode(x)
    check_type(result, (tuple, list), "what `encode` returns")
    check(len(result) == 3, f"`encode` should return z, mu and log_sigma2; it returned {len(result)} things")
    for value, name in zip(result, ("z", "mu", "log_sigma2"), strict=True):
        check_type(value, torch.Tensor, name)
    return result[0], result[1], result[2]


@weight(2)
@pytest.mark.parametrize(("batch", "z_dim"), [(3, 5), (1, 2)], ids=["batch", "batch of one"])
def test_shapes_of_encode(make: Any, normal: Normal, batch: int, z_dim: int) -> None:
    """z, mu and log_sigma2 have shape (N, d_z)"""
    for value, name in zip(encoded(make(z_dim), normal(batch, 3, 64, 64)), ("z", "mu", "log_sigma2"), strict=True):
        check_shape(value, (batch, z_dim), name)


@weight(2)
def test_decode(make: Any, normal: Normal) -> None:
    """decode gives images of the size asked for, with values from -1 to 1"""
    images = make(4)(normal(1, 3, 64, 64))[0]
    check_shape(images, (1, 3, 64, 64), "a reconstruction")
    for scale in (1.0, 100.0):
        images = make(4).decode(scale * normal(3, 4))
        check_shape(images, (3, 3, 64, 64), "what `decode` returns")
        check(bool((images.abs() <= 1).all()), "images have values outside -1 to 1")


@weight(1)
def test_decode_depends_on_z(make: Any, normal: Normal) -> None:
    """different points decode to different images"""
    images = make(4).decode(5 * normal(2, 4))
    check(float((images[0] - images[1]).abs().max()) > 1e-6, "two different points give the same image")


@weight(1)
def test_other_sizes(make: Any, normal: Normal) -> None:
    """in_size sets the size of the images"""
    vae = make(3, (1, 128, 64))
    check_shape(encoded(vae, normal(2, 1, 128, 64))[0], (2, 3), "z of images (1, 128, 64)")
    check_shape(vae.decode(normal(2, 3)), (2, 1, 128, 64), "what `decode` returns for in_size (1, 128, 64)")


@weight(3)
def test_z_is_drawn_from_the_distribution(make: Any, student: Any, normal: Normal) -> None:
    """z has mean mu and variance sigma^2, that is exp(log_sigma2)"""
    n, z_dim = 48, 32
    image = normal(1, 3, 64, 64)
    vae = student.probe.with_other_variances(make(z_dim), image, z_dim)
    z, mu, log_sigma2 = encoded(vae, image.expand(n, -1, -1, -1).contiguous())
    u = ((z - mu) * torch.exp(-log_sigma2 / 2)).flatten()  # 1536 draws of N(0, 1)
    # Six standard deviations: of a mean 1 / sqrt(n), of a variance sqrt(2 / n).
    check(abs(float(u.mean())) < 6 / len(u) ** 0.5, "the mean of z is not mu")
    check(abs(float(u.var()) - 1) < 6 * (2 / len(u)) ** 0.5, "the variance of z is not exp(log_sigma2)")


@weight(1)
def test_every_z_is_drawn_anew(make: Any, normal: Normal) -> None:
    """a second call draws another z from the same distribution"""
    vae, x = make(6), normal(2, 3, 64, 64)
    first, second = encoded(vae, x), encoded(vae, x)
    check(not torch.equal(first[0], second[0]), "z is the same in two calls")
    check_close(first[1], second[1], "mu of the same images")
    check_close(first[2], second[2], "log_sigma2 of the same images")


@weight(2)
def test_gradients_reach_the_distribution(make: Any, student: Any, normal: Normal) -> None:
    """gradients of z reach mu and log_sigma2 (z is reparametrised)"""
    reached = student.probe.encoded_gradients(make(4), normal(2, 3, 64, 64))
    for name in ("mu", "log_sigma2"):
        check(reached[name], f"no gradient of z reaches what {name} is made of")


@weight(2)
def test_sample(make: Any, student: Any) -> None:
    """sample(n) gives n images on the CPU, without gradients"""
    for n in (1, 5):
        found = student.probe.samples(make(4), n)
        check(len(found["images"]) == n, f"sample({n}) should give {n} images; it gave {len(found['images'])}")
        for image in found["images"]:
            check_shape(image, (3, 64, 64), "a sampled image")
            check(
                image is found["images"][0] or not torch.equal(image, found["images"][0]), "two samples are one image"
            )
        check(not found["tracked"], "samples come with gradients")
        check(set(found["devices"]) == {"cpu"}, "samples are not on the CPU")


@weight(1)
def test_samples_come_from_the_prior(make: Any, student: Any) -> None:
    """the points that are decoded come from N(0, I)"""
    z_dim = 200
    found = student.probe.samples(make(z_dim), 8)
    z = found["z"]
    if z is None:  # decoded some other way: what can be seen is that the images differ
        check(not torch.equal(found["images"][0], found["images"][1]), "all samples are the same image")
        return
    z = z.flatten()
    check(abs(float(z.mean())) < 6 / len(z) ** 0.5, "the mean of what is decoded is not 0")
    check(abs(float(z.var()) - 1) < 6 * (2 / len(z)) ** 0.5, "the variance of what is decoded is not 1")


@weight(1)
def test_forward(make: Any, normal: Normal) -> None:
    """forward gives a reconstruction of the shape of x, mu and log_sigma2"""
    vae, x = make(5), normal(2, 3, 64, 64)
    xr, mu, log_sigma2 = vae(x)
    check_shape(xr, (2, 3, 64, 64), "the reconstruction")
    _, expected_mu, expected_log_sigma2 = encoded(vae, x)
    check_close(mu, expected_mu, "mu")
    check_close(log_sigma2, expected_log_sigma2, "log_sigma2")
