"""Reading never raises and never hangs, whatever the bytes; order and copies change nothing."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.course import Assignment
from autograder.submission import Submission, read_submission
from autograder.validate import validate
from tests.autograder.submission.little import Json, solved, source

GOOD = solved(source())
GOOD_BYTES = json.dumps(GOOD).encode()

checked = settings(
    max_examples=60,
    deadline=5_000,  # milliseconds: what takes longer hangs
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)

WORDS = """cells metadata source cell_type code markdown nbgrader grade_id mean-solution solution nbformat
    schema_version id tags outputs execution_count points locked grade MEMBERS"""
PIECES = (
    *("def mean(values):\n    return 1", "class Tracker:", "%%time", "!ls", "MEMBERS = [", "(", '"""', "raise"),
    *("\0", "import math", "x = [x", "    ", "\t", "\r", "\x0c", "\ud800", "@mean", "if True:\n", "lambda: ", "é"),
    *("from math import *", "mean?"),
)
words = st.sampled_from(WORDS.split())
pieces = st.sampled_from(PIECES)
scraps = st.lists(pieces, max_size=8).map("\n".join)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | words | scraps | st.text(max_size=20)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=5), inner, max_size=5),
    max_leaves=25,
)
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading", 3]),
        "source": scraps | st.lists(scraps, max_size=3) | trees,
        "metadata": st.fixed_dictionaries({}, optional={"nbgrader": trees, "tags": trees, "id": trees}) | trees,
        "outputs": trees,
        "execution_count": trees,
        "id": trees,
    },
)


def read(data: bytes, assignment: Assignment, folder: Path) -> Submission:
    path = folder / "little.ipynb"
    path.write_bytes(data)
    validate(path, assignment)
    return read_submission(folder, assignment)


@checked
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes, little: Assignment, tmp_path: Path) -> None:
    assert read(data, little, tmp_path).fault is not None


@checked
@given(start=st.integers(0, len(GOOD_BYTES)), length=st.integers(0, 40), data=st.binary(max_size=40))
def test_any_damage_to_a_good_notebook_is_read(
    start: int, length: int, data: bytes, little: Assignment, tmp_path: Path
) -> None:
    read(GOOD_BYTES[:start] + data + GOOD_BYTES[start + length :], little, tmp_path)


@checked
@given(content=trees)
def test_any_json_is_read(content: Any, little: Assignment, tmp_path: Path) -> None:
    assert read(json.dumps(content).encode(), little, tmp_path).fault is not None


@checked
@given(found=st.lists(cells, max_size=6), kept=st.booleans())
def test_any_cells_are_read(found: list[Json], kept: bool, little: Assignment, tmp_path: Path) -> None:
    changed = GOOD | {"cells": [*GOOD["cells"], *found] if kept else found}
    submission = read(json.dumps(changed).encode(), little, tmp_path)
    json.dumps([cell.source for cell in submission.cells]).encode()
    if kept and submission.fault is None:
        assert [cell for cell in submission.cells if cell.kind == "setup"]


@checked
@given(text=scraps | st.text(max_size=60))
def test_any_answer_costs_no_other(text: str, little: Assignment, tmp_path: Path) -> None:
    changed = json.loads(json.dumps(GOOD))
    changed["cells"][6]["source"] = text
    submission = read(json.dumps(changed).encode(), little, tmp_path)
    found = {cell.id: cell.source for cell in submission.cells}
    assert submission.fault is None
    for name in ("Tracker-solution", "spread-solution"):
        assert found[name] == next(cell["source"] for cell in GOOD["cells"] if cell["id"] == name)


@checked
@given(seed=st.randoms(use_true_random=False))
def test_the_order_of_cells_changes_nothing(seed: random.Random, little: Assignment, tmp_path: Path) -> None:
    shuffled = list(GOOD["cells"])
    seed.shuffle(shuffled)
    ours = read(json.dumps(GOOD).encode(), little, tmp_path)
    theirs = read(json.dumps(GOOD | {"cells": shuffled}).encode(), little, tmp_path)
    assert theirs.cells == ours.cells
    assert (theirs.manual, theirs.members, theirs.missing) == (ours.manual, ours.members, ours.missing)


@checked
@given(indices=st.lists(st.integers(0, len(GOOD["cells"]) - 1), max_size=10))
def test_copies_of_cells_change_nothing(indices: list[int], little: Assignment, tmp_path: Path) -> None:
    copied = list(GOOD["cells"])
    for index in sorted(indices, reverse=True):
        copied.insert(index, GOOD["cells"][index])
    ours = read(json.dumps(GOOD).encode(), little, tmp_path)
    theirs = read(json.dumps(GOOD | {"cells": copied}).encode(), little, tmp_path)
    assert (theirs.cells, theirs.manual, theirs.members) == (ours.cells, ours.manual, ours.members)


@checked
@given(indices=st.sets(st.integers(0, len(GOOD["cells"]) - 1)))
def test_what_is_deleted_is_missing_and_nothing_else(indices: set[int], little: Assignment, tmp_path: Path) -> None:
    kept = [cell for index, cell in enumerate(GOOD["cells"]) if index not in indices]
    gone = {GOOD["cells"][index]["id"] for index in indices}
    submission = read(json.dumps(GOOD | {"cells": kept}).encode(), little, tmp_path)
    if submission.fault is None:
        answers = ("mean", "Tracker", "spread")
        assert submission.missing == tuple(name for name in answers if f"{name}-solution" in gone)
        assert [cell.id for cell in submission.cells if cell.kind == "setup"] == ["imports", "clean", "show"]


HOSTILE = {
    "a long sum": "x = 1" + "+1" * 10_000,
    "many brackets": "x = " + "(" * 20_000,
    "many minus signs": "x = " + "-" * 30_000 + "1",
    "many attributes": "x = a" + ".b" * 20_000,
    "many elifs": "if a: pass\n" + "elif a: pass\n" * 2_000,
    "many lambdas": "x = " + "lambda: " * 10_000 + "1",
    "many decorators": "@a\n" * 10_000 + "def f(): pass",
    "many definitions": "def mean(values): return 1\n" * 1_500,
    "many statements on a line": "x = 1; " * 4_000,
    "many magics": "x = !ls\n" * 900,
    "many questions": "x?\n" * 900,
    "a huge number": "x = 10 ** 10 ** 10",
    "a number of many digits": "x = " + "9" * 20_000,
    "a null byte": "def mean(values): return '\0'",
    "an open string": "x = '''" + "a\n" * 40_000,
    "a form feed": "\x0c" * 50_000 + "x = 1",
    "a deep chain of helpers": "\n".join(f"h{n} = lambda: h{n + 1}()" for n in range(1_500)),
    "a circle of helpers": "def h0(): return h1()\ndef h1(): return h0()\nH = h0()",
    "a deep chain of functions": "\n".join(f"def h{n}(): return h{n + 1}()" for n in range(1_500)) + "\nx = h0()",
    "nested functions": "\n".join(" " * n + f"def f{n}():" for n in range(95)) + "\n" + " " * 95 + "pass",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_code_is_read_within_seconds(case: str, little: Assignment, tmp_path: Path) -> None:
    as_helper, as_answer = (json.loads(json.dumps(GOOD)) for _ in range(2))
    as_helper["cells"][6]["source"] = "def mean(values):\n    return x, h0, H"
    as_helper["cells"].append({"cell_type": "code", "source": HOSTILE[case], "metadata": {}})
    as_answer["cells"][6]["source"] = HOSTILE[case]
    for changed in (as_helper, as_answer):
        started = time.monotonic()
        assert read(json.dumps(changed).encode(), little, tmp_path).fault is None
        assert time.monotonic() - started < 20
