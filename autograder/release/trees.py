"""Folders on disk against trees in memory: compared, and replaced whole."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder._files import write_atomically

__all__ = ["differences", "replace"]


def differences(folder: Path, tree: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """What in ``folder`` is not as in ``tree``: (relative path, what is wrong with it), sorted."""
    there = {}
    if folder.is_dir():
        there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    for name in sorted(there.keys() | tree.keys()):
        if name not in tree:
            yield name, "is not made from source"
        elif name not in there:
            yield name, "is missing"
        elif there[name].is_symlink() or there[name].read_bytes() != tree[name]:
            yield name, _first_difference(there[name].read_bytes(), tree[name])


def _first_difference(found: bytes, expected: bytes) -> str:
    lines = zip(found.split(b"\n"), expected.split(b"\n"), strict=False)
    number = next((number for number, (one, other) in enumerate(lines, start=1) if one != other), None)
    return f"differs from line {number}" if number else "differs in length"


def replace(folders: Mapping[Path, Mapping[str, bytes]]) -> None:
    """Make each folder hold its tree and nothing else.

    All trees are written beside their folders first; then each changes place with its folder. A failure before that
    leaves every folder as it was.
    """
    fresh = {folder: folder.with_name(f".{folder.name}.new") for folder in folders}
    try:
        for folder, tree in folders.items():
            shutil.rmtree(fresh[folder], ignore_errors=True)  # of a run that was killed
            fresh[folder].mkdir(parents=True)
            for name, data in tree.items():
                write_atomically(fresh[folder] / name, data)
        for folder in folders:
            _swap(fresh[folder], folder)
    finally:
        for path in fresh.values():
            shutil.rmtree(path, ignore_errors=True)


def _swap(fresh: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    try:
        fresh.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
