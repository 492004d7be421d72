"""The closed sets of outcomes and faults, in words for a student."""

import msgspec

from autograder.grading.report import Outcome

__all__ = ["FAULTS", "OUTCOMES", "Words"]


class Words(msgspec.Struct, frozen=True):
    """How an outcome is shown: a sign that is not told by colour alone, its name, and what to make of it."""

    sign: str
    name: str
    kind: str
    explained: str = ""


OUTCOMES = {
    Outcome.PASSED: Words("✓", "passed", "good"),
    Outcome.FAILED: Words("✗", "not passed", "bad"),
    Outcome.STUDENT_ERROR: Words("!", "error in your code", "bad", "Your code raised an error during this check."),
    Outcome.TIMED_OUT: Words(
        "⧗", "took too long", "bad", "The check was ended. Look for a loop that does not end, or for work done twice."
    ),
    Outcome.OUT_OF_MEMORY: Words(
        "▦", "out of memory", "bad", "Your code asked for more memory than a submission gets, and was ended."
    ),
    Outcome.CRASHED: Words(
        "✗", "crashed", "bad", "The process that ran your code ended during this check, without an error to show."
    ),
    Outcome.NOT_ATTEMPTED: Words("○", "not attempted", "none"),
    Outcome.NOT_CHECKED: Words(
        "?", "could not be checked", "none", "The fault is not yours: tell your instructor, who can grade it again."
    ),
}

FAULTS = {
    "unreadable": "Your notebook could not be read.",
    "no-notebook": "There is no notebook in your submission.",
    "two-notebooks": "There is more than one notebook in your submission, and nothing says which one counts.",
    "other-assignment": "The notebook you handed in belongs to another assignment.",
    "old-format": "Your notebook is saved in a format that is too old to be read.",
    "too-large": "Your notebook is too large.",
    "not-utf8": "Your notebook is not valid UTF-8 text.",
    "empty": "Your notebook is empty.",
    "directory": "What you handed in is a folder with the name of a notebook.",
    "symlink": "What you handed in is a link to a file, not the file.",
    "bad-archive": "Your archive could not be read.",
    "encrypted": "Your archive is protected by a password.",
    "no-package": "The package of this assignment is not in your submission.",
    "not-checked": "Your submission could not be checked. The fault is not yours: your instructor can grade it again.",
}
