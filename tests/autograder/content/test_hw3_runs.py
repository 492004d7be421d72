"""hw3's five solved notebooks run from top to bottom on a CPU, on real data, at the rehearsal budget."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograder import data

SOURCE = Path(__file__).parents[3] / "source" / "hw3"
CELL_SECONDS = 600
Run = Callable[[str], dict[str, NotebookNode]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """``run("Part1_Sequence")``: cell id -> executed cell, in a copy of the source, without a network."""
    folder = tmp_path_factory.mktemp("hw3") / "hw3"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def run(name: str) -> dict[str, NotebookNode]:
        notebook = nbformat.read(folder / f"{name}.ipynb", 4)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AUTOGRADER_SMOKE", "1")
            patch.setenv("AUTOGRADER_OFFLINE", "1")
            patch.setenv("AUTOGRADER_DATA", str(data.mirror()))
            patch.setenv("HF_HOME", str(folder / "hub"))
            patch.setenv("HF_HUB_OFFLINE", "1")
            patch.setenv("HOME", str(folder))
            patch.setenv("OMP_NUM_THREADS", "1")  # more would wait for each other on a busy machine
            patch.setenv("CUDA_VISIBLE_DEVICES", "")
            client = NotebookClient(notebook, timeout=CELL_SECONDS, resources={"metadata": {"path": str(folder)}})
            client.execute()  # raises at the first cell that fails
        return {cell["id"]: cell for cell in notebook.cells}

    return run


def printed(cell: NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


def number_after(what: str, text: str) -> float:
    (found,) = re.findall(rf"{what}: (\d+\.\d+) %", text)
    return float(found)


def test_part_0(run: Run) -> None:
    assert "torch" in printed(run("Part0_Intro")["intro-imports"])


def test_part_1_memorises_and_writes(run: Run) -> None:
    data.pull("shakespeare")
    cells = run("Part1_Sequence")
    assert "shakespeare: a stand-in" in printed(cells["part1-corpus"])
    assert "as in the text" in printed(cells["memorised-text"])
    assert len(printed(cells["part1-play"])) >= 200


def test_part_2_trains_on_digits_and_names_them(run: Run) -> None:
    data.pull("faces")
    cells = run("Part2_VAE")
    assert "faces: a stand-in, handwritten digits" in printed(cells["part2-images"])
    assert "530 images of shape (3, 64, 64)" in printed(cells["part2-images"])
    assert "58.3234" in printed(cells["vae_loss"])


def test_part_3_trains_on_real_reviews(run: Run) -> None:
    data.pull("reviews")
    data.pull("distilbert")
    cells = run("Part3_Transformer")
    assert "reviews: a stand-in" in printed(cells["part3-reviews"])
    assert "vocabulary: 30522" in printed(cells["part3-reviews"])
    assert number_after("accuracy on the toy set", printed(cells["part3-toy"])) >= 50


def test_part_4_fine_tunes_in_both_ways(run: Run) -> None:
    data.pull("reviews")
    data.pull("distilbert")
    cells = run("Part4_FineTuning")
    for method in (1, 2):
        assert 0 <= number_after(f"method {method}", printed(cells[f"part4-method-{method}-fit"])) <= 100
