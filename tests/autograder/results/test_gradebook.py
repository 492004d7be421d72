"""What was graded stands in nbgrader's database as nbgrader itself would have put it there, and nbgrader reads it."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveCells
from sqlalchemy import create_engine, text
from traitlets.config.loader import PyFileConfigLoader

from autograder._exceptions import GradebookError
from autograder.course import Assignment
from autograder.gradebook import Entry, Settings, open_gradebook, read_settings, save_entries, save_structure
from autograder.skeleton import skeletons

MORNING = datetime.fromisoformat("2031-05-01T08:00")  # nbgrader keeps times in UTC, without saying so
FULL = {"twice": 4.0, "half": 2.0, "why": None, "plot": None}


@pytest.fixture
def url(assignment: Assignment) -> str:
    return f"sqlite:///{assignment.root / 'gradebook.db'}"


@pytest.fixture
def save(assignment: Assignment, url: str) -> Callable[..., None]:
    def save(*entries: Entry) -> None:
        with open_gradebook(url) as session:
            row = save_structure(session, assignment.name, assignment.due, skeletons(assignment))
            save_entries(session, row, entries)

    return save


@pytest.fixture
def nbgrader_api(url: str) -> Iterator[Callable[[], Gradebook]]:
    opened: list[Gradebook] = []

    def api() -> Gradebook:
        opened.append(Gradebook(url))
        return opened[-1]

    yield api
    for gradebook in opened:
        gradebook.close()


def entry(student: str = "ada", **fields: Any) -> Entry:
    return Entry(**({"student": student, "timestamp": None, "scores": FULL} | fields))


def structure(gradebook: Gradebook) -> dict[str, Any]:
    """Everything nbgrader knows of the assignment, ids aside."""
    notebook = gradebook.find_notebook("tiny", "tiny")
    return {
        "assignment": (notebook.assignment.name, notebook.assignment.course_id, notebook.assignment.max_score),
        "kernelspec": notebook.kernelspec,
        "grade": sorted((cell.name, cell.max_score, cell.cell_type) for cell in notebook.grade_cells),
        "solution": sorted(cell.name for cell in notebook.solution_cells),
        "task": sorted(cell.name for cell in notebook.task_cells),
        "source": sorted(
            (cell.name, cell.cell_type, cell.locked, cell.source, cell.checksum) for cell in notebook.source_cells
        ),
    }


def test_the_cells_are_recorded_as_nbgrader_records_them(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook], assignment: Assignment, tmp_path: Path
) -> None:
    own = f"sqlite:///{tmp_path / 'own.db'}"
    with open_gradebook(own):
        pass
    with Gradebook(own) as gradebook:
        gradebook.add_assignment("tiny")
    resources = {"nbgrader": {"notebook": "tiny", "assignment": "tiny", "db_url": own}}
    SaveCells().preprocess(skeletons(assignment)["tiny"], resources)

    save()

    with Gradebook(own) as gradebook:
        assert structure(nbgrader_api()) == structure(gradebook)


def test_the_due_date_is_kept_in_utc_as_nbgrader_does(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save()

    assert nbgrader_api().find_assignment("tiny").duedate == datetime.fromisoformat("2031-05-02T10:00")


def test_a_submission_is_read_back_by_nbgraders_own_api(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry(timestamp=MORNING, scores=FULL | {"half": 0.5}))

    submission = nbgrader_api().find_submission("tiny", "ada")
    assert submission.score == 4.5
    assert submission.max_score == 10
    assert submission.timestamp == MORNING
    assert submission.needs_manual_grade


def test_only_cells_that_a_person_marks_need_a_person(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry())

    grades = nbgrader_api().find_submission_notebook("tiny", "tiny", "ada").grades
    assert {grade.name for grade in grades if grade.needs_manual_grade} == {"why", "plot"}
    assert {grade.name: grade.auto_score for grade in grades} == FULL


def test_partial_credit_of_0_is_0_and_not_full_marks(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry(scores=FULL | {"twice": 0.0}))

    grade = nbgrader_api().find_grade("twice", "tiny", "tiny", "ada")
    assert grade.auto_score == 0.0
    assert grade.auto_score is not None
    assert grade.score == 0.0


@pytest.mark.parametrize(("forged", "kept"), [(3000.0, 4.0), (-5.0, 0.0), (float("inf"), 4.0)])
def test_scores_are_clamped(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook], forged: float, kept: float
) -> None:
    save(entry(scores=FULL | {"twice": forged}))

    assert nbgrader_api().find_grade("twice", "tiny", "tiny", "ada").auto_score == kept


def test_a_resubmission_that_crashes_loses_the_old_better_score(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry())
    save(entry(scores={"twice": 0.0, "half": 0.0, "why": 0.0, "plot": 0.0}))

    assert nbgrader_api().find_submission("tiny", "ada").score == 0


def test_grading_again_leaves_manual_marks_and_comments_alone(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry())
    gradebook = nbgrader_api()
    grade = gradebook.find_grade("why", "tiny", "tiny", "ada")
    grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 2.5, 0.5, False
    gradebook.find_comment("why", "tiny", "tiny", "ada").manual_comment = "good"
    gradebook.db.commit()

    save(entry(scores=FULL | {"twice": 1.0}))

    again = nbgrader_api()
    grade = again.find_grade("why", "tiny", "tiny", "ada")
    assert (grade.manual_score, grade.extra_credit) == (2.5, 0.5)
    assert again.find_comment("why", "tiny", "tiny", "ada").comment == "good"
    assert again.find_submission("tiny", "ada").score == 1.0 + 2.0 + 2.5 + 0.5


def test_a_new_submission_puts_old_manual_marks_up_for_review_and_a_repeated_record_does_not(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry())
    gradebook = nbgrader_api()
    grade = gradebook.find_grade("why", "tiny", "tiny", "ada")
    grade.manual_score, grade.needs_manual_grade = 3.0, False
    gradebook.db.commit()

    save(entry(fresh=False))
    assert not nbgrader_api().find_grade("why", "tiny", "tiny", "ada").needs_manual_grade

    save(entry(fresh=True))
    assert nbgrader_api().find_grade("why", "tiny", "tiny", "ada").needs_manual_grade


def test_a_cell_left_as_it_was_released_is_said_to_have_no_response(
    save: Callable[..., None], nbgrader_api: Callable[[], Gradebook]
) -> None:
    save(entry(unanswered=frozenset({"half-solution"})))
    assert nbgrader_api().find_comment("half-solution", "tiny", "tiny", "ada").comment == "No response."
    assert nbgrader_api().find_comment("twice-solution", "tiny", "tiny", "ada").comment is None

    save(entry())
    assert nbgrader_api().find_comment("half-solution", "tiny", "tiny", "ada").comment is None


def test_an_error_in_the_middle_leaves_nothing_half_written(url: str, save: Callable[..., None]) -> None:
    def half() -> None:
        with open_gradebook(url) as session:
            save_structure(session, "tiny", None, {})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()

    with Gradebook(url) as gradebook:
        assert gradebook.assignments == []


def test_a_question_added_after_submissions_came_in_is_added_to_them(
    save: Callable[..., None],
    nbgrader_api: Callable[[], Gradebook],
    assignment: Assignment,
    source_cells: list[dict[str, Any]],
    notebook_text: Callable[..., str],
) -> None:
    save(entry(), entry("bob"))
    extra = source_cells[7] | {"id": "how"}
    extra["metadata"] = {"nbgrader": extra["metadata"]["nbgrader"] | {"grade_id": "how"}}
    (assignment.source_dir / "tiny.ipynb").write_text(notebook_text([*source_cells, extra]))

    save(entry(scores=FULL | {"how": None}))

    assert nbgrader_api().find_assignment("tiny").max_score == 13
    assert nbgrader_api().find_grade("how", "tiny", "tiny", "ada").needs_manual_grade


def test_a_question_taken_away_goes_with_its_automatic_scores(
    save: Callable[..., None],
    nbgrader_api: Callable[[], Gradebook],
    assignment: Assignment,
    source_cells: list[dict[str, Any]],
    notebook_text: Callable[..., str],
) -> None:
    save(entry())
    left = [cell for cell in source_cells if cell["id"] not in {"half", "half-solution"}]
    (assignment.source_dir / "tiny.ipynb").write_text(notebook_text(left))

    save(entry())

    assert nbgrader_api().find_submission("tiny", "ada").score == 4
    assert nbgrader_api().find_assignment("tiny").max_score == 8


def test_a_question_that_was_marked_by_hand_cannot_be_taken_away(
    save: Callable[..., None],
    nbgrader_api: Callable[[], Gradebook],
    assignment: Assignment,
    source_cells: list[dict[str, Any]],
    notebook_text: Callable[..., str],
) -> None:
    save(entry())
    gradebook = nbgrader_api()
    gradebook.find_grade("why", "tiny", "tiny", "ada").manual_score = 1.0
    gradebook.db.commit()
    left = [cell for cell in source_cells if cell["id"] != "why"]
    (assignment.source_dir / "tiny.ipynb").write_text(notebook_text(left))

    with pytest.raises(GradebookError, match="'why' is gone from the source"):
        save(entry())


def test_the_database_is_made_where_no_program_is_on_the_path(
    save: Callable[..., None], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    save(entry())

    with Gradebook(url) as gradebook:
        assert gradebook.find_submission("tiny", "ada").score == 6


def test_a_database_of_another_nbgrader_is_refused_with_the_remedy(save: Callable[..., None], url: str) -> None:
    save()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '000'"))
    engine.dispose()

    with pytest.raises(GradebookError, match="nbgrader db upgrade"):
        save()


def test_a_database_that_another_program_holds_is_an_error_of_one_sentence(save: Callable[..., None], url: str) -> None:
    save()
    engine = create_engine(url)
    with engine.connect() as connection:
        connection.execute(text("BEGIN EXCLUSIVE"))
        held = r"gradebook\.db.*: database is locked\. Where another program holds it"
        with pytest.raises(GradebookError, match=held), open_gradebook(f"{url}?timeout=0.1"):
            pass
    engine.dispose()


@pytest.mark.parametrize("url", ["nonsense", "nodialect://host/x", "sqlite:////no/such/folder/gradebook.db"])
def test_a_database_that_cannot_be_opened_is_an_error_that_names_it(url: str) -> None:
    with pytest.raises(GradebookError, match="gradebook"), open_gradebook(url):
        pass


def test_a_password_in_the_url_is_not_shown() -> None:
    with pytest.raises(GradebookError) as error, open_gradebook("sqlite://me:secret@/no/such/folder/x.db"):
        pass

    assert "secret" not in str(error.value)


def test_nbgrader_export_reads_what_was_written(save: Callable[..., None], assignment: Assignment) -> None:
    save(entry(timestamp=MORNING), entry("bob", scores=FULL | {"twice": 0.0}))

    environment = os.environ | {"PATH": "/usr/bin:/bin", "HOME": str(assignment.root)}
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to", "grades.csv"],
        cwd=assignment.root,
        env=environment,
        check=True,
        capture_output=True,
    )

    with (assignment.root / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert (rows["ada"]["score"], rows["ada"]["max_score"], rows["ada"]["timestamp"]) == (
        "6.0",
        "10.0",
        "2031-05-01 08:00:00",
    )
    assert rows["bob"]["score"] == "2.0"


def test_the_gradebook_lies_where_nbgraders_configuration_says(tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'dl'\nc.CourseDirectory.db_url = 'postgresql://host/grades'\n"
    )

    assert read_settings(tmp_path) == Settings("postgresql://host/grades", "dl")


def test_without_a_configuration_it_lies_where_nbgrader_looks_by_default(tmp_path: Path) -> None:
    root = tmp_path / "a course?"
    root.mkdir()

    settings = read_settings(root)
    with open_gradebook(settings.url):
        pass

    assert (root / "gradebook.db").is_file()
    assert settings.course_id == "default_course"


def test_a_configuration_that_does_not_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").write_text("c = nonsense")

    with pytest.raises(GradebookError, match=r"nbgrader_config\.py: NameError"):
        read_settings(tmp_path)


def test_the_assignment_belongs_to_the_course_of_the_configuration(url: str) -> None:
    with open_gradebook(url, "dl") as session:
        save_structure(session, "tiny", None, {}, "dl")

    with Gradebook(url, "dl") as gradebook:
        assert gradebook.find_assignment("tiny").course_id == "dl"


def test_the_kits_own_configuration_reaches_every_program_that_loads_it() -> None:
    root = Path(__file__).parents[3]

    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()

    assert config.CourseDirectory.root == str(root)
    assert read_settings(root).url == f"sqlite:///{root / 'gradebook.db'}"
