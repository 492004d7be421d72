"""What release/ and solutions/ of an assignment hold, made in memory from source/."""

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
            trees.release[name], trees.solutions[name] = _other(path.read_bytes(), where, path.suffix == ".py")
    return trees


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
