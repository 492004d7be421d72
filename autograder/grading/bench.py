"""The workbench of one grading job: reference, probes, seed, sandbox, and the submission that lies on it now."""

import hashlib
import types
from functools import cached_property
from typing import Self

import torch

from autograder.course import Assignment
from autograder.grading.reference import PackageReference, load_probes_text, load_reference
from autograder.sandbox.remote import Student
from autograder.sandbox.session import CellToRun, Session
from autograder.sandbox.supervisor import Supervisor
from autograder.submission import Submission

__all__ = ["Workbench", "new_supervisor"]


class Workbench:
    """What the fixtures of a hidden suite draw from.

    ``seed`` is the run's; each test's own seed follows from it and the test's name, so that a report can be reproduced
    and no order of tests matters. Use as a context manager.
    """

    def __init__(self, assignment: Assignment, supervisor: Supervisor, seed: int) -> None:
        self.assignment = assignment
        self.supervisor = supervisor
        self.seed = seed
        self.submission: Submission | None = None
        self.session: Session | None = None
        self.timed_out: set[str] = set()  # questions of this submission that have cost a full wait already

    @cached_property
    def reference(self) -> types.SimpleNamespace | PackageReference:
        """The trusted solution, run once."""
        return load_reference(self.assignment)

    @cached_property
    def probes(self) -> str:
        """Text of the suite's probes."""
        return load_probes_text(self.assignment.tests_dir / "probes.py")

    def lay(self, submission: Submission) -> None:
        """Put ``submission`` on the bench; its cells are run when the first test asks."""
        limits = self.assignment.limits
        self.submission = submission
        self.timed_out.clear()
        cells = () if self.assignment.package else submission.cells
        self.session = Session(
            self.supervisor,
            [CellToRun(cell.id, cell.source) for cell in cells],
            self.probes,
            [(file.path, file.data) for file in submission.files],
            call_seconds=limits.call_seconds,
            cell_seconds=limits.cell_seconds,
            submission_seconds=limits.submission_seconds,
        )

    def clear(self) -> None:
        """Take the submission off the bench, with everything it left running."""
        if self.session is not None:
            self.session.close()
        self.submission = self.session = None

    def student(self, question: str, test: str) -> Student:
        """The submission as ``test`` of ``question`` sees it, with a time limit that starts now."""
        assert self.session is not None, "no submission lies on the bench"
        assert self.submission is not None
        call_seconds, seconds = self.assignment.seconds(question)
        hurry = question in self.timed_out
        self.session.begin_test(self.test_seed(question, test, "worker"), seconds, call_seconds, hurry=hurry)
        return Student(self.session, _sources(self.submission))

    def test_seed(self, question: str, test: str, use: str = "test") -> int:
        """Seed of a test, another for each ``use``: the student's process gets one that says nothing of the inputs."""
        digest = hashlib.sha256(f"{self.seed} {use} {question}::{test}".encode()).digest()
        return int.from_bytes(digest[:6])

    def __enter__(self) -> Self:
        self._threads = torch.get_num_threads()
        torch.set_num_threads(1)  # as in the worker: jobs side by side do not fight, and numbers stay the same
        self.supervisor.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.submission = self.session = None
        self.supervisor.__exit__(*exception)
        torch.set_num_threads(self._threads)


def _sources(submission: Submission) -> dict[str, str]:
    """Text of each answer by question, with the student's own helpers, which it may call; and of each file by path."""
    texts: dict[str, list[str]] = {}
    helpers = [cell.source for cell in submission.cells if cell.origin == "student" and cell.id.startswith("cell-")]
    for cell in submission.cells:
        texts.setdefault(cell.id.partition("-part-")[0].removesuffix("-solution"), []).append(cell.source)
    found = {name: "\n\n\n".join([*parts, *helpers]) for name, parts in texts.items()}
    return found | {file.path: file.data.decode("utf-8", "replace") for file in submission.files}


def new_supervisor(assignment: Assignment, *, unsafe: bool = False) -> Supervisor:
    """A sandbox with the limits of ``assignment``."""
    limits = assignment.limits
    return Supervisor(
        memory_mb=limits.memory_mb,
        processes=limits.processes,
        output_kb=limits.output_kb,
        scratch_mb=limits.scratch_mb,
        unsafe=unsafe,
    )
