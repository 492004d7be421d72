"""Q1.1: the receptive field of one column, worked out by hand."""

from typing import Any

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question

pytestmark = question("receptive_field_by_hand")


def test_width_in_pixels(student: Any) -> None:
    """the width in pixels of what one column sees"""
    found = student.receptive_field_by_hand()
    check_type(found, (int, float), "the receptive field")
    # Backwards through one block, w columns come from 2w before the pool and 2w + 2 before the convolution:
    # 1 -> 4 -> 10 -> 22 -> 46.
    check(found == 46, "the width of the receptive field is not right")
