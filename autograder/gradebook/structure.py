"""An assignment in nbgrader's database: its notebooks and their grade, solution and source cells.

The rows are those that nbgrader's ``SaveCells`` writes when it generates an assignment. Where the cells of a notebook
changed after submissions came in, nbgrader refuses; here the new cells are added to every submission, and a cell that
went away goes with its automatic scores, unless somebody marked it by hand.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from nbformat import NotebookNode
from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from autograder._exceptions import GradebookError
from autograder.gradebook.settings import DEFAULT_COURSE

__all__ = ["save_structure"]


def save_structure(
    session: Session,
    name: str,
    due: datetime | None,
    notebooks: Mapping[str, NotebookNode],
    course_id: str = DEFAULT_COURSE,
) -> Any:
    """Record assignment ``name`` and its ``notebooks`` (id -> notebook as released, with checksums).

    Returns nbgrader's ``Assignment``. Raises GradebookError where a cell that carries manual marks or comments is gone.
    """
    from nbgrader.api import Assignment

    assignment = session.scalar(select(Assignment).where(Assignment.name == name))
    if assignment is None:
        assignment = Assignment(name=name, course_id=course_id)
        session.add(assignment)
    assignment.duedate = None if due is None else _as_naive_utc(due)
    session.flush()
    for notebook_id, notebook in notebooks.items():
        _save_notebook(session, assignment, notebook_id, notebook)
    session.flush()
    return assignment


def _as_naive_utc(moment: datetime) -> datetime:
    """The form nbgrader keeps times in. A time without zone is taken for UTC, as nbgrader does."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _save_notebook(session: Session, assignment: Any, notebook_id: str, notebook: NotebookNode) -> None:
    from nbgrader.api import GradeCell, Notebook, SolutionCell, TaskCell

    row = session.scalar(select(Notebook).where(Notebook.name == notebook_id, Notebook.assignment_id == assignment.id))
    if row is None:
        row = Notebook(name=notebook_id, assignment=assignment)
        session.add(row)
    row.kernelspec = json.dumps(notebook.metadata.get("kernelspec", {}))
    session.flush()
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    graded = {
        kind: {
            _id(cell): {"max_score": _points(cell), "cell_type": cell.cell_type} for cell in cells if _is(cell, flag)
        }
        for kind, flag in ((GradeCell, "grade"), (TaskCell, "task"))
    }
    solutions: dict[str, dict[str, Any]] = {_id(cell): {} for cell in cells if _is(cell, "solution")}
    for kind, wanted in (*graded.items(), (SolutionCell, solutions)):
        _save_cells(session, row, kind, wanted)
    _save_sources(session, row, cells)


def _id(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader["grade_id"])


def _points(cell: NotebookNode) -> float:
    return float(cell.metadata.nbgrader["points"])


def _is(cell: NotebookNode, flag: str) -> bool:
    return bool(cell.metadata.nbgrader.get(flag, False))


def _save_cells(session: Session, notebook: Any, kind: Any, wanted: Mapping[str, Mapping[str, Any]]) -> None:
    """Make the cells of one ``kind`` in ``notebook`` those of ``wanted`` (name -> columns)."""
    found = {cell.name: cell for cell in session.scalars(select(kind).where(kind.notebook_id == notebook.id))}
    for name in found.keys() - wanted.keys():
        _remove_cell(session, notebook, found[name])
    for name, columns in wanted.items():
        if name in found:
            for column, value in columns.items():
                setattr(found[name], column, value)
        else:
            session.add(kind(name=name, notebook=notebook, **columns))
    session.flush()


def _remove_cell(session: Session, notebook: Any, cell: Any) -> None:
    from nbgrader.api import Comment, Grade

    by_hand = or_(Grade.manual_score.is_not(None), Grade.extra_credit.is_not(None))
    marked = session.scalar(select(Grade.id).where(Grade.cell_id == cell.id, by_hand).limit(1))
    commented = session.scalar(
        select(Comment.id).where(Comment.cell_id == cell.id, Comment.manual_comment.is_not(None))
    )
    if marked or commented:
        raise GradebookError(
            f"assignment {notebook.assignment.name}, notebook {notebook.name}: cell {cell.name!r} is gone from the "
            "source, but the gradebook holds marks or comments made by hand for it. Bring the cell back, or remove "
            "those marks in formgrader first."
        )
    session.execute(delete(Grade).where(Grade.cell_id == cell.id))
    session.execute(delete(Comment).where(Comment.cell_id == cell.id))
    session.delete(cell)


def _save_sources(session: Session, notebook: Any, cells: list[NotebookNode]) -> None:
    """Record the text of every cell that nbgrader would restore."""
    from nbgrader.api import SourceCell
    from nbgrader.utils import is_locked

    found = {cell.name: cell for cell in notebook.source_cells}
    wanted = {
        _id(cell): cell for cell in cells if is_locked(cell) or any(_is(cell, f) for f in ("grade", "solution", "task"))
    }
    for name in found.keys() - wanted.keys():
        session.delete(found[name])
    for name, cell in wanted.items():
        row = found.get(name) or SourceCell(name=name, notebook=notebook)
        row.cell_type = cell.cell_type
        row.locked = bool(is_locked(cell))
        row.source = cell.source
        row.checksum = cell.metadata.nbgrader.get("checksum")
        session.add(row)
