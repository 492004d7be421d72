"""A tiny course for the kit's own tests: two autograded questions and a manual one, a suite of five tests."""

from pathlib import Path
from textwrap import dedent

import nbformat
from nbformat import NotebookNode

from autograder.course import Assignment, Course

COURSE = """\
[course]
title = "Tiny course"

[assignments.tiny]
title = "Doubling"
notebooks = ["tiny.ipynb"]

[assignments.tiny.limits]
call_seconds = 2.0
cell_seconds = 2.0
test_seconds = 6.0
memory_mb = 3000
"""

SETUP = """\
import torch

FACTOR = 2
"""

DOUBLE = '''\
def double(x):
    """Return twice ``x``, a tensor of any shape."""
    ### BEGIN SOLUTION
    return FACTOR * x
    ### END SOLUTION
'''

SHIFT = '''\
def shift(x, by=1):
    """Return ``x`` plus ``by``."""
    ### BEGIN SOLUTION
    return x + by
    ### END SOLUTION
'''

SUITE_DOUBLE = '''\
import torch

from autograder.grading.checks import check_close, check_shape
from autograder.grading.marks import question, weight

pytestmark = question("double")


@weight(3)
def test_values(student, torch_rng):
    """Every element is doubled."""
    x = torch.randn(4, 3, generator=torch_rng)
    check_close(student.double(x), 2 * x, "double(x)")


def test_batch_of_one(student):
    """One element keeps its shape."""
    check_shape(student.double(torch.ones(1)), (1,), "double of one element")
'''

SUITE_SHIFT = '''\
import torch

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question

pytestmark = question("shift")


def test_default(student, reference):
    """Without a second argument, one is added."""
    check_close(student.shift(torch.zeros(2)), reference.shift(torch.zeros(2)), "shift(x)")


def test_by(student):
    """The second argument is added."""
    check_close(student.shift(torch.zeros(2), by=5), torch.full((2,), 5.0), "shift(x, by=5)")


def test_no_mutation(student):
    """The input stays as it was."""
    check(student.probe.unchanged("shift", torch.zeros(2)), "shift changed its input")
'''

PROBES = """\
def unchanged(ns, name, x):
    before = x.clone()
    ns[name](x)
    return bool((before == x).all())
"""


def code(text: str, grade_id: str, **flags: object) -> NotebookNode:
    """A code cell with nbgrader metadata."""
    return _tagged(nbformat.v4.new_code_cell(text), grade_id, **flags)


def markdown(text: str, grade_id: str, **flags: object) -> NotebookNode:
    """A markdown cell with nbgrader metadata."""
    return _tagged(nbformat.v4.new_markdown_cell(text), grade_id, **flags)


def _tagged(cell: NotebookNode, grade_id: str, **flags: object) -> NotebookNode:
    flags = {"grade": False, "solution": False, "locked": False, "task": False} | flags
    cell.metadata["nbgrader"] = {"grade_id": grade_id, "schema_version": 3, **flags}
    cell.id = grade_id
    return cell


def notebook() -> NotebookNode:
    """The source notebook of the tiny assignment."""
    setup = code(SETUP, "setup", locked=True)
    setup.metadata["tags"] = ["grade-setup"]
    cells = [
        nbformat.v4.new_markdown_cell("# Doubling", id="title"),
        setup,
        code(DOUBLE, "double-solution", solution=True),
        code("assert double(torch.ones(1)) == 2", "double", grade=True, locked=True, points=4),
        code(SHIFT, "shift-solution", solution=True),
        code("assert shift(torch.zeros(1)) == 1", "shift", grade=True, locked=True, points=3),
        markdown("Because two ones are two.", "why", grade=True, solution=True, points=3),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def make_course(root: Path, course: str = COURSE, probes: str = PROBES, **suites: str) -> Assignment:
    """Write the tiny course below ``root``; returns its assignment. ``suites`` replace or add test modules by name."""
    (root / "course.toml").write_text(course)
    source, tests = root / "source" / "tiny", root / "tests" / "tiny"
    for folder in (source, tests):
        folder.mkdir(parents=True)
    nbformat.write(notebook(), source / "tiny.ipynb")
    (tests / "probes.py").write_text(probes)
    for name, text in ({"test_double": SUITE_DOUBLE, "test_shift": SUITE_SHIFT} | suites).items():
        (tests / f"{name}.py").write_text(text)
    return Course.load(root / "course.toml").assignment("tiny")


def answer(notebook: NotebookNode, grade_id: str, text: str) -> NotebookNode:
    """``notebook`` with the text of cell ``grade_id`` replaced."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            cell.source = dedent(text)
    return notebook
