"""Q1.1: the feature map of one strip, in numbers."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("feature_geometry")


def entry(student: Any, key: str) -> Any:
    result = student.feature_geometry()
    check_type(result, dict, "what `feature_geometry` returns")
    check(key in result, f'the dictionary has no key "{key}"')
    return result[key]


@weight(2)
def test_shape_of_the_feature_map(student: Any) -> None:
    """the shape of the feature map of one strip: channels, rows, columns"""
    shape = entry(student, "shape")
    check_type(shape, (tuple, list), "the shape")
    # Four blocks halve 28 x 336 four times, rows 28, 14, 7, 3, 1; the last block has 128 channels.
    check(tuple(shape) == (128, 1, 21), "the shape of the feature map is not right")


@weight(1)
@pytest.mark.parametrize(
    ("key", "expected"),
    [("stride", 2**4), ("columns_per_box", 28 / 2**4)],
    ids=["pixels between columns", "columns of a box"],
)
def test_distances(student: Any, key: str, expected: float) -> None:
    """pixels between neighbouring columns, and columns that a 28-pixel box spans"""
    check_close(entry(student, key), expected, f'"{key}"')
