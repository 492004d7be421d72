"""hw3's suites tell right from wrong: known mistakes lose marks, and only where they were made.

``tests/hw3/misconceptions/<question>/<name>.py`` is a wrong answer: a docstring whose first line is the hint that a
student reads, a constant FAILS with tests that fail at least, a constant MODULE, and code that is put at the end of
that solved module, where it takes the place of what was defined above (``cell``: the place of a solution cell).
``alternatives/`` holds right answers in the same form, without FAILS.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import msgspec
import pytest

from autograder.course import Assignment, Course
from autograder.grading.report import Report
from autograder.submission import Submission, read_submission
from tests.autograder.validity.verdicts import (
    COURSE,
    Job,
    asked_by,
    constant,
    failed,
    hint,
    lost,
    modules,
    new_jobs,
)

HW3 = COURSE / "tests" / "hw3"
QUESTIONS = sorted(path.stem.removeprefix("test_") for path in HW3.glob("test_*.py"))


class Answers:
    """Grades the solutions with other answers in them; the same answers are graded once."""

    def __init__(self, jobs: ProcessPoolExecutor, solved: Submission) -> None:
        self.jobs, self.solved = jobs, solved
        self.asked: dict[Path | None, Future[Report]] = {}

    def __call__(self, path: Path | None) -> Report:
        """The report on the solutions with the answer in ``path`` put in."""
        return self.ask(path).result()

    def ask(self, path: Path | None) -> "Future[Report]":
        """The same, ready some time later."""
        if path not in self.asked:
            self.asked[path] = self.jobs.submit(Job.grade, self.solved if path is None else self.with_answer(path))
        return self.asked[path]

    def with_answer(self, path: Path) -> Submission:
        module, text = constant(path, "MODULE"), path.read_text(encoding="utf-8")
        if module == "cell":
            slot = f"{path.parent.name}-solution"
            cells = (
                msgspec.structs.replace(cell, source=text) if cell.id == slot else cell for cell in self.solved.cells
            )
            return msgspec.structs.replace(self.solved, cells=tuple(cells))
        files = tuple(
            msgspec.structs.replace(file, data=file.data + b"\n\n" + text.encode())
            if file.path == f"hw3/{module}.py"
            else file
            for file in self.solved.files
        )
        return msgspec.structs.replace(self.solved, files=files)


@pytest.fixture(scope="session")
def hw3() -> Assignment:
    return Course.find(COURSE).assignment("hw3")


@pytest.fixture(scope="session")
def answered_hw3(request: pytest.FixtureRequest, hw3: Assignment) -> Iterator[Answers]:
    """Grades answers to hw3. What the collected tests will ask for is begun at once, on all jobs."""
    jobs = new_jobs("hw3")
    answers = Answers(jobs, read_submission(hw3.solutions_dir, hw3))
    for parameters in asked_by(request.session, "answered_hw3"):
        answers.ask(parameters["path"])
    yield answers
    jobs.shutdown(cancel_futures=True)


@pytest.mark.parametrize(("question", "path"), modules(HW3, "misconceptions"))
def test_a_misconception_loses_marks_at_its_question_and_no_other(
    answered_hw3: Answers, question: str, path: Path
) -> None:
    report = answered_hw3(path)
    assert set(lost(report)) == {question}, lost(report)
    assert not [test for test in report.tests if test.detail], lost(report)  # no check broke off


@pytest.mark.parametrize(("question", "path"), modules(HW3, "misconceptions"))
def test_a_misconception_fails_the_tests_it_names(answered_hw3: Answers, question: str, path: Path) -> None:
    named = constant(path, "FAILS")
    assert named
    assert set(named) <= failed(answered_hw3(path), question)


@pytest.mark.parametrize(("question", "path"), modules(HW3, "misconceptions"))
def test_a_misconception_has_a_hint(question: str, path: Path) -> None:
    assert hint(path).endswith(".")
    assert len(hint(path)) <= 120


@pytest.mark.parametrize(("question", "path"), modules(HW3, "alternatives"))
def test_an_alternative_scores_full_marks(answered_hw3: Answers, question: str, path: Path) -> None:
    assert not lost(answered_hw3(path))


@pytest.mark.parametrize(("kind", "least"), [("misconceptions", 3), ("alternatives", 2)])
def test_every_question_has_both(kind: str, least: int) -> None:
    counts = {question: len(list((HW3 / kind / question).glob("*.py"))) for question in QUESTIONS}
    assert {question: count for question, count in counts.items() if count < least} == {}
    assert {path.name for path in (HW3 / kind).iterdir()} == set(QUESTIONS)


def test_the_solutions_score_full_marks(answered_hw3: Answers, hw3: Assignment) -> None:
    report = answered_hw3(None)
    assert not lost(report)
    assert report.points == hw3.auto_points == 76
