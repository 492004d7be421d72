"""Attempts to disturb other processes, to outlive the submission, and to leave something for the next one."""

import os
from textwrap import dedent

import pytest

from autograder.grading.report import Outcome
from autograder.grading.run import Grader
from tests.autograder.attacks.conftest import TOOLS, Attack, assert_refused, outcomes, points, trying
from tests.autograder.processes import processes_below

REFUSED = ("PermissionError", "ProcessLookupError", "OSError")
ME = os.getpid()

DISTURBANCES = {
    "a signal to the grader": f"os.kill({ME}, signal.SIGKILL)",
    "a stop of the grader": f"os.kill({ME}, signal.SIGSTOP)",
    "a signal to the zygote": "os.kill(os.getppid(), signal.SIGKILL)",
    "a signal to process 1": "os.kill(1, signal.SIGTERM)",
    "a signal by descriptor": "signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL)",
    "a signal by timer": "libc = ctypes.CDLL(None)\n"
    "if libc.tgkill(os.getppid(), os.getppid(), 9): raise OSError('refused')",
    "a limit on the grader": f"resource.prlimit({ME}, resource.RLIMIT_CPU, (1, 1)) == (1, 1) or 1/0",
    "a limit on the zygote": "if ctypes.CDLL(None).prlimit64(os.getppid(), 0, struct.pack('QQ', 1, 1), None): "
    "raise OSError('refused')",
    "the grader's priority": f"os.setpriority(os.PRIO_PROCESS, {ME}, 19)",
    "the grader's processors": f"os.sched_setaffinity({ME}, {{0}})",
    "the grader's scheduling": f"os.sched_setscheduler({ME}, os.SCHED_IDLE, os.sched_param(0))",
    "its own priority": "os.nice(-10)",
    "another user": "os.setuid(12345)",
    "keys to the terminal": "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')",
    "the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "the machine's name": "socket.sethostname('mallory')",
    "a reboot": "if ctypes.CDLL(None).reboot(0): raise OSError('refused')",
    "a kernel module": "if ctypes.CDLL(None).syscall(313, 0, b'', 0): raise OSError('refused')",
    "a kernel program": "if ctypes.CDLL(None).syscall(321, 0, bytes(128), 72) < 0: raise OSError('refused')",
}


@pytest.mark.parametrize("disturbance", DISTURBANCES.values(), ids=DISTURBANCES)
def test_the_machine_is_disturbed_by(attack: Attack, disturbance: str) -> None:
    assert_refused(attack(trying(disturbance)), *REFUSED, "ZeroDivisionError")


LEFT = {
    "System V shared memory": "if ctypes.CDLL(None).shmget(0x4141, 4096, 0o1666) < 0: raise OSError('refused')",
    "a System V message queue": "if ctypes.CDLL(None).msgget(0x4141, 0o1666) < 0: raise OSError('refused')",
    "a System V semaphore": "if ctypes.CDLL(None).semget(0x4141, 1, 0o1666) < 0: raise OSError('refused')",
    "a POSIX message queue": "if ctypes.CDLL(None).syscall(240, b'm', 0o102, 0o666, None) < 0: raise OSError('no')",
    "POSIX shared memory": "from multiprocessing import shared_memory; shared_memory.SharedMemory('m', True, 9)",
    "a POSIX semaphore": "import multiprocessing; multiprocessing.Lock()",
    "a key of the kernel's": "if ctypes.CDLL(None).syscall(248, b'user', b'm', b'v', 1, -4) < 0: raise OSError('no')",
    "a lock on a library": "import fcntl; fcntl.flock(open(torch.__file__, 'r+'), fcntl.LOCK_EX)",
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
def test_something_is_left_for_the_next_submission(attack: Attack, left: str) -> None:
    assert_refused(attack(trying(left)), *REFUSED)


RUNNING = {
    "a thread": "threading.Thread(target=forever, daemon=True).start()",
    "a thread that python waits for": "threading.Thread(target=forever).start()",
    "a child": "os.fork() or forever()",
    "a child of a child": "if os.fork() == 0:\n    os.setsid()\n    os.fork() or forever()\n    os._exit(0)",
    "a process of multiprocessing": "import multiprocessing\n"
    "multiprocessing.get_context('fork').Process(target=forever, daemon=True).start()",
    "a program of its own": "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
    " start_new_session=True)",
    "a handler for the end": "import atexit; atexit.register(forever)",
    "an alarm": "signal.signal(signal.SIGALRM, lambda *_: forever()); signal.alarm(1)",
    "a signal handler for every signal": "for number in range(1, 32):\n"
    "    number in (9, 19) or signal.signal(number, signal.SIG_IGN)",
    "a child that reaps the others": "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); os.fork() or (os.fork(), forever())",
}


def running(body: str) -> str:
    """An answer that is right, and leaves something running."""
    forever = "def forever():\n    while True:\n        time.sleep(1)\n"
    return f"{TOOLS}\n{forever}\n{dedent(body)}\n\ndef double(x):\n    return 2 * x\n"


@pytest.mark.parametrize("body", RUNNING.values(), ids=RUNNING)
def test_it_leaves_running(attack: Attack, grader: Grader, body: str) -> None:
    before = grader.bench.supervisor.zygote_pid
    report = attack(running(body))
    assert points(report) == {"double": 4, "shift": 3}  # whoever answers right keeps the marks
    assert not processes_below(before)


ENDINGS = {
    "sys.exit": ("sys.exit(0)", Outcome.STUDENT_ERROR),
    "a keyboard interrupt": ("raise KeyboardInterrupt", Outcome.STUDENT_ERROR),
    "os._exit": ("os._exit(0)", Outcome.CRASHED),
    "another program": ("os.execv('/bin/true', ['true'])", Outcome.CRASHED),
    "a signal to itself": ("os.kill(os.getpid(), signal.SIGKILL)", Outcome.OUT_OF_MEMORY),
    "a signal to its group": ("os.killpg(0, signal.SIGTERM)", Outcome.CRASHED),
    "an end of all that it may end": ("os.kill(-1, signal.SIGKILL)", Outcome.PASSED),  # but not of itself
    "a stop of itself": ("os.kill(os.getpid(), signal.SIGSTOP)", Outcome.TIMED_OUT),
    "a segmentation fault": ("ctypes.string_at(0)", Outcome.CRASHED),
    "an abort": ("os.abort()", Outcome.CRASHED),
    "closed files": ("os.closerange(0, 256)\ntime.sleep(60)", Outcome.FAILED),
    "an end in a cell": ("pass", Outcome.PASSED),
}


@pytest.mark.parametrize(("ending", "outcome"), ENDINGS.values(), ids=ENDINGS)
def test_its_process_is_ended_by(attack: Attack, ending: str, outcome: Outcome) -> None:
    report = attack(trying(ending) + ("\nos._exit(0)\n" if ending == "pass" else ""))
    assert points(report)["shift"] == 3
    assert outcomes(report, "double") == {outcome}


USING_UP = {
    "time": ("while True: pass", Outcome.TIMED_OUT),
    "time in C": ("np.linalg.matrix_power(np.ones((3000, 3000)), 2**60)", Outcome.TIMED_OUT),
    "time in a number": ("(10**10) ** (10**8)", Outcome.TIMED_OUT),
    "time in a pattern": ("import re; re.match('(a+)+$', 'a' * 64 + 'b')", Outcome.TIMED_OUT),
    "a lock": ("lock = threading.Lock(); lock.acquire(); lock.acquire()", Outcome.TIMED_OUT),
    "its input": ("if not sys.stdin.readline(): time.sleep(60)", Outcome.TIMED_OUT),
    "time with every exception caught": (
        "while True:\n    try: time.sleep(1)\n    except BaseException: pass",
        Outcome.TIMED_OUT,
    ),
    "memory": ("torch.ones(20 * 2**28)", Outcome.OUT_OF_MEMORY),
    "memory bit by bit": ("kept = []\nwhile True: kept.append(bytearray(2**24))", Outcome.TIMED_OUT),
    "the stack": ("sys.setrecursionlimit(2**30)\nf = lambda: f()\nf()", Outcome.TIMED_OUT),
    "memory in children": (
        "for _ in range(8): os.fork() == 0 and (bytearray(2**30), time.sleep(60))\ntime.sleep(60)",
        Outcome.TIMED_OUT,
    ),
    "open files": ("kept = [open('/dev/null') for _ in range(10_000)]", Outcome.STUDENT_ERROR),
    "threads": (
        "for _ in range(10_000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        Outcome.STUDENT_ERROR,
    ),
    "processes": ("while True: os.fork() or time.sleep(600)", Outcome.STUDENT_ERROR),
}


@pytest.mark.parametrize(("body", "outcome"), USING_UP.values(), ids=USING_UP)
def test_it_uses_up(attack: Attack, body: str, outcome: Outcome) -> None:
    report = attack(trying(body))
    assert points(report) == {"double": 0, "shift": 3}
    assert outcomes(report, "double") <= {outcome, Outcome.OUT_OF_MEMORY}


@pytest.mark.parametrize("stream", ["sys.stdout", "sys.stderr", "os.fdopen(1, 'w')", "os.fdopen(2, 'w')"])
def test_its_output_never_ends(attack: Attack, stream: str) -> None:
    report = attack(trying(f"out = {stream}\nwhile True: out.write('x' * 2**20)"))
    assert points(report) == {"double": 0, "shift": 3}
    assert outcomes(report, "double") == {Outcome.TIMED_OUT}


def test_much_output_with_a_right_answer_costs_nothing(attack: Attack) -> None:
    body = "for _ in range(200): print('x' * 2**16); print('x' * 2**16, file=sys.stderr)"
    assert points(attack(trying(body))) == {"double": 4, "shift": 3}
