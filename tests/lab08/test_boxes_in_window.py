"""Q1.1: how many digits one column can see."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("boxes_in_window")


# Boxes of 28 pixels start 22 apart at the closest. From the last pixel of the first of n boxes to the first pixel of
# the last there are 22 (n - 1) - 27 + 1 pixels, so n overlap a window of w when w >= 22 (n - 1) - 26: 2 from 1 pixel on
# (they share 6), 3 from 18, 4 from 40, 5 from 62.
@pytest.mark.parametrize(
    ("window", "expected"),
    [
        pytest.param(46, 4, marks=weight(3), id="the receptive field"),
        pytest.param(28, 3, marks=weight(2), id="one box wide"),
        pytest.param(1, 2, marks=weight(1), id="one pixel"),
        pytest.param(17, 2, marks=weight(1), id="just not three"),
        pytest.param(18, 3, marks=weight(1), id="just three"),
        pytest.param(39, 3, marks=weight(1), id="just not four"),
        pytest.param(40, 4, marks=weight(1), id="just four"),
        pytest.param(61, 4, marks=weight(1), id="just not five"),
        pytest.param(62, 5, marks=weight(1), id="just five"),
    ],
)
def test_number_of_boxes(student: Any, window: int, expected: int) -> None:
    """the largest number of digits that a window can overlap"""
    found = student.boxes_in_window(window)
    check_type(found, int, "the number of boxes")
    check(found == expected, f"the number of boxes for a window of {window} pixels is not right: found {found}")
