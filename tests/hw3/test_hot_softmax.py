"""Part 1: softmax with a temperature."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question, weight

pytestmark = question("hot_softmax")

Normal = Callable[..., Tensor]


def softmax(scores: Tensor, dim: int, temperature: float) -> Tensor:
    """By the definition, in float64, after taking the largest score away."""
    hot = scores.double() / temperature
    powers = (hot - hot.amax(dim, keepdim=True)).exp()
    return (powers / powers.sum(dim, keepdim=True)).to(scores.dtype)


@weight(2)
def test_without_a_temperature_it_is_softmax(charnn: Any, normal: Normal) -> None:
    """dim 0 and temperature 1 are the defaults"""
    y = normal(6, 4)
    check_close(charnn.hot_softmax(y), softmax(y, 0, 1.0), "hot_softmax(y)")


@weight(4)
@pytest.mark.parametrize("temperature", [0.1, 0.5, 2.0, 50.0])
def test_temperature(charnn: Any, normal: Normal, temperature: float) -> None:
    """scores are divided by the temperature"""
    y = normal(9)
    check_close(
        charnn.hot_softmax(y, temperature=temperature), softmax(y, 0, temperature), f"hot_softmax at T={temperature}"
    )


@weight(2)
@pytest.mark.parametrize(("shape", "dim"), [((3, 5), 1), ((2, 3, 4), 1), ((2, 3, 4), -1), ((4,), 0), ((2, 3, 2, 2), 2)])
def test_any_rank_and_dim(charnn: Any, normal: Normal, shape: tuple[int, ...], dim: int) -> None:
    """probabilities along any one dimension of a tensor of any rank"""
    y = normal(*shape)
    check_close(charnn.hot_softmax(y, dim=dim, temperature=0.7), softmax(y, dim, 0.7), f"hot_softmax along dim {dim}")


@weight(2)
@pytest.mark.parametrize("scale", [1e4, -1e4])
def test_large_scores(charnn: Any, normal: Normal, scale: float) -> None:
    """scores of 10,000 give probabilities, not nan"""
    y = normal(5) + scale
    check_close(
        charnn.hot_softmax(y, temperature=0.5), softmax(y, 0, 0.5), "hot_softmax of large scores", absolute=1e-3
    )


@weight(1)
def test_temperature_near_zero(charnn: Any) -> None:
    """near temperature 0 the largest score gets everything"""
    y = torch.tensor([1.0, 3.0, 2.0])
    check_close(charnn.hot_softmax(y, temperature=1e-4), torch.tensor([0.0, 1.0, 0.0]), "hot_softmax at T=0.0001")


@weight(1)
def test_scores_stay_as_they_were(student: Any, normal: Normal) -> None:
    """the scores are left as they were"""
    check(not student.probe.softmax_changes(normal(5)), "hot_softmax changed its input in place")
