"""The trusted hold on the zygote: starts it, has it fork workers, talks to one at a time, and clears up after it."""

import contextlib
import fcntl
import itertools
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from autograder._exceptions import SandboxError
from autograder.sandbox import jail
from autograder.sandbox.messages import Reply, reply_from_data
from autograder.sandbox.processes import below
from autograder.sandbox.scratch import new_shared_folder, remove, written
from autograder.sandbox.wire import HEADER_BYTES, Handle, WireError, decode, encode, lengths

__all__ = ["Supervisor", "WorkerDied", "WorkerLied", "WorkerTimedOut", "WorkerWroteTooMuch"]

START_SECONDS = 120.0  # the imports, on a cold disk
FORK_SECONDS = 30.0
CLEAR_SECONDS = 10.0
POLL_MILLISECONDS = 2
LOOK_SECONDS = 0.25  # how often the scratch folder is looked at
MAX_FILES = 5_000
MAX_CHUNKS = 1024  # IOV_MAX, of one system call
PIPE_BYTES = 2**20  # the most that an ordinary user may ask for: a batch of images goes through in one go


class WorkerDied(Exception):
    """The worker ended by itself: ``status`` is its exit status, or minus the signal that ended it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class WorkerTimedOut(Exception):
    """The worker did not answer in time."""


class WorkerLied(Exception):
    """The worker sent what is no reply."""


class WorkerWroteTooMuch(Exception):
    """The worker filled its scratch folder."""


class Supervisor:
    """One zygote, and the worker that it has forked last.

    Use as a context manager. Any of the exceptions above leaves the worker to be cleared away by ``clear``.
    """

    def __init__(
        self, *, memory_mb: int, processes: int, output_kb: int, scratch_mb: int = 64, unsafe: bool = False
    ) -> None:
        self.memory_mb = memory_mb
        self.processes = processes
        self.output_bytes = output_kb * 1024
        self.scratch_mb = scratch_mb
        self.unsafe = unsafe
        self._shared: Path | None = None
        self._zygote: jail.Jailed | None = None
        self._count = 0
        self._lines = b""
        self._worker = 0
        self._statuses: dict[int, int] = {}
        self._orphans = 0
        self._soiled = False
        self._looked = 0.0
        self._requests = self._replies = self._lock = -1

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    @property
    def zygote_pid(self) -> int:
        """Process number of the zygote."""
        assert self._zygote is not None
        return self._zygote.pid

    @property
    def worker_pid(self) -> int:
        """Process number of the worker, 0 where there is none."""
        return self._worker

    # -- one worker -------------------------------------------------------------------------------------------------

    def fork(self) -> None:
        """Have the zygote fork a worker, after clearing away everything that ran below it."""
        self.clear()
        if self._soiled or self._orphans > self.processes // 2:
            self._renew()
        try:
            self._fork()
        except (SandboxError, OSError):  # an earlier submission may have found a way to hurt the zygote
            self._renew()
            self._fork()

    def _fork(self) -> None:
        assert self._shared is not None
        self._count += 1
        name = str(self._count)
        pipes = self._shared / "pipes"
        (self._shared / "scratch" / name).mkdir()
        for end in ("requests", "replies"):
            os.mkfifo(pipes / f"{name}.{end}")
        # Open in both directions the request pipe never blocks; the reply pipe tells when its writer has left.
        self._requests = os.open(pipes / f"{name}.requests", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._replies = os.open(pipes / f"{name}.replies", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        for pipe in (self._requests, self._replies):
            with contextlib.suppress(OSError):  # the user has many pipes already: a small one is only slower
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._command(f"fork {name} {self.output_bytes} {self.scratch_mb * 2**20}")
        deadline = time.monotonic() + FORK_SECONDS
        while not self._worker:
            self._hear(deadline)

    def request(
        self,
        operation: str,
        arguments: list[Any],
        seconds: float,
        handle_for: Callable[[object], Handle] | None = None,
    ) -> Reply:
        """Send one request and wait for its reply.

        Raises WorkerDied, WorkerTimedOut, WorkerLied or WorkerWroteTooMuch; the worker is then of no more use.
        """
        self._look_at_scratch()
        deadline = time.monotonic() + seconds
        self._send(encode((operation, arguments), handle_for), deadline)
        try:
            tree_length, payload_length = lengths(self._receive(HEADER_BYTES, deadline))
            tree = self._receive(tree_length, deadline)
            return reply_from_data(decode(tree, self._receive(payload_length, deadline)))
        except WireError as error:
            raise WorkerLied(str(error)) from None

    def clear(self) -> None:
        """End the worker and whatever it left running, and remove its files.

        Everything below the zygote is found from outside, where nothing can hide, since the zygote adopts orphans. A
        zygote that cannot be cleared is ended and started anew.
        """
        deadline = time.monotonic() + CLEAR_SECONDS
        try:
            # The worker's end is waited for as well: heard once the worker is forgotten, it would count as an orphan's.
            while (children := below(self.zygote_pid)) or (self._worker and self._worker not in self._statuses):
                for pid in children:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self._hear(deadline, POLL_MILLISECONDS)
        except (SandboxError, OSError):
            self._renew()
        self._forget_worker()

    def finish(self) -> None:
        """``clear``, at the end of a submission.

        One that left processes behind soils the zygote: sandlock goes on counting them against the limit of processes,
        which would be the next submission's loss. That one then gets a new zygote.
        """
        self.clear()
        self._soiled = self._soiled or self._orphans > 0

    def _forget_worker(self) -> None:
        for descriptor in (self._requests, self._replies):
            if descriptor >= 0:
                os.close(descriptor)
        self._requests = self._replies = -1
        self._worker = 0
        self._statuses.clear()
        if self._count and self._shared is not None:
            for end in ("requests", "replies"):
                (self._shared / "pipes" / f"{self._count}.{end}").unlink(missing_ok=True)
            remove(self._shared / "scratch" / str(self._count))

    # -- pipes ------------------------------------------------------------------------------------------------------

    def _send(self, chunks: Sequence[bytes | memoryview], deadline: float) -> None:
        left = deque(memoryview(chunk).cast("B") for chunk in chunks)
        while left:
            try:
                sent = os.writev(self._requests, list(itertools.islice(left, MAX_CHUNKS)))
            except BlockingIOError:
                self._wait(self._requests, select.POLLOUT, deadline)
                continue
            while left and sent >= len(left[0]):
                sent -= len(left.popleft())
            if left:
                left[0] = left[0][sent:]

    def _receive(self, size: int, deadline: float) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            self._wait(self._replies, select.POLLIN, deadline)  # before the worker has opened it, a read finds an end
            try:
                count = os.readv(self._replies, [view])
            except BlockingIOError:
                continue
            if count == 0:
                raise WorkerDied(self._end_status(deadline))
            view = view[count:]
        return data

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        """Wait until ``descriptor`` is ready; hears meanwhile whether the worker ended, or writes too much."""
        poll = select.poll()
        poll.register(descriptor, event)
        poll.register(self._control, select.POLLIN)
        while True:
            ready = dict(poll.poll(min(LOOK_SECONDS, max(0.0, deadline - time.monotonic())) * 1000))
            if descriptor in ready:
                return
            self._look_at_scratch()
            if not ready and time.monotonic() >= deadline:
                raise WorkerTimedOut
            if not ready:
                continue
            self._hear(deadline)
            # What the worker sent before it ended counts, so look once more before giving it up.
            if self._worker in self._statuses and descriptor not in dict(poll.poll(0)):
                raise WorkerDied(self._statuses[self._worker])

    def _look_at_scratch(self) -> None:
        """Every so often: there is no quota on a folder, so what lies in it is counted."""
        if time.monotonic() - self._looked < LOOK_SECONDS or self._shared is None:
            return
        found = written(self._shared / "scratch" / str(self._count), below(self.zygote_pid))
        self._looked = time.monotonic()
        if found.bytes > self.scratch_mb * 2**20 or found.files > MAX_FILES:
            raise WorkerWroteTooMuch

    def _end_status(self, deadline: float) -> int:
        """Exit status of a worker that closed its pipe. One that closed it and lives on is lying."""
        limit = min(deadline, time.monotonic() + 1.0)
        while self._worker not in self._statuses:
            try:
                self._hear(limit)
            except SandboxError:
                raise WorkerLied("closed its connection") from None
        return self._statuses[self._worker]

    # -- the zygote -------------------------------------------------------------------------------------------------

    @property
    def _control(self) -> int:
        assert self._zygote is not None
        return self._zygote.stdout.fileno()

    def _command(self, line: str) -> None:
        assert self._zygote is not None
        self._zygote.stdin.write(line.encode() + b"\n")
        self._zygote.stdin.flush()

    def _hear(self, deadline: float, milliseconds: float | None = None) -> None:
        """Read what the zygote says, waiting for it until ``deadline``, or for ``milliseconds`` at most.

        Raises SandboxError past the deadline, or when the zygote is gone.
        """
        left = (deadline - time.monotonic()) * 1000
        if left <= 0:
            raise SandboxError("the sandbox's parent process does not answer")
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if not poll.poll(left if milliseconds is None else min(milliseconds, left)):
            if milliseconds is None:
                raise SandboxError("the sandbox's parent process does not answer")
            return
        chunk = os.read(self._control, 65536)
        if not chunk:
            raise SandboxError("the sandbox's parent process has ended")
        *lines, self._lines = (self._lines + chunk).split(b"\n")
        for line in lines:
            match line.decode(errors="replace").split():
                case ["forked", _, pid]:
                    self._worker = int(pid)
                case ["ended", pid, status]:
                    self._statuses[int(pid)] = int(status)
                    self._orphans += int(pid) != self._worker

    def _start(self) -> None:
        self._shared, self._lock = new_shared_folder()
        for folder in ("pipes", "scratch"):
            (self._shared / folder).mkdir()
        self._zygote = jail.start(self._shared, memory_mb=self.memory_mb, processes=self.processes, unsafe=self.unsafe)
        deadline = time.monotonic() + START_SECONDS
        while b"ready" not in self._lines:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            chunk = os.read(self._control, 65536)
            if not chunk:
                raise SandboxError("the sandbox's parent process did not start; run 'autograder doctor' for why")
            self._lines += chunk
        self._lines = b""
        self._orphans, self._soiled = 0, False

    def _renew(self) -> None:
        self._stop()
        self._start()

    def _stop(self) -> None:
        if self._zygote is not None:
            for pid in [*below(self._zygote.pid), self._zygote.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._zygote.stdin.close()
            self._zygote.wait()
            self._zygote.stdout.close()
            self._zygote = None
        self._forget_worker()
        self._lines = b""
        if self._shared is not None:
            remove(self._shared)
            os.close(self._lock)
            self._shared, self._lock = None, -1
