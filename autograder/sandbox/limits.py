"""The one wall that sandlock has not: no process changes a resource limit, its own or another's.

The kernel lets any process of a user set the limits of all of that user's processes, the grader's among them; a limit
of one second of processor time then ends it. A seccomp filter refuses the calls, and leaves the reading of own limits.
"""

import ctypes
import errno
import os
import platform
import struct

__all__ = ["fix_limits"]

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # words of the classic BPF machine
ARCHITECTURE, NUMBER, PROCESS, NEW_LIMIT = 4, 0, 16, 32  # offsets in seccomp_data: arguments are of 64 bits, from 16 on
MACHINES = {"x86_64": (0xC000003E, 160, 302), "aarch64": (0xC00000B7, 164, 261)}  # its mark, setrlimit, prlimit64


def fix_limits() -> None:
    """Let this process and its children set no limit from now on. Raises OSError where the kernel refuses it."""
    machine, setrlimit, prlimit = MACHINES[platform.machine()]
    allow, refuse = 11, 12  # where the program ends

    def step(at: int, value: int, equal: int, other: int) -> tuple[int, int, int, int]:
        return JUMP_IF_EQUAL, equal - at - 1, other - at - 1, value

    program = [
        (LOAD, 0, 0, ARCHITECTURE),
        step(1, machine, 2, refuse),
        (LOAD, 0, 0, NUMBER),
        step(3, setrlimit, refuse, 4),
        step(4, prlimit, 5, allow),
        (LOAD, 0, 0, PROCESS),
        step(6, 0, 7, refuse),
        (LOAD, 0, 0, NEW_LIMIT),
        step(8, 0, 9, refuse),
        (LOAD, 0, 0, NEW_LIMIT + 4),
        step(10, 0, allow, refuse),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    words = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in program))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(words))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), f"the limits cannot be fixed: {os.strerror(ctypes.get_errno())}")
