"""The trusted solution: the source notebook's own cells, run in this process."""

import contextlib
import io
import sys
import types
from pathlib import Path

from autograder._exceptions import CourseError
from autograder.course import Assignment
from autograder.notebooks import Role, grade_id, plain_python, read_notebook, role
from autograder.sandbox import stand_ins

__all__ = ["load_probes_text", "load_reference"]


def load_reference(assignment: Assignment) -> types.SimpleNamespace:
    """Everything that the setup and solution cells of ``assignment``'s source notebooks define, as attributes.

    Raises CourseError, naming notebook and cell, when one of them fails.
    """
    module = types.ModuleType(f"reference_{assignment.name}")
    module.__dict__.update(get_ipython=stand_ins.get_ipython, display=stand_ins.display)
    sent = sys.modules.get("wandb")
    sys.modules["wandb"] = stand_ins.WANDB  # the solution logs to W&B; the grader does not
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # what the solution prints is no output of the grader's
            for name in assignment.notebooks:
                _run(assignment.source_dir / name, module)
    finally:
        if sent is None:
            del sys.modules["wandb"]
        else:
            sys.modules["wandb"] = sent
    return types.SimpleNamespace(**{key: value for key, value in module.__dict__.items() if not key.startswith("__")})


def _run(path: Path, module: types.ModuleType) -> None:
    for index, cell in enumerate(read_notebook(path).cells):
        if cell.cell_type == "code" and role(cell) in {Role.SETUP, Role.SOLUTION}:
            where = f"{path.name}, cell {grade_id(cell) or index}"
            try:
                exec(compile(plain_python(cell.source), f"<{where}>", "exec"), module.__dict__)  # noqa: S102 - our own
            except Exception as error:
                raise CourseError(f"{where} of the source does not run: {type(error).__name__}: {error}") from error


def load_probes_text(path: Path) -> str:
    """Text of a suite's probes.py, empty where it has none; its syntax is checked here, where the fault is ours."""
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8")
    compile(text, str(path), "exec")
    return text
