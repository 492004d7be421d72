"""Q6.1: what became of one strip."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question

pytestmark = question("outcome")


@pytest.mark.parametrize(
    ("pred", "target", "expected"),
    [
        pytest.param([1, 2, 3], [1, 2, 3], "correct", id="the same"),
        pytest.param([1, 2], [1, 2, 3], "missed", id="last digit missing"),
        pytest.param([7, 8], [1, 2, 3], "missed", id="shorter and different"),
        pytest.param([], [1], "missed", id="nothing read"),
        pytest.param([1, 2, 3, 3], [1, 2, 3], "extra", id="one digit more"),
        pytest.param([9, 9, 9, 9], [1, 2, 3], "extra", id="longer and different"),
        pytest.param([1, 2, 4], [1, 2, 3], "incorrect", id="last digit wrong"),
        pytest.param([3, 2, 1], [1, 2, 3], "incorrect", id="other order"),
    ],
)
def test_class_of_a_reading(student: Any, pred: list[int], target: list[int], expected: str) -> None:
    """correct, missed (shorter), extra (longer) or incorrect (as long, and different)"""
    found = student.outcome(pred, target)
    check_type(found, str, "what `outcome` returns")
    check(found in {"correct", "missed", "extra", "incorrect"}, "`outcome` returned a word that is none of the four")
    check(found == expected, f"a reading of {len(pred)} digits for a strip of {len(target)} is classified wrongly")
