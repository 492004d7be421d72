"""What reading a submission gives: the cells to run, what was repaired, and what a person marks."""

from typing import Literal

import msgspec

__all__ = ["Cell", "Fault", "FaultName", "PackageFile", "Refused", "Repair", "Submission"]

FaultName = Literal[
    "unreadable", "no-notebook", "two-notebooks", "other-assignment", "old-format", "too-large", "not-utf8", "empty",
    "directory", "symlink", "bad-archive", "encrypted", "no-package",
]  # fmt: skip
"""Why a submission cannot be graded at all. The set is closed."""


class Cell(msgspec.Struct, frozen=True):
    """Code to run, as plain Python. ``id`` is the grade id, or ``cell-12`` for the twelfth cell of a student's own."""

    id: str
    source: str
    kind: Literal["setup", "solution"]
    origin: Literal["source", "student"]


class PackageFile(msgspec.Struct, frozen=True):
    """A file that the submission's modules need. ``path`` is relative to the assignment's folder: ``hw3/charnn.py``."""

    path: str
    data: bytes
    origin: Literal["source", "student"]


class Repair(msgspec.Struct, frozen=True):
    """What was put right: a sentence for the student. ``cell`` is a cell's id, or empty for the whole notebook."""

    cell: str
    what: str


class Fault(msgspec.Struct, frozen=True):
    """Why the submission cannot be graded: a name from a closed set, and a message with the remedy."""

    name: FaultName
    message: str


class Submission(msgspec.Struct, frozen=True):
    """One student's notebook. Where ``fault`` is set there are no cells, and every question is missing.

    ``sha256`` is that of the file's bytes, empty where none could be read. ``missing`` and ``untouched`` hold ids of
    autograded questions: those without a solution cell, and those whose cell still is the stub. ``manual`` maps
    every question marked by hand to the student's text, empty where there is none. Where the assignment has a package,
    ``files`` are what is imported, and the cells, which then are not run, are those of the notebooks' solutions.
    """

    assignment: str
    student: str
    path: str
    sha256: str
    cells: tuple[Cell, ...] = ()
    files: tuple[PackageFile, ...] = ()
    repairs: tuple[Repair, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None
    missing: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    manual: dict[str, str] = {}


class Refused(Exception):
    """Carries a ``Fault`` from where it was found to ``read_submission``; goes no further."""

    def __init__(self, name: FaultName, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(name, message)
