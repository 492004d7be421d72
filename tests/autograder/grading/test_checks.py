"""What a suite asserts with: how close is close, by the types of what is compared."""

from typing import Any

import pytest
import torch

from autograder.grading.checks import CheckFailed, check_close

SINGLE, DOUBLE, HALF, BRAIN = torch.float32, torch.float64, torch.float16, torch.bfloat16


def holds(actual: Any, expected: Any) -> bool:
    try:
        check_close(actual, expected, "the value")
    except CheckFailed:
        return False
    return True


@pytest.mark.parametrize(
    ("found", "wanted", "error", "close"),
    [
        (SINGLE, SINGLE, 1e-5, True),
        (SINGLE, SINGLE, 1e-4, False),
        (DOUBLE, DOUBLE, 1e-10, True),
        (DOUBLE, DOUBLE, 1e-6, False),
        (HALF, HALF, 1e-3, True),
        (BRAIN, BRAIN, 8e-3, True),
        (SINGLE, HALF, 1e-3, True),  # half was expected: more precision is no fault
        (HALF, SINGLE, 1e-3, False),  # it was not: who rounds is held to what was expected
        (BRAIN, SINGLE, 8e-3, False),
        (HALF, DOUBLE, 1e-3, False),
        (BRAIN, DOUBLE, 8e-3, False),
        (SINGLE, DOUBLE, 1e-5, True),  # the reference is more precise than it asks of the answer
        (SINGLE, DOUBLE, 1e-4, False),
    ],
)
def test_close_is_what_the_expected_type_can_hold(
    found: torch.dtype, wanted: torch.dtype, error: float, close: bool
) -> None:
    assert holds(torch.tensor([1.0 + error], dtype=found), torch.tensor([1.0], dtype=wanted)) is close


def test_who_answers_in_half_precision_may_still_be_exact() -> None:
    for dtype in (HALF, BRAIN):
        assert holds(torch.tensor([0.5, -2.0], dtype=dtype), torch.tensor([0.5, -2.0]))


def test_whole_numbers_are_exact_whatever_type_they_have() -> None:
    assert holds(torch.tensor([3, 4]), torch.tensor([3, 4], dtype=torch.int8))
    assert not holds(torch.tensor([3, 4]), torch.tensor([3, 5]))


def test_numbers_and_lists_are_compared_as_doubles() -> None:
    assert holds(0.1 + 0.2, 0.3)
    assert holds([1.0, 2.0], (1.0, 2.0))
    assert not holds(0.3001, 0.3)


def test_nan_equals_nan_and_nothing_else() -> None:
    nan, one = torch.tensor([float("nan")]), torch.tensor([1.0])
    assert holds(nan, nan)
    assert not holds(nan, one)
    assert not holds(one, nan)


def test_infinity_equals_itself_only() -> None:
    infinity = torch.tensor([float("inf")])
    assert holds(infinity, infinity)
    assert not holds(-infinity, infinity)
    assert not holds(torch.tensor([1e30]), infinity)


def test_a_tensor_that_holds_no_numbers_is_a_failed_check() -> None:
    with pytest.raises(CheckFailed, match="the weights holds no numbers: it is on the meta device"):
        check_close(torch.ones(2, device="meta"), torch.ones(2), "the weights")
