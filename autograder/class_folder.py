"""Where one class's work lies: nbgrader's own layout below one folder, and the kit's reports beside it."""

from pathlib import Path

import msgspec

__all__ = ["ClassFolder"]


class ClassFolder(msgspec.Struct, frozen=True):
    """The folder that holds ``submitted/`` and everything made from it: as a rule the course's own.

    ``root`` is kept absolute, as are the submissions' paths that are compared with it.
    """

    root: Path

    def __post_init__(self) -> None:
        """Links stay as they are: a folder of submissions may be one."""
        msgspec.structs.force_setattr(self, "root", self.root.absolute())

    @property
    def submitted(self) -> Path:
        """What students handed in: ``submitted/<student>/<assignment>/``."""
        return self.root / "submitted"

    def results(self, assignment: str) -> Path:
        """The reports on ``assignment``, one a student."""
        return self.root / "results" / assignment

    def report(self, assignment: str, student: str) -> Path:
        """The report on one student's submission."""
        return self.results(assignment) / f"{student}.json"

    def autograded(self, assignment: str, student: str) -> Path:
        """The folder that formgrader opens notebooks from."""
        return self.root / "autograded" / student / assignment

    def feedback(self, assignment: str, student: str) -> Path:
        """The folder of what the student gets to read."""
        return self.root / "feedback" / student / assignment
