"""The pytest plugin: how a hidden suite meets a submission.

``pytest tests/lab08 --submission PATH`` grades one submission, for whoever writes tests; PATH is a notebook, a folder,
or one of the words ``solutions`` (what is graded without the option) and ``release``. A grading job
(:mod:`autograder.grading.run`) brings its own workbench and uses the same fixtures.

    student     the submission's names, in the sandbox        reference   the trusted solution, in this process
    device      "cpu", and "cuda" where there is one          seed, rng, torch_rng   fresh in each run, recorded
"""

import secrets
from collections.abc import Generator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import numpy as np
    import torch

    from autograder.grading.bench import Workbench
    from autograder.grading.reference import PackageReference
    from autograder.sandbox.remote import Student

WORKBENCH = pytest.StashKey["Workbench"]()
WORDS = ("solutions", "release")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ``pytest tests/NAME --submission PATH``."""
    group = parser.getgroup("autograder")
    group.addoption("--submission", default="solutions", help="notebook, folder, 'solutions' (default) or 'release'")
    group.addoption("--seed", type=int, default=None, help="seed of the run, as a report records it")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks of hidden suites."""
    config.addinivalue_line("markers", "question(id): the grade cell whose points the test shares")
    config.addinivalue_line("markers", "weight(parts): how much the test counts within its question (default 1)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``device`` on each device there is."""
    if "device" in metafunc.fixturenames:
        import torch

        metafunc.parametrize("device", ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In a hidden suite, show a failed check as its sentence."""
    report = yield
    if call.excinfo is not None and item.get_closest_marker("question"):
        from autograder.grading.checks import CheckFailed
        from autograder.sandbox.faults import StudentFault

        if isinstance(call.excinfo.value, (CheckFailed, StudentFault)):
            report.longrepr = f"{type(call.excinfo.value).__name__}: {call.excinfo.value}"
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the sandbox that ``--submission`` started."""
    bench = config.stash.get(OWN_WORKBENCH, None)
    if bench is not None:
        bench.clear()
        bench.__exit__(None, None, None)


OWN_WORKBENCH = pytest.StashKey["Workbench"]()


def _workbench(item: pytest.Item) -> "Workbench":
    """The job's workbench, or one made now for ``--submission``."""
    config = item.config
    if WORKBENCH in config.stash and config.stash[WORKBENCH].assignment.tests_dir in item.path.parents:
        return config.stash[WORKBENCH]
    from autograder.course import Course
    from autograder.grading.bench import Workbench, new_supervisor
    from autograder.submission import read_submission

    course = Course.find(item.path.parent)
    tests = course.root / "tests"
    assignment = course.assignment(item.path.relative_to(tests).parts[0])
    given = config.getoption("--submission")
    folders = {"solutions": assignment.solutions_dir, "release": assignment.release_dir}
    submission = read_submission(folders.get(given) or Path(given), assignment)
    if submission.fault is not None:
        raise pytest.UsageError(f"{submission.fault.name}: {submission.fault.message}")
    if OWN_WORKBENCH in config.stash:
        config.stash[OWN_WORKBENCH].__exit__(None, None, None)
    seed = config.getoption("--seed")
    bench = Workbench(assignment, new_supervisor(assignment), secrets.randbits(48) if seed is None else seed)
    bench.__enter__()
    bench.lay(submission)
    config.stash[WORKBENCH] = config.stash[OWN_WORKBENCH] = bench
    return bench


def _names(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Question and test, which name a test alike wherever the suite lies."""
    return marked(request.node, "question", ""), request.node.name


@pytest.fixture
def student(request: pytest.FixtureRequest) -> "Student":
    """The submission's definitions, called in the sandbox."""
    return _workbench(request.node).student(*_names(request))


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> "SimpleNamespace | PackageReference":
    """The trusted solution's definitions, called here; of a package, a function that gives its modules."""
    return _workbench(request.node).reference


@pytest.fixture
def stand_ins(request: pytest.FixtureRequest) -> "ModuleType":
    """The suite's probes on the trusted side: what their stand-ins give is computed here, not believed."""
    from autograder.grading.reference import load_probes

    return load_probes(_workbench(request.node).assignment.tests_dir / "probes.py")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """This test's seed in this run."""
    return _workbench(request.node).test_seed(*_names(request))


@pytest.fixture
def rng(seed: int) -> "np.random.Generator":
    """A numpy generator, seeded for this test in this run."""
    import numpy as np

    return np.random.default_rng(seed)


@pytest.fixture
def torch_rng(seed: int) -> "torch.Generator":
    """A torch generator on the CPU, seeded for this test in this run; torch's global one is seeded alike."""
    import torch

    torch.default_generator.manual_seed(seed)  # torch.manual_seed writes down the stack for each device: 1 ms a test
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)
    return torch.Generator().manual_seed(seed)


def marked(item: pytest.Item, name: str, default: Any) -> Any:
    """First argument of the closest mark ``name`` on ``item``."""
    marker = item.get_closest_marker(name)
    return marker.args[0] if marker and marker.args else default
