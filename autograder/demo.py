"""A sample class of twelve, made from the assignment's own source and graded: what the kit does, on one screen.

It lives in a folder of its own, with its own gradebook, so that a real course's is never touched. Each student is made
from the solved notebook by one change.
"""

import ast
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder._exceptions import CourseError
from autograder._files import write_atomically
from autograder.class_folder import ClassFolder
from autograder.classwork import ClassResult, grade_class
from autograder.course import Assignment, Course
from autograder.notebooks import grade_id, read_notebook

__all__ = ["make_class", "run_demo"]

ASSIGNMENT = "lab08"
MARKER = ".made-by-autograder-demo"
SUBMITTED_AT = "2030-05-06 12:00:00 UTC"

MISCONCEIVED = {
    "dot-states-swapped": ("ColumnEncoder", "final_states_swapped"),
    "eli-not-scaled": ("attend", "not_scaled"),
    "fay-without-context": ("AttentionReader", "output_without_context"),
}
"""Question, and which of the suite's known misconceptions of it the student holds."""

# What stands in the solution cell of a question instead of its answer.
BROKEN = {
    "gus-syntax-error": ("score_table", "def score_table(preds, targets, groups)\n    return {}\n"),
    "hal-endless-loop": (
        "first_wrong_position",
        "def first_wrong_position(pred, target):\n    while True:\n        pass\n",
    ),
    "ivy-exits": ("boxes_in_window", "import os\n\n\ndef boxes_in_window(window):\n    os._exit(0)\n"),
    "jo-20-gigabytes": (
        "receptive_field_by_hand",
        "def receptive_field_by_hand():\n    return int(torch.ones(20 * 1024**3, dtype=torch.uint8).sum())\n",
    ),
}
READS_TESTS = """\
from pathlib import Path


def feature_geometry():
    return Path({suite!r}).read_text()
"""


def run_demo(
    course: Course, workspace: Path, progress: Callable[[str, int, int], None] = lambda *_: None
) -> ClassResult:
    """Make the class in ``workspace``, grade it there, and say what came of it.

    An earlier demo in ``workspace`` is replaced; raises CourseError where the folder holds anything else, and where
    release/ and solutions/ were not made yet.
    """
    assignment = course.assignment(ASSIGNMENT)
    _prepare(workspace, course)
    folder = ClassFolder(workspace)
    for student, notebook in make_class(assignment).items():
        place = folder.submitted / student / assignment.name
        write_atomically(place / assignment.notebooks[0], nbformat.writes(notebook, version=4).encode())  # type: ignore[no-untyped-call]
        write_atomically(place / "timestamp.txt", SUBMITTED_AT.encode())
    return grade_class(assignment, folder, progress=progress)


def make_class(assignment: Assignment) -> dict[str, NotebookNode]:
    """The notebooks of the twelve, by student."""
    solved = _generated(assignment.solutions_dir / assignment.notebooks[0])
    stub = _generated(assignment.release_dir / assignment.notebooks[0])
    suite = str(assignment.tests_dir / "test_feature_geometry.py")
    written = {
        **{name: (found[0], _misconception(assignment, *found)) for name, found in MISCONCEIVED.items()},
        **BROKEN,
        "kit-reads-tests": ("feature_geometry", READS_TESTS.format(suite=suite)),
    }
    return {
        "ada-perfect": solved,
        "bo-untouched": stub,
        "cy-one-missing": _changed(solved, {"alignment-solution": None}),
        **{name: _changed(solved, {f"{question}-solution": text}) for name, (question, text) in written.items()},
        "lou-no-metadata": _without_metadata(solved),
    }


def _generated(path: Path) -> NotebookNode:
    if not path.is_file():
        raise CourseError(f"{path}: not made yet; run `autograder release {ASSIGNMENT}` first")
    return read_notebook(path)


def _changed(notebook: NotebookNode, cells: Mapping[str, str | None]) -> NotebookNode:
    """A copy of ``notebook`` whose ``cells`` (by grade id) hold other text, or are left out where that is None."""
    changed = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]
    changed.cells = [cell for cell in changed.cells if cells.get(grade_id(cell) or "", "") is not None]
    for cell in changed.cells:
        cell.source = cells.get(grade_id(cell) or "") or cell.source
    return changed  # type: ignore[no-any-return]


def _without_metadata(notebook: NotebookNode) -> NotebookNode:
    """As some editors leave it: the same text, and nothing that says which cell is which."""
    changed = _changed(notebook, {})
    changed.metadata.clear()
    for number, cell in enumerate(changed.cells):
        cell.metadata.clear()
        cell["id"] = f"c{number}"
    return changed


def _misconception(assignment: Assignment, question: str, name: str) -> str:
    """What a student with that misconception writes: the module without its docstring and its notes for the suite."""
    path = assignment.tests_dir / "misconceptions" / question / f"{name}.py"
    if not path.is_file():
        raise CourseError(f"{path}: no such module; the demo shows what this misconception costs")
    text = path.read_text(encoding="utf-8")
    written = [node for node in ast.parse(text).body if not isinstance(node, ast.Expr | ast.Assign)]
    return "\n\n\n".join(ast.get_source_segment(text, node) or "" for node in written)


def _prepare(workspace: Path, course: Course) -> None:
    """An empty ``workspace`` that nbgrader's commands and formgrader take for a course with this course's source."""
    if workspace.exists():
        if not (workspace / MARKER).is_file() and any(workspace.iterdir()):
            raise CourseError(f"{workspace}: not empty, and not made by the demo; give it another folder")
        shutil.rmtree(workspace)
    write_atomically(workspace / MARKER, b"")
    config = (
        "# Made by `autograder demo`: nbgrader's own commands work in this folder.\n"
        "c = get_config()  # noqa: F821\n"
        f"c.CourseDirectory.root = {str(workspace.resolve())!r}\n"
        f"c.CourseDirectory.source_directory = {str(course.root / 'source')!r}\n"
        f"c.CourseDirectory.release_directory = {str(course.root / 'release')!r}\n"
    )
    write_atomically(workspace / "nbgrader_config.py", config.encode())
