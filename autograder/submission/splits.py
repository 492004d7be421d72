"""Cells that an editor cut in two, put together again."""

import ast
import re
from dataclasses import replace

from autograder.notebooks import plain_python
from autograder.submission.cells import StudentCell
from autograder.submission.names import parsed

__all__ = ["rejoined"]

MAX_PARTS = 8

_FIRST_CODE = re.compile(r"(?m)^(?![ \t]*(?:#|$))([ \t]*)")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def rejoined(cells: tuple[StudentCell, ...]) -> tuple[StudentCell, ...]:
    """``cells``, each that was cut in two with its second part in the first; the second is empty then.

    A cell's second part is recognised by its indentation, or because neither part is Python and both together are.
    """
    result = list(cells)
    last: int | None = None  # the last cell with code in it, which may have been cut
    for index, cell in enumerate(cells):
        if not cell.is_code:
            last = None
        elif last is not None and _is_rest(result[last], cell):
            first = result[last]
            text = f"{first.text.rstrip()}\n{cell.text}"
            result[last] = replace(first, text=text, parts=(*first.parts, cell.number))
            result[index] = replace(cell, text="", grade_id=None, ids=())
        elif cell.text.strip():
            last = index
    return tuple(result)


def _is_rest(first: StudentCell, rest: StudentCell) -> bool:
    """Whether ``rest`` goes on where ``first`` ends."""
    if not rest.text.strip() or len(first.parts) == MAX_PARTS:
        return False
    if rest.grade_id not in (None, first.grade_id):
        return False
    indent = _FIRST_CODE.search(rest.text)
    indented = indent is not None and bool(indent[1])
    if first.is_python and not (indented and _belongs_inside(rest)):
        return False
    return parsed(plain_python(f"{first.text.rstrip()}\n{rest.text}")) is not None


def _belongs_inside(rest: StudentCell) -> bool:
    """Whether indented code is a part of a function or class, and not lines that were tried out of one.

    IPython takes the indentation away, so that the latter run as they are.
    """
    tree = parsed(rest.python)
    if tree is None or not tree.body:
        return tree is None
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
    return isinstance(tree.body[0], _SCOPES)
