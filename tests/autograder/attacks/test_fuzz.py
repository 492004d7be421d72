"""Random replies from a real worker, and random requests to one: a named outcome each time, and the next call works."""

import contextlib
import random
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.sandbox.faults import StudentFault
from autograder.sandbox.remote import Student
from autograder.sandbox.session import CellToRun, Session
from autograder.sandbox.supervisor import Supervisor
from autograder.sandbox.wire import encode
from tests.autograder.attacks.conftest import TOOLS

CELL = f"{TOOLS}\ndef send(data):\n    reply(data)\n    return 1\n\ndef fine():\n    return 'fine'\n"
FRAME = b"".join(
    encode({"value": [1, ("a", None)], "printed": "", "fault": "", "type_name": "", "message": "", "frames": []})
)


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor(memory_mb=1500, processes=40, output_kb=4) as supervisor:
        yield supervisor


@contextmanager
def student(supervisor: Supervisor, call_seconds: float) -> Iterator[Student]:
    cell = CellToRun("a", CELL)
    session = Session(supervisor, [cell], "", call_seconds=call_seconds, cell_seconds=5, submission_seconds=60)
    session.begin_test(1, 30.0)
    yield Student(session, {})
    session.close()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A whole reply with some of its bytes changed, cut out or doubled."""
    data = bytearray(FRAME)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        match draw(st.sampled_from(["change", "cut", "double"])):
            case "change":
                data[at] = draw(st.integers(0, 255))
            case "cut":
                del data[at : at + draw(st.integers(1, 8))]
            case _:
                data[at:at] = data[at : at + draw(st.integers(1, 8))]
        if not data:
            break
    return bytes(data)


REPLIES = damaged() | st.binary(max_size=200) | st.binary(max_size=200).map(lambda b: struct.pack(">QQ", len(b), 0) + b)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REPLIES)
def test_any_reply_is_a_value_or_a_named_fault_and_the_next_submission_is_answered(
    supervisor: Supervisor, data: bytes
) -> None:
    with student(supervisor, 0.2) as hostile, contextlib.suppress(StudentFault):
        hostile.send(data)
    with student(supervisor, 5.0) as honest:
        assert honest.fine() == "fine"


def test_any_request_leaves_the_worker_answering_or_ended(supervisor: Supervisor) -> None:
    """The other way: what a faulty trusted side could send harms nobody but the worker."""
    draw = random.Random(7)
    operations = ["run", "call", "fetch", "probe", "reset", "has", "import", "definitions", "place files", "", "exit"]
    values = [
        None,
        1,
        -1,
        2**70,
        "x",
        "__class__",
        b"\0",
        [],
        [[]],
        {},
        {"a": []},
        (1,),
        ("os", "system"),
        0.5,
        "x" * 10**5,
    ]
    supervisor.fork()
    try:
        for _ in range(300):
            operation = draw.choice(operations)
            supervisor.request(operation, draw.choices(values, k=draw.randrange(4)), 5.0)
        supervisor.request("run", ["a", "def fine():\n    return 'fine'"], 5.0)
        assert supervisor.request("call", ["fine", [], [], {}], 5.0).value == "fine"
    finally:
        supervisor.finish()
