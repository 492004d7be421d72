"""Which statements of a student's own cells are definitions: run at once, read nothing, print and train nothing.

A student's extra cell may define a helper or a constant that an answer needs. It may as well train for an hour. What
is quiet is judged by its form alone, on the careful side: what this refuses is not run.
"""

import ast
from collections.abc import Callable, Iterable, Mapping

__all__ = ["Quiet", "imported_modules"]

QUIET_BUILTINS = frozenset({
    "abs", "all", "any", "bool", "bytes", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
    "getattr", "hash", "int", "isinstance", "len", "list", "map", "max", "min", "object", "pow", "range", "reversed",
    "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip",
})  # fmt: skip
QUIET_MODULES = frozenset({
    "collections", "copy", "dataclasses", "decimal", "einops", "enum", "fractions", "functools", "itertools", "math",
    "numpy", "operator", "random", "re", "statistics", "string", "torch", "types", "typing",
})  # fmt: skip
LOUD_NAMES = frozenset({
    "data", "distributed", "fromfile", "genfromtxt", "hub", "load", "loadtxt", "manual_seed", "memmap",
    "multiprocessing", "save", "savetxt", "seed", "set_default_device", "set_default_dtype", "set_num_threads",
})  # fmt: skip
"""Parts of quiet modules that read, write, start something, or change what others see."""

QUIET_METHODS = frozenset({
    "astype", "bool", "clone", "copy", "count", "double", "encode", "exp", "expand", "float", "format", "get", "half",
    "index", "int", "item", "items", "join", "keys", "long", "lower", "mean", "permute", "repeat", "reshape", "split",
    "sqrt", "squeeze", "strip", "sum", "t", "tanh", "to", "tolist", "transpose", "type", "unsqueeze", "upper", "values",
    "view",
})  # fmt: skip
CHANGING_METHODS = frozenset({"add", "append", "extend", "insert", "setdefault", "sort", "update"})

_MADE_OF_PARTS = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.DictComp, ast.FormattedValue, ast.GeneratorExp,
    ast.IfExp, ast.JoinedStr, ast.List, ast.ListComp, ast.NamedExpr, ast.Set, ast.SetComp, ast.Slice, ast.Starred,
    ast.Subscript, ast.Tuple, ast.UnaryOp,
)  # fmt: skip
_NEVER_LOUD = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)


class Quiet:
    """Judges statements. ``modules`` maps names to the dotted modules or members they were imported from;

    ``is_helper`` says whether a name is a student's own function or class that only needs what is defined.
    """

    def __init__(self, modules: Mapping[str, str], is_helper: Callable[[str], bool]) -> None:
        self._modules = modules
        self._is_helper = is_helper

    def statements(self, nodes: Iterable[ast.stmt]) -> bool:
        """Whether all of ``nodes`` are quiet."""
        return all(map(self._statement, nodes))

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.AnnAssign(value=value):
                return value is None or self._expression(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=method)) as call):
                return method in CHANGING_METHODS and self._arguments(call)
            case ast.If(test=head, body=body, orelse=orelse) | ast.For(iter=head, body=body, orelse=orelse):
                return self._expression(head) and self.statements([*body, *orelse])
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                handled = [statement for handler in handlers for statement in handler.body]
                return self.statements([*body, *handled, *orelse, *final])
            case ast.With(items=items, body=body):
                return all(self._expression(item.context_expr) for item in items) and self.statements(body)
        return isinstance(node, _NEVER_LOUD) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))

    def _expression(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant() | ast.Name() | ast.Lambda():
                return True
            case ast.Call():
                return self._callee(node.func) and self._arguments(node)
            case ast.comprehension(iter=over, ifs=conditions):
                return all(map(self._expression, [over, *conditions]))
        return isinstance(node, _MADE_OF_PARTS) and all(
            self._expression(part)
            for part in ast.iter_child_nodes(node)
            if isinstance(part, ast.expr | ast.comprehension)
        )

    def _arguments(self, call: ast.Call) -> bool:
        return all(map(self._expression, [*call.args, *(keyword.value for keyword in call.keywords)]))

    def _callee(self, node: ast.expr) -> bool:
        dotted = self._dotted(node)
        if dotted is not None:
            module, *rest = dotted.split(".")
            return module in QUIET_MODULES and LOUD_NAMES.isdisjoint(rest)
        match node:
            case ast.Name(id=name):
                return name in QUIET_BUILTINS or self._is_helper(name)
            case ast.Attribute(value=value, attr=method):
                return method in QUIET_METHODS and self._expression(value)
        return False

    def _dotted(self, node: ast.expr) -> str | None:
        """``torch.nn.Linear`` for ``nn.Linear``, or None for what does not begin at an import."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._modules:
            return None
        return ".".join([self._modules[node.id], *reversed(parts)])


def imported_modules(nodes: Iterable[ast.stmt]) -> dict[str, str]:
    """What each name that ``nodes`` import stands for: ``{"F": "torch.nn.functional", "sqrt": "math.sqrt"}``."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]  # all that "import a.b" binds
                found[alias.asname or package] = alias.name if alias.asname else package
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found
