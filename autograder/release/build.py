"""What release/ and solutions/ of an assignment hold, made in memory from source/."""

from collections.abc import Mapping
from pathlib import Path

from autograder._exceptions import ReleaseError
from autograder.course import Assignment
from autograder.notebooks import notebook_bytes, read_notebook
from autograder.release.files import Trees, source_files
from autograder.release.regions import HIDDEN_TESTS, MARKERS, SOLUTION, cut, stub, unwrap
from autograder.release.solved import solved_notebook
from autograder.release.student import student_notebook

__all__ = ["build"]


def build(assignment: Assignment) -> Trees:
    """Both trees of ``assignment``: the same source gives the same bytes.

    Raises ``ReleaseError`` naming file, cell and line for a source that cannot be released, and ``NotebookError`` for
    a notebook that cannot be read.
    """
    trees = Trees({}, {})
    files = dict(source_files(assignment))
    for notebook in assignment.notebooks:
        if notebook not in files:
            raise ReleaseError(f"{assignment.source_dir / notebook}: no such notebook, but course.toml names it")
    _check_package(assignment, files)
    for name, path in files.items():
        where = f"source/{assignment.name}/{name}"
        if path.suffix == ".ipynb":
            if name not in assignment.notebooks:
                raise ReleaseError(f"{where} is not among the notebooks of {assignment.name!r} in course.toml; add it")
            source = read_notebook(path)
            student = student_notebook(source, where)
            trees.release[name] = notebook_bytes(student)
            trees.solutions[name] = notebook_bytes(solved_notebook(source, student, where))
        else:
            trees.release[name], trees.solutions[name] = _other(path.read_bytes(), where, _is_module(path))
    return trees


def _check_package(assignment: Assignment, files: Mapping[str, Path]) -> None:
    """What students fill in stands in the package, since all other modules come from source when they are graded."""
    if assignment.package is None:
        return
    inside = f"{assignment.package}/"
    modules = {
        name: f"BEGIN {SOLUTION}".encode() in path.read_bytes() for name, path in files.items() if _is_module(path)
    }
    if not any(name.startswith(inside) and has_region for name, has_region in modules.items()):
        folder = assignment.source_dir / assignment.package
        raise ReleaseError(f"{folder}: no module with a solution region, but course.toml names it as the package")
    for name, has_region in modules.items():
        if has_region and not name.startswith(inside):
            where = f"source/{assignment.name}/{name}"
            raise ReleaseError(f"{where}: a solution region outside the package {assignment.package!r}; move it there")


def _is_module(path: Path) -> bool:
    return path.suffix == ".py"


def _other(data: bytes, where: str, is_python: bool) -> tuple[bytes, bytes]:
    """A file beside the notebooks, released and solved. Without markers, both are the file as it is."""
    if not any(marker.encode() in data for marker in MARKERS):
        return data, data
    if not is_python:
        raise ReleaseError(f"{where}: a region in a file that is neither notebook nor .py; it would be released whole")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ReleaseError(f"{where}: regions in a file that is not UTF-8 (byte {error.start}); save it so") from error
    text = cut(text, HIDDEN_TESTS, where)
    return stub(text, where, module=True).encode(), unwrap(text, SOLUTION, where).encode()
