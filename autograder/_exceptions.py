"""Every error the kit raises on purpose.

    AutograderError
    ├── CourseError            course.toml, or the source notebooks it names
    ├── NotebookError          a file that should be a notebook and is not
    ├── SubmissionError        a submission that cannot even be looked for
    ├── ReleaseError           release/ or solutions/ cannot be written
    │   └── LeakError          something hidden would reach students
    ├── DataError              a data set cannot be fetched or verified
    ├── SandboxError           the sandbox failed; the fault is ours, not the student's
    │   └── SandboxUnavailable this machine lacks a wall
    ├── GradebookError         nbgrader's database refuses
    └── StorageError           a file cannot be written: no space, no permission

A message names the object, what was found, what was expected, and the remedy. The command line prints it in
one line and exits 2. What a *student* did wrong is never one of these: it is an outcome in a report.
"""

__all__ = [
    "AutograderError",
    "CourseError",
    "DataError",
    "GradebookError",
    "LeakError",
    "NotebookError",
    "ReleaseError",
    "SandboxError",
    "SandboxUnavailable",
    "StorageError",
    "SubmissionError",
]


class AutograderError(Exception):
    """Root of the tree: the command line prints it in one line and exits 2."""


class CourseError(AutograderError):
    """``course.toml`` or a source notebook is wrong; the message names file, line and key or cell."""


class NotebookError(AutograderError):
    """A file that should be a notebook and is not; ``fault`` is one word for what is wrong."""

    def __init__(self, message: str, *, fault: str) -> None:
        super().__init__(message)
        self.fault = fault


class SubmissionError(AutograderError):
    """A submission that cannot be looked for, such as a path that does not exist."""


class ReleaseError(AutograderError):
    """The student release or the solved branch cannot be made."""


class LeakError(ReleaseError):
    """Something hidden would reach students; nothing was written."""


class DataError(AutograderError):
    """A data set cannot be fetched, or is not what its checksum says."""


class SandboxError(AutograderError):
    """The sandbox failed in a way that no submission is to blame for."""


class SandboxUnavailable(SandboxError):
    """This machine lacks something the sandbox needs; the message says what."""


class GradebookError(AutograderError):
    """nbgrader's database could not be read or written."""


class StorageError(AutograderError, OSError):
    """A file cannot be written; what was there before is still there."""
