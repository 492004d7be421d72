"""A source notebook as students get it: stubs for solutions, no rubrics, no hidden tests, nbgrader's checksums."""

from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

from autograder._exceptions import ReleaseError
from autograder.notebooks import RUBRIC_TAG, SETUP_TAG, Role, grade_id, normal_form, role
from autograder.release.cells import cell_label, without_rubrics
from autograder.release.regions import HIDDEN_TESTS, SOLUTION, regions, stub

__all__ = ["student_notebook"]

ANSWERED = frozenset({Role.SOLUTION, Role.MANUAL})
GRADED = frozenset({Role.AUTOGRADED, Role.MANUAL})


class _Stubs(ClearSolutions):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's transform with the kit's stub, which notebooks and packages share."""

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type != "code":
            return bool(super()._replace_solution_region(cell, language))
        before = cell.source
        cell.source = stub(before, "cell")
        return bool(cell.source != before)


# nbgrader's own order. Checksums come last, since they are of what students get.
TRANSFORMS = (
    LockCells,
    _Stubs,
    ClearOutput,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
)


def student_notebook(notebook: NotebookNode, name: str) -> NotebookNode:
    """The release of ``notebook``; raises ``ReleaseError`` naming file ``name`` and cell for a source that is wrong."""
    _check(notebook, name)
    result = without_rubrics(normal_form(notebook))
    for cell in result.cells:
        if role(cell) in ANSWERED:
            cell.pop("attachments", None)  # figures of the model answer: nbgrader would leave them
    for transform in TRANSFORMS:
        try:
            result, _ = transform().preprocess(result, {})
        except Exception as error:  # nbgrader raises RuntimeError, ValueError, ValidationError
            raise ReleaseError(f"{name}: nbgrader's {transform.__name__.lstrip('_')} refuses it: {error}") from error
    return normal_form(result)


def _check(notebook: NotebookNode, name: str) -> None:
    seen: dict[str, str] = {}
    for index, cell in enumerate(notebook.cells):
        where = f"{name}, {cell_label(index, cell)}"
        _check_tags(cell, where)
        if regions(cell.source, SOLUTION, where) and role(cell) not in ANSWERED:
            raise ReleaseError(f"{where}: a solution region in a cell that nbgrader does not know as a solution")
        if regions(cell.source, HIDDEN_TESTS, where) and role(cell) not in GRADED:
            raise ReleaseError(f"{where}: hidden tests in a cell that nbgrader does not know as a grade cell")
        if "nbgrader" in cell.metadata and role(cell) is not Role.FREE:
            own = grade_id(cell)
            if own is None:
                raise ReleaseError(f"{where}: an nbgrader cell without grade_id; give it one")
            if own in seen:
                raise ReleaseError(f"{where}: grade_id {own!r} is taken by {seen[own]}; each needs its own")
            seen[own] = where


def _check_tags(cell: NotebookNode, where: str) -> None:
    tags = cell.metadata.get("tags", [])
    if RUBRIC_TAG in tags and role(cell) is not Role.RUBRIC:
        raise ReleaseError(f"{where}: tagged {RUBRIC_TAG!r} and known to nbgrader; a rubric is a plain cell")
    if SETUP_TAG in tags and role(cell) is not Role.SETUP:
        raise ReleaseError(f"{where}: tagged {SETUP_TAG!r}, but not a locked code cell; lock it or remove the tag")
