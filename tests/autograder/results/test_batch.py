"""A class is graded whatever any one of its submissions is, does, or breaks; and what is graded stays graded."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder._exceptions import CourseError, SandboxUnavailable, SubmissionError
from autograder.class_folder import ClassFolder
from autograder.classwork import ClassResult, grade_class, grade_one
from autograder.course import Assignment, Course
from autograder.grading.arrivals import arrivals
from autograder.grading.report import Outcome, Report, read_report
from autograder.submission import Submission


class FixedJob:
    """Stands in for the sandbox: says what it was told to say of each student, and counts."""

    def __init__(self, make: Callable[..., Report], test: Callable[..., Any]) -> None:
        self.make, self.test = make, test
        self.says: dict[str, Any] = {}
        self.graded: list[str] = []
        self.started = self.ended = 0

    @contextlib.contextmanager
    def new(self) -> Iterator["FixedJob"]:
        self.started += 1
        try:
            yield self
        finally:
            self.ended += 1

    def grade(self, submission: Submission) -> Report:
        from autograder.grading.run import versions

        self.graded.append(submission.student)
        says = self.says.get(submission.student, ())
        if isinstance(says, BaseException):
            raise says
        fault = submission.fault
        found: dict[str, Any] = {
            "submission_sha256": submission.sha256,
            "graded_at": datetime.now(UTC),
            "versions": versions(self.assignment),
            "fault": fault.name if fault else "",
            "fault_message": fault.message if fault else "",
        }
        tests = says or ((self.test("twice"), self.test("half")) if not fault else (self.test("none"),))
        return self.make(submission.student, *tests, **found)

    assignment: Assignment


@pytest.fixture
def job(assignment: Assignment, a_report: Callable[..., Report], a_test: Callable[..., Any]) -> FixedJob:
    (assignment.tests_dir).mkdir(parents=True)
    found = FixedJob(a_report, a_test)
    found.assignment = assignment
    return found


@pytest.fixture
def folder(course: Course) -> ClassFolder:
    return ClassFolder(course.root)


@pytest.fixture
def grade(assignment: Assignment, folder: ClassFolder, job: FixedJob) -> Callable[..., ClassResult]:
    def grade(**options: Any) -> ClassResult:
        return grade_class(assignment, folder, new_job=job.new, **options)

    return grade


def score(folder: ClassFolder, student: str) -> float:
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        return float(gradebook.find_submission("tiny", student).score)


# -- finding ----------------------------------------------------------------------------------------------------------


def test_students_without_a_folder_for_the_assignment_handed_nothing_in(
    submit: Callable[..., Path], folder: ClassFolder
) -> None:
    submit("ada")
    (folder.submitted / "bob" / "other").mkdir(parents=True)

    assert [arrival.student for arrival in arrivals(folder.submitted, "tiny")] == ["ada"]


def test_odd_things_in_the_folder_are_named_and_not_passed_over(
    submit: Callable[..., Path], folder: ClassFolder, tmp_path: Path
) -> None:
    submit("ada")
    (folder.submitted / "loose.ipynb").write_text("{}")
    (folder.submitted / "bob").mkdir()
    (folder.submitted / "bob" / "tiny.ipynb").write_text("{}")
    (folder.submitted / "link").symlink_to(tmp_path)
    (folder.submitted / ".DS_Store").write_text("")
    (folder.submitted / "__MACOSX").mkdir()

    found = {arrival.student: arrival for arrival in arrivals(folder.submitted, "tiny")}

    assert {name: arrival.fault for name, arrival in found.items()} == {
        "ada": "", "loose.ipynb": "misplaced", "bob": "misplaced", "link": "symlink",
    }  # fmt: skip
    assert not found["loose.ipynb"].known
    assert "submitted/<student>/tiny/" in found["bob"].message


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\nb", "\u202egnorw", "x" * 200, " blank ", os.fsdecode(b"caf\xe9")])
def test_a_folder_whose_name_cannot_be_an_id_gets_a_report_under_a_name_that_can(
    name: str, folder: ClassFolder, grade: Callable[..., ClassResult]
) -> None:
    (folder.submitted / name / "tiny").mkdir(parents=True)

    result = grade()

    (report,) = result.reports
    assert report.fault == "bad-name"
    assert report.student.isascii()
    assert report.student.isprintable()
    assert read_report(folder.report("tiny", report.student)) == report
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        assert gradebook.students == []


@pytest.mark.parametrize("name", ["žluťoučký kůň", "O'Brien-Smith", "李小龍", "a.b@c.org", "0123456"])
def test_names_of_people_are_ids(name: str, submit: Callable[..., Path], grade: Callable[..., ClassResult]) -> None:
    submit(name)

    assert [(report.student, report.fault) for report in grade().reports] == [(name, "")]


def test_without_a_folder_of_submissions_the_error_says_where_they_belong(
    grade: Callable[..., ClassResult],
) -> None:
    with pytest.raises(SubmissionError, match=r"submitted: No such file.*submitted/<student>/tiny/"):
        grade()


# -- grading ----------------------------------------------------------------------------------------------------------


def test_each_submission_gets_report_gradebook_row_notebook_and_page(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    submit("ada")
    submit("bob")

    result = grade()

    assert result.exit_status == 0
    for student in ("ada", "bob"):
        assert read_report(folder.report("tiny", student)).points == 6
        assert score(folder, student) == 6
        assert (folder.root / "autograded" / student / "tiny" / "tiny.ipynb").is_file()
        assert student in (folder.root / "feedback" / student / "tiny" / "tiny.html").read_text()


def test_a_class_folder_may_be_named_from_where_one_stands(
    submit: Callable[..., Path],
    assignment: Assignment,
    folder: ClassFolder,
    job: FixedJob,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submit("ada")
    monkeypatch.chdir(folder.root.parent)

    result = grade_class(assignment, ClassFolder(Path(folder.root.name)), new_job=job.new)

    assert result.problems == {}
    assert score(folder, "ada") == 6
    assert (folder.root / "autograded" / "ada" / "tiny" / "tiny.ipynb").is_file()


OTHER = """{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
    {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "x = 1"}]}"""
FAULTS = {
    "empty": (b"", "empty"),
    "not-json": (b"{", "unreadable"),
    "not-utf8": (b"\xff\xfe{}", "not-utf8"),
    "old-format": (b'{"worksheets": [], "nbformat": 3, "metadata": {}}', "old-format"),
    "other-assignment": (OTHER.encode(), "other-assignment"),
    "too-large": (b" " * (33 * 1024 * 1024), "too-large"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_bad_input_is_a_named_outcome_and_the_batch_goes_on(
    what: str, submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    data, fault = FAULTS[what]
    submit("bad", data)
    submit("zoe")

    result = grade()

    assert [(report.student, report.fault) for report in result.reports] == [("bad", fault), ("zoe", "")]
    assert result.exit_status == 1
    assert score(folder, "bad") == 0
    assert score(folder, "zoe") == 6
    assert not (folder.autograded("tiny", "bad") / "tiny.ipynb").exists()
    assert 'class="note bad"' in (folder.feedback("tiny", "bad") / "tiny.html").read_text()


def test_no_notebook_two_notebooks_a_folder_and_a_link_are_named_too(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    path = submit("two", twice_solution="def twice(x):\n    return 3")
    (path.parent / "other.ipynb").write_bytes(submit("x", twice_solution="def twice(x):\n    return 4").read_bytes())
    (folder.submitted / "none" / "tiny").mkdir(parents=True)
    (folder.submitted / "dir" / "tiny" / "tiny.ipynb").mkdir(parents=True)
    (folder.submitted / "link" / "tiny").mkdir(parents=True)
    (folder.submitted / "link" / "tiny" / "tiny.ipynb").symlink_to(path)

    faults = {report.student: report.fault for report in grade().reports}

    assert faults == {"two": "two-notebooks", "none": "no-notebook", "dir": "directory", "link": "symlink", "x": ""}


def test_a_bug_of_ours_is_that_submissions_outcome_and_the_next_gets_a_fresh_sandbox(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder, job: FixedJob
) -> None:
    for student in ("ada", "bob", "cy"):
        submit(student)
    job.says["bob"] = ZeroDivisionError("our own")

    result = grade()

    assert [report.fault for report in result.reports] == ["", "not-checked", ""]
    assert result.exit_status == 1
    assert job.started == job.ended == 2
    assert "ZeroDivisionError: our own" in (folder.results("tiny") / "bob.traceback.txt").read_text()
    assert "ZeroDivisionError" not in (folder.feedback("tiny", "bob") / "tiny.html").read_text()


def test_what_could_not_be_checked_is_no_zero_and_is_tried_again(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder, job: FixedJob
) -> None:
    submit("ada")
    job.says["ada"] = RuntimeError()
    grade()
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        grade_row = gradebook.find_grade("twice", "tiny", "tiny", "ada")
        assert grade_row.auto_score is None
        assert grade_row.needs_manual_grade

    del job.says["ada"]
    result = grade()

    assert result.exit_status == 0
    assert score(folder, "ada") == 6
    assert not (folder.results("tiny") / "ada.traceback.txt").exists()


def test_a_single_check_that_could_not_be_made_puts_its_question_up_for_review(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder, job: FixedJob, a_test: Any
) -> None:
    submit("ada")
    job.says["ada"] = (a_test("twice"), a_test("twice", Outcome.NOT_CHECKED, detail="secret"), a_test("half"))

    result = grade()

    assert result.exit_status == 1
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        rows = gradebook.find_submission_notebook("tiny", "tiny", "ada").grades
        needing = {row.name for row in rows if row.needs_manual_grade}
    assert "twice" in needing
    assert "half" not in needing
    assert "secret" not in (folder.feedback("tiny", "ada") / "tiny.html").read_text()


def test_where_no_sandbox_can_be_started_the_whole_run_stops(
    submit: Callable[..., Path], assignment: Assignment, folder: ClassFolder
) -> None:
    submit("ada")
    (assignment.tests_dir).mkdir(parents=True)

    @contextlib.contextmanager
    def none() -> Iterator[FixedJob]:
        raise SandboxUnavailable("no walls here")
        yield

    with pytest.raises(SandboxUnavailable):
        grade_class(assignment, folder, new_job=none)
    assert not folder.report("tiny", "ada").exists()


def test_a_broken_source_is_the_instructors_error_and_nobodys_outcome(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], assignment: Assignment
) -> None:
    submit("ada")
    (assignment.source_dir / "tiny.ipynb").unlink()

    with pytest.raises(Exception, match=r"tiny\.ipynb") as error:
        grade()
    assert type(error.value).__name__ in {"NotebookError", CourseError.__name__}


# -- again ------------------------------------------------------------------------------------------------------------


def test_grading_again_with_nothing_changed_runs_nothing_and_starts_nothing(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder
) -> None:
    submit("ada")
    submit("bad", b"")
    grade()
    before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file() and path.suffix != ".db"}
    job.graded.clear()
    job.started = 0

    result = grade()

    assert (job.graded, job.started) in (([], 0), (["bad"], 1))  # an empty file has nothing to recognise it by
    assert result.ran <= {"bad"}
    assert [report.points for report in result.reports] == [6, 0]
    after = {path: path.read_bytes() for path in before}
    assert {path.name for path in before if before[path] != after[path]} <= {"bad.json", "tiny.html", ".recorded.json"}


def test_what_changed_is_graded_again_and_nothing_else(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder, a_test: Any
) -> None:
    submit("ada")
    submit("bob")
    grade()
    job.graded.clear()
    submit("bob", twice_solution="def twice(x):\n    while True: pass")
    job.says["bob"] = (a_test("twice", Outcome.TIMED_OUT), a_test("half", Outcome.TIMED_OUT))

    result = grade()

    assert job.graded == ["bob"]
    assert result.ran == {"bob"}
    assert score(folder, "bob") == 0  # the old, better score is gone
    assert "while True" in (folder.autograded("tiny", "bob") / "tiny.ipynb").read_text()


def test_a_broken_resubmission_takes_the_old_notebook_away_and_leaves_manual_marks(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    submit("ada", why="Since it is linear.")
    grade()
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("why", "tiny", "tiny", "ada").manual_score = 2.0
        gradebook.db.commit()
    submit("ada", b"{")

    grade()

    assert score(folder, "ada") == 2
    assert not (folder.autograded("tiny", "ada") / "tiny.ipynb").exists()


@pytest.mark.parametrize("what", ["suite", "limits", "source"])
def test_a_changed_suite_limit_or_source_grades_everything_again(
    what: str, submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, course: Course
) -> None:
    submit("ada")
    grade()
    job.graded.clear()
    if what == "suite":
        (course.root / "tests/tiny/test_new.py").write_text("")
    elif what == "source":
        path = course.root / "source/tiny/tiny.ipynb"
        path.write_text(path.read_text().replace("# Doubling", "# Doubling numbers"))
    else:
        path = course.root / "course.toml"
        path.write_text(path.read_text() + "limits = { call_seconds = 1.0 }\n")
    job.assignment = Course.load(course.root / "course.toml").assignment("tiny")

    grade_class(job.assignment, ClassFolder(course.root), new_job=job.new)

    assert job.graded == ["ada"]


@pytest.mark.parametrize("options", [{"regrade": True}, {"seed": 5}])
def test_regrading_and_a_given_seed_run_everything_again(
    options: dict[str, Any], submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob
) -> None:
    submit("ada")
    grade()

    grade(**options)

    assert job.graded == ["ada", "ada"]


@pytest.mark.parametrize("damage", ["{", "[]", '{"schema_version": 99}', "\udcff"])
def test_a_damaged_report_is_no_report(
    damage: str, submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder
) -> None:
    submit("ada")
    grade()
    folder.report("tiny", "ada").write_bytes(damage.encode(errors="surrogateescape"))

    grade()

    assert job.graded == ["ada", "ada"]


def test_a_run_that_was_interrupted_goes_on_where_it_stopped(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder
) -> None:
    for student in ("ada", "bob", "cy"):
        submit(student)
    job.says["bob"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        grade()
    assert job.ended == job.started
    del job.says["bob"]

    result = grade()

    assert job.graded == ["ada", "bob", "bob", "cy"]
    assert result.ran == {"bob", "cy"}
    assert [score(folder, student) for student in ("ada", "bob", "cy")] == [6, 6, 6]


def test_an_interrupted_run_still_puts_old_manual_marks_up_for_review(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder
) -> None:
    submit("ada", why="first answer")
    grade()
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        row = gradebook.find_grade("why", "tiny", "tiny", "ada")
        row.manual_score, row.needs_manual_grade = 3.0, False
        gradebook.db.commit()
    submit("ada", why="second answer")
    submit("bob")
    job.says["bob"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        grade()
    del job.says["bob"]

    grade()

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        assert gradebook.find_grade("why", "tiny", "tiny", "ada").needs_manual_grade


def test_what_was_deleted_of_the_records_is_made_again_without_running_anything(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], job: FixedJob, folder: ClassFolder
) -> None:
    submit("ada")
    grade()
    page, notebook = folder.feedback("tiny", "ada") / "tiny.html", folder.autograded("tiny", "ada") / "tiny.ipynb"
    for path in (page, notebook, folder.root / "gradebook.db"):
        path.unlink()

    grade()

    assert job.graded == ["ada"]
    assert page.is_file()
    assert notebook.is_file()
    assert score(folder, "ada") == 6


# -- what it is recorded as -------------------------------------------------------------------------------------------


def test_an_answer_left_as_released_is_0_and_one_that_was_written_waits_for_a_person(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    submit("ada", why="YOUR ANSWER HERE", plot="plot()")

    grade()

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        rows = {row.name: row for row in gradebook.find_submission_notebook("tiny", "tiny", "ada").grades}
    assert (rows["why"].auto_score, rows["why"].needs_manual_grade) == (0, False)
    assert (rows["plot"].auto_score, rows["plot"].needs_manual_grade) == (None, True)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2031-05-01 08:00:00.123456 UTC", "2031-05-01 08:00:00.123456"),
        ("2031-05-01T10:00:00+02:00", "2031-05-01 08:00:00"),
        ("yesterday", None),
        ("9" * 5000, None),
        ("", None),
    ],
)
def test_the_time_of_submission_is_what_nbgraders_exchange_wrote(
    written: str, kept: str | None, submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    (submit("ada").parent / "timestamp.txt").write_text(written)

    grade()

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        found = gradebook.find_submission("tiny", "ada").timestamp
    assert (None if found is None else str(found)) == kept


def test_reports_are_plain_json_of_a_stated_schema(
    submit: Callable[..., Path], grade: Callable[..., ClassResult], folder: ClassFolder
) -> None:
    submit("ada")

    grade()

    content = json.loads(folder.report("tiny", "ada").read_text())
    assert content["schema_version"] == 1
    assert content["questions"][0] == {"question": "twice", "points": 4.0, "max_points": 4.0}


def test_progress_is_told_after_each_submission(submit: Callable[..., Path], grade: Callable[..., ClassResult]) -> None:
    told: list[tuple[str, int, int]] = []
    submit("ada")
    submit("bad", b"")

    grade(progress=lambda *step: told.append(step))

    assert told == [("ada", 1, 2), ("bad", 2, 2)]


def test_one_submission_by_path_is_graded_and_nothing_is_written(
    submit: Callable[..., Path], assignment: Assignment, job: FixedJob, folder: ClassFolder
) -> None:
    path = submit("ada")

    report = grade_one(assignment, path, new_job=job.new)

    assert (report.student, report.points) == ("ada", 6)
    assert not (folder.root / "results").exists()
    assert not (folder.root / "gradebook.db").exists()
