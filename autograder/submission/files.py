"""A student's files, read without following a link, waiting for a pipe, or taking in more than is allowed.

``base`` is throughout the deepest folder that no student has a hand in; what lies below it is not trusted.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.notebooks import MAX_NOTEBOOK_BYTES
from autograder.submission.records import Refused

__all__ = ["Found", "is_hidden", "look_through", "read_bytes", "trusted_base"]

MAX_DEPTH = 4
"""Folders below a submission that are looked into: archives often wrap their contents once or twice."""

MAX_ENTRIES = 5_000
"""Files and folders that are looked at before the search ends: a data set handed in with the notebook is larger."""

SUFFIX = ".ipynb"
CHECKPOINTS = ".ipynb_checkpoints"
SUBMITTED = "submitted"


class Found:
    """What lies in a submission's folder and is called a notebook, by what it really is; ``others`` is the rest."""

    def __init__(self) -> None:
        self.notebooks: list[Path] = []
        self.checkpoints: list[Path] = []
        self.links: list[Path] = []
        self.directories: list[Path] = []
        self.special: list[Path] = []
        self.others: list[Path] = []

    def add(self, path: Path, mode: int) -> None:
        """Sort ``path``, whose own type (links not followed) is ``mode``, into its list."""
        if stat.S_ISLNK(mode):
            self.links.append(path)
        elif path.suffix.lower() != SUFFIX:
            self.others.append(path)
        elif stat.S_ISDIR(mode):
            self.directories.append(path)
        elif not stat.S_ISREG(mode):
            self.special.append(path)
        elif CHECKPOINTS in path.parts:
            self.checkpoints.append(path)
        else:
            self.notebooks.append(path)


def trusted_base(path: Path) -> Path:
    """The folder above ``path`` from which on links are refused.

    In nbgrader's layout that is ``submitted/``; elsewhere the one that holds the submission's folder.
    """
    for folder in path.parents:
        if folder.name == SUBMITTED:
            return folder
    return path.parent.parent if path.suffix.lower() == SUFFIX else path.parent


def look_through(folder: Path, base: Path) -> Found:
    """Everything in ``folder`` that is called a notebook, in the order of its path."""
    _refuse_links(folder, base)
    found = Found()
    waiting = [(folder, 0)]
    seen = 0
    while waiting and seen < MAX_ENTRIES:
        here, depth = waiting.pop(0)
        for name in _names(here, required=here == folder):
            path = here / name
            seen += 1
            try:
                mode = path.lstat().st_mode
            except OSError:
                continue  # gone, or unreadable: it is not a notebook that can be graded
            if stat.S_ISDIR(mode) and path.suffix.lower() != SUFFIX:
                if depth < MAX_DEPTH and (name == CHECKPOINTS or not is_hidden(name)):
                    waiting.append((path, depth + 1))
            elif not is_hidden(name):
                found.add(path, mode)
    return found


def _names(folder: Path, *, required: bool) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MAX_ENTRIES), strict=False)]
    except OSError as error:
        if not required:
            return []
        reason = f"{folder} cannot be looked into ({error.strerror}); check its permissions"
        raise Refused("unreadable", reason) from error
    return sorted(names)


def is_hidden(name: str) -> bool:
    """Whether an editor or an operating system put it there: ``._lab08.ipynb`` of a Mac's archive is no notebook."""
    return name.startswith(".") or name in {"__MACOSX", "__pycache__"}


def read_bytes(path: Path, base: Path, limit: int = MAX_NOTEBOOK_BYTES) -> bytes:
    """The bytes of ``path``; raises ``Refused`` where it is a link, no plain file, or larger than ``limit`` bytes."""
    try:
        with _opened(path, base) as descriptor:
            status = os.fstat(descriptor)
            _check_type(path, status.st_mode)
            if status.st_size > limit:
                raise Refused("too-large", _too_large(path, status.st_size, limit))
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(limit + 1)  # it may have grown since
    except OSError as error:
        reason = f"{path.name} cannot be read ({error.strerror}); check its permissions and submit it again"
        raise Refused("unreadable", reason) from error
    if len(data) > limit:
        raise Refused("too-large", _too_large(path, len(data), limit))
    return data


@contextmanager
def _opened(path: Path, base: Path) -> Iterator[int]:
    """A descriptor of ``path``, opened one folder at a time from ``base``, so that no link can come in between."""
    *folders, name = path.relative_to(base).parts
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = [os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
    try:
        for folder in folders:
            _refuse_link(path, os.stat(folder, dir_fd=opened[-1], follow_symlinks=False).st_mode)
            opened.append(os.open(folder, flags | os.O_DIRECTORY, dir_fd=opened[-1]))
        # The type is looked at before opening too: opening a device can do things, opening a pipe can wait.
        _check_type(path, os.stat(name, dir_fd=opened[-1], follow_symlinks=False).st_mode)
        opened.append(os.open(name, flags | os.O_NONBLOCK, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _refuse_links(path: Path, base: Path) -> None:
    """Raise ``Refused`` where ``path``, or a folder between it and ``base``, is a link."""
    for part in [path, *path.parents][: len(path.relative_to(base).parts)]:
        try:
            _refuse_link(path, part.lstat().st_mode)
        except OSError as error:
            raise Refused("unreadable", f"{path} cannot be looked at ({error.strerror})") from error


def _refuse_link(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode):
        reason = f"{path.name} is, or lies behind, a symbolic link, and links are not followed; submit the file itself"
        raise Refused("symlink", reason)


def _check_type(path: Path, mode: int) -> None:
    _refuse_link(path, mode)
    if stat.S_ISDIR(mode):
        raise Refused("directory", f"{path.name} is a folder, not a notebook; submit the notebook file itself")
    if not stat.S_ISREG(mode):
        raise Refused("unreadable", f"{path.name} is a pipe or a device, not a file; submit the notebook file itself")


def _too_large(path: Path, found: int, limit: int) -> str:
    return (
        f"{path.name} has {found / 1e6:.1f} MB, and at most {limit / 1e6:.1f} MB are read; "
        "clear the outputs of its largest cells (Edit, Clear All Outputs), save, and submit it again"
    )
