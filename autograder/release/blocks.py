"""Every text in a tree of files, with the place it stands at: what the audit has to read."""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from nbformat import NotebookNode

from autograder.notebooks import parse_notebook
from autograder.release.cells import cell_label

__all__ = ["Block", "Finding", "blocks", "notebooks_in"]

MIN_ATTACHMENT_CHARS = 64
"""A shorter attachment holds no figure; equal ones are chance."""


class Finding(msgspec.Struct, frozen=True, order=True):
    """One thing that must not reach students. ``cell`` is empty outside notebooks; ``line`` is from 1; 0 is none."""

    file: str
    cell: str
    line: int
    what: str

    def __str__(self) -> str:
        place = [self.file, *([self.cell] if self.cell else []), *([f"line {self.line}"] if self.line else [])]
        return f"{', '.join(place)}: {self.what}"


class Block(NamedTuple):
    """A text of ``file``. ``part`` says what it is: code, text, metadata, attachment or output."""

    file: str
    cell: str
    part: str
    text: str

    def finding(self, line: int, what: str) -> Finding:
        """A finding in this text; lines count only where an author would count them."""
        counted = self.part in {"code", "text"}
        return Finding(self.file, self.cell, line if counted else 0, what if counted else f"in its {self.part}: {what}")


def notebooks_in(tree: Mapping[str, bytes]) -> Iterator[tuple[str, NotebookNode]]:
    """The notebooks of ``tree``."""
    for name, data in sorted(tree.items()):
        if name.endswith(".ipynb"):
            yield name, parse_notebook(data, name)


def blocks(tree: Mapping[str, bytes]) -> Iterator[Block]:
    """Every text in ``tree``: sources, strings in metadata and outputs, text attachments, whole text files."""
    for name, notebook in notebooks_in(tree):
        yield from (Block(name, "", "metadata", text) for text in _strings(notebook.metadata))
        for index, cell in enumerate(notebook.cells):
            label = cell_label(index, cell)
            yield Block(name, label, "code" if cell.cell_type == "code" else "text", cell.source)
            yield from (Block(name, label, "metadata", text) for text in _strings(cell.metadata))
            yield from (Block(name, label, "output", text) for text in _strings(cell.get("outputs", [])))
            yield from (Block(name, label, "attachment", text) for text in _attached(cell))
    for name, data in sorted(tree.items()):
        if not name.endswith(".ipynb") and b"\0" not in data:
            yield Block(name, "", "code" if name.endswith(".py") else "text", data.decode("utf-8", "replace"))


def _strings(node: Any) -> Iterator[str]:
    """All strings in nested lists and dicts, keys included."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _strings(value)
    elif isinstance(node, list):
        for item in node:
            yield from _strings(item)


def _attached(cell: NotebookNode) -> Iterator[str]:
    """The attachments' names, and what they hold where that is text, in base64 or as it is."""
    for text in _strings(cell.get("attachments", {})):
        yield text
        try:
            yield base64.b64decode(text, validate=True).decode()
        except (binascii.Error, ValueError):  # an image, or no base64 at all
            continue
