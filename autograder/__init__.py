"""An autograded course-assignment kit: release, collect and grade notebooks and packages in a sandbox."""

from autograder._exceptions import (
    AutograderError,
    CourseError,
    DataError,
    GradebookError,
    LeakError,
    NotebookError,
    ReleaseError,
    SandboxError,
    SandboxUnavailable,
    StorageError,
    SubmissionError,
)

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
