"""Notebooks in and out: reading what may be broken, one normal form for writing, and what each cell is for.

Reading never trusts the file. Whatever is wrong with it is a ``NotebookError`` whose ``fault`` is one of

    missing          there is no such file, or it cannot be opened
    directory        a folder with a notebook's name
    too-large        more bytes than asked for; found out before reading
    empty            no bytes, or white space only
    not-utf8         bytes that are no UTF-8 text
    not-json         text that is no JSON, or JSON nested deeper than any notebook
    old-format       nbformat 3 or older
    not-a-notebook   JSON of another kind

and what can be put right without guessing (no metadata, no ids, no outputs, source as a list) is put right.
"""

import copy
import json
import stat
from enum import StrEnum
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder._cellcode import definitions, plain_python
from autograder._exceptions import NotebookError
from autograder._files import write_atomically
from autograder._tolerant import as_node, tolerant

__all__ = [
    "MAX_NOTEBOOK_BYTES",
    "Role",
    "definitions",
    "grade_id",
    "normal_form",
    "notebook_bytes",
    "parse_notebook",
    "plain_python",
    "read_notebook",
    "role",
    "write_notebook",
]

MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024
"""The largest notebook read unless told otherwise: some hundred plots; one with a data set in it is larger."""

MAX_DEPTH = 64
"""JSON nested deeper than this is no notebook (plotly's figures reach about 15), and would exhaust the stack."""

RUBRIC_TAG = "rubric"
SETUP_TAG = "grade-setup"

# What editors write down about a session: times, users' names, widget state. It changes with every save.
_SESSION_CELL_KEYS = ("ExecuteTime", "collapsed", "execution", "executionInfo", "outputId", "scrolled", "trusted")
_SESSION_NOTEBOOK_KEYS = ("celltoolbar", "orig_nbformat", "orig_nbformat_minor", "signature", "vscode", "widgets")


class Role(StrEnum):
    """What a cell is for. The set is closed; every cell has one role."""

    SETUP = "setup"  # locked, and run by the grader
    SOLUTION = "solution"  # the student writes it; hidden tests look at what it defines
    AUTOGRADED = "autograded"  # locked checks that carry a question's points
    MANUAL = "manual"  # the student writes it; a person gives the points
    TASK = "task"  # the question only: the answer stands elsewhere, in a module say; a person gives the points
    LOCKED = "locked"  # read-only and not run by the grader
    RUBRIC = "rubric"  # for whoever marks; in the source only
    FREE = "free"  # anything else


def read_notebook(path: Path, max_bytes: int = MAX_NOTEBOOK_BYTES) -> NotebookNode:
    """Read the notebook at ``path``; raises ``NotebookError`` with one of this module's faults."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise _fault("directory", f"{path} is a folder; give the notebook in it, or rename it")
        if not stat.S_ISREG(status.st_mode):
            raise _fault("not-a-notebook", f"{path} is a device or a pipe, not a file")
        if status.st_size > max_bytes:
            raise _too_large(str(path), status.st_size, max_bytes)
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)  # it may have grown since
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        raise _fault("missing", f"{path} cannot be read ({error}); check the path and its permissions") from error
    if len(data) > max_bytes:
        raise _too_large(str(path), len(data), max_bytes)
    return parse_notebook(data, str(path))


def parse_notebook(data: bytes, name: str) -> NotebookNode:
    """The notebook in ``data``; ``name`` is what a ``NotebookError`` calls it.

    nbformat 4.0 to 4.5 come out as 4.5: every cell has metadata, a unique id, its source as one string, and code cells
    have outputs and an execution count. nbgrader's metadata of older schemas come out as schema 3.
    """
    if not data.strip():
        raise _fault("empty", f"{name} is empty")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fault("not-utf8", f"{name} is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    try:
        content = json.loads(text)
    except RecursionError as error:
        raise _fault("not-json", f"{name} is JSON nested too deeply for a notebook") from error
    except ValueError as error:
        raise _fault("not-json", f"{name} is not JSON: {error}") from error
    if _deeper_than(content, MAX_DEPTH):
        raise _fault("not-json", f"{name} is JSON nested more than {MAX_DEPTH} deep, which no notebook is")
    _check_format(content, name)
    return tolerant(content)


def _fault(fault: str, message: str) -> NotebookError:
    return NotebookError(message, fault=fault)


def _too_large(name: str, found: int, limit: int) -> NotebookError:
    message = f"{name} has {found / 1e6:.1f} MB, at most {limit / 1e6:.1f} MB are read; clear its outputs"
    return _fault("too-large", message)


def _deeper_than(content: object, depth: int) -> bool:
    """Whether ``content`` nests deeper than ``depth``, level by level so that no depth can exhaust the stack."""
    level = [content]
    for _ in range(depth):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def _check_format(content: object, name: str) -> None:
    if not isinstance(content, dict):
        raise _fault("not-a-notebook", f"{name} is JSON, but not a notebook: it holds no object at its top")
    version = content.get("nbformat", 4 if "cells" in content else None)
    if "worksheets" in content or (isinstance(version, int) and version < 4):
        message = f"{name} is of nbformat {version}, 4 is needed; open it in Jupyter and save it, which converts it"
        raise _fault("old-format", message)
    if version != 4 or not isinstance(content.get("cells"), list):
        raise _fault("not-a-notebook", f"{name} is JSON, but not a notebook of nbformat 4 with a list of cells")


def normal_form(notebook: NotebookNode) -> NotebookNode:
    """A copy that depends on content alone: no outputs, counts or traces of a session, Unix line ends, sorted keys."""
    metadata = {key: value for key, value in notebook.metadata.items() if key not in _SESSION_NOTEBOOK_KEYS}
    if "language_info" in metadata:
        metadata["language_info"] = {key: value for key, value in metadata["language_info"].items() if key != "version"}
    cells = [_normal_cell(cell) for cell in notebook.cells]
    plain = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return as_node(json.loads(json.dumps(plain, sort_keys=True)))


def _normal_cell(cell: NotebookNode) -> dict[str, Any]:
    normal = dict(copy.deepcopy(cell))
    normal["metadata"] = {key: value for key, value in normal["metadata"].items() if key not in _SESSION_CELL_KEYS}
    normal["source"] = cell.source.replace("\r\n", "\n").replace("\r", "\n")
    if cell.cell_type == "code":
        normal |= {"outputs": [], "execution_count": None}
    if not normal.get("attachments", True):
        del normal["attachments"]
    return normal


def notebook_bytes(notebook: NotebookNode) -> bytes:
    """The bytes of a notebook's normal form: the same notebook, the same bytes, ending with one line feed."""
    text: str = nbformat.writes(normal_form(notebook), version=4)  # type: ignore[no-untyped-call]
    return text.rstrip("\n").encode() + b"\n"


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    """Write the normal form to ``path`` in one step; raises ``NotebookError`` where it is not valid nbformat 4.5."""
    try:
        nbformat.validate(normal_form(notebook))
    except nbformat.ValidationError as error:
        raise _fault("not-a-notebook", f"{path}: not a valid notebook, so not written: {error}") from error
    write_atomically(path, notebook_bytes(notebook))


def role(cell: NotebookNode) -> Role:
    """What ``cell`` is for, by nbgrader's metadata first and tags second."""
    meta = cell.metadata.get("nbgrader", {})
    tags = cell.metadata.get("tags", [])
    solution = bool(meta.get("solution"))
    if meta.get("grade"):
        return Role.MANUAL if solution else Role.AUTOGRADED
    if meta.get("task"):
        return Role.TASK
    if solution:
        return Role.SOLUTION
    if meta.get("locked"):
        return Role.SETUP if cell.cell_type == "code" and SETUP_TAG in tags else Role.LOCKED
    return Role.RUBRIC if RUBRIC_TAG in tags else Role.FREE


def grade_id(cell: NotebookNode) -> str | None:
    """The id that nbgrader knows ``cell`` by, or None where it knows none."""
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) and name else None
