"""The code of a cell as text: IPython's syntax made Python, and the names that a cell defines. Nothing is run."""

import ast
import re
import warnings
from collections.abc import Iterator

__all__ = ["definitions", "plain_python"]

MAX_TRANSFORM_CHARS = 500_000
"""Bound on length x magics: IPython reads the whole cell again for every magic in it (about 1 s at this bound)."""

_MAGIC = re.compile(r"(?m)^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$")
_LOOKS_DEFINED = re.compile(r"(?m)^(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=))")
_NESTED_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def plain_python(source: str) -> str:
    """``source`` with magics, shell escapes and trailing question marks written as calls of ``get_ipython()``.

    Text that is Python already comes back as it is, and so does text that no one can make sense of: what is wrong
    with it shows when it is compiled.
    """
    if _parse(source) is not None:
        return source
    if len(source) * (1 + len(_MAGIC.findall(source))) > MAX_TRANSFORM_CHARS:
        return source
    from IPython.core.inputtransformer2 import TransformerManager  # only here, so that reading stays quick

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001 - IPython's tokeniser raises half a dozen kinds; the text stays what it was
        return source


def definitions(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level: functions, classes, assignments, imports.

    What stands under a top-level ``if``, ``for``, ``with`` or ``try`` counts. In a cell that does not parse, the names
    are those of lines that look like a definition.
    """
    tree = _parse(plain_python(source))
    if tree is None:
        return frozenset(name for pair in _LOOKS_DEFINED.findall(source) for name in pair if name)
    return frozenset(name for statement in _statements(tree) for name in _bound(statement))


def _parse(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in a student's string is not ours to report
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # the last two: nesting made to be too deep
        return None


def _statements(tree: ast.Module) -> Iterator[ast.stmt | ast.excepthandler | ast.match_case]:
    """Every statement of the module's own scope, those in blocks included, those in functions and classes not."""
    waiting: list[ast.stmt | ast.excepthandler | ast.match_case] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in _NESTED_BLOCKS:
                waiting.extend(getattr(statement, block, ()))


def _bound(statement: ast.stmt | ast.excepthandler | ast.match_case) -> Iterator[str]:
    """Names that one statement binds by itself, not by the blocks in it."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.split(".")[0] for alias in names if alias.name != "*")
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _targets(target)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            yield from _targets(target)
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _targets(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield from _targets(item.optional_vars)


def _targets(target: ast.expr) -> Iterator[str]:
    """Names in an assignment's target, which may be a nest of tuples. Attributes and items bind no name."""
    waiting = [target]
    while waiting:
        part = waiting.pop()
        match part:
            case ast.Name(id=name):
                yield name
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                waiting.extend(parts)
            case ast.Starred(value=value):
                waiting.append(value)
