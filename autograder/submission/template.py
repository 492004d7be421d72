"""The assignment's source notebook as the measure of a submission: what is supplied, and what students write."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from nbformat import NotebookNode

from autograder._exceptions import SubmissionError
from autograder.course import Assignment, Question
from autograder.notebooks import Role, grade_id, plain_python, read_notebook, role
from autograder.submission.names import parsed
from autograder.submission.statements import Definition, Statement, statements

__all__ = ["STUB_CODE", "STUB_TEXT", "SourceCell", "Template", "layout_free", "released_text", "template"]

STUB_CODE = ("# YOUR CODE HERE", "raise NotImplementedError()")
STUB_TEXT = "YOUR ANSWER HERE"
"""What nbgrader's ClearSolutions leaves in code and in markdown, as it comes configured."""

MEMBERS = "members"

_REGION = re.compile(r"(?ms)^([^\S\n]*)[^\n]*BEGIN SOLUTION[^\n]*\n(.*?)^[^\n]*END SOLUTION[^\n]*$")
_HIDDEN = re.compile(r"(?ms)^[^\n]*BEGIN (HIDDEN TESTS|MARK SCHEME)[^\n]*\n.*?^[^\n]*END \1[^\n]*(?:\n|\Z)")
_SUPPLIED = (Role.SETUP, Role.LOCKED, Role.AUTOGRADED)


@dataclass(frozen=True)
class SourceCell:
    """One cell of the source: ``released`` is the text that students were given, ``solved`` the instructor's."""

    index: int
    id: str
    role: Role
    is_code: bool
    solved: str
    released: str
    has_grade_id: bool

    @property
    def supplied(self) -> bool:
        """Whether students get it as it is and its changes do not count."""
        return self.role in _SUPPLIED

    @property
    def is_slot(self) -> bool:
        """Whether a student's code that is run belongs here; the list of members is read, not run."""
        return self.role is Role.SOLUTION and self.is_code and self.id != MEMBERS

    @cached_property
    def python(self) -> str:
        """The instructor's text as plain Python."""
        return plain_python(self.solved)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Of the released text; none where the cell is no code."""
        return statements(plain_python(self.released)) if self.is_code else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What a slot has to define: its functions and classes; without any, what it assigns."""
        return tuple(dict.fromkeys(_wanted(self.statements) or _wanted(statements(self.python))))

    def stub_keys(self, name: str) -> frozenset[str]:
        """How ``name`` is defined in the release, in the terms of ``Statement.bare_key``."""
        return frozenset(part.bare_key(name) for part in self.statements if name in part.binds)


def _wanted(found: tuple[Statement, ...]) -> list[str]:
    functions = [
        node.name for part in found for node in part.nodes if isinstance(node, Definition) and node.name in part.binds
    ]
    return functions or [name for part in found if not part.is_import for name in sorted(part.binds)]


@dataclass(frozen=True)
class Template:
    """The source notebook's cells, and what follows from them."""

    name: str
    cells: tuple[SourceCell, ...]
    questions: tuple[Question, ...]

    @cached_property
    def by_id(self) -> dict[str, SourceCell]:
        """Cells that nbgrader knows by an id."""
        return {cell.id: cell for cell in self.cells if cell.has_grade_id}

    @cached_property
    def slots(self) -> tuple[SourceCell, ...]:
        """The solution cells, in order."""
        return tuple(cell for cell in self.cells if cell.is_slot)

    @cached_property
    def slot_of(self) -> dict[str, SourceCell]:
        """The slot that has to define each name."""
        return {name: slot for slot in self.slots for name in slot.names}

    @cached_property
    def supplied_keys(self) -> frozenset[str]:
        """Keys of every statement that is supplied, imports aside: those a student may repeat anywhere."""
        return frozenset(
            part.key
            for cell in self.cells
            if cell.is_code and not cell.is_slot and cell.role is not Role.MANUAL
            for part in cell.statements
            if not part.is_import
        )

    @cached_property
    def setup_names(self) -> dict[str, int]:
        """What the setup cells define, and the index of the last one that does."""
        setup = [cell for cell in self.cells if cell.role is Role.SETUP]
        return {name: cell.index for cell in setup for part in cell.statements for name in part.binds}

    @cached_property
    def setup_statements(self) -> tuple[Statement, ...]:
        """All statements of the setup cells."""
        return tuple(part for cell in self.cells if cell.role is Role.SETUP for part in cell.statements)

    @cached_property
    def by_text(self) -> dict[str, tuple[int, ...]]:
        """Indices of the cells with a given released text, its layout aside."""
        found: dict[str, tuple[int, ...]] = {}
        for cell in self.cells:
            text = layout_free(cell.released)
            found[text] = (*found.get(text, ()), cell.index)
        return found

    @cached_property
    def question_slots(self) -> dict[str, tuple[SourceCell, ...]]:
        """Each autograded question's solution cells: the one named after it, else those since the last grade cell."""
        found: dict[str, tuple[SourceCell, ...]] = {}
        since: list[SourceCell] = []
        for cell in self.cells:
            if cell.is_slot:
                since.append(cell)
            elif cell.role in (Role.AUTOGRADED, Role.MANUAL):
                named = self.by_id.get(f"{cell.id}-solution")
                if cell.role is Role.AUTOGRADED:
                    found[cell.id] = (named,) if named is not None and named.is_slot else tuple(since)
                since = []
        return found


def template(assignment: Assignment) -> Template:
    """The template of ``assignment``, made again only when its source has changed.

    Raises ``SubmissionError`` for an assignment of several notebooks, and ``NotebookError`` and ``CourseError`` for
    a source that cannot be read.
    """
    if len(assignment.notebooks) != 1:
        there = ", ".join(assignment.notebooks) or "none"
        raise SubmissionError(f"assignment {assignment.name!r} has the notebooks {there}; exactly one can be matched")
    questions = assignment.questions()  # complains of a missing notebook
    path = assignment.source_dir / assignment.notebooks[0]
    status = path.stat()
    return _read(path, questions, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=8)
def _read(path: Path, questions: tuple[Question, ...], stamp: tuple[int, int]) -> Template:  # noqa: ARG001 - the stamp is there for the cache
    return Template(path.name, tuple(_source_cells(path)), questions)


def _source_cells(path: Path) -> Iterator[SourceCell]:
    index = 0
    for place, cell in enumerate(read_notebook(path).cells):
        kind = role(cell)
        if kind is Role.RUBRIC:
            continue  # never released
        name = grade_id(cell)
        released = _released(cell.source, kind, cell.cell_type)
        is_code = cell.cell_type == "code"
        yield SourceCell(index, name or f"source-{place + 1}", kind, is_code, cell.source, released, name is not None)
        index += 1


def released_text(cell: NotebookNode) -> str:
    """What the release makes of ``cell``'s text."""
    return _released(cell.source, role(cell), cell.cell_type)


def _released(text: str, kind: Role, cell_type: str) -> str:
    """What the release makes of a cell's ``text``: stubs for solutions, hidden tests and mark schemes gone."""
    text = _HIDDEN.sub("", text)
    stub = STUB_CODE if cell_type == "code" else (STUB_TEXT,)
    if not _REGION.search(text):
        return "\n".join(stub) if kind in (Role.SOLUTION, Role.MANUAL) else text
    with_stub = _REGION.sub(lambda region: _stub(region, stub), text)
    without_raise = _REGION.sub(lambda region: _stub(region, stub[:1]), text)
    # Between brackets no statement can stand, so there the comment stands alone.
    return without_raise if parsed(plain_python(with_stub)) is None and cell_type == "code" else with_stub


def _stub(region: re.Match[str], stub: tuple[str, ...]) -> str:
    indent, body = region[1], region[2]
    holds_code = any(line.strip() and not line.lstrip().startswith("#") for line in body.splitlines())
    return "\n".join(indent + line for line in (stub if holds_code else stub[:1]))


def layout_free(text: str) -> str:
    """``text`` without blank lines, line ends and trailing spaces, for telling whether anything was written."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
