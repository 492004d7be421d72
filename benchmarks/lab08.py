"""Seconds a submission of lab08, on the reference solution: the kit, the same tests without its walls, and nbgrader.

The kit and the cost of its walls are measured on the whole hidden suite. nbgrader is measured twice: on the notebook as
students hand it in, which it runs from top to bottom, trainings included, at the rehearsal budget; and on the notebook
stripped of its data, training and display cells, where only the visible checks are left, a fraction of the hidden. The
kit is measured on the same checks too, so that there is a figure for equal work.
"""

import contextlib
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import nbformat
import torch

from autograder import data
from autograder.class_folder import ClassFolder
from autograder.classwork import grade_class
from autograder.course import Assignment, Course
from autograder.grading.report import write_report
from autograder.grading.run import Grader
from autograder.notebooks import Role, grade_id, read_notebook, role
from autograder.sandbox.supervisor import Supervisor
from autograder.submission import read_submission
from benchmarks.in_process import InProcess

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ROUNDS = 2
RUNS_A_ROUND = 6
CLASS_SIZE = 10
NBGRADER_CLASS_SIZE = 4

# The notebook's own check looks at a training run of a cell that needs MNIST; this one trains a moment on noise.
MEMORISE_CHECK = """\
noise_rng = np.random.default_rng(0)
noise_imgs, noise_labels = noise_rng.integers(0, 256, (40, 28, 28), dtype=np.uint8), np.arange(40) % 10
strips = StripDataset(noise_imgs, noise_labels, 8, range(1, 9), seed=0)
losses = memorise(AttentionReader(), collate([strips[i] for i in range(8)]), steps=5)
assert len(losses) == 5 and losses[-1] < losses[0]
"""

VISIBLE_PROBE = "def run(ns, source):\n    exec(source, ns)\n"
VISIBLE_SUITE = """\
import pytest

CHECKS = {checks!r}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.question(name)) for name in CHECKS])
def test_visible(student, name):
    student.probe.run(CHECKS[name])
"""


def main() -> None:
    """Measure, print and write ``results/lab08.json``."""
    assignment = Course.load(ROOT / "course.toml").assignment("lab08")
    seconds: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        measure(assignment, "kit", None, seconds)
        measure(assignment, "in one process", in_process(assignment), seconds)
    with visible_checks(assignment) as same_work:
        measure(same_work, "kit, visible checks", None, seconds)
    seconds["class"] = [a_class(assignment)]
    seconds["nbgrader"] = [nbgrader(assignment, reduced, NBGRADER_CLASS_SIZE)]
    seconds["nbgrader, whole notebook"] = [nbgrader(assignment, read_notebook, 1)]
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    report(medians)
    machine = {"system": platform.platform(), "cpus": os.cpu_count(), "torch": torch.__version__}
    RESULTS.mkdir(exist_ok=True)
    content = {"measured": datetime.now(UTC).isoformat(), "machine": machine, "seconds": seconds, "medians": medians}
    (RESULTS / "lab08.json").write_text(json.dumps(content, indent=1) + "\n")


def report(medians: dict[str, float]) -> None:
    kit, bare, theirs = medians["kit"], medians["in one process"], medians["nbgrader"]
    print(f"{'seconds a submission':<44}{'median':>9}")
    print(f"{'kit, whole hidden suite, one job':<44}{kit:>9.2f}")
    print(f"{'kit, the visible checks only':<44}{medians['kit, visible checks']:>9.2f}")
    print(f"{'the hidden suite in one process, no sandbox':<44}{bare:>9.2f}")
    print(f"{'kit, class with all records, start included':<44}{medians['class']:>9.2f}")
    print(f"{'nbgrader autograde, visible checks only':<44}{theirs:>9.2f}")
    print(f"{'nbgrader autograde, the notebook as it is':<44}{medians['nbgrader, whole notebook']:>9.2f}")
    print(f"the walls cost {kit / bare:.2f} times, or {kit - bare:+.2f} s (at most 1.3 times or 0.10 s)")
    whole, same = medians["nbgrader, whole notebook"] / kit, theirs / medians["kit, visible checks"]
    print(f"nbgrader takes {whole:.1f} times as long for the same notebook (30 wanted)")
    print(f"nbgrader takes {same:.1f} times as long for the same checks, without the rest")


@contextlib.contextmanager
def clock(into: list[float]) -> Iterator[None]:
    started = time.perf_counter()
    yield
    into.append(time.perf_counter() - started)


def in_process(assignment: Assignment) -> Supervisor:
    limits = assignment.limits
    return InProcess(memory_mb=limits.memory_mb, processes=limits.processes, output_kb=limits.output_kb)


def measure(assignment: Assignment, name: str, supervisor: Supervisor | None, seconds: dict[str, list[float]]) -> None:
    """Grade the reference again and again with one job; reading and the report's file count, the first run does not."""
    path = assignment.solutions_dir / assignment.notebooks[0]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        with clock(seconds[f"{name}, start"]), contextlib.redirect_stdout(io.StringIO()):
            grader = stack.enter_context(Grader(assignment, supervisor=supervisor))
            grader.grade(read_submission(path, assignment))
        for _ in range(RUNS_A_ROUND):
            with clock(seconds[name]):
                found = grader.grade(read_submission(path, assignment))
                write_report(found, Path(folder) / "report.json")
            assert found.points == found.max_points, [test for test in found.tests if test.message]


@contextlib.contextmanager
def visible_checks(assignment: Assignment) -> Iterator[Assignment]:
    """``assignment`` with a suite that runs the notebook's own checks, one test a question, in the sandbox."""
    checks = {
        grade_id(cell): cell.source
        for cell in reduced(assignment.source_dir / assignment.notebooks[0]).cells
        if role(cell) is Role.AUTOGRADED
    }
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for folder in ("source", "solutions"):
            (root / folder).symlink_to(assignment.root / folder)
        suite = root / "tests" / assignment.name
        suite.mkdir(parents=True)
        (suite / "probes.py").write_text(VISIBLE_PROBE)
        (suite / "test_visible.py").write_text(VISIBLE_SUITE.format(checks=checks))
        yield msgspec.structs.replace(assignment, root=root)


def a_class(assignment: Assignment) -> float:
    """Seconds a submission of a class: from nothing to reports, gradebook, notebooks and pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = ClassFolder(Path(name))
        hand_in(
            folder.submitted, assignment, CLASS_SIZE, read_notebook(assignment.solutions_dir / assignment.notebooks[0])
        )
        spent: list[float] = []
        with clock(spent), contextlib.redirect_stdout(io.StringIO()):
            result = grade_class(assignment, folder)
        assert result.exit_status == 0, result.problems
        return spent[0] / CLASS_SIZE


def hand_in(submitted: Path, assignment: Assignment, size: int, notebook: nbformat.NotebookNode) -> None:
    for number in range(size):
        place = submitted / f"student{number}" / assignment.name
        place.mkdir(parents=True)
        nbformat.write(notebook, place / assignment.notebooks[0])


def nbgrader(assignment: Assignment, prepared: Callable[[Path], nbformat.NotebookNode], size: int) -> float:
    """Seconds a submission of ``nbgrader autograde`` over a class of ``size``, each with the ``prepared`` notebook."""
    data.pull("mnist")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        config = f"c = get_config()\nc.CourseDirectory.root = {name!r}\nc.ExecutePreprocessor.timeout = 120\n"
        (root / "nbgrader_config.py").write_text(config)
        source = prepared(assignment.source_dir / assignment.notebooks[0])
        place = root / "source" / assignment.name
        place.mkdir(parents=True)
        nbformat.write(source, place / assignment.notebooks[0])
        run(root, "generate_assignment", assignment.name, "--create")
        solved = prepared(assignment.solutions_dir / assignment.notebooks[0])
        hand_in(root / "submitted", assignment, size, solved)
        spent: list[float] = []
        with clock(spent):
            run(root, "autograde", assignment.name)
        check_full_marks(root, assignment, size)
        return spent[0] / size


def reduced(path: Path) -> nbformat.NotebookNode:
    """The notebook's set-up, solutions and checks: what can run without data and a training."""
    notebook = read_notebook(path)
    notebook.cells = [cell for cell in notebook.cells if role(cell) in {Role.SETUP, Role.SOLUTION, Role.AUTOGRADED}]
    for cell in notebook.cells:
        if grade_id(cell) == "memorise":
            cell.source = MEMORISE_CHECK
    return notebook


def run(root: Path, *arguments: str) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = os.environ | {
        "PATH": path,
        "HOME": str(root),
        "AUTOGRADER_DATA": str(data.mirror()),
        "AUTOGRADER_SMOKE": "1",
        "WANDB_MODE": "offline",
        "WANDB_SILENT": "true",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"nbgrader {' '.join(arguments)} failed:\n{done.stderr[-4000:]}")


def check_full_marks(root: Path, assignment: Assignment, size: int) -> None:
    """Whether nbgrader really ran the checks, and all of them passed."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        scores = [submission.score for submission in gradebook.assignment_submissions(assignment.name)]
    assert scores == [assignment.auto_points] * size, scores


if __name__ == "__main__":
    main()
