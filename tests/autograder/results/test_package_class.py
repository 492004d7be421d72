"""A class that handed in packages: marks, notebooks for formgrader, pages and gradebook, for several notebooks."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.class_folder import ClassFolder
from autograder.classwork import ClassResult, grade_class
from autograder.course import Course
from autograder.grading.report import Outcome, Report

ROOT = Path(__file__).resolve().parents[3]
Files = dict[str, bytes]
Show = Callable[[str, str], dict[str, NotebookNode]]


def files_of(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ClassFolder:
    return ClassFolder(tmp_path_factory.mktemp("class"))


@pytest.fixture(scope="module")
def result(folder: ClassFolder) -> ClassResult:
    hw3 = Course.load(ROOT / "course.toml").assignment("hw3")
    solved, released = files_of(hw3.solutions_dir), files_of(hw3.release_dir)
    zips = {
        "ada": solved,
        "bob": released,
        "dot": solved | {"hw3/training.py": b"def fit(:\n"},
        "eve": {"essay.txt": b"We ran out of time."},
        "fay": {name: data for name, data in solved.items() if not name.startswith("Part4")},
    }
    for student, files in zips.items():
        path = folder.submitted / student / "hw3" / "hw3-1_2.zip"
        path.parent.mkdir(parents=True)
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    for name, data in solved.items():
        path = folder.submitted / "cy" / "hw3" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return grade_class(hw3, folder)


@pytest.fixture
def show(folder: ClassFolder, result: ClassResult) -> Show:
    """``show("ada", "Part1_Sequence")``: the cells that formgrader shows, by grade id."""

    def show(student: str, name: str) -> dict[str, NotebookNode]:
        notebook = nbformat.read(folder.autograded("hw3", student) / f"{name}.ipynb", 4)
        return {cell.metadata.get("nbgrader", {}).get("grade_id", ""): cell for cell in notebook.cells}

    return show


def report(result: ClassResult, student: str) -> Report:
    return next(report for report in result.reports if report.student == student)


def lost(result: ClassResult, student: str) -> set[str]:
    return {score.question for score in report(result, student).questions if score.points < score.max_points}


@pytest.mark.parametrize("student", ["ada", "cy"], ids=["zip", "folder"])
def test_the_solutions_score_full_marks(result: ClassResult, student: str) -> None:
    assert report(result, student).points == 76
    assert not report(result, student).repairs


def test_the_release_scores_nothing(result: ClassResult) -> None:
    assert report(result, "bob").points == 0
    assert {test.outcome for test in report(result, "bob").tests} == {Outcome.NOT_ATTEMPTED}


def test_a_broken_module_costs_only_what_needs_it(result: ClassResult) -> None:
    trainers = {"Trainer", "RNNTrainer", "VAETrainer", "TransformerEncoderTrainer", "FineTuningTrainer"}
    assert lost(result, "dot") == trainers
    messages = {test.message for test in report(result, "dot").tests if test.question in trainers}
    assert all(message.startswith("SyntaxError: ") and "hw3/training.py, line 1" in message for message in messages)


def test_a_missing_notebook_costs_only_its_own_cells(result: ClassResult) -> None:
    assert lost(result, "fay") == {"method_1", "method_2"}
    assert any("`Part4_FineTuning.ipynb` was not handed in" in note.what for note in report(result, "fay").repairs)


def test_what_is_no_package_is_named_and_stops_nobody(result: ClassResult) -> None:
    assert report(result, "eve").fault == "no-package"
    assert result.exit_status == 1
    assert not result.problems


def test_every_notebook_is_there_for_formgrader(folder: ClassFolder, result: ClassResult) -> None:
    names = {path.stem for path in (ROOT / "source" / "hw3").glob("*.ipynb")}
    assert len(names) == 5
    for student in ("ada", "bob", "cy", "dot", "fay"):
        assert {path.stem for path in folder.autograded("hw3", student).glob("*.ipynb")} == names


def test_a_written_answer_stands_under_its_question(show: Show) -> None:
    [output] = show("ada", "Part1_Sequence")["part1_q1-answer"].outputs
    assert "Backpropagation through time" in output.data["text/markdown"]
    assert not show("bob", "Part1_Sequence")["part1_q1-answer"].outputs


def test_outcomes_stand_under_the_checks(show: Show) -> None:
    assert show("dot", "Part1_Sequence")["Trainer"].outputs[0].text.startswith("Trainer: 0 of 7 points")
    assert show("dot", "Part4_FineTuning")["method_1"].outputs[0].text.startswith("method_1: 2 of 2 points")


def test_the_gradebook_has_all_notebooks_and_asks_for_the_written_answers(
    folder: ClassFolder, result: ClassResult
) -> None:
    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as gradebook:
        found = {row.student.id: row for row in gradebook.assignment_submissions("hw3")}
        assert {name: row.score for name, row in found.items()} == {
            "ada": 76, "bob": 0, "cy": 76, "dot": 58, "eve": 0, "fay": 73,
        }  # fmt: skip
        assert all(row.max_score == 100 for row in found.values())
        assert {name for name, row in found.items() if row.needs_manual_grade} == {"ada", "cy", "dot", "fay"}
        points = {notebook.name: notebook.max_score for notebook in found["ada"].notebooks}
    assert points == {
        "Part0_Intro": 0, "Part1_Sequence": 45, "Part2_VAE": 23, "Part3_Transformer": 23, "Part4_FineTuning": 9,
    }  # fmt: skip


def test_each_gets_one_page(folder: ClassFolder, result: ClassResult) -> None:
    for student in ("ada", "bob", "cy", "dot", "eve", "fay"):
        assert student in (folder.feedback("hw3", student) / "hw3.html").read_text(encoding="utf-8")
