"""Part 2: the loss of a variational autoencoder, in closed form."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("vae_loss")

Normal = Callable[..., Tensor]
NAMES = ("the loss", "the data loss", "the KL divergence loss")


def closed_form(
    x: Tensor, xr: Tensor, mu: Tensor, log_sigma2: Tensor, x_sigma2: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Image by image, with a matrix for the variances, in float64."""
    data, divergence = [], []
    for image, back, mean, log_variance in zip(x.double(), xr.double(), mu.double(), log_sigma2.double(), strict=True):
        data.append((image - back).norm() ** 2 / (x_sigma2 * image.numel()))
        S = torch.diag(log_variance.exp())
        divergence.append(S.trace() + mean.norm() ** 2 - len(mean) - torch.log(torch.diagonal(S)).sum())
    mean_data, mean_divergence = torch.stack(data).mean(), torch.stack(divergence).mean()
    return mean_data + mean_divergence, mean_data, mean_divergence


def losses(autoencoder: Any, *arguments: Any) -> list[float]:
    result = autoencoder.vae_loss(*arguments)
    check_type(result, (tuple, list), "what `vae_loss` returns")
    check(len(result) == 3, f"`vae_loss` should return three losses; it returned {len(result)}")
    for value, name in zip(result, NAMES, strict=True):
        check(getattr(value, "numel", lambda: 1)() == 1, f"{name} should be one number")
    return [float(value) for value in result]


@weight(2)
def test_check_value(autoencoder: Any) -> None:
    """the value of the example in the notebook"""
    torch.manual_seed(42)
    x, xr = (torch.randn(10, 3, 64, 64) * 2 - 1 for _ in range(2))
    mu, log_sigma2 = torch.randn(10, 32), torch.randn(10, 32)
    check_close(
        losses(autoencoder, x, xr, mu, log_sigma2, 0.9)[0], 58.3234367, "the loss of the example", absolute=1e-3
    )


@weight(2)
@pytest.mark.parametrize("part", range(3), ids=["loss", "data", "divergence"])
@pytest.mark.parametrize(
    ("size", "z_dim", "x_sigma2"), [((4, 3, 8, 8), 5, 0.3), ((1, 1, 4, 6), 2, 7.0), ((5, 2, 3, 4), 9, 1e-3)]
)
def test_values(
    autoencoder: Any, normal: Normal, part: int, size: tuple[int, ...], z_dim: int, x_sigma2: float
) -> None:
    """the loss and both its terms, for several sizes"""
    x, xr, mu, log_sigma2 = normal(*size), normal(*size), normal(size[0], z_dim), normal(size[0], z_dim)
    found = losses(autoencoder, x, xr, mu, log_sigma2, x_sigma2)[part]
    check_close(
        found, float(closed_form(x, xr, mu, log_sigma2, x_sigma2)[part]), NAMES[part], relative=1e-4, absolute=1e-4
    )


@weight(1)
def test_zero_where_nothing_is_lost(autoencoder: Any, normal: Normal) -> None:
    """a perfect image with the prior as its distribution costs nothing"""
    x = normal(3, 3, 8, 8)
    check_close(
        losses(autoencoder, x, x.clone(), torch.zeros(3, 4), torch.zeros(3, 4), 0.5),
        [0.0] * 3,
        "the losses",
        absolute=1e-5,
    )


@weight(2)
@pytest.mark.parametrize("level", [60.0, -60.0], ids=["large variances", "small variances"])
def test_extreme_variances(autoencoder: Any, normal: Normal, level: float) -> None:
    """the loss stays finite, and right, where variances are very large or very small"""
    x, xr, mu, log_sigma2 = normal(2, 3, 8, 8), normal(2, 3, 8, 8), normal(2, 32), torch.full((2, 32), level)
    expected = closed_form(x, xr, mu, log_sigma2, 1.0)[2]
    check_close(losses(autoencoder, x, xr, mu, log_sigma2, 1.0)[2], float(expected), NAMES[2], relative=1e-4)


@weight(2)
def test_gradients(autoencoder: Any, student: Any, normal: Normal) -> None:
    """gradients of the loss reach the reconstruction, mu and log_sigma2"""
    x, *given = normal(3, 3, 4, 4), normal(3, 3, 4, 4), normal(3, 5), normal(3, 5)
    found = student.probe.loss_gradients(x, *given, 0.4)
    leaves = [tensor.clone().requires_grad_() for tensor in given]
    data = (x - leaves[0]).square().sum() / (0.4 * x[0].numel() * len(x))
    divergence = (leaves[2].exp() + leaves[1].square() - leaves[2]).sum() / len(x)
    expected = torch.autograd.grad(data + divergence, leaves)
    for value, wanted, name in zip(found, expected, ("the reconstruction", "mu", "log_sigma2"), strict=True):
        check(value is not None, f"no gradient reaches {name}")
        check_close(value, wanted, f"the gradient of {name}")
