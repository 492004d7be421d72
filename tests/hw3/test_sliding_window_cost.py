"""Part 3: the cost of the attention, in multiplications that are counted at two lengths.

With S positions, a window of w and D features, a dense product costs S^2 D multiplications, and a banded one of the
order of S w D. A part that grows with S^2 shows in the second difference of the counts.
"""

from typing import Any

from autograder.grading.checks import check
from autograder.grading.marks import question, weight

pytestmark = question("sliding_window_cost")

S, W, D = 128, 8, 64


def dense_products(student: Any) -> float:
    """How many dense products of S^2 D multiplications the attention makes: 2 for a masked one, 0 for a banded one."""
    once, twice = student.probe.multiplications([S, 2 * S], W, D)
    check(once >= S * W * D, "the attention multiplies less than the scores or the values of the windows need")
    quadratic = (twice - 2 * once) / 2  # of a S^2 + b S, this is a S^2
    return float(quadratic) / (S**2 * D)


@weight(1)
def test_scores(transformer: Any, student: Any) -> None:
    """scores or values are computed inside the window only: at most one of the two products is dense"""
    check(dense_products(student) < 1.5, "both the scores and the values are multiplied over all pairs of positions")


@weight(1)
def test_scores_and_values(transformer: Any, student: Any) -> None:
    """scores and values are computed inside the window only: no product is dense"""
    check(dense_products(student) < 0.5, "the scores or the values are multiplied over all pairs of positions")
