"""Names in code, found without running it: those it needs, and those it needs at once."""

import ast
import symtable
import warnings
from collections.abc import Iterator

__all__ = ["global_references", "immediate_references", "parsed", "root_name"]

PARSER_ERRORS = (SyntaxError, ValueError, MemoryError, RecursionError)
"""What the parser raises: the last two for code nested as no person nests it."""

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(text: str) -> ast.Module | None:
    """The syntax tree of ``text``, or None where it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in a student's string is not ours to report
            return ast.parse(text)
    except PARSER_ERRORS:
        return None


def global_references(text: str) -> frozenset[str]:
    """Names that ``text``, and every function and class in it, looks up outside itself; builtins are among them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return frozenset(_looked_up(symtable.symtable(text, "cell", "exec")))
    except PARSER_ERRORS:
        return frozenset()


def _looked_up(table: symtable.SymbolTable) -> Iterator[str]:
    at_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (at_top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _looked_up(inner)


def immediate_references(node: ast.AST) -> frozenset[str]:
    """Names that are looked up when ``node`` itself is run, which the body of a function in it is not."""
    return frozenset(_immediate(node))


def _immediate(node: ast.AST) -> Iterator[str]:
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        match part:
            case ast.Name(id=name, ctx=ast.Load()):
                yield name
            case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                waiting.extend((*decorators, part.args))
                waiting.extend([part.returns] if part.returns else [])
            case ast.Lambda(args=arguments):
                waiting.append(arguments)
            case _:
                waiting.extend(ast.iter_child_nodes(part))


def root_name(node: ast.expr) -> str | None:
    """``a`` of ``a.b[0].c``, or None where the chain does not begin with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
