"""Importing a submission's modules: a line that fails while a module is imported does not take its definitions along.

A script's leftovers at the top of a module (a download, a plot, a library that is not installed) fail where there is
no network, no screen and no such library. What the module defines after that line is worth having, as in a notebook.
"""

import ast
import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any

__all__ = ["ASSIGNMENTS", "DEFINITIONS", "PROBLEMS", "RAISED", "import_from"]

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
PROBLEMS: dict[str, str] = {}
"""Files that did not run through, relative to the folder they lie in, each with what was raised, in a sentence."""

RAISED: dict[str, BaseException] = {}
"""The same by the module's name: why a name may be missing there."""


def import_from(folder: str) -> None:
    """Let imports look into ``folder`` first, and go on after a line that fails there."""

    class Loader(importlib.machinery.SourceFileLoader):
        def exec_module(self, module: types.ModuleType) -> None:
            try:
                super().exec_module(module)
            except (SyntaxError, RecursionError, MemoryError):
                raise
            except BaseException as error:
                line = _top_line(error, self.path)
                if not line:
                    raise
                kept = f"{type(error).__name__}: {error} (line {line}); only definitions were run after that"
                PROBLEMS.setdefault(str(Path(self.path).relative_to(folder)), kept)
                RAISED.setdefault(module.__name__, error)
                _define(self.path, line, module.__dict__)

    def finder(path: str) -> importlib.machinery.FileFinder:
        if path != folder and not path.startswith(f"{folder}/"):
            raise ImportError
        return importlib.machinery.FileFinder(path, (Loader, importlib.machinery.SOURCE_SUFFIXES))

    sys.path_hooks.insert(0, finder)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()


def _top_line(error: BaseException, path: str) -> int:
    """The line of the file's top level that was being run; 0 where it was not reached."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path and trace.tb_frame.f_code.co_name == "<module>":
            return trace.tb_lineno
        trace = trace.tb_next
    return 0


def _define(path: str, line: int, namespace: dict[str, Any]) -> None:
    """Run the definitions of the file that begin after ``line``, one by one, passing over those that fail."""
    for statement in ast.parse(Path(path).read_bytes()).body:
        if isinstance(statement, DEFINITIONS + ASSIGNMENTS) and statement.lineno > line:
            try:
                exec(compile(ast.Module([statement], []), path, "exec"), namespace)  # noqa: S102 - student code, in the jail
            except BaseException:  # noqa: BLE001, S112 - as above
                continue
