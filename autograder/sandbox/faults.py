"""What a student's code can do wrong while it is called: one exception for each outcome.

    StudentFault
    ├── StudentError        it raised an exception
    ├── StudentTimeout      it did not finish in time
    ├── StudentOutOfMemory  it took more memory than allowed
    ├── StudentCrash        its process ended
    ├── NotAttempted        the stub is still there, or the name is missing
    └── BadReply            what came back cannot be read

Texts come from the untrusted side: control characters are taken out here, once, and lengths are bounded.
"""

from autograder.plain import plain
from autograder.sandbox.messages import Frame

__all__ = [
    "BadReply",
    "NotAttempted",
    "StudentCrash",
    "StudentError",
    "StudentFault",
    "StudentOutOfMemory",
    "StudentTimeout",
]


class StudentFault(Exception):
    """Root of the tree; ``str()`` of each is a sentence for the student."""

    def __init__(self, sentence: str) -> None:
        super().__init__(plain(sentence))


class StudentError(StudentFault):
    """The code raised ``type_name: message``; ``frames`` are the lines of the student's own cells, outermost first."""

    def __init__(self, type_name: str, message: str, frames: tuple[Frame, ...]) -> None:
        place = f" ({_place(frames[-1])}: {frames[-1].source.strip()})" if frames else ""
        super().__init__(f"{type_name}: {message}{place}" if message else f"{type_name}{place}")
        self.type_name = type_name
        self.message = message
        self.frames = frames


def _place(frame: Frame) -> str:
    return f"{frame.cell if frame.cell.endswith('.py') else f'cell {frame.cell}'}, line {frame.line}"


class StudentTimeout(StudentFault):
    """The code did not finish in time."""


class StudentOutOfMemory(StudentFault):
    """The code took more memory than allowed."""


class StudentCrash(StudentFault):
    """The code's process ended."""


class NotAttempted(StudentFault):
    """The stub is still there, or the name is missing."""


class BadReply(StudentFault):
    """What came back cannot be read."""
