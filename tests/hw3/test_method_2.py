"""Part 4, method 2: everything trains. The cell is run on a small model with the same parts, all of it frozen."""

from typing import Any

from autograder.grading.checks import check
from autograder.grading.marks import question, weight

pytestmark = question("method_2")


@weight(1)
def test_everything_trains(student: Any) -> None:
    """every parameter trains"""
    found = set(student.probe.frozen_by(student.source("method_2"), False))
    everything = set(student.probe.frozen_by("", True))
    frozen = sorted(everything - found)
    check(not frozen, f"these are still frozen: {', '.join(frozen)}")
