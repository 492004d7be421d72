"""The means of mangling a notebook as editors and students do.

A mangle changes the notebook it is given, which is a copy. ``says`` is what a repair must say, as a pattern; where it
is empty there must be no repair at all. ``before`` is done to the notebook that the mangled one is compared with.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from tests.autograder.submission.little import Json


@dataclass(frozen=True)
class Targets:
    """The cells that mangles work on, by grade id, in one assignment."""

    answer: str
    """A function's solution cell, followed by its check."""
    other: str
    """The solution cell of a class, later in the notebook."""
    check: str
    setup: str
    supplied: str
    """A locked cell that is not run when grading."""
    display: str
    written: str
    """A written answer that follows a cell of the source and is followed by one."""

    @property
    def name(self) -> str:
        return self.answer.removesuffix("-solution")

    @property
    def other_name(self) -> str:
        return self.other.removesuffix("-solution")


@dataclass(frozen=True)
class Mangle:
    name: str
    apply: Callable[[Json, Targets], None]
    says: str = ""
    before: Callable[[Json, Targets], None] | None = None


MANGLES: list[Mangle] = []
Change = Callable[[Json, Targets], None]


def mangle(says: str = "", before: Change | None = None) -> Callable[[Change], Change]:
    """Registers a function as a mangle under its own name."""

    def register(function: Change) -> Change:
        MANGLES.append(Mangle(function.__name__, function, says, before))
        return function

    return register


def grade_id(cell: Json) -> str | None:
    return cell["metadata"].get("nbgrader", {}).get("grade_id") if isinstance(cell.get("metadata"), dict) else None


def place(notebook: Json, name: str) -> int:
    return next(index for index, cell in enumerate(notebook["cells"]) if grade_id(cell) == name)


def cell(notebook: Json, name: str) -> Json:
    found: Json = notebook["cells"][place(notebook, name)]
    return found


def stub_of(text: str) -> str:
    """``text`` with the body of every function replaced by a stub, docstrings kept."""
    lines = text.split("\n")
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if body:
            indent = " " * body[0].col_offset
            stub = [f"{indent}# YOUR CODE HERE", f"{indent}raise NotImplementedError()"]
            lines[body[0].lineno - 1 : body[-1].end_lineno] = stub
    return "\n".join(lines)


def broken(text: str) -> str:
    """``text`` with a bracket missing at its end."""
    return text.rstrip("\n") + "\n    return (\n"


def insert(notebook: Json, index: int, *cells: Json) -> None:
    notebook["cells"][index:index] = cells


def strip(found: Json) -> None:
    found["metadata"] = {}
    found["id"] = f"x{abs(hash(str(found['source']))):x}"


def everything(notebook: Json) -> list[Json]:
    found: list[Json] = notebook["cells"]
    return found


def strip_everything(notebook: Json) -> None:
    """Lose all metadata and all ids, as a copy by hand does."""
    for found in everything(notebook):
        strip(found)
    notebook["metadata"] = {}
