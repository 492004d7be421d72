"""Whatever student code does to its own process is a named outcome, and the next call finds a fresh one."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from autograder.sandbox.faults import (
    BadReply,
    NotAttempted,
    StudentCrash,
    StudentFault,
    StudentOutOfMemory,
    StudentTimeout,
)
from autograder.sandbox.remote import Student
from autograder.sandbox.session import Session
from autograder.sandbox.supervisor import Supervisor
from tests.autograder.processes import processes_below

NewSession = Callable[..., Session]

MISHAPS = {
    "an endless loop": ("while True: pass", StudentTimeout),
    "a loop that swallows exceptions": (
        "while True:\n        try: time.sleep(1)\n        except BaseException: pass",
        StudentTimeout,
    ),
    "os._exit": ("os._exit(0)", StudentCrash),
    "os._exit with a status": ("os._exit(7)", StudentCrash),
    "a segmentation fault": ("ctypes.string_at(0)", StudentCrash),
    "abort": ("os.abort()", StudentCrash),
    "its own interrupt": ("os.kill(os.getpid(), signal.SIGTERM)", StudentCrash),
    "20 GB": ("return torch.ones(20 * 2**30 // 4)", StudentOutOfMemory),
    "20 GB, bit by bit": ("kept = []\n    while True: kept.append(torch.empty(50 * 2**20))", StudentOutOfMemory),
    "closed connections": (
        "[os.close(fd) for fd in range(3, 30) if os.path.exists(f'/proc/self/fd/{fd}')]\n    time.sleep(60)",
        StudentFault,
    ),
    "a lying header": ("write_reply(b'\\xff' * 16)", BadReply),
    "half a reply": ("write_reply(b'\\0' * 9)\n    os._exit(0)", StudentCrash),
    "a reply that is no reply": ("write_reply(struct.pack('>QQ', 1, 0) + b'\\x05')", BadReply),
    "threads without end": ("while True: threading.Thread(target=time.sleep, args=(60,)).start()", StudentFault),
}
PRELUDE = """
import ctypes, os, signal, struct, threading, time
import torch

def write_reply(data):
    for fd in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + fd).endswith(".replies"):
                os.write(int(fd), data)
        except OSError:
            pass

def fine():
    return "fine"

def mishap():
    """


@pytest.mark.parametrize(("code", "fault"), MISHAPS.values(), ids=MISHAPS)
def test_the_mishap_is_named_and_the_next_call_is_answered(
    new_session: NewSession, code: str, fault: type[StudentFault]
) -> None:
    session = new_session(PRELUDE + code)
    session.begin_test(1, 30.0)
    student = Student(session, {})
    with pytest.raises(fault):
        student.mishap()
    assert student.fine() == "fine"


def test_a_fork_bomb_is_bounded_and_gone_afterwards(new_session: NewSession, supervisor: Supervisor) -> None:
    code = "import os, time\ndef bomb():\n    while True:\n        if os.fork() == 0:\n            time.sleep(600)"
    session = new_session(code)
    session.begin_test(1, 30.0)
    with pytest.raises(StudentFault):
        Student(session, {}).bomb()
    session.close()
    assert processes_below(supervisor.zygote_pid) == []


def test_submissions_that_leave_nothing_behind_share_one_zygote(
    new_session: NewSession, supervisor: Supervisor
) -> None:
    zygotes = set()
    for number in range(60):
        session = new_session(f"def f():\n    return {number}")
        session.begin_test(1, 30.0)
        assert Student(session, {}).f() == number
        zygotes.add(supervisor.zygote_pid)
        session.close()
    assert len(zygotes) == 1


def test_a_submission_that_used_up_the_processes_leaves_the_next_one_its_own(new_session: NewSession) -> None:
    code = "import os, time\ndef bomb():\n    while os.fork():\n        pass\n    time.sleep(600)"
    first = new_session(code)
    first.begin_test(1, 30.0)
    with pytest.raises(StudentFault):
        Student(first, {}).bomb()
    first.close()
    ten = dedent("""
        import os, time
        def ten():
            for _ in range(10):
                if os.fork() == 0:
                    time.sleep(600)
            return 10
    """)
    second = new_session(ten)
    second.begin_test(1, 30.0)
    assert Student(second, {}).ten() == 10


LEFT_BEHIND = """
import os, time

def leave(daemon):
    if os.fork() == 0:
        if daemon:
            os.setsid()
            if os.fork():
                os._exit(0)
        {doing}
        os._exit(0)
    return os.getpid()
"""
DOING = {
    "waits": "time.sleep(600)",
    "spins": "\n        while True: pass",
    "reads requests": """
        while True:
            for fd in range(3, 12):
                try: os.read(fd, 1)
                except OSError: pass""",
    "ignores signals": """
        import signal
        [signal.signal(s, signal.SIG_IGN) for s in range(1, 32) if s not in (9, 19)]
        time.sleep(600)""",
}


@pytest.mark.parametrize("daemon", [False, True], ids=["child", "daemon"])
@pytest.mark.parametrize("doing", DOING.values(), ids=DOING)
def test_what_a_submission_leaves_running_is_gone_before_the_next_starts(
    new_session: NewSession, supervisor: Supervisor, doing: str, daemon: bool
) -> None:
    session = new_session(LEFT_BEHIND.format(doing=doing))
    session.begin_test(1, 30.0)
    Student(session, {}).leave(daemon)
    session.close()
    assert processes_below(supervisor.zygote_pid) == []
    following = new_session("def f():\n    return 'mine'")
    following.begin_test(1, 30.0)
    assert Student(following, {}).f() == "mine"


def test_what_a_submission_wrote_is_gone_before_the_next_starts(
    new_session: NewSession, supervisor: Supervisor
) -> None:
    write = """
        import os
        def f():
            os.mkdir("folder"); open("folder/file", "w").write("x"); os.mkdir("folder/locked", 0)
            os.symlink("/etc", "link")
            return os.getcwd()
        """
    session = new_session(write)
    session.begin_test(1, 30.0)
    folder = Path(Student(session, {}).f())
    assert folder.is_dir()
    session.close()
    assert not folder.exists()
    assert Path("/etc").is_dir()


def test_a_hanging_cell_keeps_its_definitions(new_session: NewSession) -> None:
    session = new_session("x = 2\ndef f():\n    return x\nwhile True: pass", "def g():\n    return f() + 1")
    session.begin_test(1, 30.0)
    assert Student(session, {}).g() == 3
    assert session.problems["a"].what == "it was stopped after 2 s without an answer"


def test_an_assignment_that_hangs_costs_itself_only(new_session: NewSession) -> None:
    session = new_session("import itertools\nx = sum(itertools.count())\ndef f():\n    return 1")
    session.begin_test(1, 30.0)
    assert Student(session, {}).f() == 1


def test_a_failing_cell_keeps_the_definitions_after_the_failure(new_session: NewSession) -> None:
    session = new_session("def f():\n    return 1\nprint(undefined)\nbroken = undefined\ndef g():\n    return 2")
    session.begin_test(1, 30.0)
    student = Student(session, {})
    assert (student.f(), student.g()) == (1, 2)
    assert "NameError: name 'undefined' is not defined (cell a, line 3" in session.problems["a"].what


def test_a_cell_that_ends_the_process_keeps_its_definitions(new_session: NewSession) -> None:
    session = new_session("import os\ndef f():\n    return 1\nos._exit(0)")
    session.begin_test(1, 30.0)
    assert Student(session, {}).f() == 1


def test_a_syntax_error_costs_its_own_cell_only(new_session: NewSession) -> None:
    session = new_session("def f()\n    return 1", "def g():\n    return 2")
    session.begin_test(1, 30.0)
    student = Student(session, {})
    assert student.g() == 2
    with pytest.raises(NotAttempted):
        student.f()
    assert session.problems["a"].what == "SyntaxError: expected ':' (cell a, line 1: def f())"


def test_calls_in_a_hurry_give_up_sooner(new_session: NewSession) -> None:
    session = new_session("def f():\n    while True: pass")
    session.begin_test(1, 30.0, hurry=True)
    with pytest.raises(StudentTimeout, match=r"after 0\.2 s"):
        Student(session, {}).f()


def test_a_submission_whose_time_is_used_up_is_not_asked_again(supervisor: Supervisor) -> None:
    session = Session(supervisor, [], "", call_seconds=1.0, cell_seconds=1.0, submission_seconds=0.0)
    with pytest.raises(StudentTimeout, match="the time allowed for this submission"):
        session.begin_test(1, 30.0)


def test_a_zygote_that_is_gone_is_replaced(new_session: NewSession, supervisor: Supervisor) -> None:
    session = new_session("def f():\n    return 1")
    session.begin_test(1, 30.0)
    os.kill(supervisor.zygote_pid, 9)
    session.begin_test(1, 30.0)
    assert Student(session, {}).f() == 1


TAMPERING = {
    "its number of files": "libc.prlimit(pid, 7, ctypes.byref((ctypes.c_ulong * 2)(3, 3)), None)",
    "its size of files": "libc.prlimit(pid, 1, ctypes.byref((ctypes.c_ulong * 2)(0, 0)), None)",
    "its processor time": "libc.prlimit(pid, 0, ctypes.byref((ctypes.c_ulong * 2)(1, 1)), None)",
    "its processors": "libc.sched_setaffinity(pid, 8, ctypes.byref(ctypes.c_ulong(1)))",
    "its priority": "libc.setpriority(0, pid, 19)",
}


@pytest.mark.parametrize("call", TAMPERING.values(), ids=TAMPERING)
def test_a_submission_that_changes_the_zygotes_limits_changes_nothing_for_the_next(
    new_session: NewSession, call: str
) -> None:
    session = new_session(
        f"import ctypes, os\nlibc = ctypes.CDLL(None)\ndef f():\n    pid = os.getppid()\n    return {call}"
    )
    session.begin_test(1, 30.0)
    Student(session, {}).f()
    session.close()
    look = """
        import os, resource
        def f():
            open("x", "wb").write(bytes(1000))
            numbers = resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU
            limits = [resource.getrlimit(n)[0] for n in numbers]
            return limits, len(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)
        """
    following = new_session(look)
    following.begin_test(1, 30.0)
    limits, processors, priority = Student(following, {}).f()
    assert limits == [256, 64 * 2**20, resource.getrlimit(resource.RLIMIT_CPU)[0]]
    assert processors == len(os.sched_getaffinity(0))
    assert priority == os.getpriority(os.PRIO_PROCESS, 0)
