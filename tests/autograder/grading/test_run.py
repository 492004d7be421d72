"""One grading job over the tiny course: every submission gets the report it deserves."""

from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest

from autograder._exceptions import CourseError
from autograder.course import Assignment
from autograder.grading.report import Outcome, Report, TestResult, read_report, score_questions, write_report
from autograder.grading.run import Grader, suite_hash
from autograder.submission import read_submission
from tests.autograder import tiny

Grade = Callable[..., Report]


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    broken = '''
import os
from autograder.grading.marks import question, weight

pytestmark = question("shift")

@weight(1)
def test_our_own_mistake(student):
    """Nothing is divided by zero."""
    if os.environ.get("BREAK_OUR_TEST") or student.shift(1) == 1234:
        1 / 0
'''
    return tiny.make_course(tmp_path_factory.mktemp("course"), test_own=broken)


@pytest.fixture(scope="module")
def grader(assignment: Assignment) -> Iterator[Grader]:
    with Grader(assignment, seed=7) as grader:
        yield grader


@pytest.fixture
def grade(grader: Grader, assignment: Assignment, tmp_path: Path) -> Grade:
    """``grade(double="def double...")`` grades the source with that answer in place of its own."""

    def graded(**answers: str) -> Report:
        notebook = tiny.notebook()
        for name, text in answers.items():
            tiny.answer(notebook, f"{name}-solution", text)
        nbformat.write(notebook, tmp_path / "tiny.ipynb")
        return grader.grade(read_submission(tmp_path / "tiny.ipynb", assignment, "ada"))

    return graded


def outcomes(report: Report) -> dict[str, Outcome]:
    return {test.test: test.outcome for test in report.tests}


def points(report: Report) -> dict[str, float]:
    return {question.question: question.points for question in report.questions}


def test_the_solution_scores_full_marks(grade: Grade) -> None:
    report = grade()
    assert (report.points, report.max_points, report.fault, report.student) == (7, 7, "", "ada")
    assert set(outcomes(report).values()) == {Outcome.PASSED}
    assert report.posture["sandbox"].startswith("sandlock")


def test_points_are_shared_by_weight(grade: Grade) -> None:
    report = grade(double="def double(x):\n    return 3 * x")
    assert points(report) == {"double": 4 * 1 / 4, "shift": 3}  # the values weigh 3, the batch of one 1
    [failed] = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    assert failed.check == "Every element is doubled"
    assert failed.message.startswith("double(x): 12 of 12 values are off, by ")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("def double(x):\n    return x.nothing", Outcome.STUDENT_ERROR),
        ("def double(x):\n    return None", Outcome.FAILED),
        ("def double(x):\n    return double", Outcome.FAILED),
        ("def double(x):\n    import os\n    os._exit(0)", Outcome.CRASHED),
        ("def double(x):\n    import sys\n    sys.exit(0)", Outcome.STUDENT_ERROR),
        ("def double(x):\n    while True: pass", Outcome.TIMED_OUT),
        ("def double(x):\n    return torch.ones(20 * 2**28)", Outcome.OUT_OF_MEMORY),
        ("def double(x):\n    raise NotImplementedError()", Outcome.NOT_ATTEMPTED),
        ("def double(x) return 2", Outcome.STUDENT_ERROR),
        ("", Outcome.NOT_ATTEMPTED),
    ],
    ids=["exception", "None", "function", "os._exit", "sys.exit", "loop", "memory", "stub", "syntax error", "empty"],
)
def test_one_wrong_answer_costs_its_own_question_only(grade: Grade, answer: str, outcome: Outcome) -> None:
    report = grade(double=answer)
    assert points(report) == {"double": 0, "shift": 3}
    assert {test.outcome for test in report.tests if test.question == "double"} == {outcome}
    assert grade().points == 7  # and the next submission nothing


def test_an_answer_that_is_no_python_is_told_so(grade: Grade) -> None:
    [message, *others] = {test.message for test in grade(double="def double(x) return 2").tests if test.message}
    assert message.startswith("SyntaxError: ")
    assert "double-solution, line 1" in message
    assert not others


def test_warnings_and_progress_on_stderr_cost_nothing(grade: Grade) -> None:
    noisy = """
        import sys, warnings
        def double(x):
            warnings.warn('w')
            print('50%', file=sys.stderr)
            return 2 * x
    """
    assert grade(double=noisy).points == 7


def test_replacing_the_graders_functions_earns_nothing(grade: Grade) -> None:
    forged = """
        class Yes(torch.Tensor):
            def __eq__(self, other):
                return True

        torch.allclose = torch.equal = lambda *a, **k: True
        torch.Tensor.sub = torch.Tensor.__sub__ = lambda *a: torch.zeros(1)

        def double(x):
            return x.as_subclass(Yes)
        """
    assert points(grade(double=forged))["double"] == 1  # the shape is right


def test_a_test_that_breaks_on_the_solution_too_is_our_fault(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAK_OUR_TEST", "1")
    [broken] = [test for test in grade().tests if test.outcome is not Outcome.PASSED]
    assert (broken.test, broken.outcome) == ("test_our_own_mistake", Outcome.NOT_CHECKED)
    assert "division" not in broken.message  # what a test says for itself could quote a reference value
    assert "division" in broken.detail


def test_a_test_that_breaks_on_what_came_back_is_the_answers_failure(grade: Grade) -> None:
    report = grade(shift="def shift(x, by=1):\n    return 1234 if isinstance(x, int) else x + by")
    [broken] = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    assert (broken.test, broken.outcome) == ("test_our_own_mistake", Outcome.FAILED)
    assert broken.message == (
        "the check could not go on with what came back, an int: see that it is of the type and shape that the task "
        "asks for"
    )
    assert "division" in broken.detail


def test_a_hidden_value_is_never_in_a_message(grade: Grade) -> None:
    report = grade(double="def double(x):\n    return 0 * x", shift="def shift(x, by=1):\n    return x")
    assert not any("tensor(" in test.message for test in report.tests)


def test_the_same_seed_gives_the_same_messages_and_another_seed_other_inputs(grade: Grade, grader: Grader) -> None:
    wrong = "def double(x):\n    return x"
    first, again = grade(double=wrong), grade(double=wrong)
    grader.seed = 8
    other = grade(double=wrong)
    grader.seed = 7
    assert [test.message for test in first.tests] == [test.message for test in again.tests]
    assert first.tests[0].message != other.tests[0].message


def test_without_a_seed_each_submission_gets_one_of_its_own(grade: Grade, grader: Grader) -> None:
    grader.seed = None
    seeds = {grade().seed, grade().seed}
    grader.seed = 7
    assert len(seeds) == 2


def test_a_submission_that_cannot_be_read_gets_a_report_with_no_points(
    grader: Grader, assignment: Assignment, tmp_path: Path
) -> None:
    (tmp_path / "tiny.ipynb").write_text("{ not json")
    report = grader.grade(read_submission(tmp_path / "tiny.ipynb", assignment, "ada"))
    assert (report.points, report.max_points, report.fault, report.tests) == (0, 7, "unreadable", ())


def test_a_released_stub_scores_nothing_even_where_a_test_would_pass_without_it(
    grader: Grader, assignment: Assignment, tmp_path: Path
) -> None:
    notebook = tiny.notebook()
    stub = "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    nbformat.write(tiny.answer(notebook, "double-solution", stub), tmp_path / "tiny.ipynb")
    report = grader.grade(read_submission(tmp_path / "tiny.ipynb", assignment, "ada"))
    assert points(report)["double"] == 0


def test_the_report_survives_the_disk(grade: Grade, tmp_path: Path) -> None:
    report = grade(double="def double(x):\n    return x")
    write_report(report, tmp_path / "results" / "ada.json")
    assert read_report(tmp_path / "results" / "ada.json") == report


def test_a_test_of_an_unknown_question_is_refused(tmp_path: Path) -> None:
    suite = tiny.SUITE_DOUBLE.replace('question("double")', 'question("duoble")')
    assignment = tiny.make_course(tmp_path, test_typo=suite)
    with pytest.raises(CourseError, match="duoble"), Grader(assignment):
        pass


def test_a_question_without_tests_is_refused(tmp_path: Path) -> None:
    assignment = tiny.make_course(tmp_path, test_shift="")
    with pytest.raises(CourseError, match="no tests for the autograded questions \\['shift'\\]"), Grader(assignment):
        pass


def test_a_suite_that_does_not_import_is_refused_and_named(tmp_path: Path) -> None:
    assignment = tiny.make_course(tmp_path, test_shift="import nothing_of_this_name")
    with pytest.raises(CourseError, match="cannot collect"), Grader(assignment):
        pass


def test_the_suites_hash_changes_with_any_file_of_it(tmp_path: Path) -> None:
    assignment = tiny.make_course(tmp_path)
    before = suite_hash(assignment)
    (assignment.tests_dir / "probes.py").write_text(tiny.PROBES + "\n")
    assert suite_hash(assignment) != before


def result(question: str, outcome: Outcome, weight: float) -> TestResult:
    return TestResult(question, "test", "check", outcome, weight, 0.0)


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (0.5, 0.25)], ids=str)
def test_a_score_is_points_times_passed_weight_over_all_weight(weights: tuple[float, float]) -> None:
    tests = (result("q", Outcome.PASSED, weights[0]), result("q", Outcome.CRASHED, weights[1]))
    [score] = score_questions(tests, {"q": 8.0})
    assert score.points == pytest.approx(8 * weights[0] / sum(weights))


def test_a_score_never_leaves_its_range() -> None:
    [score] = score_questions((result("q", Outcome.PASSED, -5), result("q", Outcome.FAILED, 1)), {"q": 8.0})
    assert 0 <= score.points <= 8
