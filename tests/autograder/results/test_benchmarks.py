"""What the benchmarks compare is comparable: the same tests, the same answers, another transport."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.course import Course
from autograder.notebooks import Role, role
from autograder.sandbox.faults import NotAttempted, StudentError
from autograder.sandbox.remote import RemoteObject, Student
from autograder.sandbox.session import CellToRun, Session
from benchmarks import lab08
from benchmarks.in_process import InProcess

CELLS = (
    CellToRun("a", "import torch\n\ndef double(x):\n    return 2 * x\n\ndef fail():\n    raise ValueError('no')"),
    CellToRun("b", "class Net(torch.nn.Linear):\n    pass\n\nPAIR = (1, torch.ones(2))"),
)


@pytest.fixture
def student() -> Iterator[Student]:
    with InProcess(memory_mb=1, processes=1, output_kb=1) as supervisor:
        session = Session(supervisor, CELLS, "", call_seconds=9, cell_seconds=9, submission_seconds=9)
        session.begin_test(0, 9)
        yield Student(session, {})


def test_without_a_sandbox_calls_give_what_they_give_with_one(student: Student) -> None:
    net = student.Net(2, 3)

    assert torch.equal(student.double(torch.ones(2)), torch.full((2,), 2.0))
    assert isinstance(net, RemoteObject)
    assert net(torch.ones(4, 2)).shape == (4, 3)
    assert not net(torch.ones(4, 2)).requires_grad
    assert student.PAIR.value()[0] == 1
    with pytest.raises(StudentError, match="no"):
        student.fail()
    with pytest.raises(NotAttempted):
        student.absent()


def test_nbgrader_gets_the_notebook_without_what_needs_data_or_a_training() -> None:
    assignment = Course.load(lab08.ROOT / "course.toml").assignment("lab08")

    notebook = lab08.reduced(assignment.source_dir / "lab08.ipynb")

    assert {role(cell) for cell in notebook.cells} == {Role.SETUP, Role.SOLUTION, Role.AUTOGRADED}
    points = sum(cell.metadata.nbgrader.points for cell in notebook.cells if role(cell) is Role.AUTOGRADED)
    assert points == assignment.auto_points
    assert not any("datasets.MNIST(" in cell.source for cell in notebook.cells)


def test_the_same_checks_make_a_suite_of_one_test_a_question() -> None:
    assignment = Course.load(lab08.ROOT / "course.toml").assignment("lab08")

    with lab08.visible_checks(assignment) as same_work:
        assert same_work.questions() == assignment.questions()
        assert {path.name for path in same_work.tests_dir.iterdir()} == {"probes.py", "test_visible.py"}
    assert not Path(same_work.root).exists()


def test_the_ratios_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    kit = {"kit": 1.2, "in one process": 1.0, "kit, visible checks": 0.5, "class": 2.0}
    lab08.report(kit | {"nbgrader": 15.0, "nbgrader, whole notebook": 60.0})

    printed = capsys.readouterr().out
    assert "the walls cost 1.20 times, or +0.20 s" in printed
    assert "50.0 times as long for the same notebook" in printed
    assert "30.0 times as long for the same checks" in printed
