"""One submission in the sandbox: its cells run in order, its names answer calls, a fresh worker follows each mishap."""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograder._exceptions import SandboxError
from autograder.plain import plain
from autograder.sandbox.faults import (
    BadReply,
    NotAttempted,
    StudentCrash,
    StudentError,
    StudentFault,
    StudentOutOfMemory,
    StudentTimeout,
)
from autograder.sandbox.messages import Reply
from autograder.sandbox.shims import SENTENCES
from autograder.sandbox.supervisor import (
    MAX_FILES,
    Supervisor,
    WorkerDied,
    WorkerLied,
    WorkerTimedOut,
    WorkerWroteTooMuch,
)
from autograder.sandbox.wire import Handle

__all__ = ["CellProblem", "CellToRun", "Session"]

KILLED = -9
SHORT_SECONDS = 5.0  # for the bookkeeping operations
MAX_PROBLEMS = 100
HURRY = 0.1  # part of the time for a call that is left once the same question has timed out before

# How a cell is run: whole, then with less and less of it, as it turns out to fail or hang.
WHOLE, ASSIGNMENTS, DEFINITIONS, NOTHING = "whole", "assignments", "definitions", "nothing"
NEXT_MODE = {WHOLE: ASSIGNMENTS, ASSIGNMENTS: DEFINITIONS, DEFINITIONS: NOTHING}


class CellToRun(NamedTuple):
    """A cell's id and its text, plain Python."""

    id: str
    source: str


class CellProblem(NamedTuple):
    """A cell that did not run through, and in a sentence what happened."""

    cell: str
    what: str


class Session:
    """One submission, run under ``supervisor``.

    Every method that asks the worker raises a StudentFault for what the student's code did, and SandboxError for what
    is our own fault. ``generation`` counts workers: a handle is good for the generation that gave it.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        cells: Sequence[CellToRun],
        probes: str,
        files: Sequence[tuple[str, bytes]] = (),
        *,
        call_seconds: float,
        cell_seconds: float,
        submission_seconds: float,
    ) -> None:
        self.supervisor = supervisor
        self.cells = cells
        self.probes = probes
        self.files = files
        self.call_seconds = call_seconds
        self.cell_seconds = cell_seconds
        self.deadline = time.monotonic() + submission_seconds
        self.problems: dict[str, CellProblem] = {}
        self.generation = 0
        self.received: Any = None  # the value that came back last
        self._imported: dict[str, int] = {}  # name of a module -> the generation it was imported in
        self._broken: dict[str, StudentFault] = {}
        self._shims: set[str] = set()
        self._modes = {cell.id: WHOLE for cell in cells}
        self._alive = False
        self._seed = 0
        self._call_seconds = call_seconds
        self._test_deadline = self.deadline

    def begin_test(self, seed: int, seconds: float, call_seconds: float | None = None, *, hurry: bool = False) -> None:
        """Make ready for one test: a living worker, no kept objects, its random state seeded, time limits set.

        A call gets ``call_seconds``, or what calls get in this session. With ``hurry`` it gets a tenth of that, which
        is still a hundred times what a call takes: an answer that hangs costs the batch one long wait, not one a test.
        Raises StudentTimeout when the submission's time is used up.
        """
        if time.monotonic() > self.deadline:
            raise StudentTimeout("the time allowed for this submission was used up before this check")
        self._seed = seed
        self._call_seconds = (call_seconds or self.call_seconds) * (HURRY if hurry else 1.0)
        if not self._alive:
            self._revive()
        self._test_deadline = min(self.deadline, time.monotonic() + seconds)
        try:
            self._reset()
        except (StudentTimeout, StudentCrash, StudentOutOfMemory, BadReply):  # something left running has ended it
            self._revive()
            self._reset()

    def ask(
        self,
        operation: str,
        *arguments: Any,
        seconds: float | None = None,
        handle_for: Callable[[object], Handle] | None = None,
    ) -> Reply:
        """Have the worker carry out ``operation`` within the test's time, and within ``seconds`` or a call's.

        Raises a StudentFault for what went wrong.
        """
        if not self._alive:
            self._revive()
            self._reset()
        left = min(seconds or self._call_seconds, self._test_deadline - time.monotonic())
        if left <= 0:
            raise StudentTimeout("the time allowed for this check was used up")
        self.received = None
        reply = self._answer(operation, list(arguments), left, handle_for)
        self.received = reply.value
        return reply

    def import_module(self, name: str) -> None:
        """Import a module of the submission, once a worker; what goes wrong is raised again without another try."""
        if name in self._broken:
            raise self._broken[name].with_traceback(None)
        if self._imported.get(name) == self.generation and self._alive:
            return
        hurried = self._test_deadline - time.monotonic() < self.cell_seconds
        try:
            broken_off = self.ask("import", name, seconds=self.cell_seconds).value
        except StudentFault as fault:
            if not (hurried and isinstance(fault, StudentTimeout)):  # then it may be the test that took the time
                self._broken[name] = fault
            raise
        self._imported[name] = self.generation
        for problem in broken_off if isinstance(broken_off, list) else []:  # it comes from the untrusted side
            match problem:
                case (str(file), str(what)) if len(self.problems) < MAX_PROBLEMS:
                    self.problems.setdefault(plain(file), CellProblem(plain(file), plain(what)))

    def old_ways(self) -> tuple[str, ...]:
        """What the code relied on that newer libraries lack, a sentence each, as far as its workers lived to tell."""
        if self._alive:
            with contextlib.suppress(StudentFault, SandboxError):
                self._reset()
        return tuple(SENTENCES[name] for name in sorted(self._shims))

    def close(self) -> None:
        """End the worker and everything it left behind."""
        self._alive = False
        self.supervisor.finish()

    # -- cells ------------------------------------------------------------------------------------------------------

    def _revive(self) -> None:
        """A fresh worker with every cell run, each as far as it is known to go."""
        while not self._alive:
            self.generation += 1
            self.supervisor.fork()
            self._alive = True
            self._answer("load probes", [self.probes], SHORT_SECONDS)
            if self.files:
                self._answer("place files", [list(self.files)], SHORT_SECONDS)
            for cell in self.cells:
                if not self._run(cell):
                    break  # the worker did not survive it; the cell's mode is lower now

    def _run(self, cell: CellToRun) -> bool:
        """Run one cell; False when that ended the worker."""
        mode = self._modes[cell.id]
        seconds = min(self.cell_seconds, max(SHORT_SECONDS, self.deadline - time.monotonic()))
        try:
            match mode:
                case "whole":
                    self._answer("run", [cell.id, cell.source], seconds)
                case "assignments" | "definitions":
                    self._answer("definitions", [cell.id, cell.source, mode == ASSIGNMENTS], seconds)
        except (StudentError, NotAttempted) as fault:
            self._note(cell, str(fault))
            if mode == WHOLE:  # it failed part of the way: its later definitions are worth having
                self._modes[cell.id] = ASSIGNMENTS
                return self._run(cell)
            self._modes[cell.id] = NOTHING
        except StudentFault as fault:
            self._note(cell, str(fault))
            self._modes[cell.id] = NEXT_MODE[mode]
            return False
        return True

    def _note(self, cell: CellToRun, what: str) -> None:
        self.problems.setdefault(cell.id, CellProblem(cell.id, what))

    def _reset(self) -> None:
        used = self._answer("reset", [self._seed], SHORT_SECONDS).value
        if isinstance(used, list):  # it comes from the untrusted side
            self._shims |= {name for name in used if isinstance(name, str) and name in SENTENCES}

    # -- the worker -------------------------------------------------------------------------------------------------

    def _answer(
        self,
        operation: str,
        arguments: list[Any],
        seconds: float,
        handle_for: Callable[[object], Handle] | None = None,
    ) -> Reply:
        try:
            reply = self.supervisor.request(operation, arguments, seconds, handle_for)
        except SandboxError:
            self._alive = False  # ours: the next request starts with a new worker, and if need be a new zygote
            raise
        except WorkerTimedOut:
            self._alive = False
            raise StudentTimeout(f"it was stopped after {seconds:.2g} s without an answer") from None
        except WorkerWroteTooMuch:
            self._alive = False
            most = f"{self.supervisor.scratch_mb} MB, or {MAX_FILES:,} files"
            raise StudentCrash(f"it was stopped because it wrote more than {most}, to its folder") from None
        except WorkerDied as death:
            self._alive = False
            raise _death(death.status, self.supervisor.memory_mb) from None
        except WorkerLied as lie:
            self._alive = False
            raise BadReply(f"what came back was no answer: {lie}") from None
        if reply.fault:
            raise _fault(reply)
        return reply


def _death(status: int, memory_mb: int) -> StudentFault:
    if status == KILLED:
        return StudentOutOfMemory(f"its process was killed, as one is that takes more than {memory_mb} MB of memory")
    if status < 0:
        return StudentCrash(f"its process was ended by signal {-status}")
    return StudentCrash(f"its process ended (exit status {status}) in the middle of the check")


def _fault(reply: Reply) -> StudentFault:
    match reply.fault:
        case "missing":
            return NotAttempted(f"'{reply.message}' is not defined")
        case "stub":
            return NotAttempted("it is still the stub: it raises NotImplementedError")
        case "memory":
            return StudentOutOfMemory(f"{reply.type_name}: {reply.message}")
        case "not-data":
            return BadReply(f"what it returned could not be read: {reply.message}")
        case _:
            return StudentError(reply.type_name, reply.message, reply.frames)
