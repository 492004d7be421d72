"""Faults on our side, made for real: nothing graded is lost, nothing is graded twice, and a line says what to do."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.class_folder import ClassFolder
from autograder.classwork import grade_class
from autograder.course import Assignment
from autograder.gradebook.database import open_gradebook
from autograder.grading.report import read_report
from autograder.grading.run import Grader
from autograder.sandbox import supervisor
from autograder.sandbox.processes import below
from autograder.submission import read_submission
from tests.autograder import tiny
from tests.autograder.processes import processes_in_session

STUDENTS = ("ada", "bob", "cy", "dee")
WRONG = "def double(x):\n    return 3 * x"
POINTS = {"ada": 7.0, "bob": 4.0, "cy": 7.0, "dee": 4.0}  # the batch of one has the right shape: 1 of 4 points


@pytest.fixture
def course(tmp_path: Path) -> Assignment:
    """The tiny course with four submissions, two of them wrong at one question."""
    assignment = tiny.make_course(tmp_path)
    for student in STUDENTS:
        hand_in(assignment, student, WRONG if student in {"bob", "dee"} else None)
    return assignment


def hand_in(assignment: Assignment, student: str, double: str | None) -> None:
    notebook = tiny.notebook() if double is None else tiny.answer(tiny.notebook(), "double-solution", double)
    folder = assignment.root / "submitted" / student / "tiny"
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / "tiny.ipynb")


def start(assignment: Assignment, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", "tiny"],
        cwd=assignment.root,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def grade(assignment: Assignment, **options: object) -> tuple[int, str]:
    """Exit status and what was said on stderr."""
    process = start(assignment, **options)
    _, said = process.communicate(timeout=120)
    return process.returncode, said


def report(assignment: Assignment, student: str) -> Path:
    return assignment.root / "results" / "tiny" / f"{student}.json"


def wait_for(process: subprocess.Popen[str], path: Path) -> None:
    """Until ``path`` is there; fails where the process ends before."""
    while not path.exists():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
            pytest.fail(f"ended before it wrote {path.name}: {process.communicate()}")


def in_gradebook(assignment: Assignment) -> dict[str, float]:
    from nbgrader.api import SubmittedAssignment

    with open_gradebook(f"sqlite:///{assignment.root}/gradebook.db") as session:
        return {row.student_id: row.score for row in session.query(SubmittedAssignment)}


def assert_all_is_graded(assignment: Assignment) -> None:
    assert {name: read_report(report(assignment, name)).points for name in STUDENTS} == POINTS
    assert in_gradebook(assignment) == POINTS


@contextlib.contextmanager
def all_gone(session: int) -> Iterator[None]:
    """What ran in that session has ended by itself a little while after the block."""
    yield
    for _ in range(1000):
        if not processes_in_session(session):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["/bin/true"], check=True)
    pytest.fail(f"still running: {processes_in_session(session)}")


def test_a_run_that_is_terminated_says_so_and_goes_on_from_there(course: Assignment) -> None:
    process = start(course)
    with all_gone(process.pid):
        wait_for(process, report(course, "bob"))
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped by SIGTERM; what is finished is kept, and the same command goes on from there" in said
    kept = {name: report(course, name).read_bytes() for name in STUDENTS if report(course, name).exists()}
    assert "bob" in kept
    assert grade(course) == (0, "")
    assert {name: report(course, name).read_bytes() for name in kept} == kept
    assert_all_is_graded(course)


def test_a_run_that_is_killed_loses_nothing_and_leaves_nothing(course: Assignment, tmp_path: Path) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    options = {"env": os.environ | {"TMPDIR": str(scratch)}}
    hand_in(course, "bob", "def double(x):\n    while True: pass")
    process = start(course, **options)
    with all_gone(process.pid):  # the loop too
        wait_for(process, report(course, "ada"))
        process.kill()
        process.communicate(timeout=60)
    kept = report(course, "ada").read_bytes()
    hand_in(course, "bob", WRONG)
    assert grade(course, **options) == (0, "")
    assert report(course, "ada").read_bytes() == kept
    assert_all_is_graded(course)
    assert list(scratch.iterdir()) == []


def test_a_zygote_that_is_killed_in_the_middle_costs_nobody_a_mark(course: Assignment) -> None:
    process = start(course)
    wait_for(process, report(course, "ada"))
    for pid in below(process.pid):
        with contextlib.suppress(OSError):
            if b"zygote.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=120)
    assert process.returncode in (0, 1)  # 1: a check could not be made, which is told, and made up for
    assert grade(course) == (0, "")
    assert_all_is_graded(course)


def test_a_zygote_that_is_frozen_is_replaced(course: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FORK_SECONDS", 0.5)
    submission = read_submission(course.root / "submitted" / "ada" / "tiny", course)
    with Grader(course, seed=7) as grader:
        os.kill(grader.bench.supervisor.zygote_pid, signal.SIGSTOP)
        assert grader.grade(submission).points == POINTS["ada"]


def no_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))  # no file beyond a thousand bytes


def test_a_report_for_which_there_is_no_room_is_told_in_a_line_and_written_the_next_time(course: Assignment) -> None:
    status, said = grade(course, preexec_fn=no_room)
    assert status == 2
    assert "results/tiny/ada.json: cannot be written: File too large; make room" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert list((course.root / "results" / "tiny").glob("*")) == []  # no half of one
    assert grade(course) == (0, "")
    assert_all_is_graded(course)


def test_a_damaged_gradebook_is_told_in_a_line_and_made_again_from_the_reports(course: Assignment) -> None:
    book = course.root / "gradebook.db"
    book.write_bytes(b"no database at all, but long enough to look like one" * 100)
    status, said = grade(course)
    assert (status, said.count("\n")) == (2, 1)
    assert "The file is damaged: put a copy of it in its place" in said
    kept = {name: report(course, name).read_bytes() for name in STUDENTS}
    book.unlink()
    assert grade(course) == (0, "")
    assert {name: report(course, name).read_bytes() for name in STUDENTS} == kept
    assert_all_is_graded(course)


def test_a_clock_that_is_set_back_between_two_runs_loses_no_score(
    course: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.grading import run

    folder = ClassFolder(course.root)
    grade_class(course, folder)
    hand_in(course, "ada", WRONG)

    class Yesterday(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) - timedelta(days=1)

    monkeypatch.setattr(run, "datetime", Yesterday)
    assert grade_class(course, folder).ran == {"ada"}
    assert in_gradebook(course) == POINTS | {"ada": 4.0}
    assert grade_class(course, folder).ran == frozenset()
