"""Writing files so that a reader, or a restart, never sees half of one."""

import os
import tempfile
from pathlib import Path

from autograder._exceptions import StorageError

__all__ = ["write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` in one step, making its folder if there is none.

    Raises StorageError where that cannot be done; what was there stays.
    """
    try:
        _write(path, data)
    except OSError as error:
        remedy = "make room or set it right, then run the command again: what was written before it is kept"
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}; {remedy}") from error


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(0o644)  # mkstemp makes it private; a report is an ordinary file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
