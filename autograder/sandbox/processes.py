"""Other processes as the kernel shows them: what runs below one, and what others may have changed about it."""

import contextlib
import os
import resource
from pathlib import Path

__all__ = ["below", "traits"]

LIMITS = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})


def traits(pid: int) -> tuple[object, ...]:
    """What another process of the same user could change about the zygote: its limits, processors and priority."""
    try:
        limits = tuple(resource.prlimit(pid, number) for number in LIMITS)
        return limits, os.sched_getaffinity(pid), os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid)
    except OSError:  # it is gone
        return ()


def below(pid: int) -> list[int]:
    """All processes below ``pid``, children first."""
    found: list[int] = []
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return found
    for thread in threads:
        with contextlib.suppress(FileNotFoundError):
            found += map(int, (thread / "children").read_text().split())
    return found + [deeper for child in found for deeper in below(child)]
