"""Q2.2 and Q3.3: parameters, part by part.

The tied module of probes.py: a table of 13 x 4 = 52 shared with `read`, which has 13 biases besides (65); `act` with
none; `deep` with 2 x 3 + 3 = 9, batch norm's 2 x 3 = 6 and 3 x 1 = 3 (18); and 5 of its own. In all
52 + 13 + 18 + 5 = 88.
"""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("parameter_counts")

TIED = {"table": 52, "read": 65, "act": 0, "deep": 18}


def check_counts(found: Any, expected: dict[str, int]) -> None:
    check_type(found, dict, "what `parameter_counts` returns")
    for name, count in expected.items():
        check(name in found, f'there is no entry "{name}"')
        check_type(found[name], int, f'the count of "{name}"')
        check(found[name] == count, f'the count of "{name}" is not right: found {found[name]:,}')


@weight(3)
def test_parts_of_the_cnn(student: Any) -> None:
    """the parameters of each block of the lab's CNN, and of all of it"""
    # 9 weights for each pair of channels, no bias, and two numbers a channel in batch norm.
    blocks = {str(i): 9 * a * b + 2 * b for i, (a, b) in enumerate([(1, 32), (32, 64), (64, 128), (128, 128)])}
    check_counts(student.probe.counts_of_cnn(), {**blocks, "total": 240_608})


@weight(2)
@pytest.mark.parametrize("part", TIED)
def test_part_of_a_module(student: Any, part: str) -> None:
    """each direct part is counted with all that is inside it"""
    check_counts(student.probe.counts_of_tied(), {part: TIED[part]})


@weight(2)
def test_shared_parameter_counts_once_in_the_total(student: Any) -> None:
    """in the total a shared parameter counts once, and the module's own parameters count too"""
    check_counts(student.probe.counts_of_tied(), {"total": 88})


@weight(1)
def test_entries(student: Any) -> None:
    """there is one entry for each direct part, and the total"""
    found = student.probe.counts_of_tied()
    check_type(found, dict, "what `parameter_counts` returns")
    extra = sorted(map(str, found.keys() - TIED.keys() - {"total"}))
    check(not extra, f"there are entries besides the direct parts and the total: {', '.join(extra)}")
    check(TIED.keys() <= found.keys(), "a direct part has no entry")
