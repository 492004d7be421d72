"""A student's notebook as a list of cells: text only, no output, nothing believed."""

import re
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from autograder._exceptions import NotebookError
from autograder.notebooks import grade_id, parse_notebook, plain_python
from autograder.submission.names import parsed
from autograder.submission.records import FaultName, Refused
from autograder.submission.statements import Statement, statements

__all__ = ["StudentCell", "student_cells"]

MAX_CELLS = 2_000
MAX_CODE_CHARACTERS = 1_000_000
"""Bounds on what is taken apart, with outputs and Markdown left out of account: people write a tenth of it."""

MAX_MAGIC_LINES = 1_000
"""Lines that begin or end as IPython's do: making Python of one means reading its whole cell."""

MAX_CELL_CHARACTERS = 100_000
"""A code cell longer than this holds data and no answer; it is set aside."""

FAULTS: dict[str, FaultName] = {"empty": "empty", "not-utf8": "not-utf8", "old-format": "old-format"}
"""Names that ``notebooks`` and this package share; whatever else is wrong with bytes is "unreadable"."""

# Cell magics whose cell is Python all the same; what stands under any other is another language, or a file.
_PYTHON_MAGIC = re.compile(r"\A\s*%%(time|timeit|capture|prun|debug|python3?)\b[^\n]*(?:\n|\Z)")
_MAGIC_LINE = re.compile(r"(?m)^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$")
_FENCE = re.compile(r"(?m)^\s*(?:```|~~~)[^\n]*$\n?")
_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive", b"%PDF": "a PDF file", b"\x1f\x8b": "a gzip archive", b"<": "a web page",
    b"import ": "Python code", b"from ": "Python code", b"# ": "plain text",
}  # fmt: skip


@dataclass(frozen=True)
class StudentCell:
    """One cell. ``index`` counts from 0; ``ids`` are those that editors gave it, ``grade_id`` nbgrader's.

    ``parts`` are the numbers of later cells whose text was found to go on where this one's ended.
    """

    index: int
    kind: str
    grade_id: str | None
    ids: tuple[str, ...]
    text: str
    parts: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """Its place as a person counts, from 1."""
        return self.index + 1

    @property
    def is_code(self) -> bool:
        """Whether the notebook runs it."""
        return self.kind == "code"

    @cached_property
    def magic(self) -> str:
        """The cell magic on its first line that is left out, such as ``%%time``, or an empty string."""
        found = _PYTHON_MAGIC.match(self.text)
        return f"%%{found[1]}" if found else ""

    @cached_property
    def python(self) -> str:
        """Its text as plain Python; of a text cell, without the fences around code."""
        if len(self.text) > MAX_CELL_CHARACTERS:
            return ""
        if not self.is_code:
            return _FENCE.sub("", self.text)
        return plain_python(_PYTHON_MAGIC.sub("", self.text))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The top-level statements of ``python``."""
        return statements(self.python)

    @cached_property
    def is_python(self) -> bool:
        """Whether ``python`` parses."""
        return parsed(self.python) is not None


def student_cells(data: bytes, name: str) -> tuple[StudentCell, ...]:
    """The cells of the notebook in ``data``, called ``name`` in messages; raises ``Refused`` where it is none."""
    try:
        notebook = parse_notebook(data, name)
    except NotebookError as error:
        raise _refused(data, name, error) from error
    except Exception as error:  # whatever else a hostile file makes a parser raise ends here, not the batch
        raise Refused("unreadable", f"{name} cannot be read as a notebook ({type(error).__name__})") from error
    cells = tuple(_student_cell(index, cell) for index, cell in enumerate(notebook.cells))
    if not any(cell.text.strip() for cell in cells):
        raise Refused("empty", f"{name} holds no cell with anything in it; submit the notebook that you worked in")
    _check_extent(cells, name)
    return cells


def _check_extent(cells: tuple[StudentCell, ...], name: str) -> None:
    code = [cell.text for cell in cells if cell.is_code and len(cell.text) <= MAX_CELL_CHARACTERS]
    for found, most, what in (
        (len(cells), MAX_CELLS, "cells"),
        (sum(map(len, code)), MAX_CODE_CHARACTERS, "characters of code"),
        (sum(len(_MAGIC_LINE.findall(text)) for text in code), MAX_MAGIC_LINES, "magic and shell lines"),
    ):
        if found > most:
            limit = f"{found:,} {what}, and at most {most:,} are read"
            raise Refused("too-large", f"{name} has {limit}; take out what was pasted into it and is no answer")


def _student_cell(index: int, cell: NotebookNode) -> StudentCell:
    colab = cell.metadata.get("id")
    ids = (str(cell.id), *([colab] if isinstance(colab, str) else []))
    return StudentCell(index, str(cell.cell_type), grade_id(cell), ids, str(cell.source).replace("\r\n", "\n"))


def _refused(data: bytes, name: str, error: NotebookError) -> Refused:
    """The fault for what ``notebooks`` found, with its remedy in a student's words."""
    head = data.lstrip()[:64]
    kind = next((kind for beginning, kind in _BEGINNINGS.items() if head.startswith(beginning)), None)
    if kind is not None:
        return Refused("unreadable", f"{name} is {kind}, not a notebook; submit the .ipynb file itself")
    again = "download the notebook again and submit that"
    advice = {
        "empty": f"{name} is an empty file; {again}",
        "not-utf8": f"{name} is not UTF-8 text; open it in Jupyter or Colab, save it there, and submit that",
        "not-json": f"{error}; the file may have been cut off or edited by hand: {again}",
        "old-format": f"{error}",
    }
    message = advice.get(error.fault, f"{error}; submit the .ipynb file that Jupyter or Colab saved")
    return Refused(FAULTS.get(error.fault, "unreadable"), message)
