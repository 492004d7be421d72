"""hw3, part 2, with its solutions: the networks' shapes, the sampled distribution, both terms of the loss."""

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn
from torch.distributions import Normal, kl_divergence


@pytest.fixture
def vae(hw3: SimpleNamespace) -> nn.Module:
    """On networks that change nothing, so that features are the image: four numbers, in a latent space of three."""
    torch.manual_seed(0)
    encoder, decoder = nn.Conv2d(1, 1, 1, bias=False), nn.Conv2d(1, 1, 1, bias=False)
    nn.init.dirac_(encoder.weight)
    nn.init.dirac_(decoder.weight)
    found: nn.Module = hw3.autoencoder.VAE(encoder, decoder, (1, 2, 2), z_dim=3)
    return found


@pytest.mark.parametrize("size", [64, 128, 192])
def test_an_image_comes_back_in_its_own_shape(hw3: SimpleNamespace, size: int) -> None:
    encoder, decoder = hw3.autoencoder.EncoderCNN(3, 6), hw3.autoencoder.DecoderCNN(6, 3)
    x = torch.randn(2, 3, size, size)
    features = encoder(x)
    assert features.shape[:2] == (2, 6)
    assert decoder(features).shape == x.shape


def test_networks_that_do_not_fit_are_named(hw3: SimpleNamespace) -> None:
    with pytest.raises(AssertionError, match=r"an image of shape \(1, 4, 4\) comes back as \(1, 2, 2\)"):
        hw3.autoencoder.VAE(nn.AvgPool2d(2), nn.Sequential(nn.Conv2d(1, 1, 1)), (1, 4, 4), z_dim=3)


def test_z_has_the_mean_and_variance_that_the_encoder_gives(vae: nn.Module) -> None:
    with torch.no_grad():
        z, mu, log_sigma2 = vae.encode(torch.randn(1, 1, 2, 2).expand(20_000, -1, -1, -1))
    torch.testing.assert_close(z.mean(0), mu[0], atol=0.05, rtol=0)
    torch.testing.assert_close(z.var(0), log_sigma2[0].exp(), atol=0, rtol=0.05)


def test_gradients_of_z_reach_mean_and_variance(vae: nn.Module) -> None:
    z, mu, log_sigma2 = vae.encode(torch.randn(5, 1, 2, 2))
    of_mu, of_log_sigma2 = torch.autograd.grad(z.sum(), (mu, log_sigma2))
    torch.testing.assert_close(of_mu, torch.ones(5, 3))
    torch.testing.assert_close(of_log_sigma2, (z - mu).detach() / 2)  # of exp(s / 2) u


def test_decoded_images_fill_the_range_and_do_not_leave_it(vae: nn.Module) -> None:
    images = vae.decode(torch.randn(200, 3) * 50)
    assert images.shape == (200, 1, 2, 2)
    assert 0.99 < images.max() <= 1
    assert -1 <= images.min() < -0.99


def test_samples_come_from_the_prior_on_the_cpu_without_gradients(vae: nn.Module) -> None:
    seen: list[Tensor] = []
    vae.to_features.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    images = vae.sample(5000)
    assert (len(images), images[0].shape, images[0].device.type) == (5000, (1, 2, 2), "cpu")
    assert not images[0].requires_grad
    torch.testing.assert_close(seen[0].mean(0), torch.zeros(3), atol=0.06, rtol=0)
    torch.testing.assert_close(seen[0].T.cov(), torch.eye(3), atol=0.08, rtol=0)


def test_the_loss_has_the_check_value(hw3: SimpleNamespace) -> None:
    torch.manual_seed(42)
    x, xr = (torch.randn(10, 3, 64, 64) * 2 - 1 for _ in range(2))
    loss, data, divergence = hw3.autoencoder.vae_loss(x, xr, torch.randn(10, 32), torch.randn(10, 32), 0.9)
    assert loss.item() == pytest.approx(58.3234367, abs=1e-4)
    assert (data + divergence).item() == pytest.approx(loss.item())


def test_both_terms_are_what_plain_loops_give(hw3: SimpleNamespace, tensors: SimpleNamespace) -> None:
    given = [tensors.part2()[key] for key in ("x", "xr", "z_mu", "z_log_sigma2")]
    _, data, divergence = hw3.autoencoder.vae_loss(*given, 0.3)
    assert (data.item(), divergence.item()) == pytest.approx(tensors.vae_terms(*given, 0.3))


def test_the_divergence_term_is_twice_the_divergence_from_the_prior(hw3: SimpleNamespace) -> None:
    mu, log_sigma2, x = torch.randn(7, 5), torch.randn(7, 5), torch.zeros(7, 1, 2, 2)
    posterior = Normal(mu, (log_sigma2 / 2).exp())
    expected = 2 * kl_divergence(posterior, Normal(0.0, 1.0)).sum(1).mean()
    torch.testing.assert_close(hw3.autoencoder.vae_loss(x, x, mu, log_sigma2, 1.0)[2], expected)


@pytest.mark.parametrize("log_sigma2", [-80.0, 80.0])
def test_the_loss_is_finite_for_extreme_variances(hw3: SimpleNamespace, log_sigma2: float) -> None:
    x, given = torch.zeros(2, 1, 2, 2), torch.full((2, 5), log_sigma2)
    loss, _, _ = hw3.autoencoder.vae_loss(x, x, torch.zeros(2, 5), given, 1.0)
    assert loss.isfinite()
