"""Lines that only make sense where the notebook was written, and are left out: Colab's own module."""

import ast
from collections.abc import Iterable

from autograder.submission.quiet import imported_modules
from autograder.submission.statements import Statement

__all__ = ["colab_statements"]

COLAB = ("google.colab", "google")


def colab_statements(found: Iterable[Statement]) -> tuple[Statement, ...]:
    """The imports from ``google.colab``, and the statements that only call what they bring."""
    bound: set[str] = set()
    leftovers: list[Statement] = []
    for statement in found:
        modules = imported_modules(statement.nodes)
        if statement.is_import and modules and all(map(_is_colab, modules.values())):
            bound |= modules.keys()
            leftovers.append(statement)
        elif bound & statement.immediate and all(isinstance(node, ast.Expr) for node in statement.nodes):
            leftovers.append(statement)
    return tuple(leftovers)


def _is_colab(module: str) -> bool:
    return module in COLAB or module.startswith("google.colab.")
