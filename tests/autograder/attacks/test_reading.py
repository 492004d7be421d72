"""Attempts to read what is not the submission's: tests, references, other people's files, secrets, other processes."""

import os
from pathlib import Path

import pytest

from autograder.course import Assignment
from tests.autograder.attacks.conftest import Attack, assert_refused, trying

ROOT = Path(__file__).parents[3]
REFUSED = ("PermissionError", "FileNotFoundError", "NotADirectoryError", "OSError")

FILES = {
    "a hidden test": "{victim}/tests/tiny/test_double.py",
    "the source with the solution": "{victim}/source/tiny/tiny.ipynb",
    "the course file": "{victim}/course.toml",
    "tests of another assignment": f"{ROOT}/tests/lab08/test_attend.py",
    "the kit's trusted side": f"{ROOT}/autograder/grading/run.py",
    "the accounts of the machine": "/etc/passwd",
    "an ssh key": f"{Path.home()}/.ssh/id_ed25519",
    "the password file of git": f"{Path.home()}/.git-credentials",
    "the environment of the grader": f"/proc/{os.getpid()}/environ",
    "the command line of the grader": f"/proc/{os.getpid()}/cmdline",
    "the memory map of the grader": f"/proc/{os.getpid()}/maps",
    "the memory of the grader": f"/proc/{os.getpid()}/mem",
    "the environment of process 1": "/proc/1/environ",
    "the command line of process 1": "/proc/1/cmdline",
    "the kernel's log": "/dev/kmsg",
    "the memory of the machine": "/dev/mem",
    "the terminal": "/dev/tty",
    "the cgroup of the machine": "/sys/fs/cgroup/cgroup.procs",
}


@pytest.mark.parametrize("path", FILES.values(), ids=FILES)
def test_a_file_is_opened(attack: Attack, victim: Assignment, path: str) -> None:
    where = path.format(victim=victim.root)
    assert_refused(attack(trying(f"open({where!r}, 'rb').read(9)")), *REFUSED)


FOLDERS = {
    "the hidden tests": "{victim}/tests/tiny",
    "the home folder": str(Path.home()),
    "temporary files": "/tmp",
    "shared memory": "/dev/shm",
    "the other submissions' scratch folders": "..",
    "the pipes of the sandbox": "../../pipes",
    "the open files of the grader": f"/proc/{os.getpid()}/fd",
    "the root": "/",
}


@pytest.mark.parametrize("path", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_is_listed(attack: Attack, victim: Assignment, path: str) -> None:
    where = path.format(victim=victim.root)
    assert_refused(attack(trying(f"os.listdir({where!r})")), *REFUSED)


WAYS = {
    "a symbolic link": "os.symlink(path, link := f'link{time.time_ns()}'); open(link).read()",
    "a hard link": "os.link(path, 'copy'); open('copy').read()",
    "a renaming": "os.rename(path, 'mine'); open('mine').read()",
    "the root of the own process": "open(f'/proc/self/root{path}').read()",
    "a path relative to an open folder": "os.open(path[1:], os.O_RDONLY, dir_fd=os.open('/usr', os.O_RDONLY))",
    "the C library": "fd = ctypes.CDLL(None, use_errno=True).open(path.encode(), 0)\n"
    "if fd < 0: raise OSError(ctypes.get_errno(), 'refused')",
    "a bare system call": "fd = ctypes.CDLL(None, use_errno=True).syscall(257, -100, path.encode(), 0)\n"
    "if fd < 0: raise OSError(ctypes.get_errno(), 'refused')",
    "io_uring": "ring = ctypes.CDLL(None, use_errno=True).syscall(425, 8, ctypes.create_string_buffer(120))\n"
    "if ring < 0: raise OSError(ctypes.get_errno(), 'refused')",
    "a file handle": "libc = ctypes.CDLL(None, use_errno=True); handle = ctypes.create_string_buffer(136)\n"
    "handle[0:4] = struct.pack('i', 128)\n"
    "if libc.name_to_handle_at(-100, path.encode(), handle, ctypes.byref(ctypes.c_int()), 0) < 0"
    " or libc.open_by_handle_at(os.open('/usr', 0), handle, 0) < 0:\n"
    "    raise OSError(ctypes.get_errno(), 'refused')",
    "numpy": "np.fromfile(path)",
    "torch's loader": "torch.load(path)",
    "a mapped tensor": "torch.from_file(path, size=1)",
    "the shell": "subprocess.run(['cat', path], check=True, stderr=subprocess.DEVNULL)",
    "another interpreter": "subprocess.run([sys.executable, '-c', f'open({path!r})'], check=True,"
    " stderr=subprocess.DEVNULL)",
    "a child that joins another namespace": "libc = ctypes.CDLL(None, use_errno=True)\n"
    "if libc.unshare(0x10020000): raise OSError(ctypes.get_errno(), 'refused')",
    "a mount": "libc = ctypes.CDLL(None, use_errno=True)\n"
    "if libc.mount(os.path.dirname(path).encode(), b'.', None, 4096, None): raise OSError(ctypes.get_errno(), 'no')",
    "a change of root": "os.chroot('.'); open('/etc/passwd')",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_hidden_test_is_read_by_way_of(attack: Attack, victim: Assignment, way: str) -> None:
    path = str(victim.tests_dir / "test_double.py")
    report = attack(trying(f"path = {path!r}\n{way}"))
    assert_refused(report, *REFUSED, "CalledProcessError", "RuntimeError", "SubprocessError")


MEMORY = {
    "a module of the tests": "found = [name for name in sys.modules if name.startswith(('tests', 'test_'))]",
    "pytest": "found = [name for name in sys.modules if name.split('.')[0] in ('pytest', '_pytest')]",
    "the kit's trusted side": "found = [name for name in sys.modules if name.startswith(('autograder.grading',"
    " 'autograder.submission', 'autograder.sandbox.supervisor', 'autograder.sandbox.session'))]",
    "an object of the tests": "found = [thing for thing in gc.get_objects() if type(thing).__module__.startswith("
    "('tests', 'autograder.grading', 'autograder.submission'))]",
    "a caller's variables": "frame, found = sys._getframe(), []\n"
    "while frame := frame.f_back:\n"
    "    found += [name for name in {**frame.f_locals, **frame.f_globals} if name in"
    " ('check_close', 'reference', 'torch_rng', 'expected', 'item', 'bench')]",
    "the text of a caller": "found = [line for frame in inspect.stack()[1:] for line in frame.code_context or ()"
    " if 'check_close' in line]",
    "a value of the environment": "found = [value for value in os.environ.values() if 'secret' in value]",
    "an argument of the program": "found = [value for value in sys.orig_argv if 'tests' in value or 'tiny' in value]",
    "a cell that was run before": "found = [text for text in (globals().get('In') or []) if 'assert' in text]",
    "the arguments of an earlier call": "found = [thing for thing in gc.get_objects() if isinstance(thing, tuple)"
    " and thing and thing[0] == 'shift']",
}


@pytest.mark.parametrize("search", MEMORY.values(), ids=MEMORY)
def test_the_memory_of_its_own_process_is_searched_for(attack: Attack, search: str) -> None:
    assert_refused(
        attack(trying(f"{search}\nif not found: raise LookupError('nothing there')")), "LookupError: nothing"
    )


@pytest.mark.parametrize(
    "module",
    ["autograder.grading.run", "autograder.submission", "tests.tiny.test_double", "test_double", "conftest", "course"],
)
def test_a_module_of_the_trusted_side_is_imported(attack: Attack, victim: Assignment, module: str) -> None:
    body = f"sys.path[:0] = [{str(ROOT)!r}, {str(victim.root)!r}, {str(victim.tests_dir)!r}]\nimport {module}"
    assert_refused(attack(trying(body)), "ModuleNotFoundError", "PermissionError", "ImportError")


@pytest.mark.parametrize("whom", [str(os.getpid()), "os.getppid()"], ids=["the grader", "the zygote"])
@pytest.mark.parametrize("call", ["ptrace(16, pid, 0, 0)", "process_vm_readv(pid, vector, 1, vector, 1, 0)"])
def test_another_process_is_looked_into(attack: Attack, call: str, whom: str) -> None:
    body = f"""
        pid, place = {whom}, ctypes.create_string_buffer(8)
        vector = struct.pack("QQ", ctypes.addressof(place), 8)
        if ctypes.CDLL(None).{call} < 0:
            raise OSError("refused")
    """
    assert_refused(attack(trying(body)), "OSError: refused")


def test_an_open_file_of_another_process_is_taken(attack: Attack) -> None:
    body = """
        process = os.pidfd_open(os.getppid())
        if ctypes.CDLL(None).syscall(438, process, 0, 0) < 0:
            raise OSError("refused")
    """
    assert_refused(attack(trying(body)), "OSError", "PermissionError")
