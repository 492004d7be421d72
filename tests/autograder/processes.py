"""What runs on this machine, as the kernel tells: a look at /proc that owes nothing to the code it checks."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["processes_below", "processes_in_session"]


def processes_below(pid: int) -> list[int]:
    """Processes whose parent is ``pid``; none where there is no such process any more."""
    return [each for each, fields in _all() if int(fields[1]) == pid]


def processes_in_session(number: int) -> list[int]:
    """Processes of that session that have not ended."""
    return [each for each, fields in _all() if int(fields[3]) == number and fields[0] != "Z"]


def _all() -> Iterator[tuple[int, list[str]]]:
    """Each process with the fields of its ``stat`` from the third on: state, parent, group, session ..."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended in the meantime
            yield int(status.parent.name), status.read_text().rpartition(")")[2].split()
