"""The notebooks beside a package: the answers in their cells, the student's own helpers, the table of members."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from nbformat import NotebookNode

from autograder._exceptions import NotebookError
from autograder.course import Assignment
from autograder.notebooks import grade_id, parse_notebook, plain_python
from autograder.submission.answers import Members
from autograder.submission.bundle import Bundle
from autograder.submission.names import parsed
from autograder.submission.records import Cell, Repair
from autograder.submission.template import MEMBERS

__all__ = ["Slot", "members_in", "notebooks_in", "solution_cells", "squeezed"]

MAX_MEMBERS = 20
DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)

Notebooks = Mapping[str, list[NotebookNode]]
"""Cells by the name of their notebook."""


class Slot(NamedTuple):
    """Where an answer belongs: its notebook, the text it was released with, and the text of the code cell below it."""

    notebook: str
    released: str
    below: str


def squeezed(text: str) -> str:
    """``text`` as far as it counts when two cells are compared."""
    return "".join(text.split())


def notebooks_in(
    bundle: Bundle, assignment: Assignment, top: str
) -> tuple[dict[str, list[NotebookNode]], list[Repair]]:
    """The cells of the assignment's notebooks as far as they were handed in and can be read, by name.

    Of several notebooks of one name the one nearest to ``top``, where the package lies, counts.
    """
    found: dict[str, list[NotebookNode]] = {}
    repairs: list[Repair] = []
    for name in assignment.notebooks:
        paths = [path for path in bundle.files if PurePosixPath(path).name == name]
        if not paths:
            repairs.append(Repair(name, f"`{name}` was not handed in."))
            continue
        path = min(paths, key=lambda path: (not PurePosixPath(path).is_relative_to(top), path.count("/"), path))
        try:
            found[name] = parse_notebook(bundle.files[path], name).cells
        except NotebookError as error:
            repairs.append(Repair(name, f"`{name}` cannot be read: {error}."))
    return found, repairs


def solution_cells(
    notebooks: Notebooks, slots: Mapping[str, Slot], supplied: frozenset[str]
) -> tuple[list[Cell], tuple[str, ...], list[Repair]]:
    """The answers, the student's own definitions in other cells, and the questions whose cell is still the stub.

    An answer is found by its grade id; where a notebook has lost those, above the check that stands below it.
    """
    cells: list[Cell] = []
    untouched: list[str] = []
    repairs: list[Repair] = []
    for name, slot in slots.items():
        there = notebooks.get(slot.notebook, [])
        texts = [cell.source for cell in there if grade_id(cell) == name]
        if not texts and (text := _above(there, slot.below, supplied)):
            texts = [text]
            repairs.append(Repair(name, "The cell has lost its name; it was found above the check of its question."))
        if not texts:
            continue
        written = [text for text in texts if text.split() != slot.released.split()]
        cells.append(Cell(name, plain_python((written or texts)[-1]), "solution", "student"))
        if not written:
            untouched.append(name.removesuffix("-solution"))
    answers = {squeezed(cell.source) for cell in cells}
    for notebook in dict.fromkeys(slot.notebook for slot in slots.values()):
        own = (plain_python(cell.source) for cell in notebooks.get(notebook, []) if _is_own(cell, supplied))
        texts = [definitions for text in own if squeezed(text) not in answers and (definitions := _definitions(text))]
        cells += [Cell(f"cell-{notebook}-{number}", text, "solution", "student") for number, text in enumerate(texts)]
    return cells, tuple(untouched), repairs


def _above(cells: list[NotebookNode], check: str, supplied: frozenset[str]) -> str:
    """The student's code right above the cell with this text; empty where there is none."""
    above: list[str] = []
    for cell in cells:
        if check and squeezed(cell.source) == check:
            return "\n\n".join(above)
        above = [*above, cell.source] if _is_own(cell, supplied) else []
    return ""


def _is_own(cell: NotebookNode, supplied: frozenset[str]) -> bool:
    return bool(cell.cell_type == "code" and cell.source.strip() and squeezed(cell.source) not in supplied)


def _definitions(text: str) -> str:
    tree = parsed(text)
    found = [node for node in tree.body if isinstance(node, DEFINITIONS) or _is_constant(node)] if tree else []
    return "\n\n".join(ast.unparse(node) for node in found)


def _is_constant(node: ast.stmt) -> bool:
    """Whether it gives a name a value that is written out."""
    try:
        return isinstance(node, ast.Assign) and ast.literal_eval(node.value) is not Ellipsis
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def members_in(notebooks: Notebooks, released: str) -> Members:
    """Names and numbers in the table of members; rows that are as they were released do not count."""
    given = set(_rows(released))
    for cells in notebooks.values():
        for cell in cells:
            if grade_id(cell) == MEMBERS:
                rows = [row for row in _rows(cell.source) if row not in given and row[0]]
                return tuple(dict.fromkeys(rows[:MAX_MEMBERS]))
    return ()


def _rows(markdown: str) -> Iterable[tuple[str, str]]:
    """The first two columns of a Markdown table, its head and its rule included."""
    for line in markdown.splitlines():
        if line.strip().startswith("|"):
            parts = [part.strip()[:200] for part in line.strip().strip("|").split("|")]
            yield parts[0], parts[1] if len(parts) > 1 else ""
