"""The folders that a sandbox works in, seen from outside: made, looked at while a worker writes to them, removed."""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Written", "new_shared_folder", "remove", "written"]

PREFIX = "autograder-"
ALIVE = ".alive"


def new_shared_folder() -> tuple[Path, int]:
    """A folder for one zygote and its workers, and the lock that says it is in use, to be closed at the end.

    What an earlier run left behind because it was killed is removed: nobody holds its lock.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{ALIVE}"):
        with contextlib.suppress(OSError):
            if left.parent.lstat().st_uid != os.geteuid() or left.parent.is_symlink():
                continue  # anybody may make a folder of such a name
            lock = _locked(left)
            remove(left.parent)
            os.close(lock)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    (folder / ALIVE).touch()
    return folder, _locked(folder / ALIVE)


def _locked(path: Path) -> int:
    """Raises OSError where another process holds the lock, or another user owns it."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


class Written(NamedTuple):
    """Bytes on the disk, and files and folders."""

    bytes: int
    files: int


def written(folder: Path, pids: Iterable[int]) -> Written:
    """What lies in ``folder``, and what the processes ``pids`` keep open after they removed its name."""
    size = count = 0
    for status in _lying(folder):
        size, count = size + 512 * status.st_blocks, count + 1
    held = {(status.st_dev, status.st_ino): status.st_blocks for pid in pids for status in _nameless(pid)}
    return Written(size + 512 * sum(held.values()), count + len(held))


def _lying(folder: Path) -> Iterator[os.stat_result]:
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # it may be removed while we look
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    yield entry.stat(follow_symlinks=False)


def _nameless(pid: int) -> Iterator[os.stat_result]:
    """Open files of a process that have no name any more; they take room until they are closed."""
    with contextlib.suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                status = descriptor.stat()
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    yield status


def remove(folder: Path) -> None:
    """Remove ``folder`` whatever its owner did to the permissions inside. Symbolic links are removed, not followed."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.chmod(0o700)
        for parent, names, _ in os.walk(folder):
            for inner in (Path(parent, name) for name in names):
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
