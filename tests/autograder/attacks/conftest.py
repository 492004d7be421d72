"""The victim of every attack: a tiny assignment of two questions, graded for real.

An attack takes the place of the answer to ``double``; ``shift`` is answered right. After each attack the same grader
grades an honest submission, whose report has to be the one it gets alone, word for word.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent, indent

import nbformat
import pytest

from autograder.course import Assignment
from autograder.grading.report import Outcome, Report, TestResult
from autograder.grading.run import Grader
from autograder.submission import read_submission
from tests.autograder import tiny

Attack = Callable[..., Report]

HONEST = "def double(x):\n    return 3 * x  # wrong, so that what its report says is compared too"
TOOLS = dedent("""\
    import ctypes, gc, glob, inspect, os, resource, signal, socket, stat, struct, subprocess, sys, threading, time
    import numpy as np
    import torch

    def reply(data):
        for fd in range(3, 64):
            try:
                if os.readlink(f"/proc/self/fd/{fd}").endswith(".replies"):
                    os.write(fd, data)
            except OSError:
                pass
""")


@pytest.fixture(scope="session")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    course = tiny.COURSE.replace("call_seconds = 2.0", "call_seconds = 3.0")
    return tiny.make_course(tmp_path_factory.mktemp("victim"), course)


@pytest.fixture(scope="session")
def grader(victim: Assignment) -> Iterator[Grader]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_TOKEN", "secret of the course")
        with Grader(victim, seed=7) as grader:
            yield grader


@pytest.fixture(scope="session")
def alone(victim: Assignment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What an honest submission gets where no other was ever graded."""
    with Grader(victim, seed=7) as grader:
        return findings(grade(grader, victim, tmp_path_factory.mktemp("alone"), HONEST))


@pytest.fixture
def attack(grader: Grader, victim: Assignment, alone: dict[str, object], tmp_path: Path) -> Attack:
    """``attack(cell)`` grades a submission with that text as its answer to ``double``, and then an honest one."""

    def graded(cell: str) -> Report:
        report = grade(grader, victim, tmp_path, cell)
        assert findings(grade(grader, victim, tmp_path, HONEST)) == alone
        return report

    return graded


def grade(grader: Grader, victim: Assignment, folder: Path, double: str) -> Report:
    notebook = tiny.answer(tiny.notebook(), "double-solution", double)
    nbformat.write(notebook, folder / "tiny.ipynb")
    return grader.grade(read_submission(folder / "tiny.ipynb", victim, "mallory"))


def findings(report: Report) -> dict[str, object]:
    """All that a report says, but for the clock."""
    return {
        "points": points(report),
        "tests": [(test.test, test.outcome, test.message, test.detail) for test in report.tests],
        "notes": (report.repairs, report.cell_problems, report.fault, report.posture),
    }


def points(report: Report) -> dict[str, float]:
    return {question.question: question.points for question in report.questions}


def checks_of(report: Report, question: str) -> list[TestResult]:
    return [test for test in report.tests if test.question == question]


def outcomes(report: Report, question: str) -> set[Outcome]:
    return {test.outcome for test in checks_of(report, question)}


def trying(body: str) -> str:
    """An answer that is right once ``body`` has run without an exception: full marks mean that the attack succeeded."""
    return f"{TOOLS}\ndef double(x):\n{indent(dedent(body).strip(), '    ')}\n    return 2 * x\n"


def assert_refused(report: Report, *reasons: str) -> None:
    """The attempt raised one of the errors named, and the report tells so; the other question is not touched."""
    assert points(report) == {"double": 0, "shift": 3}
    for test in checks_of(report, "double"):
        assert test.outcome is Outcome.STUDENT_ERROR, test
        assert test.message.startswith(reasons), test
    assert outcomes(report, "shift") == {Outcome.PASSED}
