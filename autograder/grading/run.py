"""One grading job: a suite collected once, a warm sandbox, and a report for each submission that comes."""

import contextlib
import hashlib
import importlib.metadata
import os
import platform
import secrets
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Self

import msgspec
import pytest
import torch
from _pytest.config import _prepareconfig  # pytest's own way in, less the running: the suite is collected once only
from _pytest.runner import runtestprotocol  # what rerunning plugins use

from autograder._exceptions import CourseError, SandboxError
from autograder.course import COURSE_FILE, Assignment
from autograder.grading.bench import Workbench, new_supervisor
from autograder.grading.checks import CheckFailed, describe
from autograder.grading.plugin import WORKBENCH, marked
from autograder.grading.report import Note, Outcome, Report, TestResult, score_questions
from autograder.plain import one_line, plain
from autograder.sandbox import faults, jail
from autograder.sandbox.supervisor import Supervisor
from autograder.sandbox.walls import check_walls
from autograder.submission import Submission, read_submission

__all__ = ["Grader", "suite_hash"]

OUTCOMES: dict[type[BaseException], Outcome] = {
    CheckFailed: Outcome.FAILED,
    faults.StudentError: Outcome.STUDENT_ERROR,
    faults.StudentTimeout: Outcome.TIMED_OUT,
    faults.StudentOutOfMemory: Outcome.OUT_OF_MEMORY,
    faults.StudentCrash: Outcome.CRASHED,
    faults.NotAttempted: Outcome.NOT_ATTEMPTED,
    faults.BadReply: Outcome.FAILED,
}
OURS = (SandboxError, OSError, MemoryError)
"""Errors that tell of the kit or the machine, never of what an answer returned."""

UNUSABLE = "see that it is of the type and shape that the task asks for"
PYTEST_OPTIONS = (
    "--disable-plugin-autoload", "-p", "autograder.grading.plugin", "-p", "no:terminal", "-p", "no:cacheprovider",
    "-p", "no:warnings", "-p", "no:logging", "-p", "no:faulthandler", "-p", "no:junitxml", "--capture=no",
    "--assert=plain", "--import-mode=importlib", "-c", os.devnull, "--rootdir", os.sep,
)  # fmt: skip


class Grader:
    """One job: grades submissions of ``assignment``, one after the other. Use as a context manager.

    ``seed`` fixes what tests draw; without it each submission gets a fresh one. ``unsafe`` leaves out the walls.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        seed: int | None = None,
        unsafe: bool = False,
        supervisor: Supervisor | None = None,
    ) -> None:
        self.assignment = assignment
        self.seed = seed
        self.unsafe = unsafe
        self.bench = Workbench(assignment, supervisor or new_supervisor(assignment, unsafe=unsafe), 0)
        self.points = {question.id: question.points for question in assignment.questions() if question.kind == "auto"}
        self.items: list[pytest.Function] = []
        self.posture = jail.posture(unsafe)
        self.versions = versions(assignment)
        self._broken: dict[int, str] = {}  # tests that broke off -> the last thing that had come back
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            self.items = stack.enter_context(_collected(self.assignment, self.bench))
            self._check_questions()
            stack.enter_context(self.bench)
            if not self.unsafe:
                check_walls(self.bench.supervisor)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._exit.__exit__(None, None, None)

    def grade(self, submission: Submission) -> Report:
        """Grade one submission. Whatever it holds and whatever it does, there is a report."""
        started = time.monotonic()
        self.bench.seed = secrets.randbits(48) if self.seed is None else self.seed
        tests: tuple[TestResult, ...] = ()
        problems: tuple[Note, ...] = ()
        repairs = [Note(repair.cell, repair.what) for repair in submission.repairs]
        if submission.fault is None:
            self.bench.lay(submission)
            session = self.bench.session
            assert session is not None
            try:
                tests = tuple(self._tests(submission))
                problems = tuple(Note(*problem) for problem in session.problems.values())
                repairs += [Note("", sentence) for sentence in session.old_ways()]
            finally:
                self.bench.clear()
            tests = self._blamed(tests)
        return Report(
            assignment=self.assignment.name,
            student=submission.student,
            submission_sha256=submission.sha256,
            graded_at=datetime.now(UTC),
            seed=self.bench.seed,
            tests=tests,
            questions=score_questions(tests, self.points),
            fault=submission.fault.name if submission.fault else "",
            fault_message=submission.fault.message if submission.fault else "",
            repairs=tuple(repairs),
            cell_problems=problems,
            members=submission.members,
            versions=self.versions,
            posture=self.posture,
            seconds=time.monotonic() - started,
        )

    def _tests(self, submission: Submission) -> Iterator[TestResult]:
        """One result a test, in the suite's order. An answer that is not there is not asked for."""
        absent = dict.fromkeys(submission.untouched, "the stub is as it was released")
        absent |= dict.fromkeys(submission.missing, "the answer is missing")
        self._broken = {}
        for index, (item, following) in enumerate(zip(self.items, [*self.items[1:], None], strict=True)):
            started = time.monotonic()
            question = marked(item, "question", "")
            if question in absent:
                outcome, message, detail = Outcome.NOT_ATTEMPTED, absent[question], ""
            else:
                outcome, message, detail = _run(item, following)
                if outcome is Outcome.NOT_CHECKED and not isinstance(item.stash[EXCEPTIONS][0], OURS):
                    assert self.bench.session is not None
                    self._broken[index] = one_line(describe(self.bench.session.received))
            if outcome is Outcome.NOT_ATTEMPTED and (problem := self._problem_in(question)):
                outcome, message = Outcome.STUDENT_ERROR, problem  # it was written, and could not be run
            if outcome is Outcome.TIMED_OUT:
                self.bench.timed_out.add(question)
            yield TestResult(
                question=question,
                test=item.name,
                check=_sentence(item),
                outcome=outcome,
                weight=float(marked(item, "weight", 1.0)),
                seconds=time.monotonic() - started,
                message=message,
                detail=detail,
            )

    def _blamed(self, tests: tuple[TestResult, ...]) -> tuple[TestResult, ...]:
        """Tests that broke off in the middle, each laid to the answer or to the test itself.

        One that passes on the solution, with the same numbers, is sound: it broke on what the answer returned, which
        ``_broken`` describes. What it raised is kept for the instructor.
        """
        if not self._broken:
            return tests
        self.bench.lay(read_submission(self.assignment.source_dir, self.assignment))
        try:
            sound = {index for index in self._broken if _run(self.items[index], None)[0] is Outcome.PASSED}
        finally:
            self.bench.clear()
        found = list(tests)
        for index in sound:
            message = f"the check could not go on with what came back, {self._broken[index]}: {UNUSABLE}"
            found[index] = msgspec.structs.replace(found[index], outcome=Outcome.FAILED, message=message)
        return tuple(found)

    def _problem_in(self, question: str) -> str:
        """Why the cell that answers ``question`` did not run; empty where it did."""
        assert self.bench.session is not None
        slot = f"{question}-solution"
        for problem in self.bench.session.problems.values():
            if problem.cell == slot or problem.cell.startswith(f"{slot}-part-"):
                return problem.what
        return ""

    def _check_questions(self) -> None:
        asked = {marked(item, "question", "") for item in self.items}
        folder = self.assignment.tests_dir
        if unknown := asked - set(self.points):
            raise CourseError(f"{folder}: tests for {sorted(unknown)}, which are no autograded questions of the source")
        if unknown := set(dict(self.assignment.question_limits)) - set(self.points):
            where = self.assignment.root / COURSE_FILE
            raise CourseError(f"{where}: limits for {sorted(unknown)}, which are no autograded questions of the source")
        if untested := set(self.points) - asked:
            raise CourseError(f"{folder}: no tests for the autograded questions {sorted(untested)}")


def _run(item: pytest.Function, following: pytest.Item | None) -> tuple[Outcome, str, str]:
    """Outcome of one test, the student's sentence for it, and what only the instructor reads."""
    item._initrequest()  # noqa: SLF001 - fresh fixtures: the item was run before, on another submission
    item.stash[EXCEPTIONS] = []
    item.session._setupstate.teardown_exact(item)  # noqa: SLF001 - what tests passed over in between have left set up
    runtestprotocol(item, log=False, nextitem=following)
    if not item.stash[EXCEPTIONS]:
        return Outcome.PASSED, "", ""
    error = item.stash[EXCEPTIONS][0]
    for kind in type(error).__mro__:
        if kind in OUTCOMES:
            return OUTCOMES[kind], plain(str(error)), ""
    # The test or the kit is broken. What it says could quote a reference value, so students do not see it.
    return Outcome.NOT_CHECKED, "this check could not be made; your instructor has been told", plain(repr(error))


EXCEPTIONS = pytest.StashKey[list[BaseException]]()


class _Recorder:
    """Keeps what went wrong in collection, and what each phase of a test raised."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(report.longreprtext)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None:
            item.stash[EXCEPTIONS].append(call.excinfo.value)


@contextlib.contextmanager
def _collected(assignment: Assignment, bench: Workbench) -> Iterator[list[pytest.Function]]:
    """The suite's tests, collected by pytest, which stays configured meanwhile."""
    folder = assignment.tests_dir
    if not folder.is_dir():
        raise CourseError(f"{folder}: no such folder; the hidden suite of {assignment.name!r} belongs there")
    recorder = _Recorder()
    config = _prepareconfig([*PYTEST_OPTIONS, str(folder)], plugins=[recorder])
    try:
        config.stash[WORKBENCH] = bench
        config._do_configure()  # noqa: SLF001 - as pytest.main does
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        items = [item for item in session.perform_collect() if isinstance(item, pytest.Function)]
        if recorder.errors:
            raise CourseError(f"{folder}: pytest cannot collect this suite: {recorder.errors[0]}")
        yield items
        session._setupstate.teardown_exact(None)  # noqa: SLF001
        config.hook.pytest_sessionfinish(session=session, exitstatus=0)
    finally:
        config._ensure_unconfigure()  # noqa: SLF001


def _sentence(item: pytest.Function) -> str:
    """What the test checks: its docstring's first line, with the parameters it was given."""
    text = (item.function.__doc__ or item.originalname.removeprefix("test_").replace("_", " ")).strip()
    line = text.splitlines()[0].rstrip(".")
    callspec = getattr(item, "callspec", None)
    return f"{line} [{callspec.id}]" if callspec else line


def suite_hash(assignment: Assignment) -> str:
    """SHA-256 over everything that a score depends on besides the submission: suite, source notebooks, limits."""
    digest = hashlib.sha256(repr((assignment.limits, assignment.question_limits)).encode())
    files = [path for path in assignment.tests_dir.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    sources = [assignment.source_dir / name for name in assignment.notebooks]
    if assignment.package is not None:
        sources += assignment.source_dir.rglob("*.py")
    for path in sorted([*files, *sources]):
        digest.update(path.relative_to(assignment.root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def versions(assignment: Assignment) -> dict[str, str]:
    """What a score depends on, for the report."""
    return {
        "kit": importlib.metadata.version("autograder-kit"),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "suite": suite_hash(assignment),
    }
