"""Many submissions, one after the other: what is graded already stays, and no submission stops another."""

import contextlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, Self

import msgspec

from autograder._exceptions import CourseError, NotebookError
from autograder.class_folder import ClassFolder
from autograder.course import Assignment
from autograder.grading.arrivals import Arrival
from autograder.grading.report import Outcome, QuestionScore, Report, read_report, write_report
from autograder.submission import Submission, read_submission

__all__ = ["NOT_CHECKED", "Graded", "Job", "NewJob", "faulty_report", "grade_each", "is_sound"]

NOT_CHECKED = "not-checked"
"""The fault of a submission that the kit itself failed on."""


class Job(Protocol):
    """What grades one submission after the other: ``Grader``, or whatever stands in for it."""

    def grade(self, submission: Submission) -> Report:
        """The report on ``submission``, whatever it is."""


NewJob = Callable[[], AbstractContextManager[Job]]
"""Makes a job that is ready once it is entered."""


class Graded(msgspec.Struct, frozen=True):
    """One arrival and its report. ``submission`` is None where there was nothing to read; ``ran`` is False where the
    report of an earlier run still holds.
    """

    arrival: Arrival
    submission: Submission | None
    report: Report
    ran: bool


def grade_each(
    assignment: Assignment,
    folder: ClassFolder,
    found: Iterable[Arrival],
    *,
    new_job: NewJob,
    versions: dict[str, str],
    regrade: bool = False,
) -> Iterator[Graded]:
    """Grade what ``found`` holds, each written to its report before the next is begun.

    A report is kept where submission and ``versions`` are those it was made from, unless ``regrade``. The sandbox is
    started by ``new_job`` when the first submission needs it, and anew after it has failed on one.
    """
    with _Jobs(new_job) as jobs:
        for arrival in found:
            path = folder.report(assignment.name, arrival.student)
            graded = _grade(assignment, arrival, path, jobs, versions, regrade=regrade)
            if graded.ran:
                write_report(graded.report, path)
            if not graded.ran or graded.report.fault != NOT_CHECKED:
                _trace_path(path).unlink(missing_ok=True)
            yield graded


def _grade(
    assignment: Assignment, arrival: Arrival, path: Path, jobs: "_Jobs", versions: dict[str, str], *, regrade: bool
) -> Graded:
    if arrival.fault:
        report = faulty_report(assignment, arrival.student, arrival.fault, arrival.message, versions)
        return Graded(arrival, None, report, ran=True)
    submission = None
    try:
        submission = read_submission(arrival.path, assignment, arrival.student)
        kept = None if regrade else _kept(path, submission, versions)
    except (CourseError, NotebookError):
        raise  # the source is at fault, and would be for every submission
    except Exception:  # noqa: BLE001 - a bug of ours, on one submission, is that submission's outcome and stops no other
        return Graded(arrival, None, _failed(assignment, arrival, path, versions), ran=True)
    if kept is not None:
        return Graded(arrival, submission, kept, ran=False)
    job = jobs.current()  # where no job can be started, none of the others would be graded either
    try:
        report = job.grade(submission)
    except Exception:  # noqa: BLE001 - as above
        report = _failed(assignment, arrival, path, versions)
        jobs.drop()
    return Graded(arrival, submission, report, ran=True)


def _failed(assignment: Assignment, arrival: Arrival, path: Path, versions: dict[str, str]) -> Report:
    """The report on a submission that the kit failed on, whose traceback is put beside it."""
    trace = _trace_path(path)
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
    message = "Grading failed for a reason that is not yours; your instructor can see it and grade again."
    return faulty_report(assignment, arrival.student, NOT_CHECKED, message, versions)


def _trace_path(report: Path) -> Path:
    """Where the traceback of a failure of ours lies: beside the report, for the instructor."""
    return report.with_name(f"{report.stem}.traceback.txt")


def _kept(path: Path, submission: Submission, versions: dict[str, str]) -> Report | None:
    """The report at ``path`` if it says what grading ``submission`` again would say."""
    try:
        report = read_report(path)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None  # none, or not one: as good as none
    fault = submission.fault.name if submission.fault else ""
    same = (report.submission_sha256, report.fault, report.versions) == (submission.sha256, fault, versions)
    return report if same and report.submission_sha256 and is_sound(report) else None


def is_sound(report: Report) -> bool:
    """Whether everything could be checked: False where a failure of the kit is in it."""
    return report.fault != NOT_CHECKED and all(test.outcome is not Outcome.NOT_CHECKED for test in report.tests)


def faulty_report(assignment: Assignment, student: str, fault: str, message: str, versions: dict[str, str]) -> Report:
    """The report on something that was not run at all: ``fault``, and 0 for each question."""
    questions = [question for question in assignment.questions() if question.kind == "auto"]
    return Report(
        assignment=assignment.name,
        student=student,
        submission_sha256="",
        graded_at=datetime.now(UTC),
        seed=0,
        tests=(),
        questions=tuple(QuestionScore(question.id, 0.0, question.points) for question in questions),
        fault=fault,
        fault_message=message,
        versions=versions,
    )


class _Jobs:
    """One job at a time: started when it is needed, replaced after it failed."""

    def __init__(self, new_job: NewJob) -> None:
        self._new_job = new_job
        self._stack = contextlib.ExitStack()
        self._job: Job | None = None

    def current(self) -> Job:
        if self._job is None:
            self._job = self._stack.enter_context(self._new_job())
        return self._job

    def drop(self) -> None:
        self._job = None
        with contextlib.suppress(Exception):  # it has failed already; what its end says adds nothing
            self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()
