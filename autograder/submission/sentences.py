"""Parts of sentences."""

from collections.abc import Iterable

__all__ = ["listed", "numbered", "quoted"]


def listed(items: Iterable[str | int]) -> str:
    """``a``, ``a and b``, ``a, b and c``; there has to be one."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def numbered(numbers: Iterable[int]) -> str:
    """``cell 3``, or ``cells 3 and 5``."""
    numbers = sorted(set(numbers))
    return f"cell{'s' * (len(numbers) > 1)} {listed(numbers)}"


def quoted(names: Iterable[str]) -> str:
    """``listed`` names, each in backquotes."""
    return listed(f"`{name}`" for name in names)
