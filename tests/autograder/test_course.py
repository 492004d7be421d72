"""course.toml and the questions of the source notebooks."""

from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest

from autograder._exceptions import CourseError, NotebookError
from autograder.course import Course, Limits

GOOD = """\
[course]
title = "A course"

[assignments.lab01]
title = "First steps"
notebooks = ["one.ipynb", "two.ipynb"]
group_size = 2
due = 2030-05-01T23:59:00+02:00

[assignments.lab01.limits]
# generous
memory_mb = 512
call_seconds = 2
"""


def course_file(folder: Path, text: str = GOOD) -> Path:
    path = folder / "course.toml"
    path.write_text(dedent(text))
    return path


def grade_cell(grade_id: str, points: object, *, solution: bool = False, kind: str = "code") -> nbformat.NotebookNode:
    cell = nbformat.v4.new_code_cell("pass") if kind == "code" else nbformat.v4.new_markdown_cell("because")
    cell.metadata["nbgrader"] = {
        "grade": True, "solution": solution, "locked": not solution, "grade_id": grade_id, "points": points,
        "schema_version": 3,
    }  # fmt: skip
    return cell


def write_notebook(path: Path, *cells: nbformat.NotebookNode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells)), path)


class TestReading:
    def test_every_key_arrives_where_it_belongs(self, tmp_path: Path) -> None:
        course = Course.load(course_file(tmp_path))
        assignment = course.assignment("lab01")

        assert (course.title, course.root) == ("A course", tmp_path)
        assert (assignment.name, assignment.title, assignment.group_size) == ("lab01", "First steps", 2)
        assert assignment.notebooks == ("one.ipynb", "two.ipynb")
        assert assignment.due is not None
        assert assignment.due.astimezone(UTC) == datetime(2030, 5, 1, 21, 59, tzinfo=UTC)
        assert assignment.limits == Limits(memory_mb=512, call_seconds=2.0)
        assert assignment.source_dir == tmp_path / "source" / "lab01"
        assert assignment.release_dir == tmp_path / "release" / "lab01"
        assert assignment.solutions_dir == tmp_path / "solutions" / "lab01"
        assert assignment.tests_dir == tmp_path / "tests" / "lab01"

    def test_what_need_not_be_given_has_a_default(self, tmp_path: Path) -> None:
        text = '[course]\ntitle = "c"\n[assignments.a]\ntitle = "t"\nnotebooks = ["a.ipynb"]\n'
        assignment = Course.load(course_file(tmp_path, text)).assignment("a")

        assert (assignment.group_size, assignment.due, assignment.limits) == (1, None, Limits())
        assert assignment.package is None

    def test_limits_of_the_course_hold_where_an_assignment_has_none_of_its_own(self, tmp_path: Path) -> None:
        limits = "[course.limits]\nmemory_mb = 256\nprocesses = 16\n\n[assignments."
        course = Course.load(course_file(tmp_path, GOOD.replace("[assignments.", limits, 1)))
        assert course.assignment("lab01").limits == Limits(memory_mb=512, call_seconds=2.0, processes=16)

    def test_a_question_may_have_times_of_its_own(self, tmp_path: Path) -> None:
        text = GOOD + "\n[assignments.lab01.questions.attend]\ncall_seconds = 40\n"
        assignment = Course.load(course_file(tmp_path, text)).assignment("lab01")
        assert assignment.seconds("attend") == (40.0, Limits().test_seconds)
        assert assignment.seconds("another") == (2.0, Limits().test_seconds)
        assert hash(assignment) == hash(Course.load(tmp_path / "course.toml").assignment("lab01"))  # a key of caches

    def test_a_package_is_named(self, tmp_path: Path) -> None:
        text = GOOD.replace("group_size = 2", 'group_size = 2\npackage = "hw3"')
        assert Course.load(course_file(tmp_path, text)).assignment("lab01").package == "hw3"

    def test_the_course_is_found_from_a_folder_inside_it(self, tmp_path: Path) -> None:
        course_file(tmp_path)
        inside = tmp_path / "source" / "lab01"
        inside.mkdir(parents=True)

        assert Course.find(inside).root == tmp_path

    def test_outside_any_course_the_error_says_where_it_looked(self, tmp_path: Path) -> None:
        with pytest.raises(CourseError, match=r"no course\.toml in .* or above"):
            Course.find(tmp_path)

    def test_an_unknown_assignment_is_answered_with_the_known_ones(self, tmp_path: Path) -> None:
        with pytest.raises(CourseError, match=r"no assignment 'lab02' .* there are: lab01"):
            Course.load(course_file(tmp_path)).assignment("lab02")


class TestFaults:
    @pytest.mark.parametrize(
        ("found", "wrong", "line", "key"),
        [
            pytest.param(
                'title = "A course"', 'title = "A course"\nroom = 3', 3, "course.room", id="unknown course key"
            ),
            pytest.param("group_size = 2", "group_sise = 2", 7, "assignments.lab01.group_sise", id="unknown key"),
            pytest.param("group_size = 2", 'group_size = "2"', 7, "assignments.lab01.group_size", id="wrong type"),
            pytest.param("group_size = 2", "group_size = 0", 7, "assignments.lab01.group_size", id="out of range"),
            pytest.param("memory_mb = 512", "memory = 512", 12, "assignments.lab01.limits.memory", id="unknown limit"),
            pytest.param(
                "memory_mb = 512", "memory_mb = 1.5", 12, "assignments.lab01.limits.memory_mb", id="limit type"
            ),
            pytest.param(
                "call_seconds = 2", "call_seconds = 0", 13, "assignments.lab01.limits.call_seconds", id="no time"
            ),
            pytest.param("+02:00", "", 8, "assignments.lab01.due", id="due without a time zone"),
            pytest.param(
                '"two.ipynb"', '\n"../two.ipynb"', 6, "assignments.lab01.notebooks", id="path out of the folder"
            ),
            pytest.param('"one.ipynb", "two.ipynb"', "", 6, "assignments.lab01.notebooks", id="no notebook"),
            pytest.param(
                "group_size = 2", 'package = "a/b"', 7, "assignments.lab01.package", id="package that is no name"
            ),
            pytest.param('title = "First steps"\n', "", 4, "assignments.lab01", id="missing key"),
            pytest.param("[course]", "answer = 42\n[course]", 1, "answer", id="unknown table"),
            pytest.param("assignments.lab01", 'assignments."lab 01"', 4, "assignments.lab 01", id="name with a space"),
        ],
    )
    def test_the_error_names_file_line_and_key(
        self, tmp_path: Path, found: str, wrong: str, line: int, key: str
    ) -> None:
        path = course_file(tmp_path, GOOD.replace(found, wrong))

        with pytest.raises(CourseError) as caught:
            Course.load(path)
        assert str(caught.value).startswith(f"{path}, line {line}: {key}: ")

    def test_a_key_in_an_inline_table_is_at_the_line_where_its_statement_begins(self, tmp_path: Path) -> None:
        text = GOOD.split("[assignments.lab01.limits]", maxsplit=1)[0] + "limits = { processes = 16, ram = 3 }\n"

        with pytest.raises(CourseError, match=r"line 10: assignments\.lab01\.limits\.ram"):
            Course.load(course_file(tmp_path, text))

    def test_a_line_that_only_looks_like_the_key_does_not_mislead(self, tmp_path: Path) -> None:
        text = GOOD.replace('"A course"', '"""\n[assignments.lab01]\ngroup_size = 0\n"""').replace(
            "size = 2", "size = -2"
        )

        with pytest.raises(CourseError, match=r"line 10: assignments\.lab01\.group_size"):
            Course.load(course_file(tmp_path, text))

    def test_what_is_not_toml_is_said_with_its_line(self, tmp_path: Path) -> None:
        with pytest.raises(CourseError, match=r"not TOML: .*line 4"):
            Course.load(course_file(tmp_path, GOOD.replace("[assignments.lab01]", "[assignments.lab01")))

    def test_a_file_that_is_not_utf8_is_said(self, tmp_path: Path) -> None:
        path = tmp_path / "course.toml"
        path.write_bytes(b'[course]\ntitle = "caf\xe9"\n')

        with pytest.raises(CourseError, match="not TOML"):
            Course.load(path)

    def test_a_missing_file_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(CourseError, match="cannot be read"):
            Course.load(tmp_path / "course.toml")


class TestQuestions:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        course_file(tmp_path)
        source = tmp_path / "source" / "lab01"
        title = nbformat.v4.new_markdown_cell("# Lab\n\n## 1. Adding\ntext")
        write_notebook(source / "one.ipynb", title, grade_cell("add", 3))
        write_notebook(source / "two.ipynb", grade_cell("why", 1.5, solution=True, kind="markdown"))
        return tmp_path

    def test_grade_cells_are_the_questions_in_order(self, root: Path) -> None:
        add, why = Course.find(root).assignment("lab01").questions()

        assert (add.id, add.points, add.kind, add.notebook) == ("add", 3.0, "auto", "one.ipynb")
        assert (add.cell_index, add.title) == (1, "1. Adding")
        assert (why.id, why.points, why.kind, why.notebook) == ("why", 1.5, "manual", "two.ipynb")

    def test_a_question_whose_answer_stands_elsewhere_is_marked_by_hand(self, root: Path) -> None:
        task = grade_cell("why-not", 2, kind="markdown")
        task.metadata.nbgrader.update(grade=False, task=True)
        write_notebook(root / "source" / "lab01" / "two.ipynb", task)
        assignment = Course.find(root).assignment("lab01")

        question = assignment.questions()[-1]
        assert (question.id, question.points, question.kind) == ("why-not", 2.0, "manual")
        assert (assignment.auto_points, assignment.max_points) == (3.0, 5.0)

    def test_points_are_summed_by_who_gives_them(self, root: Path) -> None:
        assignment = Course.find(root).assignment("lab01")

        assert (assignment.auto_points, assignment.max_points) == (3.0, 4.5)

    def test_a_changed_notebook_is_read_again(self, root: Path) -> None:
        assignment = Course.find(root).assignment("lab01")
        assignment.questions()
        write_notebook(assignment.source_dir / "one.ipynb", grade_cell("add", 10), grade_cell("subtract", 2))

        assert [question.id for question in assignment.questions()] == ["add", "subtract", "why"]

    def test_one_id_in_two_notebooks_is_an_error(self, root: Path) -> None:
        assignment = Course.find(root).assignment("lab01")
        write_notebook(assignment.source_dir / "two.ipynb", grade_cell("add", 1))

        with pytest.raises(CourseError, match=r"two\.ipynb, cell 1: grade_id 'add' is used twice"):
            assignment.questions()

    @pytest.mark.parametrize("points", ["three", -1, True, None, float("nan"), float("inf")])
    def test_points_that_are_no_number_are_an_error(self, root: Path, points: object) -> None:
        assignment = Course.find(root).assignment("lab01")
        write_notebook(assignment.source_dir / "two.ipynb", grade_cell("why", points))

        with pytest.raises(CourseError, match=r"two\.ipynb, cell 1: question 'why' has points"):
            assignment.questions()

    def test_a_missing_notebook_is_an_error(self, root: Path) -> None:
        assignment = Course.find(root).assignment("lab01")
        (assignment.source_dir / "two.ipynb").unlink()

        with pytest.raises(CourseError, match=r"two\.ipynb: no such notebook, but course\.toml names it"):
            assignment.questions()

    def test_an_unreadable_notebook_is_an_error(self, root: Path) -> None:
        assignment = Course.find(root).assignment("lab01")
        (assignment.source_dir / "two.ipynb").write_text("{")

        with pytest.raises(NotebookError, match=r"two\.ipynb is not JSON"):
            assignment.questions()


def test_the_course_that_ships_is_valid() -> None:
    lab08 = Course.find(Path(__file__)).assignment("lab08")

    assert (lab08.notebooks, lab08.group_size) == (("lab08.ipynb",), 3)
    assert (lab08.auto_points, lab08.max_points) == (70.0, 100.0)


def test_fewer_processes_than_a_grading_needs_are_the_instructors_mistake(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"line 14: assignments\.lab01\.limits\.processes: Expected `int` >= 8"):
        Course.load(course_file(tmp_path, f"{GOOD}processes = 1\n"))
