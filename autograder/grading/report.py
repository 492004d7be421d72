"""What grading one submission found: the record that everything after grading is made from."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from autograder._files import write_atomically

__all__ = [
    "Note",
    "Outcome",
    "QuestionScore",
    "Report",
    "TestResult",
    "encode_report",
    "read_report",
    "score_questions",
    "write_report",
]

SCHEMA_VERSION = 1


class Outcome(StrEnum):
    """How one test, or the whole submission, ended. The set is closed."""

    PASSED = "passed"
    FAILED = "failed"
    STUDENT_ERROR = "error in student code"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crashed"
    NOT_ATTEMPTED = "not attempted"
    NOT_CHECKED = "could not be checked"


class TestResult(msgspec.Struct, frozen=True):
    """One hidden test.

    ``check`` says in a student's words what was checked; ``message`` what was found, empty when passed. ``detail`` is
    for the instructor only: it may quote a reference value.
    """

    __test__ = False  # the name is the field's; pytest must not collect it

    question: str
    test: str
    check: str
    outcome: Outcome
    weight: float
    seconds: float
    message: str = ""
    hint: str = ""
    detail: str = ""


class QuestionScore(msgspec.Struct, frozen=True):
    """Points of one autograded question: ``points`` of ``max_points``."""

    question: str
    points: float
    max_points: float


class Note(msgspec.Struct, frozen=True):
    """A sentence about a cell: a repair that was made, or a cell that did not run."""

    cell: str
    what: str


class Report(msgspec.Struct, frozen=True):
    """One submission, graded. Written to results/<assignment>/<student>.json.

    ``fault`` is the named outcome of a submission that could not be read (else empty). ``members`` are (name, number).
    ``posture`` says which walls of the sandbox held. ``versions`` holds kit, python, torch, suite hash.
    """

    assignment: str
    student: str
    submission_sha256: str
    graded_at: datetime
    seed: int
    tests: tuple[TestResult, ...]
    questions: tuple[QuestionScore, ...]
    fault: str = ""
    fault_message: str = ""
    repairs: tuple[Note, ...] = ()
    cell_problems: tuple[Note, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    versions: dict[str, str] = {}
    posture: dict[str, str] = {}
    seconds: float = 0.0
    schema_version: int = SCHEMA_VERSION

    @property
    def points(self) -> float:
        """Sum of the autograded points."""
        return sum(question.points for question in self.questions)

    @property
    def max_points(self) -> float:
        """Sum of the autograded points to be had."""
        return sum(question.max_points for question in self.questions)


def score_questions(tests: tuple[TestResult, ...], points: dict[str, float]) -> tuple[QuestionScore, ...]:
    """Points x passed weight / total weight, for each question of ``points`` (id -> points), in its order.

    A question none of whose tests ran scores 0. The result lies in [0, points] whatever the tests say.
    """
    scores = []
    for question, most in points.items():
        own = [test for test in tests if test.question == question]
        total = sum(test.weight for test in own)
        passed = sum(test.weight for test in own if test.outcome is Outcome.PASSED)
        share = passed / total if total else 0.0
        scores.append(QuestionScore(question, min(most, max(0.0, most * share)), most))
    return tuple(scores)


def write_report(report: Report, path: Path) -> None:
    """Write ``report`` to ``path`` in one step, so that a reader sees the old report or the new one."""
    write_atomically(path, encode_report(report) + b"\n")


def encode_report(report: Report) -> bytes:
    """``report`` as JSON, indented for people and for diffs."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1)


def read_report(path: Path) -> Report:
    """Read a report. Raises ``msgspec.ValidationError`` when the file is not one."""
    return msgspec.json.decode(path.read_bytes(), type=Report)
