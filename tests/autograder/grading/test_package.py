"""A package is graded module by module: what is broken costs what needs it, and nothing else."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder._exceptions import CourseError, ReleaseError
from autograder.course import Assignment
from autograder.grading.reference import PackageReference
from autograder.grading.report import Outcome, Report
from autograder.grading.run import Grader, suite_hash
from autograder.proof import prove_by_grading
from autograder.release import release
from autograder.submission import read_submission
from autograder.submission.records import Cell, PackageFile, Submission
from tests.autograder import tiny, tiny_package

Grade = Callable[..., Report]
FULL = {"count": 2, "Net": 4, "budget": 1, "freeze": 1}


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return tiny_package.make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def grader(assignment: Assignment) -> Iterator[Grader]:
    with Grader(assignment, seed=7) as grader:
        yield grader


@pytest.fixture
def grade(grader: Grader, assignment: Assignment, tmp_path: Path) -> Grade:
    """``grade(words="def count...")`` grades the solution with that module in place of its own."""

    def graded(**changed: str | None) -> Report:
        count = sum(1 for _ in tmp_path.iterdir())
        folder = tiny_package.hand_in(assignment, tmp_path / f"ada{count}", **changed)
        return grader.grade(read_submission(folder, assignment, "ada"))

    return graded


def points(report: Report) -> dict[str, float]:
    return {question.question: question.points for question in report.questions}


def outcomes(report: Report, question: str) -> set[Outcome]:
    return {test.outcome for test in report.tests if test.question == question}


def test_the_solution_scores_full_marks(grade: Grade) -> None:
    report = grade()
    assert [test.message for test in report.tests if test.message] == []
    assert points(report) == FULL
    assert (report.repairs, report.cell_problems) == ((), ())


@pytest.mark.parametrize(
    ("broken", "outcome"),
    [
        ("def budget(text) return 4", Outcome.STUDENT_ERROR),
        ("import no_such_library", Outcome.STUDENT_ERROR),
        ("from pack.words import no_such_name", Outcome.STUDENT_ERROR),
        ("from pack.nowhere import budget", Outcome.STUDENT_ERROR),
        ("raise SystemExit", Outcome.STUDENT_ERROR),
        ("import os\nos._exit(3)", Outcome.CRASHED),
        ("while True: pass", Outcome.TIMED_OUT),
        ("x = bytearray(2**33)", Outcome.OUT_OF_MEMORY),
        ("raise NotImplementedError()", Outcome.NOT_ATTEMPTED),
        ("", Outcome.NOT_ATTEMPTED),
        (None, Outcome.NOT_ATTEMPTED),
    ],
    ids=["syntax", "library", "name", "module", "exit", "os._exit", "loop", "memory", "stub", "empty", "missing"],
)
def test_a_broken_module_costs_only_what_needs_it(grade: Grade, broken: str | None, outcome: Outcome) -> None:
    report = grade(train=broken)
    assert points(report) == FULL | {"budget": 0}
    assert outcomes(report, "budget") == {outcome}


def test_a_broken_module_costs_those_that_import_it_too(grade: Grade) -> None:
    report = grade(words="def count(text) return 1")
    assert points(report) == {"count": 0, "Net": 0, "budget": 0, "freeze": 1}
    assert outcomes(report, "budget") == {Outcome.STUDENT_ERROR}


def test_what_is_wrong_in_a_module_is_said_with_file_and_line(grade: Grade) -> None:
    [message] = {test.message for test in grade(train="import torch\n\nx = 1 +\n").tests if test.message}
    assert message.startswith("SyntaxError: ")
    assert "(pack/train.py, line 3: x = 1 +)" in message
    [message] = {test.message for test in grade(train="def budget(text):\n    return text.no\n").tests if test.message}
    assert "AttributeError" in message
    assert "(pack/train.py, line 2: return text.no)" in message


FAILING_LINES = {
    "a download": "import urllib.request\nurllib.request.urlopen('http://example.org')\n",
    "a library that is not there": "import seaborn_of_mine as sns\n",
    "a question": "name = input()\n",
    "an exit": "import sys\nsys.exit(0)\n",
    "a file that is not there": "data = open('corpus.txt').read()\n",
    "a class that does not hold": "class Broken:\n    device = undefined.device\n",
}
BUDGET = "from .words import count\n\nMOST = 4\n\ndef budget(text):\n    return min(count(text), MOST)\n"


@pytest.mark.parametrize("line", FAILING_LINES.values(), ids=FAILING_LINES)
def test_a_line_that_fails_at_the_top_of_a_module_costs_nothing_of_what_is_defined(grade: Grade, line: str) -> None:
    report = grade(train=f"{line}\n{BUDGET}")
    assert points(report) == FULL
    [problem] = report.cell_problems
    assert problem.cell == "pack/train.py"
    assert "only definitions were run after that" in problem.what


def test_after_such_a_line_nothing_but_definitions_is_run(grade: Grade) -> None:
    report = grade(train=f"import nothing_of_the_kind\n{BUDGET}\nwhile True:\n    pass\n")
    assert points(report) == FULL


def test_supplied_modules_come_from_source_whatever_was_handed_in(
    grader: Grader, assignment: Assignment, tmp_path: Path
) -> None:
    folder = tiny_package.hand_in(assignment, tmp_path / "ada")
    (folder / "support" / "tools.py").write_text("LIMIT = 0\n")
    report = grader.grade(read_submission(folder, assignment, "ada"))
    assert points(report) == FULL


def test_a_module_of_their_own_may_be_imported(grader: Grader, assignment: Assignment, tmp_path: Path) -> None:
    train = "from pack.helpers import four\n\ndef budget(text):\n    return four()\n"
    folder = tiny_package.hand_in(assignment, tmp_path / "ada", train=train, helpers="def four():\n    return 4\n")
    assert points(grader.grade(read_submission(folder, assignment, "ada"))) == FULL


def test_one_submission_sees_nothing_of_the_last_ones_modules(grade: Grade) -> None:
    grade(words="import sys\nsys.modules['pack.train'] = sys\ndef count(text):\n    return 7\n")
    assert points(grade()) == FULL


def test_what_newer_libraries_took_away_costs_nothing_and_is_noted(grade: Grade) -> None:
    old = "from torch.utils.data import Sampler\n\nclass S(Sampler):\n    def __init__(self, data):\n"
    old += "        super().__init__(data)\n\ndef budget(text):\n    S(text)\n    return 4\n"
    report = grade(train=old)
    assert points(report) == FULL
    assert [note.what for note in report.repairs if "Sampler" in note.what]
    assert not grade().repairs  # it is said of who uses it, and of nobody else


def test_the_release_is_proved_by_grading_it(grader: Grader, assignment: Assignment) -> None:
    release(assignment, prove_by_grading(assignment))
    stubs = grader.grade(read_submission(assignment.release_dir, assignment, "release"))
    solved = grader.grade(read_submission(assignment.solutions_dir, assignment, "solutions"))
    assert points(stubs) == dict.fromkeys(FULL, 0)
    assert {test.outcome for test in stubs.tests} == {Outcome.NOT_ATTEMPTED}
    assert points(solved) == FULL


def test_a_release_whose_stub_scores_is_refused(tmp_path: Path) -> None:
    assignment = tiny_package.make_course(tmp_path)
    free = "from autograder.grading.marks import question\n\n@question('budget')\ndef test_free(student):\n    pass\n"
    (assignment.tests_dir / "test_free.py").write_text(free)
    with pytest.raises(ReleaseError, match=r"the release as it stands scores 0\.5 points"):
        release(assignment, prove_by_grading(assignment))


class TestReference:
    def test_gives_the_sources_modules_and_leaves_no_trace(self, assignment: Assignment) -> None:
        reference = PackageReference(assignment.source_dir)
        before, path = set(sys.modules), list(sys.path)
        assert reference("pack.train").budget("a b c d e") == 4
        assert reference("pack.words") is sys.modules.get("pack.words", reference("pack.words"))
        assert not [name for name in set(sys.modules) - before if name.startswith(("pack", "support"))]
        assert sys.path == path

    def test_two_assignments_may_have_packages_of_one_name(self, assignment: Assignment, tmp_path: Path) -> None:
        other = tiny_package.make_course(tmp_path)
        (other.source_dir / "pack" / "words.py").write_text("def count(text):\n    return -1\n")
        one, two = PackageReference(assignment.source_dir), PackageReference(other.source_dir)
        assert (one("pack.words").count("a b"), two("pack.words").count("a b")) == (2, -1)
        assert (one("pack.train").budget("a b"), two("pack.train").budget("a b")) == (2, -1)

    def test_keeps_out_an_installed_package_of_the_same_name_and_puts_it_back(self, assignment: Assignment) -> None:
        installed = sys.modules["support"] = type(sys)("support")
        try:
            assert PackageReference(assignment.source_dir)("support.tools").LIMIT == 4
            assert sys.modules["support"] is installed
        finally:
            del sys.modules["support"]

    def test_that_cannot_be_imported_is_said(self, assignment: Assignment) -> None:
        with pytest.raises(CourseError, match=r"pack\.nowhere of .* cannot be imported"):
            PackageReference(assignment.source_dir)("pack.nowhere")


def test_the_suites_hash_changes_with_any_module_of_the_source(tmp_path: Path) -> None:
    assignment = tiny_package.make_course(tmp_path)
    for name in ("pack/words.py", "pack/__init__.py", "support/tools.py"):
        before = suite_hash(assignment)
        path = assignment.source_dir / name
        path.write_text(path.read_text() + "\n")
        assert suite_hash(assignment) != before


class TestSourceOfAnAnswer:
    """A forbidden call cannot hide in a cell beside the answer."""

    CELLS = (
        Cell("setup", "GIVEN = 1", "setup", "source"),
        Cell("shift-solution", "def shift(x): return hidden(x)", "solution", "student"),
        Cell("shift-solution-part-2", "PART = 2", "solution", "student"),
        Cell("double-solution", "def double(x): return 2 * x", "solution", "student"),
        Cell("cell-9", "def hidden(x): return forbidden(x)", "solution", "student"),
        Cell("cell-12-after-4", "again = forbidden", "solution", "student"),
    )

    @pytest.fixture
    def sources(self, grader: Grader) -> Iterator[Callable[..., Callable[[str], str]]]:
        def laid(**fields: Any) -> Callable[[str], str]:
            grader.bench.lay(Submission("pack", "ada", "", "", **fields))
            return grader.bench.student("shift", "test").source

        yield laid
        grader.bench.clear()

    def test_holds_its_parts_and_every_helper_and_nothing_else(self, sources: Callable[..., Any]) -> None:
        source = sources(cells=self.CELLS)
        for text in ("def shift", "PART = 2", "return forbidden(x)", "again = forbidden"):
            assert text in source("shift")
        assert "def double" not in source("shift")
        assert "GIVEN" not in source("shift")
        assert source("double").startswith("def double")
        assert source("unknown") == ""

    def test_of_a_package_is_that_of_its_file(self, sources: Callable[..., Any]) -> None:
        source = sources(files=(PackageFile("pack/words.py", b"def count(text): ...\n", "student"),))
        assert source("pack/words.py") == "def count(text): ...\n"


def test_a_forbidden_call_in_a_helpers_cell_is_seen(tmp_path: Path) -> None:
    suite = '''
from autograder.grading.checks import check
from autograder.grading.marks import question

@question("double")
def test_no_forbidden_call(student):
    """double adds nothing up."""
    check("torch.add" not in student.source("double"), "double calls torch.add")
'''
    assignment = tiny.make_course(tmp_path, test_static=suite)
    notebook = tiny.notebook()
    tiny.answer(notebook, "double-solution", "def double(x):\n    return twice(x)")
    notebook.cells.insert(2, nbformat.v4.new_code_cell("def twice(x):\n    return torch.add(x, x)", id="mine"))
    nbformat.write(notebook, tmp_path / "tiny.ipynb")
    with Grader(assignment, seed=1) as grader:
        report = grader.grade(read_submission(tmp_path / "tiny.ipynb", assignment, "ada"))
    failed = [test.test for test in report.tests if test.outcome is not Outcome.PASSED]
    assert failed == ["test_no_forbidden_call"]
