"""Other processes as the kernel shows them."""

import contextlib
from pathlib import Path

__all__ = ["below"]


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
