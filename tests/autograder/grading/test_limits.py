"""Each limit of ``course.toml``, reached: the answer that does so loses its own question, and is told which it was."""

from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest

from autograder._exceptions import CourseError
from autograder.course import Assignment
from autograder.grading.report import Outcome, Report
from autograder.grading.run import Grader
from autograder.submission import read_submission
from tests.autograder import tiny

LIMITS = """\
[course]
title = "Tiny course"

[course.limits]
memory_mb = 600
scratch_mb = 1

[assignments.tiny]
title = "Doubling"
notebooks = ["tiny.ipynb"]

[assignments.tiny.limits]
call_seconds = 1.0
cell_seconds = 1.5
test_seconds = 2.5
submission_seconds = 12.0
processes = 12
output_kb = 1

[assignments.tiny.questions.shift]
call_seconds = 0.3
test_seconds = 0.8
"""
SUITE = '''
from autograder.grading.checks import check
from autograder.grading.marks import question

pytestmark = question("shift")


def test_many_calls(student):
    """Many calls, one after the other."""
    for _ in range(100):
        student.shift(1)


def test_prints(student):
    """What is printed."""
    printed, _ = student.printed(student.shift, 1)
    check(len(printed) <= 1024, "it prints more than is kept")
'''


@pytest.fixture(scope="module")
def grade(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Report]]:
    assignment = tiny.make_course(tmp_path_factory.mktemp("course"), LIMITS, test_shift=SUITE)
    path = tmp_path_factory.mktemp("submission") / "tiny.ipynb"
    with Grader(assignment, seed=7) as grader:

        def graded(**answers: str) -> Report:
            notebook = tiny.notebook()
            for name, text in answers.items():
                tiny.answer(notebook, f"{name}-solution", text)
            nbformat.write(notebook, path)
            return grader.grade(read_submission(path, assignment, "ada"))

        yield graded


REACHED = {
    "call_seconds": ("while True: pass", Outcome.TIMED_OUT, "after 1 s without an answer"),
    "memory_mb": ("import torch; torch.ones(2**30)", Outcome.OUT_OF_MEMORY, "more than 600 MB"),
    "processes": (
        "import os, time\n    while True: os.fork() or time.sleep(60)",
        Outcome.STUDENT_ERROR,
        "Resource temporarily unavailable",
    ),
    "scratch_mb, in one file": ("open('x', 'wb').write(bytes(2**21))", Outcome.STUDENT_ERROR, "File too large"),
    "scratch_mb, in several": (
        "import time\n    for name in 'abc': open(name, 'wb').write(bytes(2**19))\n    time.sleep(0.6)",
        Outcome.CRASHED,
        "it wrote more than 1 MB",
    ),
}


@pytest.mark.parametrize(("body", "outcome", "said"), REACHED.values(), ids=REACHED)
def test_a_limit_that_is_reached_is_told(grade: Callable[..., Report], body: str, outcome: Outcome, said: str) -> None:
    report = grade(double=f"def double(x):\n    {body}\n    return 2 * x")
    [values, _] = [test for test in report.tests if test.question == "double"]
    assert (values.outcome, said in values.message) == (outcome, True), values
    assert [score.points for score in report.questions] == [0, 3]


def test_a_question_may_have_limits_of_its_own(grade: Callable[..., Report]) -> None:
    slow = "import time; time.sleep(0.5)"
    report = grade(
        double=f"def double(x):\n    {slow}\n    return 2 * x",
        shift=f"def shift(x, by=1):\n    {slow}\n    return x + by",
    )
    assert [score.points for score in report.questions] == [4, 0]
    assert "after 0.3 s" in next(test.message for test in report.tests if test.question == "shift")


def test_the_calls_of_one_test_together_have_a_limit(grade: Callable[..., Report]) -> None:
    report = grade(shift="import time\ndef shift(x, by=1):\n    time.sleep(0.05)\n    return x + by")
    [many] = [test for test in report.tests if test.test == "test_many_calls"]
    assert many.outcome is Outcome.TIMED_OUT


def test_a_cell_has_a_limit_and_its_definitions_are_kept(grade: Callable[..., Report]) -> None:
    report = grade(double="def double(x):\n    return 2 * x\n\nwhile True:\n    pass")
    assert [score.points for score in report.questions] == [4, 3]
    [problem] = report.cell_problems
    assert "after 1.5 s" in problem.what


def test_prints_are_kept_up_to_a_limit(grade: Callable[..., Report]) -> None:
    report = grade(shift="def shift(x, by=1):\n    print('x' * 10**6)\n    return x + by")
    assert [score.points for score in report.questions] == [4, 3]


def test_a_submission_has_a_limit(tmp_path: Path) -> None:
    course = LIMITS.replace("submission_seconds = 12.0", "submission_seconds = 0.9")
    assignment = tiny.make_course(tmp_path, course)
    notebook = tiny.answer(tiny.notebook(), "double-solution", "def double(x):\n    while True: pass")
    nbformat.write(notebook, tmp_path / "tiny.ipynb")
    with Grader(assignment, seed=7) as grader:
        report = grader.grade(read_submission(tmp_path / "tiny.ipynb", assignment, "ada"))
    assert {test.outcome for test in report.tests} == {Outcome.TIMED_OUT}
    assert "the time allowed for this submission was used up" in report.tests[-1].message


def test_limits_for_a_question_that_is_not_there_are_refused(tmp_path: Path) -> None:
    assignment: Assignment = tiny.make_course(tmp_path, LIMITS.replace("questions.shift", "questions.shfit"))
    with pytest.raises(CourseError, match=r"course\.toml: limits for \['shfit'\]"), Grader(assignment):
        pass
