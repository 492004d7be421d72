"""One warm sandbox for all of these tests; each test brings its own cells."""

from collections.abc import Callable, Iterator
from textwrap import dedent

import pytest

from autograder.sandbox.remote import Student
from autograder.sandbox.session import CellToRun, Session
from autograder.sandbox.supervisor import Supervisor

Submit = Callable[..., Student]


@pytest.fixture(scope="session")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor(memory_mb=1500, processes=40, output_kb=4) as supervisor:
        yield supervisor


@pytest.fixture
def new_session(supervisor: Supervisor) -> Iterator[Callable[..., Session]]:
    """``new_session(cell, cell, ..., probes="")``: a submission of these cells, named a, b, c ..."""

    def start(*cells: str, probes: str = "") -> Session:
        named = [CellToRun(name, dedent(text)) for name, text in zip("abcdefgh", cells, strict=False)]
        return Session(supervisor, named, dedent(probes), call_seconds=2.0, cell_seconds=2.0, submission_seconds=60.0)

    yield start
    supervisor.finish()


@pytest.fixture
def submit(new_session: Callable[..., Session]) -> Submit:
    """The same, ready for calls."""

    def start(*cells: str, probes: str = "") -> Student:
        session = new_session(*cells, probes=probes)
        session.begin_test(seed=1, seconds=30.0)
        return Student(session, {})

    return start
