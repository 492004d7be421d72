"""What happened to a submission, in a few words."""

from collections.abc import Iterator

from autograder.grading.report import Outcome, Report
from autograder.plain import one_line

__all__ = ["headline"]

FAULTS = {
    "no-notebook": "no notebook",
    "no-package": "no package",
    "bad-archive": "unreadable archive",
    "encrypted": "archive with a password",
    "two-notebooks": "more than one notebook",
    "other-assignment": "notebook of another assignment",
    "old-format": "notebook format too old",
    "too-large": "notebook too large",
    "not-utf8": "not UTF-8",
    "empty": "empty file",
    "directory": "a folder, not a notebook",
    "symlink": "a symbolic link",
    "bad-name": "folder's name cannot be an id",
    "misplaced": "in the wrong place",
    "not-checked": "could not be checked (a failure of the kit)",
}
WORDS = {
    Outcome.NOT_CHECKED: "could not be checked:",
    Outcome.OUT_OF_MEMORY: "out of memory in",
    Outcome.CRASHED: "crashed in",
    Outcome.TIMED_OUT: "timed out in",
    Outcome.STUDENT_ERROR: "error in",
    Outcome.FAILED: "not passed:",
    Outcome.NOT_ATTEMPTED: "not attempted:",
}
MAX_NAMED = 2


def headline(report: Report) -> str:
    """What an instructor wants to know first, in one short line."""
    if report.fault:
        return FAULTS.get(report.fault, one_line(report.fault.replace("-", " "), most=40))
    outcomes = {test.outcome for test in report.tests}
    if not outcomes:
        return "no check was run"
    if outcomes == {Outcome.PASSED}:
        return "all checks passed"
    if outcomes == {Outcome.NOT_ATTEMPTED}:
        return "nothing attempted"
    return "; ".join(_parts(report))


def _parts(report: Report) -> Iterator[str]:
    """One part for each kind of outcome there is, the gravest first, with the questions that had nothing graver."""
    named: set[str] = set()
    for outcome, words in WORDS.items():
        came_up = dict.fromkeys(test.question for test in report.tests if test.outcome is outcome)
        questions = [question for question in came_up if question not in named]
        named |= came_up.keys()
        if questions:
            more = f" and {len(questions) - MAX_NAMED} more" if len(questions) > MAX_NAMED else ""
            yield f"{words} {', '.join(questions[:MAX_NAMED])}{more}"
