"""Q5.2: does the largest weight fall on the digit that is being written?

Column c stands for pixel 16c + 8: 8, 24, 40, 56, 72 for the five columns of these strips.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("alignment")

EOS = 11


class Strip(NamedTuple):
    """One strip: raw symbols, (column, largest weight) of each step, target digits, left edges."""

    pred: list[int]
    peaks: list[tuple[int, float]]
    digits: list[int]
    xs: list[int]


def rows(peaks: list[tuple[int, float]]) -> np.ndarray:
    """Weights (steps, 5) with these peaks: the rest is spread evenly, each less than the peak."""
    weights = np.empty((len(peaks), 5), dtype=np.float32)
    for row, (column, peak) in zip(weights, peaks, strict=True):
        row[:] = (1 - peak) / 4
        row[column] = peak
    return weights


def measured(student: Any, strips: list[Strip], kind: str = "array") -> dict[str, Any]:
    weights = [rows(strip.peaks) for strip in strips]
    given = [torch.from_numpy(w) for w in weights] if kind == "tensor" else weights
    found = student.alignment([s.pred for s in strips], given, [s.digits for s in strips], [s.xs for s in strips])
    check_type(found, dict, "what `alignment` returns")
    for key in ("missing", "aligned_right", "aligned_wrong", "median_weight"):
        check(key in found, f'the dictionary has no key "{key}"')
        check_type(found[key], (int, float), f'"{key}"')
    return found


def check_value(found: dict[str, Any], key: str, expected: float) -> None:
    if math.isnan(expected):
        check(math.isnan(found[key]), f'"{key}" should be nan where there is nothing to take a share or a median of')
    else:
        check_close(found[key], expected, f'"{key}"', absolute=1e-6)


# Three strips, pooled:
#   3 at 24 in 10..37 aligned, right (0.6); 5 at 56 in 36..63 aligned, right (0.5)
#   7 at 8 in 20..47 not aligned, right (0.8); 1 read as 2, 40 in 42..69 not aligned;
#   4 read as 9, 72 in 66..93 aligned; 6 missing
#   8 read as 0, 40 in 30..57 aligned
# right: 2 of 3 aligned, median of 0.6, 0.5, 0.8 is 0.6; wrong: 2 of 3 aligned; missing 1.
PLAIN = [
    Strip([3, 5, EOS], [(1, 0.6), (3, 0.5), (4, 0.9)], [3, 5], [10, 36]),
    Strip([7, 2, 9, EOS], [(0, 0.8), (2, 0.7), (4, 0.4), (4, 0.9)], [7, 1, 4, 6], [20, 42, 66, 90]),
    Strip([0, EOS], [(2, 0.95), (0, 0.9)], [8], [30]),
]


@weight(3)
@pytest.mark.parametrize(
    ("key", "expected"),
    [("missing", 1), ("aligned_right", 2 / 3), ("aligned_wrong", 2 / 3), ("median_weight", 0.6)],
    ids=["missing", "aligned_right", "aligned_wrong", "median_weight"],
)
def test_plain_strips(student: Any, key: str, expected: float) -> None:
    """missing digits, aligned shares and median weight, over all digits of all strips"""
    check_value(measured(student, PLAIN), key, expected)


@weight(2)
def test_right_and_wrong_digits_are_told_apart(student: Any) -> None:
    """the shares are taken among the digits read right, and among those read wrong"""
    # One right and aligned; four wrong, one of them aligned.
    strip = Strip([1, 2, 3, 4, 5, EOS], [(0, 0.5), *[(1, 0.9)] * 5], [1, 9, 9, 9, 9], [0, 24, 50, 74, 98])
    found = measured(student, [strip])
    check_value(found, "aligned_right", 1.0)
    check_value(found, "aligned_wrong", 1 / 4)
    check_value(found, "median_weight", 0.5)


@weight(2)
def test_nothing_counts_after_the_first_eos(student: Any) -> None:
    """symbols after the first EOS are no reading"""
    # The 5 after EOS would be right and aligned.
    strip = Strip([3, EOS, 5, 5], [(1, 0.6), (3, 0.9), (3, 0.9), (3, 0.9)], [3, 5, 5], [10, 36, 60])
    found = measured(student, [strip])
    check_value(found, "missing", 2)
    check_value(found, "aligned_right", 1.0)
    check_value(found, "median_weight", 0.6)


@weight(2)
def test_weights_are_those_of_the_step_that_wrote_the_digit(student: Any) -> None:
    """symbols that are no digits are passed over, with their weights"""
    # PAD and SOS before and between: the digits are written at steps 1 and 3.
    strip = Strip([12, 3, 10, 5, EOS], [(4, 0.9), (1, 0.6), (4, 0.9), (3, 0.4), (4, 0.9)], [3, 5], [10, 36])
    found = measured(student, [strip])
    check_value(found, "missing", 0)
    check_value(found, "aligned_right", 1.0)
    check_value(found, "median_weight", 0.5)


@weight(1)
@pytest.mark.parametrize(
    ("x", "aligned"),
    [(40, 1.0), (41, 0.0), (13, 1.0), (12, 0.0)],
    ids=["first pixel", "before it", "last pixel", "after it"],
)
def test_edges_of_a_box(student: Any, x: int, aligned: float) -> None:
    """a digit's box has 28 pixels, its first and its last included"""
    # Column 2 stands for pixel 40: the first of 40..67, the last of 13..40.
    check_value(measured(student, [Strip([3, EOS], [(2, 0.5), (0, 0.9)], [3], [x])]), "aligned_right", aligned)


@weight(1)
def test_extra_digits_are_passed_over(student: Any) -> None:
    """digits written beyond the target's length count nowhere"""
    strip = Strip([3, 5, 5, EOS], [(1, 0.6), (3, 0.9), (3, 0.9), (0, 0.9)], [3], [10])
    found = measured(student, [strip])
    check_value(found, "missing", 0)
    check_value(found, "aligned_wrong", math.nan)
    check_value(found, "median_weight", 0.6)


@weight(1)
def test_reading_without_eos(student: Any) -> None:
    """a reading that never writes EOS counts as it stands"""
    found = measured(student, [Strip([3, 5], [(1, 0.6), (3, 0.4)], [3, 5, 7], [10, 36, 60])])
    check_value(found, "missing", 1)
    check_value(found, "aligned_right", 1.0)


@weight(1)
def test_median_of_an_even_number(student: Any) -> None:
    """the median of an even number of weights is the mean of the middle two"""
    strip = Strip([1, 2, 3, 4, EOS], [(0, 0.9), (1, 0.4), (2, 0.5), (3, 0.8), (4, 0.9)], [1, 2, 3, 4], [0, 22, 44, 66])
    check_value(measured(student, [strip]), "median_weight", 0.65)


@weight(1)
def test_share_of_nothing(student: Any) -> None:
    """a share or median of nothing is nan"""
    nothing_read = measured(student, [Strip([EOS], [(0, 0.9)], [4, 2], [0, 28])])
    check_value(nothing_read, "missing", 2)
    for key in ("aligned_right", "aligned_wrong", "median_weight"):
        check_value(nothing_read, key, math.nan)


@weight(1)
def test_weights_as_tensors(student: Any) -> None:
    """weights may be tensors as well as arrays"""
    found = measured(student, PLAIN, "tensor")
    check_value(found, "aligned_right", 2 / 3)
    check_value(found, "median_weight", 0.6)
