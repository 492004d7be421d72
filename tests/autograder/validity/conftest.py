"""Grading jobs for the tests of the hidden suites' validity, one a core: over a hundred notebooks have to be graded."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor

import msgspec
import pytest

from autograder.course import Assignment, Course
from autograder.grading.report import Report
from autograder.submission import Submission, read_submission
from tests.autograder.validity.verdicts import COURSE, Job, asked_by, new_jobs


class Answers:
    """Grades what a notebook would be with other answers in it; the same answers are graded once."""

    def __init__(self, jobs: ProcessPoolExecutor, solved: Submission, released: Submission) -> None:
        self.jobs, self.solved, self.released = jobs, solved, released
        self.asked: dict[tuple[tuple[str, str | None], ...], Future[Report]] = {}

    def __call__(self, answers: Mapping[str, str | None]) -> Report:
        """The report on the solutions with ``answers`` (question -> source) put in; None leaves a cell out."""
        return self.ask(answers).result()

    def ask(self, answers: Mapping[str, str | None]) -> "Future[Report]":
        """The same, ready some time later."""
        key = tuple(sorted(answers.items()))
        if key not in self.asked:
            self.asked[key] = self.jobs.submit(Job.grade, self._submission(answers))
        return self.asked[key]

    def alone(self, question: str) -> Report:
        """The report on the release, where ``question`` alone is solved."""
        solution = next(cell for cell in self.solved.cells if cell.id == f"{question}-solution")
        cells = tuple(solution if cell.id == solution.id else cell for cell in self.released.cells)
        untouched = tuple(name for name in self.released.untouched if name != question)
        assert len(untouched) == len(self.released.untouched) - 1
        submission = msgspec.structs.replace(self.released, cells=cells, untouched=untouched)
        return self.jobs.submit(Job.grade, submission).result()

    def _submission(self, answers: Mapping[str, str | None]) -> Submission:
        cells = {cell.id: cell for cell in self.solved.cells}
        for question, source in answers.items():
            cell = cells.pop(f"{question}-solution")
            if source is not None:
                cells[cell.id] = msgspec.structs.replace(cell, source=source, origin="student")
        order = [cell.id for cell in self.solved.cells if cell.id in cells]
        missing = tuple(question for question, source in answers.items() if source is None)
        return msgspec.structs.replace(self.solved, cells=tuple(cells[name] for name in order), missing=missing)


@pytest.fixture(scope="session")
def lab08() -> Assignment:
    return Course.find(COURSE).assignment("lab08")


@pytest.fixture(scope="session")
def answered(request: pytest.FixtureRequest, lab08: Assignment) -> Iterator[Answers]:
    """Grades answers to lab08. What the collected tests will ask for is begun at once, on all jobs."""
    solved, released = (read_submission(folder, lab08) for folder in (lab08.solutions_dir, lab08.release_dir))
    jobs = new_jobs("lab08")
    answers = Answers(jobs, solved, released)
    for parameters in asked_by(request.session, "answered"):
        answers.ask({parameters["question"]: parameters["path"].read_text(encoding="utf-8")})
    yield answers
    jobs.shutdown(cancel_futures=True)
