"""A small course that has one of everything a release treats in its own way."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.course import Assignment, Course
from autograder.notebooks import read_notebook

COURSE = """\
[course]
title = "A course"

[assignments.lab]
title = "Attention"
notebooks = ["lab.ipynb"]
"""

SETUP = """\
import math

import torch

WIDTH = 64


def scaled(x, factor):
    return torch.tanh(x * factor) / math.sqrt(WIDTH)
"""

ATTEND = '''\
def attend(q, K, V):
    """Scaled dot-product attention."""
    ### BEGIN SOLUTION
    # the scores are divided by the root of their width, or the softmax saturates
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bn,bnd->bd", weights, V), weights
    ### END SOLUTION
'''

CHECK = """\
assert attend(torch.ones(1, 2), torch.ones(1, 3, 2), torch.ones(1, 3, 2))[0].shape == (1, 2)
### BEGIN HIDDEN TESTS
uneven = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(2, 3, 4)
assert attend(uneven[:, 0], uneven, uneven)[1].sum() == 2
### END HIDDEN TESTS
"""

PLOT = """\
values = torch.linspace(-3, 3, 41)
print(scaled(values, factor=0.125).max())
"""

ANSWER = """\
The weights are mixing coefficients, so they say how much of each value enters the sum.
They do not show that the prediction depended on a place.
"""

RUBRIC = """\
**Rubric.** One point for saying that weights mix values, one point for denying that they prove dependence.
"""


def code(source: str, name: str, **flags: object) -> NotebookNode:
    """A code cell; with flags, one that nbgrader knows."""
    return _known(nbformat.v4.new_code_cell(source, id=name), flags)


def markdown(source: str, name: str, **flags: object) -> NotebookNode:
    """A markdown cell; with flags, one that nbgrader knows."""
    return _known(nbformat.v4.new_markdown_cell(source, id=name), flags)


def _known(cell: NotebookNode, flags: dict[str, object]) -> NotebookNode:
    if flags:
        meta = {"grade": False, "solution": False, "locked": False, "schema_version": 3, "grade_id": cell.id}
        cell.metadata["nbgrader"] = meta | flags
    return cell


def source_notebook() -> NotebookNode:
    """Title, supplied code, an autograded question, a display, an answer with rubric, and a place to play."""
    setup = code(SETUP, "setup", locked=True)
    setup.metadata["tags"] = ["grade-setup"]
    rubric = markdown(RUBRIC, "why-rubric")
    rubric.metadata["tags"] = ["rubric"]
    cells = [
        markdown("# Attention\n\nx² and H₂O, read-only.", "title", locked=True),
        setup,
        code(ATTEND, "attend-solution", solution=True),
        code(CHECK, "attend", grade=True, locked=True, points=4),
        code(PLOT, "plot", grade=True, solution=True, points=1),
        markdown(ANSWER, "why", grade=True, solution=True, points=2),
        rubric,
        code("# Yours to play with.", "play"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    """The small course's one assignment, its source written and nothing released."""
    (tmp_path / "course.toml").write_text(COURSE)
    tests = tmp_path / "tests" / "lab"
    (tests / "references").mkdir(parents=True)
    (tests / "test_attend.py").write_text('def test_attend(student):\n    """Shapes are right."""\n')
    (tests / "references" / "attend.safetensors").write_bytes(bytes(range(64)))
    (tmp_path / "source" / "lab").mkdir(parents=True)
    assignment = Course.load(tmp_path / "course.toml").assignment("lab")
    nbformat.write(source_notebook(), assignment.source_dir / "lab.ipynb")
    return assignment


@pytest.fixture
def edit(assignment: Assignment) -> Callable[[Callable[[dict[str, NotebookNode]], None]], None]:
    """Change the source notebook: ``edit(lambda cells: ...)`` gets its cells by id."""

    def changed(change: Callable[[dict[str, NotebookNode]], None]) -> None:
        path = assignment.source_dir / "lab.ipynb"
        notebook = read_notebook(path)
        change({cell.id: cell for cell in notebook.cells})
        nbformat.write(notebook, path)

    return changed


@pytest.fixture
def released(assignment: Assignment) -> Callable[[str], NotebookNode]:
    """The cell of an id in release/, or in solutions/."""

    def cell(name: str, *, solved: bool = False) -> NotebookNode:
        folder = assignment.solutions_dir if solved else assignment.release_dir
        return next(cell for cell in read_notebook(folder / "lab.ipynb").cells if cell.id == name)

    return cell
