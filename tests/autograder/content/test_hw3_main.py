"""hw3's ``main.py``: notebooks run in place, and the zip to hand in is made, or refused with a list."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

NOTEBOOKS = ["Part0_Intro", "Part1_Sequence", "Part2_VAE", "Part3_Transformer", "Part4_FineTuning"]
MODULES = ["__init__", "answers", "autoencoder", "charnn", "training", "transformer"]
IDS = ("--id", "11111111", "--id", "22222222")
TABLE = "| Name | Id |\n|---|---|\n| Ada | 11111111 |\n| Alan |22222222|"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def write(path: Path, *code: str, table: str = "") -> None:
    cells = [new_code_cell(source) for source in code]
    if table:
        cells.insert(0, new_markdown_cell(table, metadata={"nbgrader": {"grade_id": "members"}}))
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), path)


@pytest.fixture
def homework(hw3_path: Path, tmp_path: Path) -> Path:
    """A pair's folder: the real ``main.py``, short notebooks and modules, and what gathers beside them."""
    folder = tmp_path / "hw3"
    for name in ("hw3", "hw3/__pycache__", "hw3/.ipynb_checkpoints", "checkpoints", ".ipynb_checkpoints"):
        (folder / name).mkdir(parents=True)
    shutil.copy(hw3_path / "main.py", folder)
    for name in MODULES:
        (folder / "hw3" / f"{name}.py").write_text("value = 1\n")
    for name in NOTEBOOKS:
        write(folder / f"{name}.ipynb", "import hw3.charnn\nprint(hw3.charnn.value)")
    write(folder / "Part0_Intro.ipynb", "1 + 1", table=TABLE)
    for stray in ("hw3/__pycache__/charnn.pyc", "hw3/.ipynb_checkpoints/charnn.py", "checkpoints/rnn.pt", ".DS_Store"):
        (folder / stray).write_bytes(b"stray")
    (folder / ".ipynb_checkpoints" / "Part0_Intro-checkpoint.ipynb").write_text("{}")
    return folder


def main(homework: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(homework / "main.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=homework.parent)


def zips(homework: Path) -> list[str]:
    return [path.name for path in homework.rglob("*.zip")]


def mark_as_run(homework: Path) -> None:
    for path in homework.glob("*.ipynb"):
        notebook = nbformat.read(path, 4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.execution_count = 1
        nbformat.write(notebook, path)


def test_the_zip_has_the_ids_in_its_name_the_run_notebooks_and_the_package(homework: Path) -> None:
    done = main(homework, "prepare-submission", *IDS)
    assert done.returncode == 0, done.stderr
    assert zips(homework) == ["hw3-11111111_22222222.zip"]
    with zipfile.ZipFile(homework / "hw3-11111111_22222222.zip") as archive:
        names = archive.namelist()
        notebook = nbformat.reads(archive.read("Part1_Sequence.ipynb").decode(), 4)
    assert sorted(names) == sorted([f"{name}.ipynb" for name in NOTEBOOKS] + [f"hw3/{name}.py" for name in MODULES])
    assert notebook.cells[0].outputs[0].text == "1\n"


def test_one_student_alone_hands_in_under_one_id(homework: Path) -> None:
    mark_as_run(homework)
    assert main(homework, "prepare-submission", "--id", "22222222", "--skip-run").returncode == 0
    assert zips(homework) == ["hw3-22222222.zip"]


def test_everything_that_is_missing_stands_in_one_list(homework: Path) -> None:
    (homework / "hw3" / "training.py").unlink()
    (homework / "hw3" / "charnn.py").write_text("def broken(:\n")
    (homework / "Part3_Transformer.ipynb").unlink()
    done = main(homework, "prepare-submission", "--id", "33333333", "--id", "no-number")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "not ready to be handed in:",
        "  - 'no-number' is no id: an id has digits only",
        "  - 33333333 is not in the table of Part0_Intro.ipynb: write names and ids there",
        "  - Part3_Transformer.ipynb is not here",
        "  - hw3/charnn.py, line 1: invalid syntax",
        "  - hw3/training.py is not here",
    ]
    assert zips(homework) == []


@pytest.mark.parametrize("ids", [("1", "1"), ("1", "2", "3")], ids=["twice-the-same", "three"])
def test_ids_are_those_of_one_or_two_students(homework: Path, ids: tuple[str, ...]) -> None:
    done = main(homework, "prepare-submission", *(part for number in ids for part in ("--id", number)))
    assert f"ids are those of one or two students, each once; {len(ids)} were given" in done.stderr


def test_notebooks_that_never_ran_are_refused_where_they_are_not_run(homework: Path) -> None:
    done = main(homework, "prepare-submission", *IDS, "--skip-run")
    assert done.returncode == 1
    for name in NOTEBOOKS:
        assert f"{name}.ipynb: cells that never ran: 1; run it, or leave out --skip-run" in done.stderr
    assert zips(homework) == []


def test_a_notebook_that_fails_is_refused_and_keeps_its_error(homework: Path) -> None:
    write(homework / "Part2_VAE.ipynb", "print('so far')", "1 / 0", "print('never')")
    done = main(homework, "prepare-submission", *IDS)
    assert done.returncode == 1
    assert "Part2_VAE.ipynb does not run to its end: ZeroDivisionError: division by zero" in done.stderr
    assert nbformat.read(homework / "Part2_VAE.ipynb", 4).cells[1].outputs[0].ename == "ZeroDivisionError"
    assert zips(homework) == []


def test_a_stub_that_is_left_is_said_but_no_reason_to_refuse(homework: Path) -> None:
    mark_as_run(homework)
    (homework / "hw3" / "transformer.py").write_text("# YOUR CODE HERE\n")
    done = main(homework, "prepare-submission", *IDS, "--skip-run")
    assert done.returncode == 0
    assert "mind that transformer.py still says 'YOUR CODE HERE'" in done.stdout


def test_run_nb_runs_a_notebook_in_place(homework: Path) -> None:
    assert main(homework, "run-nb", str(homework / "Part4_FineTuning.ipynb")).returncode == 0
    assert nbformat.read(homework / "Part4_FineTuning.ipynb", 4).cells[0].execution_count == 1


def test_main_knows_the_notebooks_and_modules_that_there_are(hw3_path: Path) -> None:
    assert sorted(path.stem for path in hw3_path.glob("*.ipynb")) == NOTEBOOKS
    assert sorted(path.stem for path in (hw3_path / "hw3").glob("*.py")) == MODULES
