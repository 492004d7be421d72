"""Q6.1: where a reading first goes wrong."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("first_wrong_position")


@pytest.mark.parametrize(
    ("pred", "target", "expected"),
    [
        pytest.param([1, 2, 4, 5], [1, 2, 3, 5], 2, marks=weight(2), id="in the middle"),
        pytest.param([9, 2, 3], [1, 2, 3], 0, marks=weight(2), id="at the start"),
        pytest.param([9, 9, 9], [1, 2, 3], 0, marks=weight(1), id="everywhere"),
        pytest.param([1, 3, 2], [1, 2, 3, 4], 1, marks=weight(1), id="in a shorter reading"),
        pytest.param([1, 2], [1, 2, 3], 2, marks=weight(2), id="reading stops early"),
        pytest.param([1, 2, 3, 3], [1, 2, 3], 3, marks=weight(2), id="reading goes on"),
        pytest.param([], [4, 5], 0, marks=weight(1), id="nothing read"),
    ],
)
def test_position(student: Any, pred: list[int], target: list[int], expected: int) -> None:
    """the first position, from 0, where reading and target differ"""
    found = student.first_wrong_position(pred, target)
    check_type(found, int, "the position")
    check(found == expected, f"the position is not right for a reading of {len(pred)} digits of {len(target)}")


@weight(2)
def test_equal_strings(student: Any) -> None:
    """None where reading and target are equal"""
    check(student.first_wrong_position([1, 2, 3], [1, 2, 3]) is None, "for equal strings the result should be None")
    check_type(student.first_wrong_position([1, 2, 4], [1, 2, 3]), int, "the position where they differ")
