"""The warm parent: imports the heavy libraries once, inside the jail, and forks a worker for each submission.

Run as a script; its arguments are the folder it shares with the supervisor, ``confined`` or ``open``, and the paths
that a fork may read. The supervisor writes lines to its standard input, ``fork NUMBER OUTPUT_BYTES FILE_BYTES``; it
answers on standard output with ``forked NUMBER PID``, and with ``ended PID STATUS`` whenever a process below it ends.
It runs no student code itself, and what it forks cannot reach it: each fork closes these two pipes, opens a pair of
named pipes of its own, and confines itself to its scratch folder.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import resource
import select
import signal
import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
OPEN_FILES = 256
PRELOADED = (
    "torch", "torch.nn.functional", "torch.utils.data", "torch.utils.flop_counter", "torch._dynamo", "torch.optim",
    "torchvision", "torchvision.transforms", "torchvision.datasets", "numpy", "matplotlib.pyplot", "tqdm.auto",
)  # fmt: skip


def bare_packages() -> None:
    """Let ``autograder.sandbox`` be imported without the rest of the kit, which the jail cannot read."""
    for name, path in (("autograder", []), ("autograder.sandbox", [str(HERE)])):
        package = types.ModuleType(name)
        package.__path__ = path
        sys.modules[name] = package


def say(line: str) -> None:
    """Tell the supervisor."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def warm_up() -> None:
    """Import what submissions use, with one thread, so that torch still works after a fork."""
    os.environ["MPLBACKEND"] = "Agg"
    importlib.import_module("torch").set_num_threads(1)
    for name in PRELOADED:
        importlib.import_module(name)
    importlib.import_module("autograder.sandbox.stand_ins").install()
    for name in ("limits", "processes", "worker"):
        importlib.import_module(f"autograder.sandbox.{name}")
    gc.collect()
    gc.freeze()  # a fork's collector then leaves the shared pages alone


class Zygote:
    """Forks on request and reports what ended."""

    def __init__(self, shared: Path, readable: list[str], confined: bool) -> None:
        self.shared = shared
        self.readable = readable
        self.confined = confined

    def run(self) -> None:
        """Serve until standard input closes, and leave nothing running, since the supervisor may have been killed."""
        try:
            self.serve()
        finally:
            self.end()

    def end(self) -> None:
        """End everything below."""
        below = importlib.import_module("autograder.sandbox.processes").below
        while children := below(os.getpid()):
            for pid in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)

    def serve(self) -> None:
        """Fork as the supervisor says."""
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans stay below us, where they are found
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the keyboard: the supervisor hears it too
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        say("ready")
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(wake_read, select.POLLIN)
        pending = b""
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if wake_read in ready:
                os.read(wake_read, 4096)
                self.reap()
            if 0 in ready:
                chunk = os.read(0, 4096)
                if not chunk:
                    return
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self.fork(line.decode().split(), wake_read, wake_write)

    def reap(self) -> None:
        """Report each process below us that has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")

    def fork(self, command: list[str], *inherited: int) -> None:
        """Fork worker NUMBER; the child never returns."""
        _, number, output_bytes, file_bytes = command
        pid = os.fork()
        if pid:
            say(f"forked {number} {pid}")
            return
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            for descriptor in inherited:
                os.close(descriptor)
            self.become_worker(number, int(output_bytes), int(file_bytes))
        finally:
            os._exit(0)

    def become_worker(self, number: str, output_bytes: int, file_bytes: int) -> None:
        """Take the worker's own pipes, give up everything else, and serve."""
        worker = importlib.import_module("autograder.sandbox.worker")
        worker.stay_quiet()
        requests = os.open(self.shared / "pipes" / f"{number}.requests", os.O_RDONLY)
        replies = os.open(self.shared / "pipes" / f"{number}.replies", os.O_WRONLY)
        scratch = self.shared / "scratch" / number
        os.chdir(scratch)
        os.environ.update(HOME=str(scratch), TMPDIR=str(scratch))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too long is an OSError, not a death
        if self.confined:
            importlib.import_module("autograder.sandbox.limits").fix_limits()
            sandlock = importlib.import_module("sandlock")
            sandlock.confine(sandlock.Sandbox(fs_readable=self.readable, fs_writable=[str(scratch), "/dev/null"]))
        worker.serve(worker.Worker(output_bytes), requests, replies)


def main() -> None:
    """Warm up and serve."""
    shared, confinement, *readable = sys.argv[1:]
    bare_packages()
    if confinement == "confined":
        importlib.import_module("sandlock")
    warm_up()
    Zygote(Path(shared), readable, confinement == "confined").run()


if __name__ == "__main__":
    main()
