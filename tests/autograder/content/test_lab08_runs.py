"""lab08's solved notebook runs from top to bottom on a CPU, with the real MNIST, at the rehearsal budget."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograder import data

CELL_SECONDS = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab08")


@pytest.fixture(scope="module")
def executed(lab08_path: Path, folder: Path) -> dict[str, NotebookNode]:
    """Cell id -> executed cell; W&B writes offline into ``folder``."""
    data.pull("mnist")
    notebook = nbformat.read(lab08_path, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SMOKE", "1")
        patch.setenv("AUTOGRADER_DATA", str(data.mirror()))
        patch.setenv("WANDB_MODE", "offline")
        patch.setenv("OMP_NUM_THREADS", "2")
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        client = NotebookClient(notebook, timeout=CELL_SECONDS, resources={"metadata": {"path": str(folder)}})
        client.execute()  # raises at the first cell that fails
    return {cell["id"]: cell for cell in notebook.cells}


def printed(cell: NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


def test_the_real_mnist_was_read_from_the_mirror(executed: dict[str, NotebookNode], folder: Path) -> None:
    assert "train (60000, 28, 28) uint8   test (10000, 28, 28) uint8" in printed(executed["mnist"])
    assert not (folder / "data").exists()


@pytest.mark.parametrize("cell", ["q1-1-display", "q4-2-plots", "comparison-plot", "maps", "long-plot", "long-maps"])
def test_a_display_shows_a_figure(executed: dict[str, NotebookNode], cell: str) -> None:
    shown = [output for output in executed[cell].outputs if "image/png" in output.get("data", {})]
    assert len(shown) == (3 if cell == "long-maps" else 1)


def test_the_encoder_is_traced_once_and_in_order(executed: dict[str, NotebookNode]) -> None:
    shapes = re.findall(r"\(([\d, ]+)\)", printed(executed["trace"]))
    assert shapes == ["4, 128, 1, 21", "4, 21, 128", "4, 21, 128", "2, 4, 64", "4, 64"]


def test_the_removed_digit_reaches_the_columns_that_see_it(executed: dict[str, NotebookNode]) -> None:
    text = printed(executed["last-digit"])
    (box,) = re.findall(r"starts at pixel (\d+)", text)
    (moved,) = re.findall(r"half changes: \[([\d, ]+)\]", text)
    columns = [int(column) for column in moved.split(", ")]
    first_to_see = min(c for c in range(21) if 16 * c + 30 >= int(box)) + 1
    assert columns == list(range(columns[0], 22))
    assert first_to_see <= columns[0] <= first_to_see + 1  # the rim of the box may be black
    assert "column  1: forward 0.00e+00" in text


def test_three_runs_are_kept_for_wandb(executed: dict[str, NotebookNode], folder: Path) -> None:
    assert "W&B is offline" in printed(executed["login"])
    assert len(list((folder / "wandb").glob("offline-run-*/*.wandb"))) == 3


def test_the_comparison_names_both_readers_and_both_groups(executed: dict[str, NotebookNode]) -> None:
    rows = [line.split() for line in printed(executed["comparison"]).splitlines()[1:]]
    assert [row[:3] for row in rows] == [
        ["fixed-context", "343,437", "1-5"],
        ["fixed-context", "343,437", "6-8"],
        ["attention", "398,349", "1-5"],
        ["attention", "398,349", "6-8"],
    ]
    assert "attention / fixed-context = 1.16" in printed(executed["count-readers"])


def test_the_reports_of_sections_5_and_6_are_complete(executed: dict[str, NotebookNode]) -> None:
    for cell in ("alignment-report", "long-alignment"):
        assert re.findall(r"^\w+", printed(executed[cell]), re.MULTILINE) == [
            "missing", "aligned_right", "aligned_wrong", "median_weight",
        ]  # fmt: skip
    assert re.findall(r"^(\S+) +exact \S+  digit \S+  other \S+$", printed(executed["intervention"]), re.MULTILINE) == [
        "fixed-context",
        "attention",
    ]
    assert re.findall(r"^ +(\d+) ", printed(executed["long-report"]), re.MULTILINE) == ["9", "10", "11", "12"] * 2
