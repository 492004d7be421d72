"""What the tests of the hidden suites' validity share: grading jobs, and what a report says of an answer."""

import ast
import atexit
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Course
from autograder.grading.report import Outcome, Report
from autograder.submission import Submission

COURSE = Path(__file__).parents[3]
MOST_JOBS = 4
SEED = 20_240_917


class Job:
    """One grading job in a process of its own. It ends with the process."""

    current: "Job | None" = None

    def __init__(self, assignment: str) -> None:
        import torch

        from autograder.grading.run import Grader

        torch.set_num_threads(1)
        self.grader = Grader(Course.find(COURSE).assignment(assignment), seed=SEED).__enter__()
        atexit.register(self.grader.__exit__)

    @classmethod
    def start(cls, assignment: str) -> None:
        cls.current = cls(assignment)

    @classmethod
    def grade(cls, submission: Submission) -> Report:
        assert cls.current is not None
        return cls.current.grader.grade(submission)


def new_jobs(assignment: str) -> ProcessPoolExecutor:
    """A job a core, each with a sandbox of its own."""
    count = min(os.cpu_count() or 1, MOST_JOBS)
    spawned = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, spawned, initializer=Job.start, initargs=(assignment,))


def asked_by(session: pytest.Session, fixture: str) -> list[dict[str, Any]]:
    """Parameters of the collected tests that use ``fixture`` on an answer's ``path``: all of it can begin at once."""
    return [
        item.callspec.params
        for item in session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and fixture in item.fixturenames
        and "path" in item.callspec.params
    ]


def modules(suite: Path, kind: str) -> list[Any]:
    """The answers of ``kind`` beside a suite, each as (question, path)."""
    paths = sorted((suite / kind).glob("*/*.py"))
    return [pytest.param(path.parent.name, path, id=f"{path.parent.name}-{path.stem}") for path in paths]


def constant(path: Path, name: str) -> Any:
    """A constant of a module, read without running it; an empty tuple where there is none."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return ast.literal_eval(value)
    return ()


def hint(path: Path) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def failed(report: Report, question: str) -> set[str]:
    """Names of the tests of ``question`` that did not pass, with their parameters and without."""
    names = {test.test for test in report.tests if test.question == question and test.outcome is not Outcome.PASSED}
    return names | {name.partition("[")[0] for name in names}


def lost(report: Report) -> dict[str, list[str]]:
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
