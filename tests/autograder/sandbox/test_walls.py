"""What the walls are made of. What is thrown at them is in tests/autograder/attacks."""

from pathlib import Path

import pytest

from autograder.grading.bench import new_supervisor
from autograder.sandbox import jail
from autograder.sandbox.faults import StudentError
from autograder.sandbox.remote import Student
from autograder.sandbox.session import CellToRun, Session
from tests.autograder import tiny

ROOT = Path(__file__).parents[3]


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
