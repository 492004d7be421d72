"""A class's submissions, from ``submitted/`` to reports, gradebook, notebooks for formgrader, and feedback."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from autograder.class_folder import ClassFolder
from autograder.course import Assignment
from autograder.grading.arrivals import arrivals
from autograder.grading.batch import Job, NewJob, grade_each, is_sound
from autograder.grading.report import Report
from autograder.records import Records
from autograder.submission import read_submission

__all__ = ["ClassResult", "grade_class", "grade_one"]


class ClassResult(msgspec.Struct, frozen=True):
    """What grading a class came to, by student.

    ``ran`` are those graded in this run; the others' reports still held. ``problems`` are sentences on what could not
    be made from a report, by student.
    """

    assignment: str
    folder: ClassFolder
    reports: tuple[Report, ...]
    ran: frozenset[str]
    problems: dict[str, str]
    gradebook: str

    @property
    def exit_status(self) -> int:
        """0 when every submission was graded without a fault; 1 when one had a fault or could not be checked."""
        faultless = all(not report.fault and is_sound(report) for report in self.reports)
        return 0 if faultless and not self.problems else 1


def grade_one(
    assignment: Assignment,
    path: Path,
    *,
    seed: int | None = None,
    unsafe: bool = False,
    new_job: NewJob | None = None,
) -> Report:
    """Grade the submission at ``path`` (a notebook, or a folder with one) and write nothing.

    Raises SubmissionError where there is no such path.
    """
    submission = read_submission(path, assignment)
    with (new_job or _grader(assignment, seed=seed, unsafe=unsafe))() as job:
        return job.grade(submission)


def grade_class(
    assignment: Assignment,
    folder: ClassFolder,
    *,
    regrade: bool = False,
    seed: int | None = None,
    unsafe: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    new_job: NewJob | None = None,
) -> ClassResult:
    """Grade all submissions of ``assignment`` in ``folder``, and bring everything made from the reports up to date.

    A submission whose report still holds is not run again, unless ``regrade`` or a ``seed`` asks for it. ``progress``
    is told the student, how many are done and how many there are. Raises what stops all of it: SubmissionError where
    there is no ``submitted/``, CourseError, SandboxError, GradebookError. What is graded by then is kept, and the next
    run goes on from there.
    """
    from autograder.grading.run import versions

    found = arrivals(folder.submitted, assignment.name)
    records = Records(assignment, folder)
    each = grade_each(
        assignment,
        folder,
        found,
        new_job=new_job or _grader(assignment, seed=seed, unsafe=unsafe),
        versions=versions(assignment),
        regrade=regrade or seed is not None,
    )
    reports: list[Report] = []
    ran: set[str] = set()
    for graded in each:
        records.add(graded)
        reports.append(graded.report)
        ran |= {graded.arrival.student} if graded.ran else set()
        progress(graded.arrival.student, len(reports), len(found))
    records.save()
    return ClassResult(assignment.name, folder, tuple(reports), frozenset(ran), records.problems, records.gradebook)


def _grader(assignment: Assignment, *, seed: int | None, unsafe: bool) -> NewJob:
    def new_job() -> AbstractContextManager[Job]:
        from autograder.grading.run import Grader

        return Grader(assignment, seed=seed, unsafe=unsafe)

    return new_job
