"""Requests to the worker and its replies, as they cross the wire.

A request is ``(operation, arguments)``; a reply is a dict whose every field the trusted side checks before use. Both
are plain data for :mod:`autograder.sandbox.wire`, never classes that the other side could choose.
"""

from typing import Any, NamedTuple

from autograder.sandbox.wire import WireError

__all__ = ["FAULT_KINDS", "Frame", "Reply", "reply_from_data", "reply_to_data"]

FAULT_KINDS = ("error", "memory", "missing", "stub", "not-data")
MAX_TEXT = 2000
MAX_FRAMES = 12


class Frame(NamedTuple):
    """One line of a traceback, in the student's own code: cell id, line number from 1, function name, source line."""

    cell: str
    line: int
    function: str
    source: str


class Reply(NamedTuple):
    """What came of a request: ``value`` when ``fault`` is empty, else which of FAULT_KINDS, and what was raised."""

    value: Any = None
    printed: str = ""
    fault: str = ""
    type_name: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()


def reply_to_data(reply: Reply) -> dict[str, Any]:
    """``reply`` as data, its texts cut to size."""
    data = reply._asdict()
    data["message"], data["type_name"] = reply.message[:MAX_TEXT], reply.type_name[:MAX_TEXT]
    data["frames"] = [
        [frame.cell[:MAX_TEXT], frame.line, frame.function[:MAX_TEXT], frame.source[:MAX_TEXT]]
        for frame in reply.frames[-MAX_FRAMES:]
    ]
    return data


def reply_from_data(data: Any) -> Reply:
    """The reply that ``data``, which comes from the untrusted side, stands for. Raises WireError when it is none."""
    match data:
        case {
            "value": value,
            "printed": str(printed),
            "fault": str(fault),
            "type_name": str(type_name),
            "message": str(message),
            "frames": list(frames),
        } if (fault == "" or fault in FAULT_KINDS) and len(frames) <= MAX_FRAMES and len(data) == len(Reply._fields):
            return Reply(value, printed, fault, type_name[:MAX_TEXT], message[:MAX_TEXT], tuple(map(_frame, frames)))
    raise WireError("not a reply")


def _frame(data: Any) -> Frame:
    match data:
        case [str(cell), int(line), str(function), str(source)]:
            return Frame(cell[:MAX_TEXT], line, function[:MAX_TEXT], source[:MAX_TEXT])
    raise WireError("not a line of a traceback")
