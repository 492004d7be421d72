"""Regions between a BEGIN and an END marker: found, checked, replaced by stubs, or unwrapped.

    ### BEGIN SOLUTION          ### BEGIN HIDDEN TESTS
    ### END SOLUTION            ### END HIDDEN TESTS

A marker is recognised wherever nbgrader recognises it: anywhere in a line. What stands outside regions is never
changed, line ends included.
"""

import ast
import warnings
from typing import NamedTuple

from autograder._exceptions import ReleaseError
from autograder.release.tokens import code_tokens

__all__ = ["HIDDEN_TESTS", "MARKERS", "MARK_SCHEME", "SOLUTION", "Region", "cut", "regions", "stub", "unwrap"]

SOLUTION = "SOLUTION"
HIDDEN_TESTS = "HIDDEN TESTS"
MARK_SCHEME = "MARK SCHEME"
MARKERS = tuple(f"{edge} {kind}" for kind in (SOLUTION, HIDDEN_TESTS, MARK_SCHEME) for edge in ("BEGIN", "END"))

COMMENT_STUB = "# YOUR CODE HERE"
RAISE_STUB = "raise NotImplementedError()"


class Region(NamedTuple):
    """Lines ``first`` (the BEGIN marker) to ``last`` (the END marker) of a text, from 0; ``body`` lies between."""

    first: int
    last: int
    body: str


def regions(text: str, kind: str, where: str) -> tuple[Region, ...]:
    """The regions of ``kind`` in ``text``.

    Raises ``ReleaseError`` for a region that is nested, never closed, or never opened; ``where`` names file and cell.
    """
    lines = text.split("\n")
    found: list[Region] = []
    first: int | None = None
    for number, line in enumerate(lines):
        if f"BEGIN {kind}" in line:
            if first is not None:
                begun = f"the region begun in line {first + 1}"
                raise ReleaseError(f"{where}, line {number + 1}: BEGIN {kind} inside {begun}; end that one before")
            first = number
        elif f"END {kind}" in line:
            if first is None:
                raise ReleaseError(f"{where}, line {number + 1}: END {kind} without a BEGIN {kind} before it")
            found.append(Region(first, number, "\n".join(lines[first + 1 : number])))
            first = None
    if first is not None:
        raise ReleaseError(f"{where}, line {first + 1}: BEGIN {kind} is never ended; add a line ### END {kind}")
    return tuple(found)


def cut(text: str, kind: str, where: str) -> str:
    """``text`` without its regions of ``kind``, markers included."""
    lines = text.split("\n")
    for region in reversed(regions(text, kind, where)):
        del lines[region.first : region.last + 1]
    return "\n".join(lines)


def unwrap(text: str, kind: str, where: str) -> str:
    """``text`` without the marker lines of ``kind``; what they enclose stays."""
    lines = text.split("\n")
    for region in reversed(regions(text, kind, where)):
        del lines[region.last], lines[region.first]
    return "\n".join(lines)


def stub(text: str, where: str, *, module: bool = False) -> str:
    """``text`` with each solution region replaced by a stub, indented as its BEGIN marker.

    A stub is a comment and a ``raise``, as nbgrader writes it. The comment stands alone where the raise could not
    (between brackets), where the region held no code, and, in a ``module``, outside functions: there the raise would
    make every other part of the module impossible to import, while a missing name is reported by whoever uses it.
    """
    found = regions(text, SOLUTION, where)
    raising = [bool(code_tokens(region.body)) and not _between_brackets(text, region) for region in found]
    result, places = _replaced(text, found, raising)
    if not module:
        return result
    tree = _parse(result)
    for index, place in enumerate(places):
        if raising[index] and tree is not None and not _in_function(tree, place + 1):
            fewer = [flag and other != index for other, flag in enumerate(raising)]
            if _parse(_replaced(text, found, fewer)[0]) is not None:  # else the raise is all that its block has
                raising = fewer
    return _replaced(text, found, raising)[0]


def _replaced(text: str, found: tuple[Region, ...], raising: list[bool]) -> tuple[str, list[int]]:
    """``text`` with stubs for ``found``, and the line, from 0, that each stub ends at."""
    lines = text.split("\n")
    result: list[str] = []
    places: list[int] = []
    done = 0
    for region, with_raise in zip(found, raising, strict=True):
        result += lines[done : region.first]
        begin = lines[region.first]
        indent, end = begin[: len(begin) - len(begin.lstrip())], "\r" if begin.endswith("\r") else ""
        result += [f"{indent}{part}{end}" for part in (COMMENT_STUB, *([RAISE_STUB] if with_raise else []))]
        places.append(len(result) - 1)
        done = region.last + 1
    return "\n".join([*result, *lines[done:]]), places


def _between_brackets(text: str, region: Region) -> bool:
    """Whether a bracket opened before ``region`` is still open where it begins."""
    before = code_tokens("\n".join(text.split("\n")[: region.first]))
    marks = [token.text for token in before if token.kind == "op"]
    return sum(mark in "([{" for mark in marks) > sum(mark in ")]}" for mark in marks)


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _in_function(tree: ast.Module, line: int) -> bool:
    """Whether the innermost function or class around ``line``, from 1, is a function."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [
        node for node in ast.walk(tree) if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return bool(around) and not isinstance(max(around, key=lambda node: node.lineno), ast.ClassDef)
