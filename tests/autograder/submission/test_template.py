"""What the source notebook says about submissions."""

import json
import os
from pathlib import Path

import pytest

from autograder.course import Assignment, Course
from autograder.notebooks import read_notebook, write_notebook
from autograder.release.student import student_notebook
from autograder.submission import read_submission
from autograder.submission.template import template
from tests.autograder.submission.conftest import ROOT
from tests.autograder.submission.little import COURSE, code, make_course, notebook, solved, source

SHARED = """\
def shared():
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION
"""
BRACKETS = """\
LAYERS = [
    ### BEGIN SOLUTION
    1,
    ### END SOLUTION
]
"""
HIDDEN = """\
assert shared() == 1
### BEGIN HIDDEN TESTS
assert LAYERS == [1]
### END HIDDEN TESTS
"""


@pytest.fixture
def free_form(tmp_path: Path) -> Assignment:
    """A course whose question has two solution cells, neither named after it, and one without any definition."""
    (tmp_path / "course.toml").write_text(COURSE)
    folder = tmp_path / "source" / "little"
    folder.mkdir(parents=True)
    cells = [
        code(SHARED, "part-one", solution=True),
        code(BRACKETS, "part-two", solution=True),
        code(HIDDEN, "question", grade=True, locked=True, points=1),
        code("### BEGIN SOLUTION\nprint(1)\n### END SOLUTION\n", "print-solution", solution=True),
        code("pass", "print", grade=True, locked=True, points=1),
    ]
    (folder / "little.ipynb").write_text(json.dumps(notebook(cells)))
    return Course.load(tmp_path / "course.toml").assignment("little")


@pytest.mark.parametrize("name", ["lab08", "little"])
def test_the_released_text_is_what_the_release_writes(name: str, request: pytest.FixtureRequest) -> None:
    assignment: Assignment = request.getfixturevalue(name)
    written = student_notebook(read_notebook(assignment.source_dir / assignment.notebooks[0]), name)
    assert [cell.released for cell in template(assignment).cells] == [cell.source for cell in written.cells]


def test_stubs_and_hidden_tests_are_cut_as_the_release_cuts_them(free_form: Assignment) -> None:
    written = student_notebook(read_notebook(free_form.source_dir / "little.ipynb"), "little")
    assert [cell.released for cell in template(free_form).cells] == [cell.source for cell in written.cells]


def test_a_question_owns_the_solution_cells_since_the_last(free_form: Assignment) -> None:
    slots = {name: [slot.id for slot in found] for name, found in template(free_form).question_slots.items()}
    assert slots == {"question": ["part-one", "part-two"], "print": ["print-solution"]}


def test_a_cell_that_defines_nothing_is_matched_by_its_id(free_form: Assignment, tmp_path: Path) -> None:
    path = tmp_path / "ada" / "little.ipynb"
    path.parent.mkdir()
    answered = solved(json.loads((free_form.source_dir / "little.ipynb").read_text()))
    path.write_text(json.dumps(answered))
    submission = read_submission(path, free_form)
    assert [cell.id for cell in submission.cells] == ["part-one", "part-two", "print-solution"]
    assert (submission.missing, submission.untouched, submission.repairs) == ((), (), ())


def test_a_question_counts_as_missing_when_all_its_cells_are(free_form: Assignment, tmp_path: Path) -> None:
    path = tmp_path / "ada" / "little.ipynb"
    path.parent.mkdir()
    given = student_notebook(read_notebook(free_form.source_dir / "little.ipynb"), "little")
    del given.cells[0]
    write_notebook(given, path)
    assert read_submission(path, free_form).missing == ()
    assert read_submission(path, free_form).untouched == ("question", "print")
    del given.cells[0]
    write_notebook(given, path)
    assert read_submission(path, free_form).missing == ("question",)


def test_a_changed_source_is_read_again(tmp_path: Path) -> None:
    assignment = make_course(tmp_path)
    path = assignment.source_dir / "little.ipynb"
    before = template(assignment)
    assert template(assignment) is before
    changed = source()
    changed["cells"][2]["source"] += "\nMORE = 1"
    path.write_text(json.dumps(changed))
    os.utime(path, ns=(1, 1))
    assert "MORE" in template(assignment).setup_names


def test_every_question_of_lab08_has_one_slot_that_defines_it() -> None:
    assignment = Course.load(ROOT / "course.toml").assignment("lab08")
    slots = template(assignment).question_slots
    assert {name: [slot.names for slot in found] for name, found in slots.items()} == {
        question.id: [(question.id,)] for question in assignment.questions() if question.kind == "auto"
    }
