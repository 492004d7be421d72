"""A cell's code taken apart into top-level statements: what each defines, and how far its definition has got."""

import ast
import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import zip_longest

from autograder.notebooks import definitions
from autograder.submission.names import PARSER_ERRORS, global_references, immediate_references, parsed, root_name

__all__ = ["Progress", "Statement", "raises_not_implemented", "statements"]

_CHUNK = re.compile(r"(?m)^(?=@|def |class |async def |import |from )")
_LINE_END = re.compile(r"\r\n|\r|\n")  # the parser's; str.splitlines knows more
_NESTED_BLOCKS = ("body", "orelse", "finalbody", "handlers")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Binding = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Progress(IntEnum):
    """How far a definition has got."""

    STUB = 0  # as it was released
    BEGUN = 1  # a part is still a stub, or it is not Python
    COMPLETE = 2


@dataclass(frozen=True)
class Statement:
    """One top-level statement with the comments above it, or several that share a line.

    ``nodes`` is empty where the text is not Python. ``binds`` are names it defines; ``changes`` those that it only
    adds to, such as ``table`` of ``table["a"] = 1``.
    """

    text: str
    nodes: tuple[ast.stmt, ...]
    binds: frozenset[str]
    changes: frozenset[str]

    @property
    def is_import(self) -> bool:
        """Whether it does nothing but import."""
        return bool(self.nodes) and all(isinstance(node, ast.Import | ast.ImportFrom) for node in self.nodes)

    @cached_property
    def key(self) -> str:
        """What is equal for equal code, whatever its layout and comments."""
        return "\n".join(map(_key, self.nodes)) if self.nodes else " ".join(self.text.split())

    @cached_property
    def references(self) -> frozenset[str]:
        """Names that it, or a function in it, looks up outside."""
        return global_references(self.text)

    @cached_property
    def immediate(self) -> frozenset[str]:
        """Names that it looks up when it is run."""
        return frozenset().union(*map(immediate_references, self.nodes))

    def progress(self, name: str, stub_keys: frozenset[str]) -> Progress:
        """How far ``name`` has got here; ``stub_keys`` are the ``bare_key``s of its definition in the release."""
        if not self.nodes:
            return Progress.BEGUN
        if self.bare_key(name) in stub_keys:
            return Progress.STUB
        definition = self._definition(name)
        if isinstance(definition, ast.ClassDef):
            return Progress.BEGUN if any(map(_is_stub, _functions(definition))) else Progress.COMPLETE
        return Progress.STUB if definition is not None and _is_stub(definition) else Progress.COMPLETE

    def bare_key(self, name: str) -> str:
        """As ``key``, of the definition of ``name`` alone and without docstrings."""
        definition = self._definition(name)
        return self.key if definition is None else _bare_key(definition)

    def _definition(self, name: str) -> Definition | None:
        """The last function or class called ``name``, under a top-level ``if`` or ``try`` too."""
        waiting: list[ast.AST] = list(self.nodes)
        found = None
        while waiting:
            node = waiting.pop(0)
            if isinstance(node, Definition):
                found = node if node.name == name else found
            else:
                for block in _NESTED_BLOCKS:
                    waiting.extend(getattr(node, block, ()))
        return found


def statements(source: str) -> tuple[Statement, ...]:
    """The top-level statements of ``source``, which is plain Python.

    Where it does not parse, it is cut before every line that begins a definition, so that what is wrong with one
    function leaves its neighbours readable.
    """
    tree = parsed(source)
    if tree is not None:
        return _from_tree(source, tree)
    found: list[Statement] = []
    for chunk in filter(str.strip, _CHUNK.split(source)):
        part = parsed(chunk)
        if part is None:
            found.append(Statement(chunk.rstrip("\n"), (), definitions(chunk), frozenset()))
        else:
            found.extend(_from_tree(chunk, part))
    return tuple(found)


def _from_tree(source: str, tree: ast.Module) -> tuple[Statement, ...]:
    lines = _LINE_END.split(source)
    found: list[Statement] = []
    group: list[ast.stmt] = []
    above = 0  # lines that belong to statements before
    for node, following in zip_longest(tree.body, tree.body[1:]):
        group.append(node)
        end = node.end_lineno or node.lineno
        if following is None or _first_line(following) > end:
            found.append(_statement("\n".join(lines[above:end]).strip("\n"), tuple(group)))
            group, above = [], end
    return tuple(found)


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _statement(text: str, nodes: tuple[ast.stmt, ...]) -> Statement:
    binds = set(definitions(text))
    changes: set[str] = set()
    for node in nodes:
        changes |= _changed(node)
        if isinstance(node, Binding):
            # "attend = compiled(attend)" goes on from a definition; it is none by itself.
            again = binds & immediate_references(node)
            changes |= again
            binds -= again
    return Statement(text, nodes, frozenset(binds - changes), frozenset(changes))


def _changed(node: ast.stmt) -> set[str]:
    """Roots of the attributes and items that ``node`` assigns to, and of the objects it calls methods of."""
    roots: list[str | None] = []
    for part in ast.walk(node) if not isinstance(node, Definition) else ():
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
            roots.append(root_name(part))
        elif isinstance(part, ast.AugAssign):
            roots.append(root_name(part.target))
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            function = part.value.func
            roots.append(root_name(function) if isinstance(function, ast.Attribute) else None)
    return {root for root in roots if root is not None}


def _functions(node: Definition) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """A class's own methods; none of a function, whose inner functions are its own business."""
    if not isinstance(node, ast.ClassDef):
        return []
    return [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]


def _has_docstring(node: Definition) -> bool:
    first = node.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _is_stub(node: Definition) -> bool:
    """Whether the body holds nothing but a docstring and a bare ``raise NotImplementedError``."""
    body = node.body[_has_docstring(node) :]
    return not body or (len(body) == 1 and raises_not_implemented(body[0]))


def raises_not_implemented(node: ast.stmt) -> bool:
    """Whether ``node`` is the statement that nbgrader leaves in a stub."""
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _bare_key(node: ast.stmt) -> str:
    if not isinstance(node, Definition):
        return _key(node)
    head = node.bases if isinstance(node, ast.ClassDef) else [node.args]
    body = node.body[_has_docstring(node) :]
    return "\n".join([type(node).__name__, node.name, *map(_key, head), *map(_bare_key, body)])


def _key(node: ast.AST) -> str:
    try:
        return ast.dump(node)
    except PARSER_ERRORS:  # nested deeper than ast.dump goes, though not deeper than the parser does
        return f"deeply nested code {id(node)}"
