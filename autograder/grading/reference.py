"""The trusted solution: the source notebook's own cells, or the source package, run in this process."""

import contextlib
import importlib
import io
import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from autograder._exceptions import CourseError
from autograder.course import Assignment
from autograder.notebooks import Role, grade_id, plain_python, read_notebook, role
from autograder.sandbox import stand_ins

__all__ = ["PackageReference", "load_probes", "load_probes_text", "load_reference"]


class PackageReference:
    """The modules of a source package: ``reference("hw3.charnn")``.

    They leave no trace among this process's modules: another assignment may have a package of the same name.
    """

    def __init__(self, source: Path) -> None:
        self._source = source
        self._roots = {path.stem for path in source.iterdir() if path.suffix in ("", ".py")}
        self._modules: dict[str, types.ModuleType] = {}

    def __call__(self, name: str) -> types.ModuleType:
        """The module called ``name``. Raises CourseError where it cannot be imported."""
        if name not in self._modules:
            with self._in_place():
                try:
                    importlib.import_module(name)
                except Exception as error:
                    what = f"{type(error).__name__}: {error}"
                    raise CourseError(f"{name} of {self._source} cannot be imported: {what}") from error
        return self._modules[name]

    @contextlib.contextmanager
    def _in_place(self) -> Iterator[None]:
        """Within, the source's modules are found first; without, nothing knows them."""
        others = self._taken_out()
        sys.modules.update(self._modules)
        sys.path.insert(0, str(self._source))
        try:
            yield
        finally:
            sys.path.remove(str(self._source))
            self._modules = self._taken_out()
            sys.modules.update(others)

    def _taken_out(self) -> dict[str, types.ModuleType]:
        names = [name for name in sys.modules if name.partition(".")[0] in self._roots]
        return {name: sys.modules.pop(name) for name in names}


def load_reference(assignment: Assignment) -> types.SimpleNamespace | PackageReference:
    """Everything that the setup and solution cells of ``assignment``'s source notebooks define, as attributes.

    Where the assignment has a package, a function that gives its modules by name. Raises CourseError, naming notebook
    and cell, when one of them fails.
    """
    if assignment.package is not None:
        return PackageReference(assignment.source_dir)
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


@lru_cache(maxsize=8)
def load_probes(path: Path) -> types.ModuleType:
    """A suite's probes.py as a module of this process, for the stand-ins that it defines."""
    module = types.ModuleType(f"probes_{path.parent.name}")
    exec(compile(load_probes_text(path), str(path), "exec"), module.__dict__)  # noqa: S102 - our own
    return module


def load_probes_text(path: Path) -> str:
    """Text of a suite's probes.py, empty where it has none; its syntax is checked here, where the fault is ours."""
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8")
    compile(text, str(path), "exec")
    return text
