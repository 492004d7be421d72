"""The files a release is made from, and those it is made of."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autograder._exceptions import ReleaseError
from autograder.course import Assignment

__all__ = ["Trees", "source_files"]

IGNORED_FOLDERS = frozenset({"__pycache__"})
IGNORED_SUFFIXES = frozenset({".pyc", ".pyo"})


class Trees(NamedTuple):
    """Both trees as relative POSIX path -> bytes."""

    release: dict[str, bytes]
    solutions: dict[str, bytes]


def source_files(assignment: Assignment) -> Iterator[tuple[str, Path]]:
    """The files of source/<assignment> as (relative path, path), sorted; hidden ones and caches are passed over.

    Raises ``ReleaseError`` for a symbolic link, whose target would be copied, and for a missing folder.
    """
    root = assignment.source_dir
    if not root.is_dir():
        raise ReleaseError(f"{root}: no such folder; assignment {assignment.name!r} has no source")
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if any(part.startswith(".") or part in IGNORED_FOLDERS for part in parts):
            continue
        if path.is_symlink():
            raise ReleaseError(f"{path} is a symbolic link; put the file itself there")
        if path.is_file() and path.suffix not in IGNORED_SUFFIXES:
            yield "/".join(parts), path
