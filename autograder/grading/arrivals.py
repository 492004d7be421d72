"""What lies in ``submitted/``: each student's folder for an assignment, and whatever else is there, by name."""

import hashlib
import stat
from pathlib import Path

import msgspec

from autograder._exceptions import SubmissionError
from autograder.plain import plain

__all__ = ["Arrival", "arrivals"]

MAX_NAME_CHARACTERS = 100
"""nbgrader keeps 128 characters of a student's id, and a file name with an ending has to fit into 255 bytes."""

LEFT_BY_SYSTEMS = ("__MACOSX", "Thumbs.db", "desktop.ini")


class Arrival(msgspec.Struct, frozen=True):
    """Something to grade. Where ``fault`` is set there is nothing to read, and ``message`` says why.

    ``student`` is the folder's name; where that cannot be one, ``known`` is False: it gets a report, but no row in the
    gradebook.
    """

    student: str
    path: Path
    fault: str = ""
    message: str = ""
    known: bool = True


def arrivals(submitted: Path, assignment: str) -> tuple[Arrival, ...]:
    """All submissions of ``assignment`` below ``submitted`` in nbgrader's layout, by student.

    A student without a folder for the assignment handed nothing in and is not among them. What is no student's folder,
    or was put in the wrong place, comes with a fault. Raises SubmissionError where ``submitted`` cannot be looked into.
    """
    try:
        names = sorted(path.name for path in submitted.iterdir())
    except OSError as error:
        raise SubmissionError(
            f"{submitted}: {error.strerror}; submissions are expected in {submitted}/<student>/{assignment}/"
        ) from error
    found = [
        _arrival(submitted / name, assignment)
        for name in names
        if not name.startswith(".") and name not in LEFT_BY_SYSTEMS
    ]
    return tuple(arrival for arrival in found if arrival is not None)


def _arrival(folder: Path, assignment: str) -> Arrival | None:
    name = folder.name
    wanted = f"submitted/<student>/{assignment}/"
    if not _is_name(name):
        message = f"the folder '{_written_out(name)}' cannot be a student's id; rename it"
        return Arrival(_written_out(name), folder, "bad-name", message, known=False)
    try:
        mode = folder.lstat().st_mode
        if stat.S_ISLNK(mode):
            return Arrival(name, folder, "symlink", f"{name} is a symbolic link, and links are not followed")
        if not stat.S_ISDIR(mode):
            return Arrival(name, folder, "misplaced", f"{name} is a file; submissions belong in {wanted}", known=False)
        inside = [path.name for path in folder.iterdir()]
    except OSError as error:
        return Arrival(name, folder, "unreadable", f"{name} cannot be looked into ({error.strerror})")
    if assignment in inside:
        return Arrival(name, folder / assignment)
    if any(other.lower().endswith(".ipynb") for other in inside):
        return Arrival(name, folder, "misplaced", f"{name} holds a notebook, but not where it belongs: {wanted}")
    return None


def _is_name(name: str) -> bool:
    """Whether ``name`` can be a student's id everywhere: in a file's name, a database, a terminal and a page."""
    usable = name == plain(name) == name.strip() and name.isprintable()
    return usable and len(name) <= MAX_NAME_CHARACTERS and len(name.encode()) <= 200


def _written_out(name: str) -> str:
    """A name for files and tables that stands for one that cannot be used: escaped, and of a length that can."""
    escaped = ascii(name)[1:-1]
    if len(escaped) <= MAX_NAME_CHARACTERS:
        return escaped
    return f"{escaped[: MAX_NAME_CHARACTERS - 9]}-{hashlib.sha256(escaped.encode()).hexdigest()[:8]}"
