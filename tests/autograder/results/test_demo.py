"""The sample class shows what each kind of submission costs: itself, and nothing else."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder._exceptions import CourseError
from autograder.classwork import ClassResult, grade_class
from autograder.course import Course
from autograder.demo import BROKEN, MARKER, MISCONCEIVED, make_class, run_demo
from autograder.grading.report import Outcome, Report

ROOT = Path(__file__).parents[3]

# Where a student of the class loses points, and how the checks there end.
LOSES = {
    "cy-one-missing": ("alignment", Outcome.NOT_ATTEMPTED),
    **{student: (question, Outcome.FAILED) for student, (question, _) in MISCONCEIVED.items()},
    "gus-syntax-error": ("score_table", Outcome.STUDENT_ERROR),
    "hal-endless-loop": ("first_wrong_position", Outcome.TIMED_OUT),
    "ivy-exits": ("boxes_in_window", Outcome.CRASHED),
    "jo-20-gigabytes": ("receptive_field_by_hand", Outcome.OUT_OF_MEMORY),
    "kit-reads-tests": ("feature_geometry", Outcome.STUDENT_ERROR),
}


@pytest.fixture(scope="module")
def course() -> Course:
    return Course.load(ROOT / "course.toml")


@pytest.fixture(scope="module")
def graded(course: Course, tmp_path_factory: pytest.TempPathFactory) -> ClassResult:
    return run_demo(course, tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def reports(graded: ClassResult) -> dict[str, Report]:
    return {report.student: report for report in graded.reports}


def test_the_class_is_of_twelve_and_none_stops_the_others(graded: ClassResult) -> None:
    assert len(graded.reports) == len(graded.ran) == 12
    assert graded.problems == {}
    assert graded.exit_status == 0


@pytest.mark.parametrize("student", ["ada-perfect", "lou-no-metadata"])
def test_a_right_notebook_gets_full_marks_with_its_metadata_or_without(
    student: str, reports: dict[str, Report]
) -> None:
    assert reports[student].points == reports[student].max_points == 70


def test_the_release_as_it_stands_gets_nothing(reports: dict[str, Report]) -> None:
    assert reports["bo-untouched"].points == 0
    assert {test.outcome for test in reports["bo-untouched"].tests} == {Outcome.NOT_ATTEMPTED}


@pytest.mark.parametrize("student", LOSES)
def test_one_wrong_answer_loses_marks_at_its_question_only(student: str, reports: dict[str, Report]) -> None:
    question, outcome = LOSES[student]

    lost = {score.question for score in reports[student].questions if score.points < score.max_points}

    assert lost == {question}
    assert outcome in {test.outcome for test in reports[student].tests if test.question == question}


@pytest.mark.parametrize("student", ["kit-reads-tests", *BROKEN])
def test_what_breaks_gets_nothing_for_its_question(student: str, reports: dict[str, Report]) -> None:
    question, _ = LOSES[student]

    assert next(score.points for score in reports[student].questions if score.question == question) == 0


def test_lost_metadata_is_put_right_and_said(reports: dict[str, Report]) -> None:
    assert reports["lou-no-metadata"].repairs
    assert not reports["ada-perfect"].repairs


def test_nothing_of_the_hidden_tests_reached_the_one_who_tried(
    graded: ClassResult, reports: dict[str, Report], course: Course
) -> None:
    lines = (course.root / "tests/lab08/test_feature_geometry.py").read_text().splitlines()
    secrets = [line.strip() for line in lines if line.strip().startswith("check")]
    page = (graded.folder.feedback("lab08", "kit-reads-tests") / "lab08.html").read_text()
    report = graded.folder.report("lab08", "kit-reads-tests").read_text()

    assert secrets
    assert not [secret for secret in secrets if secret in page or secret in report]


def test_the_gradebook_holds_the_reports_points_as_nbgrader_reads_them(
    graded: ClassResult, reports: dict[str, Report], course: Course
) -> None:
    with Gradebook(graded.gradebook) as gradebook:
        found = {row.student.id: row.score for row in gradebook.assignment_submissions("lab08")}
        most = gradebook.find_assignment("lab08").max_score

    assert found == pytest.approx({student: report.points for student, report in reports.items()})
    assert most == course.assignment("lab08").max_points == 100


def test_nbgrader_exports_the_class(graded: ClassResult, reports: dict[str, Report]) -> None:
    root = graded.folder.root
    environment = os.environ | {"HOME": str(root), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "nbgrader", "export", "--to", "grades.csv"]
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)

    with (root / "grades.csv").open(newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == pytest.approx({student: report.points for student, report in reports.items()})


def test_formgrader_finds_a_whole_notebook_of_every_student(
    graded: ClassResult, reports: dict[str, Report], course: Course
) -> None:
    ids = [question.id for question in course.assignment("lab08").questions()]

    for student in reports:
        notebook = nbformat.read(graded.folder.autograded("lab08", student) / "lab08.ipynb", as_version=4)
        nbformat.validate(notebook)
        graded_cells = [
            cell.metadata.nbgrader for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")
        ]
        assert [meta.grade_id for meta in graded_cells] == ids


def test_manual_answers_wait_for_a_person_except_those_left_as_they_were(graded: ClassResult) -> None:
    with Gradebook(graded.gradebook) as gradebook:
        assert gradebook.find_submission("lab08", "ada-perfect").needs_manual_grade
        assert gradebook.find_submission("lab08", "lou-no-metadata").needs_manual_grade
        assert not gradebook.find_submission("lab08", "bo-untouched").needs_manual_grade


def test_every_student_has_a_page(graded: ClassResult, reports: dict[str, Report]) -> None:
    for student, report in reports.items():
        page = (graded.folder.feedback("lab08", student) / "lab08.html").read_text()
        assert f"Feedback for <strong>{student}</strong>" in page
        assert f'<span class="figure">{f"{report.points:.2f}".rstrip("0").rstrip(".")}</span> of 70 points' in page


def test_grading_the_class_again_runs_nothing(graded: ClassResult, course: Course) -> None:
    again = grade_class(course.assignment("lab08"), graded.folder)

    assert again.ran == frozenset()
    assert again.reports == graded.reports


def test_a_real_courses_records_are_not_touched(graded: ClassResult, course: Course) -> None:
    assert graded.folder.root not in (course.root, *course.root.parents)
    assert str(graded.folder.root) in graded.gradebook


# -- the folder -------------------------------------------------------------------------------------------------------


def test_a_folder_that_holds_something_else_is_refused(course: Course, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")

    with pytest.raises(CourseError, match="not empty, and not made by the demo"):
        run_demo(course, tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_without_release_and_solutions_the_error_says_how_to_make_them(course: Course, tmp_path: Path) -> None:
    shutil.copy(course.root / "course.toml", tmp_path)
    shutil.copytree(course.root / "source", tmp_path / "source")

    with pytest.raises(CourseError, match="autograder release lab08"):
        run_demo(Course.load(tmp_path / "course.toml"), tmp_path / "demo")


def test_misconceptions_are_handed_in_as_a_student_would_write_them(course: Course) -> None:
    notebook = make_class(course.assignment("lab08"))["eli-not-scaled"]

    source = next(cell.source for cell in notebook.cells if cell.id == "attend-solution")
    assert source.startswith("def attend(q, K, V):")
    assert "FAILS" not in source
    assert "test_" not in source


def test_making_the_class_changes_nothing_of_the_course(course: Course, tmp_path: Path) -> None:
    before = (course.root / "solutions/lab08/lab08.ipynb").read_bytes()

    first, second = (make_class(course.assignment("lab08")) for _ in range(2))

    assert json.dumps(first) == json.dumps(second)
    assert (course.root / "solutions/lab08/lab08.ipynb").read_bytes() == before
    assert not (course.root / MARKER).exists()
