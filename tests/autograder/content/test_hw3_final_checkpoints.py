"""hw3's notebooks of parts 1 and 2 load a final checkpoint where one lies there instead of training."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbformat import NotebookNode
from torch import nn

from autograder import data

CELL_SECONDS = 180
RARE = {"}", "$", "_", "<", "\ufeff"}
# The widths of the rehearsal budget.
RNN_WIDTH, VAE_WIDTH = 32, 16


@pytest.fixture(scope="module")
def folder(hw3_path: Path, hw3: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source, with final checkpoints of models that were never trained."""
    data.pull("shakespeare")
    data.pull("faces")
    copy = tmp_path_factory.mktemp("trained") / "hw3"
    shutil.copytree(hw3_path, copy, ignore=shutil.ignore_patterns("__pycache__", "checkpoints"))
    (copy / "checkpoints").mkdir()
    size = len(set((data.mirror() / "shakespeare" / "shakespeare.txt").read_text(encoding="utf-8")) - RARE)
    layers, z_dim = hw3.answers.part1_rnn_hyperparams()["n_layers"], hw3.answers.part2_vae_hyperparams()["z_dim"]
    encoder, decoder = hw3.autoencoder.EncoderCNN(3, VAE_WIDTH), hw3.autoencoder.DecoderCNN(VAE_WIDTH, 3)
    models = {
        "rnn": hw3.charnn.MultilayerGRU(size, RNN_WIDTH, size, layers),
        "vae": nn.DataParallel(hw3.autoencoder.VAE(encoder, decoder, (3, 64, 64), z_dim)),
    }
    for name, model in models.items():
        torch.save({"model_state": model.state_dict()}, copy / "checkpoints" / f"{name}_final.pt")
    return copy


@pytest.fixture(scope="module", params=[("Part1_Sequence", "part1"), ("Part2_VAE", "part2")], ids=["part1", "part2"])
def executed(folder: Path, request: pytest.FixtureRequest) -> dict[str, NotebookNode]:
    """Grade id -> executed cell, less the part's name."""
    name, part = request.param
    notebook = nbformat.read(folder / f"{name}.ipynb", 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SMOKE", "1")
        patch.setenv("AUTOGRADER_OFFLINE", "1")
        patch.setenv("AUTOGRADER_DATA", str(data.mirror()))
        patch.setenv("HOME", str(folder))
        patch.setenv("OMP_NUM_THREADS", "2")
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        NotebookClient(notebook, timeout=CELL_SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): cell for cell in notebook.cells}
    return {name.removeprefix(part).lstrip("-_"): cell for name, cell in cells.items()}


def test_the_checkpoint_is_loaded_instead_of_training(executed: dict[str, NotebookNode]) -> None:
    printed = [output.text for output in executed["fit"].outputs if output.get("name") == "stdout"]
    assert printed == ["*** loading the final checkpoint instead of training\n"]


def test_what_comes_after_training_works_on_the_loaded_model(executed: dict[str, NotebookNode]) -> None:
    shown = executed.get("play") or executed["samples"]
    assert shown.outputs


def test_every_question_shows_its_model_answer(executed: dict[str, NotebookNode]) -> None:
    shown = [cell.outputs[0]["data"]["text/markdown"] for name, cell in executed.items() if name.endswith("-answer")]
    assert len(shown) == 4
    assert not any("Your answer" in answer for answer in shown)
