"""Part 2: features of an image, and an image from features."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("EncoderCNN")

Normal = Callable[..., Tensor]


def both(autoencoder: Any, channels: int, features: int) -> tuple[Any, Any]:
    encoder, decoder = autoencoder.EncoderCNN(channels, features), autoencoder.DecoderCNN(features, channels)
    encoder.eval()
    decoder.eval()
    return encoder, decoder


@weight(2)
@pytest.mark.parametrize(("channels", "features"), [(3, 8), (1, 6)], ids=["colour", "grey"])
def test_features_have_the_channels_asked_for(autoencoder: Any, normal: Normal, channels: int, features: int) -> None:
    """the encoder gives features with out_channels channels"""
    h = both(autoencoder, channels, features)[0](normal(2, channels, 64, 64))
    check_type(h, torch.Tensor, "what `EncoderCNN` returns")
    check(h.ndim == 4, f"the features should have four dimensions; they have {h.ndim}")
    check(
        tuple(h.shape[:2]) == (2, features),
        f"the features should have {features} channels; their shape is {tuple(h.shape)}",
    )


@weight(3)
@pytest.mark.parametrize(
    ("batch", "channels", "size"),
    [(2, 3, 64), (1, 3, 128), (2, 1, 64)],
    ids=["64 pixels", "128 pixels", "grey"],
)
def test_the_shape_comes_back(autoencoder: Any, normal: Normal, batch: int, channels: int, size: int) -> None:
    """decoder(encoder(x)) has the shape of x"""
    encoder, decoder = both(autoencoder, channels, 8)
    check_shape(
        decoder(encoder(normal(batch, channels, size, size))), (batch, channels, size, size), "decoder(encoder(x))"
    )


@weight(1)
def test_the_image_depends_on_the_input(autoencoder: Any, normal: Normal) -> None:
    """different images come back differently"""
    encoder, decoder = both(autoencoder, 3, 8)
    one, other = (decoder(encoder(normal(1, 3, 64, 64) * 3)) for _ in range(2))
    check(float((one - other).abs().max()) > 1e-6, "two different images come back as the same")


@weight(1)
def test_gradients_reach_every_parameter(autoencoder: Any, student: Any, normal: Normal) -> None:
    """every parameter of encoder and decoder gets a gradient"""
    encoder, decoder = both(autoencoder, 3, 8)
    h = encoder(normal(2, 3, 64, 64))
    for model, given, name in ((encoder, normal(2, 3, 64, 64), "encoder"), (decoder, h, "decoder")):
        model.train()
        without = student.probe.parameters_without_gradient(model, given)
        # A bias before a normalisation has no influence; weights have.
        without = [parameter for parameter in without if not parameter.endswith("bias")]
        check(not without, f"no gradient reaches these parameters of the {name}: {', '.join(without)}")


@weight(1)
def test_works_on_any_device(autoencoder: Any, student: Any, normal: Normal) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    encoder = both(autoencoder, 3, 8)[0]
    h = student.probe.on_device(encoder, "meta", [normal(1, 3, 64, 64)])
    check(h.device.type == "meta", "the features are not on the encoder's device")
