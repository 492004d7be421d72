"""The modules of a package: imported in the worker when they are asked for, each on its own account."""

from collections.abc import Callable, Iterator
from textwrap import dedent

import pytest
import torch

from autograder.sandbox.faults import NotAttempted, StudentCrash, StudentError, StudentTimeout
from autograder.sandbox.remote import RemoteObject, Student
from autograder.sandbox.session import Session
from autograder.sandbox.supervisor import Supervisor

Start = Callable[..., Student]

NET = """
    import torch

    SIZE = 3
    LOADED = []

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(SIZE, 2)

        def forward(self, x):
            print("forward")
            return self.inner(x)
    """


@pytest.fixture
def start(supervisor: Supervisor) -> Iterator[Start]:
    """``start(one="...", two="...", probes="...")``: a submission of the modules ``pack.one`` and ``pack.two``."""

    def started(probes: str = "", **modules: str) -> Student:
        files = [(f"pack/{name}.py", dedent(text).encode()) for name, text in modules.items()]
        session = Session(
            supervisor, (), dedent(probes), files, call_seconds=2.0, cell_seconds=2.0, submission_seconds=60.0
        )
        session.begin_test(seed=1, seconds=30.0)
        return Student(session, {})

    yield started
    supervisor.finish()


def session_of(student: Student) -> Session:
    return student._session


def test_names_of_a_module_are_called_read_and_asked_for(start: Start) -> None:
    net = start(net=NET)("pack.net")
    assert net.SIZE.value() == 3
    assert net.has("Net")
    assert not net.has("Other")
    assert repr(net.Net.inner) == "pack.net.Net.inner"
    with pytest.raises(NotAttempted, match="'Other' is not defined"):
        net.Other()


def test_its_objects_stay_in_the_worker_and_what_they_print_is_read(start: Start) -> None:
    student = start(net=NET)
    net = student("pack.net").Net()
    assert isinstance(net, RemoteObject)
    text, y = student.printed(net, torch.zeros(1, 3))
    assert text == "forward\n"
    assert torch.equal(y, net.inner.bias.value()[None])


def test_probes_import_modules_themselves_and_are_given_no_names(start: Start) -> None:
    probes = """
        def weight(ns, net):
            from pack.net import Net

            return list(ns) == [], isinstance(net, Net)
        """
    student = start(net=NET, probes=probes)
    names_are_none, is_a_net = student.probe.weight(student("pack.net").Net())
    assert (names_are_none, is_a_net) == (False, True)


def test_nothing_is_imported_before_it_is_asked_for(start: Start) -> None:
    student = start(one="import pack.two", two="raise ValueError('too early')", three="x = 1")
    problems = student._session.problems
    assert student("pack.three").x.value() == 1
    assert list(problems) == []
    student("pack.one")
    assert list(problems) == ["pack/two.py"]
    with pytest.raises(StudentError, match=r"ValueError: too early \(pack/two.py, line 1"):
        student("pack.two").anything()


def test_a_module_that_is_not_there_is_not_attempted_but_one_it_needs_is_an_error(start: Start) -> None:
    student = start(one="import no_such_library", two="import pack.nowhere")
    for name in ("pack.nowhere", "nowhere", "nowhere.inner"):
        with pytest.raises(NotAttempted):
            student(name)
    with pytest.raises(StudentError, match="No module named 'no_such_library'"):
        student("pack.one").anything()
    with pytest.raises(StudentError, match=r"No module named 'pack\.nowhere'"):
        student("pack.two").anything()


@pytest.mark.parametrize(
    ("text", "fault"),
    [("while True: pass", StudentTimeout), ("import os\nos._exit(1)", StudentCrash), ("1 +", StudentError)],
    ids=["loop", "exit", "syntax"],
)
def test_a_module_that_fails_once_is_not_tried_again(start: Start, text: str, fault: type[Exception]) -> None:
    student = start(bad=text, good="x = 1")
    sentences = []
    for _ in range(2):
        with pytest.raises(fault) as caught:
            student("pack.bad")
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]
    before = session_of(student).generation
    assert student("pack.good").x.value() == 1
    with pytest.raises(fault):
        student("pack.bad")
    assert student("pack.good").x.value() == 1
    assert session_of(student).generation - before <= 1  # the one that the first failure cost


def test_a_module_is_imported_again_where_its_worker_has_ended(start: Start) -> None:
    student = start(net=NET, bad="import os\ndef leave():\n    os._exit(0)")
    student("pack.net")
    with pytest.raises(StudentCrash):
        student("pack.bad").leave()
    assert student("pack.net").SIZE.value() == 3


def test_a_time_out_that_is_the_tests_own_is_no_verdict_on_the_module(start: Start) -> None:
    student = start(slow="import time\ntime.sleep(0.5)\nx = 1")
    session = session_of(student)
    session.begin_test(seed=1, seconds=0.2)
    with pytest.raises(StudentTimeout):
        student("pack.slow")
    session.begin_test(seed=1, seconds=30.0)
    assert student("pack.slow").x.value() == 1


def test_a_module_may_open_its_own_files_and_no_others(start: Start) -> None:
    reads = "from pathlib import Path\ndef read(name):\n    return Path(name).read_text()\n"
    student = start(io=reads)
    assert student("pack.io").read("pack/io.py") == reads
    with pytest.raises(StudentError, match="PermissionError"):
        student("pack.io").read(__file__)


def test_a_model_on_the_meta_device_shows_where_it_leaves_its_device(start: Start) -> None:
    probes = """
        import torch

        def runs_on(ns, device):
            from pack.net import Net

            with torch.device(device):
                return tuple(Net()(torch.zeros(2, 3)).shape)
        """
    misplaced = NET.replace("return self.inner(x)", "return self.inner(x) + torch.ones(2, 2, device='cpu')")
    assert start(net=NET, probes=probes).probe.runs_on("meta") == (2, 2)
    with pytest.raises(StudentError, match="device"):
        start(net=misplaced, probes=probes).probe.runs_on("meta")
