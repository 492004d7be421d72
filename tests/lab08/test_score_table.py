"""Q4.3: scores by groups of lengths.

target            reading             length  exact  edits
1                 1                   1       yes    0
1 2               1 3                 2       no     1
1 2 3             1 2 3               3       yes    0
4 5 6 7           4 5 7               4       no     1
8 8 8 8 8 8       8 8 8 8 8 8         6       yes    0
0 1 2 3 4 5 6     0 1 2 3 4 5 6 7     7       no     1
"""

from typing import Any

import pytest

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("score_table")

TARGETS = [[1], [1, 2], [1, 2, 3], [4, 5, 6, 7], [8] * 6, [0, 1, 2, 3, 4, 5, 6]]
PREDS = [[1], [1, 3], [1, 2, 3], [4, 5, 7], [8] * 6, [0, 1, 2, 3, 4, 5, 6, 7]]
GROUPS = {"short": range(1, 4), "four": [4], "long": {6, 7}, "all": tuple(range(1, 9)), "none": (9, 10)}
EXPECTED = {
    "short": (2 / 3, 1 / 6, 3),
    "four": (0, 1 / 4, 1),  # its reading has three digits: the target's length decides
    "long": (1 / 2, 1 / 13, 2),
    "all": (3 / 6, 3 / 23, 6),
}
COLUMNS = ("exact", "cer", "count")
EOS = 11


def row(student: Any, group: str) -> tuple[Any, ...]:
    groups = {name: list(lengths) for name, lengths in GROUPS.items()}
    table = student.score_table(PREDS, TARGETS, groups)
    check_type(table, dict, "what `score_table` returns")
    check(group in table, f'the table has no row for "{group}"')
    check_type(table[group], (tuple, list), "a row of the table")
    check(len(table[group]) == 3, f"a row should hold three numbers: exact, cer and count; found {len(table[group])}")
    return tuple(table[group])


@weight(3)
@pytest.mark.parametrize("column", COLUMNS)
def test_values(student: Any, column: str) -> None:
    """exact accuracy, character error rate and count of each group of lengths"""
    i = COLUMNS.index(column)
    for group, expected in EXPECTED.items():
        check_close(row(student, group)[i], expected[i], f'{column} of group "{group}"')


@weight(2)
def test_readings_are_cleaned(student: Any) -> None:
    """what a reading holds after its first EOS, and symbols that are no digits, do not count"""
    written = [[4, 0, EOS, 7], [12, 9, EOS], [5, 10, 5]]
    table = student.score_table(written, [[4, 0], [9], [5, 6]], {"all": [1, 2]})
    check_type(table, dict, "what `score_table` returns")
    check("all" in table, 'the table has no row for "all"')
    check_close(table["all"], (2 / 3, 1 / 5, 3), "the row of readings that hold EOS, SOS and PAD")


@weight(2)
def test_groups_of_any_collection(student: Any) -> None:
    """a group may be any collection of lengths, such as a set or a range"""
    for lengths in ({6, 7}, (6, 7), range(6, 9)):
        table = student.probe.call_with("score_table", [PREDS, TARGETS], lengths)
        check_type(table, dict, "what `score_table` returns")
        check("group" in table, f"a group given as a {type(lengths).__name__} has no row")
        check_close(table["group"], EXPECTED["long"], f"the row of a group given as a {type(lengths).__name__}")


@weight(2)
def test_empty_group_is_left_out(student: Any) -> None:
    """a group without strips is left out"""
    row(student, "short")
    table = student.score_table(PREDS, TARGETS, {"short": [1, 2, 3], "none": [9, 10]})
    check(set(table) == {"short"}, "the table should have rows for the groups with strips, and no other")


@weight(1)
def test_inputs_stay_as_they_were(student: Any) -> None:
    """readings, targets and groups are left as they were"""
    arguments = [PREDS, TARGETS, {"short": [1, 2, 3]}]
    after = student.probe.arguments_after("score_table", arguments)
    check(after == arguments, "`score_table` changed its arguments in place")
