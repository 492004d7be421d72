"""hw3's suites tell right from wrong: known mistakes lose marks, and only where they were made.

``tests/hw3/misconceptions/<question>/<name>.py`` is a wrong answer: a docstring whose first line is the hint that a
student reads, a constant FAILS with tests that fail at least, a constant MODULE, and code that is put at the end of
that solved module, where it takes the place of what was defined above (``cell``: the place of a solution cell).
``alternatives/`` holds right answers in the same form, without FAILS.
"""

import ast
import atexit
import multiprocessing
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.course import Assignment, Course
from autograder.grading.report import Outcome, Report
from autograder.submission import Submission, read_submission

COURSE = Path(__file__).parents[3]
HW3 = COURSE / "tests" / "hw3"
QUESTIONS = sorted(path.stem.removeprefix("test_") for path in HW3.glob("test_*.py"))
SMALL = {
    "part1_hyperparams", "part2_hyperparams", "part3_hyperparams", "method_2", "MultiHeadAttention", "EncoderLayer",
    "Encoder", "TransformerEncoderTrainer", "FineTuningTrainer", "sliding_window_cost",
}  # fmt: skip
"""Questions of one line or two, or with one way to be right: an alternative each is enough."""

SEED = 20_240_917
MOST_JOBS = 4


class Job:
    """One grading job in a process of its own. It ends with the process."""

    grader: Any = None

    @classmethod
    def start(cls) -> None:
        import torch

        from autograder.grading.run import Grader

        torch.set_num_threads(1)
        cls.grader = Grader(Course.find(COURSE).assignment("hw3"), seed=SEED).__enter__()
        atexit.register(cls.grader.__exit__)

    @classmethod
    def grade(cls, submission: Submission) -> Report:
        report: Report = cls.grader.grade(submission)
        return report


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


def constant(path: Path, name: str) -> Any:
    """A constant of a module, read without running it; an empty tuple where there is none."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return ast.literal_eval(value)
    return ()


@pytest.fixture(scope="session")
def hw3() -> Assignment:
    return Course.find(COURSE).assignment("hw3")


@pytest.fixture(scope="session")
def answered_hw3(request: pytest.FixtureRequest, hw3: Assignment) -> Iterator[Answers]:
    """Grades answers to hw3. What the collected tests will ask for is begun at once, on all jobs."""
    count = min(os.cpu_count() or 1, MOST_JOBS)
    jobs = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=Job.start)
    answers = Answers(jobs, read_submission(hw3.solutions_dir, hw3))
    for item in request.session.items:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        if "answered_hw3" in getattr(item, "fixturenames", ()) and "path" in parameters:
            answers.ask(parameters["path"])
    yield answers
    jobs.shutdown(cancel_futures=True)


def modules(kind: str) -> list[Any]:
    """The modules of ``kind``, each as (question, path)."""
    paths = sorted((HW3 / kind).glob("*/*.py"))
    return [pytest.param(path.parent.name, path, id=f"{path.parent.name}-{path.stem}") for path in paths]


def failed(report: Report, question: str) -> set[str]:
    """Names of the tests of ``question`` that did not pass, with their parameters and without."""
    names = {test.test for test in report.tests if test.question == question and test.outcome is not Outcome.PASSED}
    return names | {name.partition("[")[0] for name in names}


def lost(report: Report) -> Mapping[str, list[str]]:
    """Questions without full points, each with the tests that failed and what they said."""
    return {
        score.question: [
            f"{test.test}: {test.outcome}: {test.message} {test.detail}"
            for test in report.tests
            if test.question == score.question and test.outcome is not Outcome.PASSED
        ]
        for score in report.questions
        if score.points < score.max_points
    }


@pytest.mark.parametrize(("question", "path"), modules("misconceptions"))
def test_a_misconception_loses_marks_at_its_question_and_no_other(
    answered_hw3: Answers, question: str, path: Path
) -> None:
    report = answered_hw3(path)
    assert set(lost(report)) == {question}, lost(report)
    assert not [test for test in report.tests if test.outcome is Outcome.NOT_CHECKED], lost(report)


@pytest.mark.parametrize(("question", "path"), modules("misconceptions"))
def test_a_misconception_fails_the_tests_it_names(answered_hw3: Answers, question: str, path: Path) -> None:
    named = constant(path, "FAILS")
    assert named
    assert set(named) <= failed(answered_hw3(path), question)


@pytest.mark.parametrize(("question", "path"), modules("misconceptions"))
def test_a_misconception_has_a_hint(question: str, path: Path) -> None:
    hint = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    assert hint.endswith(".")
    assert len(hint) <= 120


@pytest.mark.parametrize(("question", "path"), modules("alternatives"))
def test_an_alternative_scores_full_marks(answered_hw3: Answers, question: str, path: Path) -> None:
    assert not lost(answered_hw3(path))


@pytest.mark.parametrize(("kind", "least"), [("misconceptions", 3), ("alternatives", 2)])
def test_every_question_has_both(kind: str, least: int) -> None:
    counts = {question: len(list((HW3 / kind / question).glob("*.py"))) for question in QUESTIONS}
    assert {question for question, count in counts.items() if count < least} <= SMALL
    assert all(counts.values()), counts
    assert {path.name for path in (HW3 / kind).iterdir()} == set(QUESTIONS)


def test_the_solutions_score_full_marks(answered_hw3: Answers, hw3: Assignment) -> None:
    report = answered_hw3(None)
    assert not lost(report)
    assert report.points == hw3.auto_points == 76
