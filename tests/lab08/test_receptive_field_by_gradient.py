"""Q1.1: the receptive field of one column, by back-propagating from it.

In the lab's CNN a column j of a block's output comes from columns 2j and 2j + 1 before the pool, and those from 2j - 1
to 2j + 2 before the convolution. Four times: 16j - 15 to 16j + 30, cut at the image's edges 0 and 335.
"""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("receptive_field_by_gradient")


def check_field(found: Any, expected: tuple[int, int], what: str) -> None:
    check_type(found, (tuple, list), "what `receptive_field_by_gradient` returns")
    check(len(found) == 2, f"there should be two numbers, the left and the right end; found {len(found)}")
    for name, pixel, right in zip(("left", "right"), found, expected, strict=True):
        check_type(pixel, int, name)
        check(pixel == right, f"the {name} end of the receptive field is not right for {what}")


@weight(4)
@pytest.mark.parametrize("column", [10, 3])
def test_inner_column(student: Any, column: int) -> None:
    """first and last pixel that a column in the middle of the strip sees"""
    found = student.receptive_field_by_gradient(student.make_cnn(), column)
    check_field(found, (16 * column - 15, 16 * column + 30), f"column {column}")


@weight(2)
@pytest.mark.parametrize(("column", "field"), [(0, (0, 30)), (20, (305, 335))], ids=["first column", "last column"])
def test_column_at_the_edge(student: Any, column: int, field: tuple[int, int]) -> None:
    """at the edges of the strip the field ends with the image"""
    check_field(student.receptive_field_by_gradient(student.make_cnn(), column), field, f"column {column}")


@weight(3)
@pytest.mark.parametrize(
    ("kind", "column", "field"),
    [
        # The average covers convolution columns 4j to 4j + 3, each of which sees two pixels to either side.
        ("conv 5, average 4", 7, (4 * 7 - 2, 4 * 7 + 3 + 2)),
        # No padding: column j starts at pixel 5j.
        ("conv 7 by 5 pixels", 11, (55, 61)),
        # One pixel to either side for each convolution; batch statistics would let every pixel in.
        ("two convs 3, batch norm", 100, (98, 102)),
    ],
    ids=["average pooling", "stride 5", "batch norm"],
)
def test_other_cnn(student: Any, kind: str, column: int, field: tuple[int, int]) -> None:
    """the field of another CNN is measured, not assumed"""
    cnn = student.probe.small_cnn(kind)
    check_field(student.receptive_field_by_gradient(cnn, column), field, f"another CNN ({kind})")


@weight(1)
@pytest.mark.parametrize("training", [True, False], ids=["train mode", "eval mode"])
def test_mode_is_restored(student: Any, training: bool) -> None:
    """the CNN is returned to the mode it was in"""
    found = student.probe.field_and_traces(training, 10)
    check(found["modes"] == [training], "the CNN is not back in the mode it was in")


@weight(1)
def test_field_does_not_depend_on_the_mode(student: Any) -> None:
    """a CNN in train mode is put in eval mode to be measured"""
    check_field(student.probe.field_and_traces(True, 10)["field"], (145, 190), "a CNN that was in train mode")


@weight(1)
def test_no_gradient_is_left(student: Any) -> None:
    """no gradient is left in the CNN's parameters"""
    left = student.probe.field_and_traces(False, 10)["left"]
    check(not left, f"gradients are left in {len(left)} of the CNN's parameters")
