"""The walls, tried from inside before the first submission: what is promised is seen to hold on this machine."""

import os
import socket
import tempfile

from autograder._exceptions import SandboxError, SandboxUnavailable
from autograder.sandbox.supervisor import Supervisor, WorkerDied, WorkerLied, WorkerTimedOut, WorkerWroteTooMuch

__all__ = ["WALLS", "breaches", "check_walls"]

WALLS = {
    "reading": "read files that are not its own",
    "writing": "change files that are not its own",
    "network": "reach a network",
    "signals": "signal other processes",
    "tracing": "look into other processes",
    "limits": "set limits of other processes",
    "leavings": "leave shared memory behind",
}
"""Each wall, and what a submission could do without it."""

ATTEMPTS = '''
import ctypes, os, resource, socket

def shared_memory():
    libc = ctypes.CDLL(None)
    segment = libc.shmget(0x6175746F, 4096, 0o1600)
    if segment < 0:
        raise OSError("refused")
    libc.shmctl(segment, 0, None)  # removed again

def breached(file, port, pid):
    """Names of the attempts that succeed."""
    attempts = {
        "reading": lambda: open(file).read(),
        "writing": lambda: open(file, "a"),
        "network": lambda: socket.create_connection(("127.0.0.1", port), 1),
        "signals": lambda: os.kill(pid, 0),
        "tracing": lambda: open(f"/proc/{pid}/mem", "rb"),
        "limits": lambda: resource.prlimit(pid, resource.RLIMIT_CPU),
        "leavings": shared_memory,
    }
    found = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        found.append(name)
    return found
'''
SECONDS = 10.0


def breaches(supervisor: Supervisor) -> list[str]:
    """Names of the walls that do not hold. Raises SandboxError where that cannot be found out."""
    with tempfile.NamedTemporaryFile() as file, socket.create_server(("127.0.0.1", 0)) as server:
        supervisor.fork()
        try:
            supervisor.request("run", ["walls", ATTEMPTS], SECONDS)
            arguments = [file.name, server.getsockname()[1], os.getpid()]
            found = supervisor.request("call", ["breached", [], arguments, {}], SECONDS).value
        except (WorkerDied, WorkerLied, WorkerTimedOut, WorkerWroteTooMuch) as error:
            raise SandboxError(f"the sandbox's walls could not be tried: {type(error).__name__} {error}") from error
        finally:
            supervisor.finish()
    if not isinstance(found, list):
        raise SandboxError("the sandbox's walls could not be tried: no answer")
    return [name for name in WALLS if name in found]


def check_walls(supervisor: Supervisor) -> None:
    """Raises SandboxUnavailable, naming what a submission could do, where a wall does not hold."""
    if missing := breaches(supervisor):
        could = "; ".join(WALLS[name] for name in missing)
        raise SandboxUnavailable(
            f"the sandbox does not hold on this machine ({os.uname().release}): a submission could {could}; grade on "
            f"another, or, for submissions you trust, with --unsafe-no-sandbox"
        )
