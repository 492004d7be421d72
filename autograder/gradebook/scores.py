"""Students, submissions and automatic scores in nbgrader's database, beside the marks that people gave.

What this module writes: ``auto_score``, ``needs_manual_grade``, ``auto_comment`` and the time of submission. What a
person wrote (``manual_score``, ``extra_credit``, ``manual_comment``) it never touches.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

__all__ = ["Entry", "save_entries"]

NO_RESPONSE = "No response."
"""What nbgrader's autograder says of a solution cell that is as it was released."""


class Entry(msgspec.Struct, frozen=True):
    """One submission, as the gradebook keeps it.

    ``scores`` maps grade cells to points; None stands for a cell that a person has to mark. ``unanswered`` names the
    solution cells that are as they were released; ``review`` grade cells whose score a person should look at all the
    same. ``fresh`` says that the submission was graded since it was last
    recorded: marks given by hand before that are put up for review, as nbgrader does.
    """

    student: str
    timestamp: datetime | None
    scores: dict[str, float | None]
    unanswered: frozenset[str] = frozenset()
    review: frozenset[str] = frozenset()
    fresh: bool = True


class _Cells(msgspec.Struct, frozen=True):
    """One notebook: its row's id, (name, id, most points) of its graded cells, (name, id) of those with a comment."""

    notebook_id: str
    graded: tuple[tuple[str, str, float], ...]
    commented: tuple[tuple[str, str], ...]


def save_entries(session: Session, assignment: Any, entries: Iterable[Entry]) -> None:
    """Record ``entries`` as submissions of ``assignment`` (nbgrader's row)."""
    notebooks = [_cells(session, notebook) for notebook in assignment.notebooks]
    for entry in entries:
        submission = _submission(session, assignment, entry)
        for cells in notebooks:
            row = _submitted_notebook(session, submission, cells.notebook_id)
            _save_scores(session, row, cells, entry)
            _save_comments(session, row, cells, entry)


def _cells(session: Session, notebook: Any) -> _Cells:
    from nbgrader.api import BaseCell, GradeCell, SolutionCell, TaskCell

    graded = [
        (cell.name, cell.id, cell.max_score)
        for kind in (GradeCell, TaskCell)
        for cell in session.scalars(select(kind).where(kind.notebook_id == notebook.id))
    ]
    commented = session.execute(
        select(BaseCell.name, BaseCell.id).where(
            BaseCell.notebook_id == notebook.id, BaseCell.type.in_([SolutionCell.__name__, TaskCell.__name__])
        )
    )
    return _Cells(notebook.id, tuple(graded), tuple((name, id_) for name, id_ in commented))


def _submission(session: Session, assignment: Any, entry: Entry) -> Any:
    from nbgrader.api import Student, SubmittedAssignment

    if session.get(Student, entry.student) is None:
        session.add(Student(id=entry.student))
    row = session.scalar(
        select(SubmittedAssignment).where(
            SubmittedAssignment.assignment_id == assignment.id, SubmittedAssignment.student_id == entry.student
        )
    )
    if row is None:
        row = SubmittedAssignment(assignment_id=assignment.id, student_id=entry.student)
        session.add(row)
    row.timestamp = entry.timestamp
    session.flush()
    return row


def _submitted_notebook(session: Session, submission: Any, notebook_id: str) -> Any:
    from nbgrader.api import SubmittedNotebook

    row = session.scalar(
        select(SubmittedNotebook).where(
            SubmittedNotebook.assignment_id == submission.id, SubmittedNotebook.notebook_id == notebook_id
        )
    )
    if row is None:
        row = SubmittedNotebook(assignment_id=submission.id, notebook_id=notebook_id)
        session.add(row)
        session.flush()
    return row


def _save_scores(session: Session, notebook: Any, cells: _Cells, entry: Entry) -> None:
    from nbgrader.api import Grade

    found = _by_cell(session, Grade, notebook)
    for name, cell_id, most in cells.graded:
        score = _clamped(entry.scores.get(name), most)
        row = found.get(cell_id)
        if row is None:
            row = Grade(cell_id=cell_id, notebook_id=notebook.id)
            session.add(row)
        elif not entry.fresh and row.auto_score == score:
            continue  # nothing new: what a person has resolved stays resolved
        row.auto_score = score
        row.needs_manual_grade = score is None or row.manual_score is not None or name in entry.review


def _clamped(score: float | None, most: float) -> float | None:
    """``score`` within [0, most]; 0 is a score, None is the absence of one."""
    return None if score is None else min(most, max(0.0, float(score)))


def _save_comments(session: Session, notebook: Any, cells: _Cells, entry: Entry) -> None:
    from nbgrader.api import Comment

    found = _by_cell(session, Comment, notebook)
    for name, cell_id in cells.commented:
        row = found.get(cell_id)
        if row is None:
            row = Comment(cell_id=cell_id, notebook_id=notebook.id)
            session.add(row)
        row.auto_comment = NO_RESPONSE if name in entry.unanswered else None


def _by_cell(session: Session, kind: Any, notebook: Any) -> Mapping[str, Any]:
    return {row.cell_id: row for row in session.scalars(select(kind).where(kind.notebook_id == notebook.id))}
