"""A notebook mangled by editors and students is graded as the intact one would be."""

import ast
import builtins
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.notebooks import definitions
from autograder.submission import Submission, read_submission
from autograder.submission.names import global_references
from tests.autograder.submission.conftest import ROOT
from tests.autograder.submission.little import Json, solved, source
from tests.autograder.submission.mangles import MANGLES, Mangle, Targets, strip_everything

LITTLE = Targets(
    answer="mean-solution", other="Tracker-solution", check="mean", setup="clean", supplied="train", display="plot",
    written="why-mean",
)  # fmt: skip
LAB08 = Targets(
    answer="attend-solution", other="AttentionReader-solution", check="attend", setup="scoring", supplied="sets",
    display="q4-2-plots", written="q3-3-answer",
)  # fmt: skip


def read(notebook: Json, assignment: Assignment, folder: Path) -> Submission:
    path = folder / assignment.notebooks[0]
    path.write_text(json.dumps(notebook))
    return read_submission(path, assignment)


def defined(submission: Submission) -> dict[str, str]:
    """The last definition of each name in the cells that are run, layout and comments aside."""
    found = {}
    for cell in submission.cells:
        for node in ast.parse(cell.source).body:
            for name in definitions(ast.unparse(node)):
                found[name] = without_docstrings(node)
    return found


def without_docstrings(node: ast.stmt) -> str:
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(part) is not None:
            part.body = part.body[1:]
    return ast.dump(node)


def unresolved(submission: Submission) -> set[str]:
    """Names that the cells which are run look up and nothing defines."""
    text = "\n".join(cell.source for cell in submission.cells)
    return set(global_references(text) - definitions(text) - set(dir(builtins)) - {"get_ipython"})


@pytest.fixture(scope="module")
def lab08_answered() -> Json:
    notebook: Json = json.loads((ROOT / "source" / "lab08" / "lab08.ipynb").read_text())
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return solved(notebook)


@pytest.fixture(scope="module")
def lab08_intact(lab08_answered: Json, lab08: Assignment, tmp_path_factory: pytest.TempPathFactory) -> Submission:
    return read(lab08_answered, lab08, tmp_path_factory.mktemp("intact"))


def compared(
    mangle: Mangle, notebook: Json, targets: Targets, assignment: Assignment, folder: Path
) -> list[Submission]:
    """The submission without and with ``mangle``."""
    intact, mangled = (json.loads(json.dumps(notebook)) for _ in range(2))
    if mangle.before is not None:
        mangle.before(intact, targets)
        intact["cells"].insert(0, {"cell_type": "code", "metadata": {}, "source": "UNIT = 1", "id": "unit"})
    mangle.apply(mangled, targets)
    return [read(intact, assignment, folder), read(mangled, assignment, folder)]


def check_equal(intact: Submission, mangled: Submission, says: str, names: set[str]) -> None:
    assert mangled.fault is None
    ours, theirs = defined(intact), defined(mangled)
    for name in names:
        assert theirs[name] == ours[name], name
    assert unresolved(mangled) == unresolved(intact)
    setup = [cell for cell in intact.cells if cell.kind == "setup"]
    assert [cell for cell in mangled.cells if cell.kind == "setup"] == setup
    assert (mangled.missing, mangled.untouched) == ((), ())
    assert len({cell.id for cell in mangled.cells}) == len(mangled.cells)
    sentences = [repair.what for repair in mangled.repairs]
    if says:
        assert any(re.search(says, sentence) for sentence in sentences), sentences
    else:
        assert sentences == []
    for sentence in sentences:
        assert sentence[0].isupper() or sentence[0] == "`"
        assert sentence.endswith(".")


@pytest.mark.parametrize("mangle", MANGLES, ids=lambda mangle: mangle.name)
def test_a_mangled_little_notebook_is_graded_as_the_intact_one(
    mangle: Mangle, little: Assignment, tmp_path: Path
) -> None:
    intact, mangled = compared(mangle, solved(source()), LITTLE, little, tmp_path)
    check_equal(intact, mangled, mangle.says, {"mean", "Tracker", "variance", "spread"})
    assert results(mangled) == results(intact)
    if "written" in mangle.name or "raw" in mangle.name:
        assert mangled.manual == intact.manual


@pytest.mark.parametrize("mangle", MANGLES, ids=lambda mangle: mangle.name)
def test_it_is_even_when_nbgraders_metadata_is_lost_too(mangle: Mangle, little: Assignment, tmp_path: Path) -> None:
    def apply(notebook: Json, targets: Targets) -> None:
        mangle.apply(notebook, targets)
        notebook["cells"] = [cell for cell in notebook["cells"] if isinstance(cell, dict) and "source" in cell]
        strip_everything(notebook)

    twice = Mangle(mangle.name, apply, before=mangle.before)
    intact, mangled = compared(twice, solved(source()), LITTLE, little, tmp_path)
    check_equal(intact, mangled, "lost nbgrader's metadata", {"mean", "Tracker", "variance", "spread"})
    assert results(mangled) == results(intact)


@pytest.mark.parametrize("mangle", MANGLES, ids=lambda mangle: mangle.name)
def test_a_mangled_lab08_is_graded_as_the_intact_one(
    mangle: Mangle, lab08: Assignment, lab08_answered: Json, lab08_intact: Submission, tmp_path: Path
) -> None:
    if mangle.before is None:
        mangled = json.loads(json.dumps(lab08_answered))
        mangle.apply(mangled, LAB08)
        pair = [lab08_intact, read(mangled, lab08, tmp_path)]
    else:
        pair = compared(mangle, lab08_answered, LAB08, lab08, tmp_path)
    names = {question.id for question in lab08.questions() if question.kind == "auto"}
    check_equal(*pair, mangle.says, names)


class Shell:
    """IPython's shell, of which magics and shell lines ask nothing here."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def results(submission: Submission) -> list[Any]:
    """What the answers give when the cells are run in order, as the worker runs them."""
    names: dict[str, Any] = {"__name__": "cells", "get_ipython": Shell}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in submission.cells:
            exec(cell.source, names)
    tracker = names["Tracker"]()
    spreads = [names[name]([1.0, 3.0]) for name in ("variance", "spread")]
    return [names["mean"]([1.0, 4.0]), tracker.add(2.0), tracker.add(4.0), *spreads]


def test_at_least_forty_ways_of_mangling_are_tried() -> None:
    assert len({mangle.name for mangle in MANGLES}) == len(MANGLES) >= 40
