"""Attempts to write outside the scratch folder, to change what others rely on, and to fill the disk."""

import os
import site
from pathlib import Path

import pytest
import torch

from autograder.course import Assignment
from autograder.grading.report import Outcome
from tests.autograder.attacks.conftest import Attack, assert_refused, checks_of, outcomes, points, trying

ROOT = Path(__file__).parents[3]
REFUSED = ("PermissionError", "FileNotFoundError", "OSError")

TARGETS = {
    "a report": "{victim}/results/tiny/mallory.json",
    "the gradebook": "{victim}/gradebook.db",
    "a hidden test": "{victim}/tests/tiny/test_double.py",
    "a conftest beside the hidden tests": "{victim}/tests/tiny/conftest.py",
    "a conftest above everything": "{victim}/conftest.py",
    "a pytest.ini": "{victim}/pytest.ini",
    "the source": "{victim}/source/tiny/tiny.ipynb",
    "the kit": f"{ROOT}/autograder/grading/run.py",
    "the sandbox's own worker": f"{ROOT}/autograder/sandbox/worker.py",
    "a compiled file of the kit": f"{ROOT}/autograder/sandbox/__pycache__/worker.cpython-311.pyc",
    "a compiled file of torch": f"{Path(torch.__file__).parent}/__pycache__/functional.cpython-311.pyc",
    "a sitecustomize": f"{site.getsitepackages()[0]}/sitecustomize.py",
    "a .pth file": f"{site.getsitepackages()[0]}/zzz.pth",
    "temporary files": "/tmp/left-by-mallory",
    "shared memory": "/dev/shm/left-by-mallory",
    "the home folder": f"{Path.home()}/.left-by-mallory",
    "the crontab": "/var/spool/cron/crontabs/root",
    "the folder above its own": "../left-by-mallory",
    "a pipe of the sandbox": "../../pipes/1.replies",
    "torch's compile cache": "../../torchinductor/left-by-mallory",
    "its own limits": "/proc/self/oom_score_adj",
    "the zygote's memory": "/proc/{zygote}/mem",
}


@pytest.mark.parametrize("path", TARGETS.values(), ids=TARGETS)
def test_a_file_is_written(attack: Attack, victim: Assignment, path: str) -> None:
    where = path.replace("{victim}", str(victim.root)).replace("{zygote}", "' + str(os.getppid()) + '")
    report = attack(
        trying(f"with open('{where}', 'r+b' if os.path.exists('{where}') else 'wb') as file: file.write(b'x')")
    )
    assert_refused(report, *REFUSED)


CHANGES = {
    "its permissions": "os.chmod(path, 0o777)",
    "its owner": "os.chown(path, 1000, 1000)",
    "its times": "os.utime(path, (0, 0))",
    "its length": "os.truncate(path, 0)",
    "its name": "os.rename(path, path + '.bak')",
    "its existence": "os.unlink(path)",
    "its place, by exchange": "open('mine', 'w').close(); os.replace('mine', path)",
    "its attributes": "os.setxattr(path, 'user.x', b'x')",
    "its second name": "os.link(path, 'mine')",
    "its content, over a symbolic link": "os.symlink(path, link := f'link{time.time_ns()}'); open(link, 'w')",
    "its folder": "os.rmdir(os.path.dirname(path))",
    "the disk below it": "os.mknod('disk', stat.S_IFBLK | 0o600, os.makedev(254, 0)); open('disk', 'rb').read(1)",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_hidden_test_is_changed_in(attack: Attack, victim: Assignment, change: str) -> None:
    path = victim.tests_dir / "test_double.py"
    before = (path.read_bytes(), path.stat())
    assert_refused(attack(trying(f"path = {str(path)!r}\n{change}")), *REFUSED)
    assert (path.read_bytes(), os.stat_result(path.stat())[:7]) == (before[0], os.stat_result(before[1])[:7])


FILLING = {
    "many files": "for number in range(10_000): open(str(number), 'wb').write(bytes(2**20))",
    "empty files": "for number in range(1_000_000): open(str(number), 'w').close()",
    "folders": "for number in range(1_000_000): os.mkdir(str(number))",
    "files without a name": "import tempfile\n"
    "kept = [(file := tempfile.TemporaryFile(dir='.'), file.write(bytes(60 * 2**20))) for _ in range(200)]",
    "a deep tree": "for _ in range(1_000_000):\n    os.mkdir('d'); os.chdir('d'); open('f', 'wb').write(bytes(2**20))",
}


@pytest.mark.parametrize("filling", FILLING.values(), ids=FILLING)
def test_the_disk_is_filled_with(attack: Attack, filling: str) -> None:
    report = attack(trying(filling))
    assert points(report) == {"double": 0, "shift": 3}
    [said] = {check.message for check in checks_of(report, "double") if check.outcome is Outcome.CRASHED} or {""}
    assert outcomes(report, "double") <= {Outcome.CRASHED, Outcome.TIMED_OUT}
    assert said in ("", "it was stopped because it wrote more than 64 MB, or 5,000 files, to its folder")


def test_the_disk_is_filled_with_one_file(attack: Attack) -> None:
    body = "with open('large', 'wb') as file:\n    while True: file.write(bytes(2**24))"
    assert_refused(attack(trying(body)), "OSError: [Errno 27] File too large")


def test_memory_is_filled_with_files_that_are_in_no_folder(attack: Attack) -> None:
    assert_refused(attack(trying("os.memfd_create('x')")), "PermissionError")
