"""What student code cannot reach from inside, tried one thing at a time."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.grading.bench import new_supervisor
from autograder.sandbox import jail
from autograder.sandbox.faults import StudentError
from autograder.sandbox.remote import Student
from autograder.sandbox.session import CellToRun, Session
from autograder.sandbox.supervisor import Supervisor
from tests.autograder import tiny

Submit = Callable[..., Student]

ROOT = Path(__file__).parents[3]
REFUSED = ("PermissionError", "ConnectionRefusedError", "OSError", "FileNotFoundError")


HIDDEN = {
    "probes": ROOT / "tests" / "lab08" / "probes.py",
    "source": ROOT / "source" / "lab08" / "lab08.ipynb",
    "course": ROOT / "course.toml",
    "kit": ROOT / "autograder" / "grading" / "run.py",
    "home": Path.home(),
    "accounts": Path("/etc/passwd"),
    "temporary files": Path("/tmp"),
    "shared memory": Path("/dev/shm"),
    "environment of the grader": Path("/proc/self/environ").resolve(),
    "command line of the grader": Path("/proc/self/cmdline").resolve(),
    "environment of process 1": Path("/proc/1/environ"),
}


@pytest.mark.parametrize("path", HIDDEN.values(), ids=HIDDEN)
def test_a_file_or_folder_of_others_cannot_be_read(submit: Submit, path: Path) -> None:
    assert path.exists()
    student = submit("import os\ndef f(p):\n    return os.listdir(p) if os.path.isdir(p) else open(p, 'rb').read(9)")
    with pytest.raises(StudentError) as caught:
        student.f(str(path))
    assert caught.value.type_name in REFUSED


@pytest.mark.parametrize("where", ["/tmp", "/dev/shm", "/var/tmp", "..", "../../pipes", "~", "ROOT"])
def test_nothing_can_be_written_but_in_the_scratch_folder(submit: Submit, where: str) -> None:
    student = submit("import os\ndef f(p):\n    open(p, 'w').write('x')\n    return os.path.abspath(p)")
    folder = where.replace("~", str(Path.home())).replace("ROOT", str(ROOT))
    with pytest.raises(StudentError) as caught:
        student.f(f"{folder}/written-by-{os.getpid()}")
    assert caught.value.type_name in REFUSED
    assert student.f("x").endswith("/x")


@pytest.mark.parametrize(
    "how", ["os.chmod(p, 0o777)", "os.rename(p, p + 'x')", "os.unlink(p)", "os.truncate(p, 0)", "os.link(p, 'x')"]
)
def test_files_of_others_cannot_be_changed(submit: Submit, how: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    before = victim.stat()
    with pytest.raises(StudentError):
        submit(f"import os\ndef f(p):\n    {how}\n    open('x')").f(str(victim))
    assert victim.read_text() == "as it was"
    assert victim.stat().st_mode == before.st_mode


def test_a_symbolic_link_out_of_the_scratch_folder_leads_nowhere(submit: Submit, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    student = submit("import os\ndef f(p):\n    os.symlink(p, 'link')\n    return open('link').read()")
    with pytest.raises(StudentError):
        student.f(str(tmp_path / "secret"))


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_server_on_this_machine_cannot_be_reached(submit: Submit, listener: int) -> None:
    with pytest.raises(StudentError) as caught:
        submit("import socket\ndef f(port):\n    socket.create_connection(('127.0.0.1', port), 1)").f(listener)
    assert caught.value.type_name in REFUSED


@pytest.mark.parametrize("abstract", [False, True], ids=["path-name", "abstract"])
def test_a_unix_socket_of_others_cannot_be_reached(submit: Submit, abstract: bool, tmp_path: Path) -> None:
    address = f"\0autograder-{os.getpid()}" if abstract else str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        with pytest.raises(StudentError) as caught:
            submit("import socket\ndef f(a):\n    socket.socket(socket.AF_UNIX).connect(a)").f(address)
    assert caught.value.type_name in REFUSED


@pytest.mark.parametrize("call", ["os.kill(pid, 0)", "os.kill(pid, 9)", "os.kill(os.getppid(), 9)"])
def test_no_process_of_others_can_be_signalled(submit: Submit, call: str) -> None:
    student = submit(f"import os\ndef f(pid):\n    {call}\ndef g():\n    return 1")
    with pytest.raises(StudentError) as caught:
        student.f(os.getpid())
    assert caught.value.type_name in {"PermissionError", "ProcessLookupError"}
    assert student.g() == 1


def test_the_memory_of_the_parent_cannot_be_read(submit: Submit) -> None:
    student = submit("import os\ndef f():\n    return open(f'/proc/{os.getppid()}/mem', 'rb').read(1)")
    with pytest.raises(StudentError):
        student.f()


def test_the_environment_holds_nothing_of_the_graders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AUTOGRADER_TEST_SECRET", "token-of-the-course")
    with Supervisor(memory_mb=1000, processes=20, output_kb=4) as supervisor:
        supervisor.fork()
        supervisor.request(
            "run", ["a", "import os\ndef f():\n    return dict(os.environ), open('/proc/self/environ').read()"], 5.0
        )
        value = supervisor.request("call", ["f", [], [], {}], 5.0).value
    assert "token-of-the-course" not in repr(value)


def test_the_disk_cannot_be_filled_by_one_file(submit: Submit) -> None:
    student = submit("def f():\n    with open('x', 'wb') as file:\n        file.write(bytes(100 * 2**20))")
    with pytest.raises(StudentError, match="File too large"):
        student.f()


def test_how_large_a_file_may_be_is_the_courses_to_say(tmp_path: Path) -> None:
    course = tiny.COURSE + "scratch_mb = 1\n"
    with new_supervisor(tiny.make_course(tmp_path, course)) as supervisor:
        cell = CellToRun("a", "from pathlib import Path\ndef write(n):\n    return Path('x').write_bytes(bytes(n))")
        session = Session(supervisor, [cell], "", call_seconds=5, cell_seconds=5, submission_seconds=60)
        session.begin_test(1, 30.0)
        student = Student(session, {})
        assert student.write(2**20) == 2**20
        with pytest.raises(StudentError, match="File too large"):
            student.write(2**20 + 1)


def test_what_the_jail_makes_readable_holds_no_hidden_test() -> None:
    folders = [Path(folder).resolve() for folder in jail.readable_folders()]
    hidden = [ROOT / "tests", ROOT / "source", ROOT / "solutions", Path.home()]
    assert not [
        (folder, secret) for folder in folders for secret in hidden if folder == secret or folder in secret.parents
    ]
