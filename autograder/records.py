"""Everything made from a class's reports: notebooks for formgrader, pages for students, rows in the gradebook."""

import hashlib
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
import nbformat
from nbformat import NotebookNode

from autograder._files import write_atomically
from autograder._tolerant import as_node
from autograder.autograded import restore
from autograder.class_folder import ClassFolder
from autograder.course import Assignment
from autograder.feedback import student_page
from autograder.gradebook import Entry, open_gradebook, read_settings, save_entries, save_structure
from autograder.grading.batch import NOT_CHECKED, Graded
from autograder.grading.report import Outcome, Report
from autograder.notebooks import parse_notebook
from autograder.skeleton import skeletons
from autograder.submission import Submission
from autograder.submission.bundle import read_bundle
from autograder.submission.files import read_bytes
from autograder.submission.package import notebooks_of
from autograder.submission.records import Refused

__all__ = ["Records"]

MAX_TIMESTAMP_BYTES = 200


class Records:
    """The records of one assignment: a notebook and a page as each report comes, the gradebook at the end at once.

    ``problems`` says, by student, what could not be made.
    """

    def __init__(self, assignment: Assignment, folder: ClassFolder) -> None:
        self.problems: dict[str, str] = {}
        self._assignment, self._folder = assignment, folder
        self._settings = read_settings(folder.root)
        self._skeletons = skeletons(assignment)
        self._entries: list[Entry] = []
        # What the gradebook holds: a run that was killed after a report and before the gradebook is made up for.
        self._recorded_path = folder.results(assignment.name) / ".recorded.json"
        self._recorded = _read_recorded(self._recorded_path)

    @property
    def gradebook(self) -> str:
        """The gradebook's URL, as nbgrader's configuration has it."""
        return self._settings.url

    def add(self, graded: Graded) -> None:
        """Write what is made of one report alone, and keep its row for the gradebook."""
        student, stamp = graded.arrival.student, graded.report.graded_at.isoformat()
        fresh = self._recorded.get(student) != stamp
        unanswered: frozenset[str] = frozenset()
        try:
            unanswered = self._write_notebooks(graded, fresh=fresh)
            self._write_page(graded, fresh=fresh)
        except Exception as error:  # noqa: BLE001 - what cannot be made of one submission stops no other
            self.problems[student] = f"{type(error).__name__}: {error}"
        if graded.arrival.known:
            self._entries.append(self._entry(graded, unanswered, fresh=fresh))
            self._recorded[student] = stamp

    def save(self) -> None:
        """Bring the gradebook up to date. Raises GradebookError."""
        name, course = self._assignment.name, self._settings.course_id
        with open_gradebook(self._settings.url, course) as session:
            row = save_structure(session, name, self._assignment.due, self._skeletons, course)
            save_entries(session, row, self._entries)
        write_atomically(self._recorded_path, msgspec.json.encode(self._recorded))

    def _write_notebooks(self, graded: Graded, *, fresh: bool) -> frozenset[str]:
        """The notebooks for formgrader; returns the answers that are as they were released."""
        folder = self._folder.autograded(self._assignment.name, graded.arrival.student)
        submission = graded.submission
        if submission is None or submission.fault is not None:
            for name in self._skeletons:
                (folder / f"{name}.ipynb").unlink(missing_ok=True)  # of an earlier submission, not what was graded now
            return frozenset()
        unanswered: frozenset[str] = frozenset()
        for name, student in self._submitted(submission).items():
            path = folder / f"{name}.ipynb"
            restored = restore(self._skeletons[name], student, _answers(submission), graded.report)
            if fresh or not path.is_file():
                write_atomically(path, nbformat.writes(restored.notebook, version=4).encode() + b"\n")  # type: ignore[no-untyped-call]
            unanswered |= restored.unanswered
        return unanswered

    def _submitted(self, submission: Submission) -> dict[str, NotebookNode]:
        """The notebooks that were graded, by the skeletons' names. Raises RuntimeError where they were replaced."""
        path, base = Path(submission.path), self._folder.submitted
        if self._assignment.package is None:
            data = read_bytes(path, base)
            found = {next(iter(self._skeletons)): parse_notebook(data, submission.path)}
            digest = hashlib.sha256(data).hexdigest()
        else:
            bundle = read_bundle(path, base)
            cells = notebooks_of(bundle, self._assignment)
            found = {name: as_node({"cells": cells.get(f"{name}.ipynb", [])}) for name in self._skeletons}
            digest = bundle.sha256
        if digest != submission.sha256:
            raise RuntimeError(f"{submission.path} was replaced while it was being graded; grade it again")
        return found

    def _write_page(self, graded: Graded, *, fresh: bool) -> None:
        name = self._assignment.name if self._assignment.package else Path(self._assignment.notebooks[0]).stem
        path = self._folder.feedback(self._assignment.name, graded.arrival.student) / f"{name}.html"
        if fresh or not path.is_file():
            write_atomically(path, student_page(graded.report, self._assignment).encode())

    def _entry(self, graded: Graded, unanswered: frozenset[str], *, fresh: bool) -> Entry:
        report = graded.report
        scores: dict[str, float | None] = {score.question: score.points for score in report.questions}
        for question in self._assignment.questions():
            if report.fault == NOT_CHECKED:
                scores[question.id] = None
            elif question.kind == "manual":
                scores[question.id] = 0.0 if report.fault or question.id in unanswered else None
        return Entry(
            student=graded.arrival.student,
            timestamp=_timestamp(graded.arrival.path, self._folder.submitted),
            scores=scores,
            unanswered=unanswered,
            review=_unsure(report),
            fresh=fresh,
        )


def _unsure(report: Report) -> frozenset[str]:
    """Questions with a check that could not be made: a person has to look at their score."""
    return frozenset(test.question for test in report.tests if test.outcome is Outcome.NOT_CHECKED)


def _answers(submission: Submission) -> dict[str, str]:
    """What the student wrote, by solution cell; an answer in several parts is joined."""
    answers: dict[str, str] = {name: text for name, text in submission.manual.items() if text}
    for cell in submission.cells:
        if cell.origin == "student":
            name = cell.id.partition("-part-")[0]
            answers[name] = f"{answers[name]}\n\n\n{cell.source}" if name in answers else cell.source
    return answers


def _timestamp(folder: Path, submitted: Path) -> datetime | None:
    """When it was handed in, by the file that nbgrader's exchange leaves with it; None where that says nothing."""
    from nbgrader.utils import parse_utc

    try:
        text = read_bytes(folder / "timestamp.txt", submitted, MAX_TIMESTAMP_BYTES).decode()
        found = parse_utc(text.strip())
    except Refused:
        return None
    except Exception:  # noqa: BLE001 - the text is the student's, and dateutil raises half a dozen kinds on nonsense
        return None
    return found if isinstance(found, datetime) else None


def _read_recorded(path: Path) -> dict[str, str]:
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    return {}
