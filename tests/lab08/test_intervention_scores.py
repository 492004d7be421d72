"""Q5.3: what the readings of the changed strips show.

before   after    position  reading     exact  k-th is new  another differs
1 2 3    1 7 3    1         1 7 3       yes    yes          no
1 2 3    1 7 3    1         1 2 3       no     no           no       as if nothing had changed
1 2 3    1 7 3    1         1 7 4       no     yes          yes
1 2 3    1 7 3    1         1           no     no           yes      too short to have it
1 2 3    1 2 9    2         1 2 9 9     no     yes          yes      too long
4 5      6 5      0         6 5         yes    yes          no
4 5      6 5      0         8 5         no     no           no       neither old nor new
4 5 5    4 5 2    2         5 4 2       no     yes          yes
"""

import math
from typing import Any, NamedTuple

import pytest

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("intervention_scores")


class Case(NamedTuple):
    old: list[int]
    new: list[int]
    reading: list[int]
    position: int
    scores: tuple[int, int, int]


CASES = {
    "read as new": Case([1, 2, 3], [1, 7, 3], [1, 7, 3], 1, (1, 1, 0)),
    "read as old": Case([1, 2, 3], [1, 7, 3], [1, 2, 3], 1, (0, 0, 0)),
    "new, and another differs": Case([1, 2, 3], [1, 7, 3], [1, 7, 4], 1, (0, 1, 1)),
    "too short": Case([1, 2, 3], [1, 7, 3], [1], 1, (0, 0, 1)),
    "too long": Case([1, 2, 3], [1, 2, 9], [1, 2, 9, 9], 2, (0, 1, 1)),
    "first digit": Case([4, 5], [6, 5], [6, 5], 0, (1, 1, 0)),
    "neither old nor new": Case([4, 5], [6, 5], [8, 5], 0, (0, 0, 0)),
    "others exchanged": Case([4, 5, 5], [4, 5, 2], [5, 4, 2], 2, (0, 1, 1)),
}
KEYS = ("exact", "digit", "other")


def scores(student: Any, cases: list[Case]) -> dict[str, Any]:
    columns = [[getattr(case, name) for case in cases] for name in ("old", "new", "reading", "position")]
    found = student.intervention_scores(*columns)
    check_type(found, dict, "what `intervention_scores` returns")
    for key in KEYS:
        check(key in found, f'the dictionary has no key "{key}"')
        check_type(found[key], (int, float), f'"{key}"')
    return found


@weight(1)
@pytest.mark.parametrize("name", CASES)
def test_one_strip(student: Any, name: str) -> None:
    """the scores of one strip: read as new, new digit found, another digit changed"""
    found = scores(student, [CASES[name]])
    for key, expected in zip(KEYS, CASES[name].scores, strict=True):
        check_close(found[key], expected, f'"{key}" for one strip ({name})')


@weight(2)
@pytest.mark.parametrize("key", KEYS)
def test_shares_over_strips(student: Any, key: str) -> None:
    """each score is a share of all strips"""
    # exact: 2 of 8; the new digit: 5 of 8; another differs: 4 of 8.
    expected = {"exact": 2 / 8, "digit": 5 / 8, "other": 4 / 8}[key]
    check_close(scores(student, list(CASES.values()))[key], expected, f'"{key}" over eight strips')


@weight(1)
def test_share_of_nothing(student: Any) -> None:
    """without strips every share is nan"""
    found = scores(student, [])
    for key in KEYS:
        check(math.isnan(found[key]), f'"{key}" should be nan where there are no strips')


@weight(1)
def test_inputs_stay_as_they_were(student: Any) -> None:
    """the lists are left as they were"""
    cases = list(CASES.values())
    arguments = [[getattr(case, name) for case in cases] for name in ("old", "new", "reading", "position")]
    after = student.probe.arguments_after("intervention_scores", arguments)
    check(after == arguments, "`intervention_scores` changed its arguments in place")
