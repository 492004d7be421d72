"""What a student is told before submitting."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import NotebookError
from autograder.course import Assignment
from autograder.notebooks import read_notebook, write_notebook
from autograder.release.student import student_notebook
from autograder.validate import Finding, validate
from tests.autograder.submission.little import Json, code, make_course, markdown, notebook, released, solved, source
from tests.autograder.submission.mangling import cell, insert, place

RUNS = "\n".join(f"https://wandb.ai/ada/cv-lab8/runs/run{n}" for n in range(3))

Check = Callable[..., list[Finding]]


@pytest.fixture
def ready() -> Json:
    """A little notebook in which nothing is missing, run from top to bottom."""
    answered = solved(source())
    answered["cells"].append(markdown(RUNS, "wandb-links", grade=True, solution=True, points=0))
    return run(answered)


def run(answered: Json) -> Json:
    count = 0
    for found in answered["cells"]:
        if found["cell_type"] == "code":
            count += 1
            found["execution_count"] = count
    return answered


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def write(answered: Json | bytes, assignment: Assignment | None = None) -> list[Finding]:
        path = tmp_path / "little.ipynb"
        path.write_bytes(answered if isinstance(answered, bytes) else json.dumps(answered).encode())
        return validate(path, assignment)

    return write


def only(found: list[Finding]) -> Finding:
    assert len(found) == 1, found
    return found[0]


def test_a_finished_notebook_has_nothing_to_say(ready: Json, check: Check) -> None:
    assert check(ready) == []


def test_the_release_misses_everything_in_order(check: Check) -> None:
    found = check(released(source()))
    assert all(finding.missing for finding in found)
    assert [finding.where.split(" in ")[0] for finding in found] == [
        '"Means and spreads", cell 2',
        *(f"question `{name}`" for name in ("mean", "why-mean", "Tracker", "plot", "spread", "why-spread")),
        "the notebook",
    ]


def test_a_stub_is_named_with_its_question_section_and_remedy(ready: Json, check: Check) -> None:
    cell(ready, "mean-solution")["source"] = cell(released(source()), "mean-solution")["source"]
    finding = only(check(ready))
    assert finding.where == 'question `mean` in "Part 1: the mean", cell 7'
    assert finding.what == (
        "The stub of `mean` is still there; write your answer and delete `raise NotImplementedError()`."
    )


def test_each_method_that_still_is_a_stub_is_named(ready: Json, check: Check) -> None:
    cell(ready, "Tracker-solution")["source"] = cell(released(source()), "Tracker-solution")["source"]
    assert "The stubs of `Tracker.__init__` and `Tracker.add` are still there" in only(check(ready)).what


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_answer_cell_is_missing(text: str, ready: Json, check: Check) -> None:
    cell(ready, "mean-solution")["source"] = text
    assert "The cell is empty" in only(check(ready)).what


def test_a_raise_of_the_students_own_is_no_stub(ready: Json, check: Check) -> None:
    cell(ready, "mean-solution")["source"] += "\n\ndef later():\n    raise NotImplementedError()"
    assert check(ready) == []


def test_a_syntax_error_is_said_with_its_line(ready: Json, check: Check) -> None:
    cell(ready, "mean-solution")["source"] = "def mean(values)\n    return 1"
    finding = only(check(ready))
    assert "not valid Python (line 1: " in finding.what
    assert finding.missing


@pytest.mark.parametrize("text", ["", " \n", "YOUR ANSWER HERE", "\nYOUR ANSWER HERE\n"])
def test_an_empty_written_answer_is_missing(text: str, ready: Json, check: Check) -> None:
    cell(ready, "why-spread")["source"] = text
    finding = only(check(ready))
    assert finding.where == 'question `why-spread` in "Part 3: spreads", cell 20'
    assert "There is no answer yet" in finding.what


def test_a_placeholder_beside_an_answer_is_worth_knowing(ready: Json, check: Check) -> None:
    cell(ready, "why-spread")["source"] = "YOUR ANSWER HERE\nBecause."
    finding = only(check(ready))
    assert (finding.missing, "delete it" in finding.what) == (False, True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('MEMBERS = [("Student name", "Student number")]', "are not filled in"),
        ('MEMBERS = [("Ada", "1815"), ("Student name", "Student number")]', "are not filled in"),
        ('MEMBERS = [("Ada", "")]', "are not filled in"),
        ("MEMBERS = []", "cannot be read"),
        ("MEMBERS = [(Ada, 1815)]", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_members_have_to_be_filled_in(text: str, says: str, ready: Json, check: Check) -> None:
    cell(ready, "members")["source"] = text
    finding = only(check(ready))
    assert finding.missing
    assert says in finding.what


def test_cells_that_were_never_run_are_numbered(ready: Json, check: Check) -> None:
    for name in ("clean", "mean-solution"):
        cell(ready, name)["execution_count"] = None
    finding = only(check(ready))
    assert finding.what == "Cells 5 and 7 were never run; choose Restart and Run All, then save."


def test_empty_cells_need_not_be_run(ready: Json, check: Check) -> None:
    insert(ready, 3, code(""), code("  "))
    assert check(ready) == []


def test_a_cell_run_before_the_one_above_it_is_out_of_order(ready: Json, check: Check) -> None:
    cell(ready, "clean")["execution_count"] = 90
    finding = only(check(ready))
    assert finding.what.startswith("Cell 7 was run before cell 5, which stands above it")
    assert finding.missing


def test_gaps_in_the_order_are_no_matter(ready: Json, check: Check) -> None:
    for found in ready["cells"]:
        if found["cell_type"] == "code":
            found["execution_count"] = 10 * found["execution_count"] + 3
    assert check(ready) == []


def test_a_cell_that_ended_in_an_error_is_named(ready: Json, check: Check) -> None:
    cell(ready, "train")["outputs"] = [{"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": []}]
    finding = only(check(ready))
    assert "ended in an error (NameError)" in finding.what
    assert finding.missing


def test_warnings_on_stderr_are_no_error(ready: Json, check: Check) -> None:
    cell(ready, "train")["outputs"] = [{"output_type": "stream", "name": "stderr", "text": "100%"}]
    assert check(ready) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no link"),
        ("YOUR ANSWER HERE", "no link"),
        ("https://wandb.ai/ada/cv-lab8/runs/a1 https://wandb.ai/ada/cv-lab8/runs/a1?nw=1", "1 link"),
        ("https://wandb.ai/ada/cv-lab8/runs/a1\nhttps://wandb.ai/ada/cv-lab8/runs/a2/overview", "2 links"),
        ("https://wandb.ai/ada/cv-lab8 https://wandb.ai/ada/cv-lab8/workspace https://example.org/runs/3", "no link"),
    ],
)
def test_three_different_runs_have_to_be_linked(text: str, says: str, ready: Json, check: Check) -> None:
    cell(ready, "wandb-links")["source"] = text
    finding = only(check(ready))
    assert f"There is {says} to a W&B run" in finding.what
    assert finding.missing


@pytest.mark.parametrize(
    "text",
    [
        RUNS,
        RUNS.replace("https://", "http://www."),
        "".join(f"[run {n}](https://wandb.ai/ada-l/cv_lab8/runs/x{n}?workspace=user-ada)" for n in range(3)),
    ],
)
def test_links_may_be_written_in_any_form(text: str, ready: Json, check: Check) -> None:
    cell(ready, "wandb-links")["source"] = text
    assert check(ready) == []


def test_links_are_asked_for_only_where_the_notebook_does(check: Check) -> None:
    assert check(run(solved(source()))) == []


def test_a_large_file_is_worth_knowing(ready: Json, check: Check) -> None:
    image = {"output_type": "display_data", "data": {"image/png": "A" * 11_000_000}, "metadata": {}}
    cell(ready, "plot")["outputs"] = [image]
    finding = only(check(ready))
    assert not finding.missing
    assert "The file has 11 MB; clear the outputs" in finding.what


def test_a_cell_that_is_there_twice_is_named_once(ready: Json, check: Check) -> None:
    copied = json.loads(json.dumps(cell(ready, "mean-solution")))
    insert(ready, place(ready, "mean-solution"), copied)
    finding = only(check(run(ready)))
    assert "is there 2 times, in cells 7 and 8" in finding.what


def test_an_answer_cell_that_is_gone_is_missing(ready: Json, check: Check) -> None:
    del ready["cells"][place(ready, "mean-solution")]
    finding = only(check(ready))
    assert finding.missing
    assert "is gone" in finding.what


def test_a_check_that_is_gone_is_worth_knowing(ready: Json, check: Check) -> None:
    del ready["cells"][place(ready, "mean")]
    finding = only(check(ready))
    assert (finding.missing, "check below this answer is gone" in finding.what) == (False, True)


def test_a_supplied_cell_that_was_changed_is_found_by_its_checksum(
    tmp_path: Path, little: Assignment, check: Check
) -> None:
    path = tmp_path / "release.ipynb"
    write_notebook(student_notebook(read_notebook(little.source_dir / "little.ipynb"), "little"), path)
    given = json.loads(path.read_text())
    untouched = {finding.what for finding in check(given)}
    cell(given, "clean")["source"] = "def clean(values): return values"
    new = [finding for finding in check(given) if finding.what not in untouched]
    assert [(finding.where, finding.missing) for finding in new] == [('"Means and spreads", cell 5', False)]
    assert "This supplied cell was changed" in new[0].what


def test_a_notebook_without_nbgraders_marks_is_said_to_be(ready: Json, check: Check) -> None:
    for found in ready["cells"]:
        found["metadata"] = {}
    finding = only(check(ready))
    assert "has lost the marks" in finding.what


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"nbformat": 3, "worksheets": []}'])
def test_a_file_that_is_no_notebook_is_one_finding(data: bytes, check: Check) -> None:
    finding = only(check(data))
    assert finding.missing
    assert finding.where == "little.ipynb"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotebookError):
        validate(tmp_path / "nothing.ipynb")


# -- with the course at hand ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def little(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def plain() -> Json:
    """A finished notebook of the little course as it is, which asks for no links."""
    return run(solved(source()))


def test_a_finished_notebook_has_nothing_to_say_to_the_course_either(
    plain: Json, check: Check, little: Assignment
) -> None:
    assert check(plain, little) == []


def test_what_grading_would_repair_is_said(plain: Json, check: Check, little: Assignment) -> None:
    answer = cell(plain, "mean-solution")
    answer |= {"metadata": {}, "id": "lost"}
    found = check(plain, little)
    assert any("its answer was recognised in cell 7" in finding.what and not finding.missing for finding in found)


def test_a_deleted_question_is_missing(plain: Json, check: Check, little: Assignment) -> None:
    for name in ("mean-solution", "mean", "why-mean"):
        del plain["cells"][place(plain, name)]
    missing = [finding.where for finding in check(plain, little) if finding.missing]
    assert missing == ["question `mean`", "question `why-mean`"]


def test_a_stub_is_said_once(plain: Json, check: Check, little: Assignment) -> None:
    cell(plain, "mean-solution")["source"] = cell(released(source()), "mean-solution")["source"]
    assert len(check(plain, little)) == 1


def test_another_assignments_notebook_is_said_to_be(check: Check, little: Assignment) -> None:
    other = run(notebook([code("def f():\n    return 1", "f-solution", solution=True), code("f()", "f", grade=True)]))
    found = [finding.what for finding in check(other, little)]
    assert any("is not the notebook of little" in what for what in found)


# -- on a student's machine -------------------------------------------------------------------------------------------


def test_neither_torch_nor_the_course_is_needed(ready: Json, tmp_path: Path) -> None:
    path = tmp_path / "little.ipynb"
    path.write_text(json.dumps(ready))
    program = """
import sys
sys.modules["torch"] = sys.modules["wandb"] = None  # an import of either fails
from pathlib import Path
from autograder.validate import validate
print(validate(Path(sys.argv[1])))
"""
    command = [sys.executable, "-c", program, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (found.stdout.strip(), found.stderr) == ("[]", "")
