"""The walls around the zygote. The one module that knows sandlock (Landlock, seccomp; no root, no namespaces)."""

import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import IO, Protocol

import sandlock

from autograder._exceptions import SandboxUnavailable

__all__ = ["Jailed", "posture", "start"]

ZYGOTE = Path(__file__).with_name("zygote.py")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "WANDB_MODE": "offline",
    "HF_HUB_OFFLINE": "1",
}
SYSTEM_FOLDERS = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types",
)  # fmt: skip
ZYGOTE_MB = 2000  # what the warm parent itself counts for; a submission may take its own limit beyond that
# Landlock guards what files hold, not their modes, owners and times; a process may hamper any of the same user's; and a
# file in memory counts neither as memory nor as a file.
DENIED = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
    "utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "setpriority", "sched_setaffinity", "sched_setscheduler",
    "sched_setparam", "sched_setattr", "ioprio_set", "setuid", "setgid", "setreuid", "setregid", "setresuid",
    "setresgid", "setgroups", "mknod", "mknodat", "memfd_create",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


class Jailed(Protocol):
    """A running zygote: its pipes and its process."""

    @property
    def stdin(self) -> IO[bytes]:
        """Commands to it."""

    @property
    def stdout(self) -> IO[bytes]:
        """What it says."""

    @property
    def pid(self) -> int:
        """Its process number."""

    def kill(self) -> None:
        """End it and everything below it."""

    def wait(self) -> object:
        """Block until it has ended."""


def posture(unsafe: bool = False) -> dict[str, str]:
    """Which walls hold on this machine, for the report: name of the wall -> what holds it up.

    Raises SandboxUnavailable where one is missing and ``unsafe`` was not asked for.
    """
    if unsafe:
        return {"sandbox": "none: switched off by hand (--unsafe-no-sandbox)"}
    abi, needed = sandlock.landlock_abi_version(), sandlock.min_landlock_abi()
    if abi < needed:
        found = f"Landlock ABI {abi}" if abi > 0 else "no Landlock"
        raise SandboxUnavailable(
            f"this kernel ({os.uname().release}) has {found}; the sandbox needs ABI {needed} (Linux 6.12 or newer): "
            "grade on a newer kernel, or, for submissions you trust, with --unsafe-no-sandbox"
        )
    return {
        "sandbox": f"sandlock {importlib.metadata.version('sandlock')}",
        "files": f"Landlock ABI {abi}: interpreter and libraries readable, own scratch folder writable",
        "network": "none",
        "other processes": "no signal, no tracing, no limits set",
        "secrets": "clean environment",
        "walls": "tried from inside before the first submission",
    }


def readable_folders() -> list[str]:
    """What student code may read: the interpreter, the libraries and the system's, and this folder of the kit."""
    python = {sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "platlib", "purelib"))}
    folders = [*SYSTEM_FOLDERS, *sorted(python), str(ZYGOTE.parent), "/proc", *DEVICES]
    return [folder for folder in folders if Path(folder).exists()]


def start(shared: Path, *, memory_mb: int, processes: int, unsafe: bool = False) -> Jailed:
    """Start the zygote over the folder ``shared``, behind the walls, or with none where ``unsafe`` says so.

    Raises SandboxUnavailable where this machine lacks one.
    """
    posture(unsafe)
    readable = readable_folders()
    environment = ENVIRONMENT | {"HOME": str(shared), "TMPDIR": str(shared)}
    command = [sys.executable, "-I", str(ZYGOTE), str(shared), "open" if unsafe else "confined", *readable]
    if unsafe:
        return _Unjailed(command, environment)
    box = sandlock.Sandbox(
        fs_readable=readable,
        fs_writable=[str(shared), "/dev/null"],
        clean_env=True,
        env=environment,
        max_memory=f"{memory_mb + ZYGOTE_MB}M",
        max_processes=processes,
        no_coredump=True,
        extra_deny_syscalls=list(DENIED),
    )
    try:
        process = box.popen(command, stdin=sandlock.StdioMode.PIPED, stdout=sandlock.StdioMode.PIPED)
    except (sandlock.SandlockError, RuntimeError) as error:
        raise SandboxUnavailable(f"the sandbox does not start on this machine: {error}") from error
    return _Jail(box, process)


class _Jail:
    """A zygote behind sandlock's walls."""

    def __init__(self, box: sandlock.Sandbox, process: sandlock.Process) -> None:
        self._box = box  # its supervisor lives as long as this object does
        self._process = process
        self.stdin: IO[bytes] = process.stdin
        self.stdout: IO[bytes] = process.stdout
        self.pid: int = process.pid

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> object:
        return self._process.wait()


class _Unjailed:
    """The same zygote with no walls, for machines that have none."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout
        self.pid: int = self._process.pid

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> object:
        return self._process.wait()
