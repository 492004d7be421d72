"""Faults that need no secret to be seen: outputs, markers left, stubs that do not parse, traces of this machine."""

import ast
import getpass
import re
import socket
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks import RUBRIC_TAG, Role, plain_python, role
from autograder.release.blocks import Block, Finding, blocks, notebooks_in
from autograder.release.cells import cell_label
from autograder.release.regions import MARKERS

__all__ = ["answered_with_attachment", "faults"]

# Names of users and machines that are also plain words.
COMMON_NAMES = frozenset(
    {"admin", "build", "course", "docker", "instructor", "jovyan", "jupyter", "localhost", "nobody", "root", "runner"}
    | {"student", "teacher", "ubuntu", "user"}
)
MIN_NAME_CHARS = 4

_HOMES = re.compile(r"(?<![\w.])(?:/home/|/Users/|[A-Za-z]:\\Users\\)[\w.-]+|(?<![\w./])/root/[\w.-]+")


def faults(tree: Mapping[str, bytes], root: Path) -> Iterator[Finding]:
    """What is wrong with ``tree`` by itself; ``root`` is the course's folder on this machine."""
    traces = _traces(root)
    for block in blocks(tree):
        yield from _marker_faults(block)
        yield from _trace_faults(block, traces)
    for name, notebook in notebooks_in(tree):
        for index, cell in enumerate(notebook.cells):
            label = cell_label(index, cell)
            yield from (Finding(name, label, 0, what) for what in _cell_faults(cell))
            if cell.cell_type == "code":
                yield from (Finding(name, label, line, what) for line, what in _syntax_faults(cell.source))
    for name, data in sorted(tree.items()):
        if name.endswith(".py"):
            found = _syntax_faults(data.decode("utf-8", "replace"))
            yield from (Finding(name, "", line, what) for line, what in found)


def _cell_faults(cell: NotebookNode) -> Iterator[str]:
    if cell.get("outputs"):
        yield "has outputs"
    if cell.get("execution_count") is not None:
        yield "has an execution count"
    if RUBRIC_TAG in cell.metadata.get("tags", []):
        yield "is a rubric"


def answered_with_attachment(tree: Mapping[str, bytes]) -> Iterator[Finding]:
    """Answer cells that hold an attachment, which can only be the model answer's."""
    for name, notebook in notebooks_in(tree):
        for index, cell in enumerate(notebook.cells):
            if role(cell) in {Role.MANUAL, Role.SOLUTION} and cell.get("attachments"):
                yield Finding(name, cell_label(index, cell), 0, "has an attachment, but is for students to fill")


def _syntax_faults(source: str) -> Iterator[tuple[int, str]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as IPython allows
            compile(plain_python(source), "cell", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        yield error.lineno or 0, f"is not Python ({error.msg})"
    except ValueError as error:
        yield 0, f"is not Python ({error})"


def _marker_faults(block: Block) -> Iterator[Finding]:
    for number, line in enumerate(block.text.split("\n"), start=1):
        yield from (block.finding(number, f"the marker {marker} is left") for marker in MARKERS if marker in line)


def _traces(root: Path) -> re.Pattern[str]:
    """Paths and names of this machine, besides home folders in general."""
    folders = {str(path) for path in (root.resolve(), Path.home()) if len(path.parts) > 2}
    names = {socket.gethostname(), getpass.getuser()} - COMMON_NAMES
    whole = [rf"{re.escape(folder)}(?!\w)" for folder in sorted(folders)]
    whole += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names) if len(name) >= MIN_NAME_CHARS]
    return re.compile("|".join([_HOMES.pattern, *whole]))


def _trace_faults(block: Block, traces: re.Pattern[str]) -> Iterator[Finding]:
    for match in traces.finditer(block.text):
        line = block.text.count("\n", 0, match.start()) + 1
        yield block.finding(line, f"{match.group()!r} is a path or name of one machine or user")
