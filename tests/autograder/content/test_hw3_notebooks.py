"""hw3's notebooks of parts 0 to 2: every question with its points, every answer with its place, nothing given away."""

import ast
import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator
from torch import Tensor

from autograder import notebooks
from autograder.notebooks import Role, role

PARTS = {"part0": "Part0_Intro.ipynb", "part1": "Part1_Sequence.ipynb", "part2": "Part2_VAE.ipynb"}
AUTOGRADED = {
    "part0": {},
    "part1": {
        "char_maps": 1, "remove_chars": 1, "chars_to_onehot": 2, "chars_to_labelled_samples": 3,
        "SequenceBatchSampler": 3, "MultilayerGRU": 9, "hot_softmax": 2, "generate_from_model": 3, "Trainer": 7,
        "RNNTrainer": 5, "part1_hyperparams": 1,
    },
    "part2": {"EncoderCNN": 3, "VAE": 5, "vae_loss": 4, "VAETrainer": 2, "part2_hyperparams": 1},
}  # fmt: skip
QUESTIONS = {"part0": 0, "part1": 4, "part2": 4}
CLASSES = {"MultilayerGRU", "SequenceBatchSampler", "EncoderCNN", "DecoderCNN", "VAE"}
SIGNATURES = {
    "charnn.char_maps": "(text)",
    "charnn.remove_chars": "(text, chars_to_remove)",
    "charnn.chars_to_onehot": "(text, char_to_idx)",
    "charnn.onehot_to_chars": "(embedded_text, idx_to_char)",
    "charnn.chars_to_labelled_samples": "(text, char_to_idx, seq_len, device='cpu')",
    "charnn.SequenceBatchSampler": "(dataset, batch_size)",
    "charnn.MultilayerGRU": "(in_dim, h_dim, out_dim, n_layers, dropout=0)",
    "charnn.MultilayerGRU.forward": "(self, input, hidden_state=None)",
    "charnn.hot_softmax": "(y, dim=0, temperature=1.0)",
    "charnn.generate_from_model": "(model, start_sequence, n_chars, char_maps, T)",
    "autoencoder.EncoderCNN": "(in_channels, out_channels)",
    "autoencoder.DecoderCNN": "(in_channels, out_channels)",
    "autoencoder.VAE": "(features_encoder, features_decoder, in_size, z_dim)",
    "autoencoder.vae_loss": "(x, xr, z_mu, z_log_sigma2, x_sigma2)",
    "training.Trainer": "(model, loss_fn, optimizer, device='cpu')",
    "training.Trainer.fit": (
        "(self, dl_train, dl_test, num_epochs, checkpoints=None, early_stopping=None, print_every=1, "
        "post_epoch_fn=None, **kw)"
    ),
    "training.RNNTrainer": "(model, loss_fn, optimizer, device='cpu')",
    "training.VAETrainer": "(model, loss_fn, optimizer, device='cpu')",
}

every_part = pytest.mark.parametrize("part", PARTS)


def grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


@pytest.fixture
def notebook(part: str, hw3_path: Path) -> NotebookNode:
    return nbformat.read(hw3_path / PARTS[part], 4)


@every_part
def test_a_notebook_is_what_nbgrader_takes_and_is_in_normal_form(
    part: str, notebook: NotebookNode, hw3_path: Path
) -> None:
    nbformat.validate(notebook)
    for cell in notebook.cells:
        MetadataValidator().validate_cell(cell)
    assert (hw3_path / PARTS[part]).read_bytes() == notebooks.notebook_bytes(notebook)


@every_part
def test_each_task_has_a_locked_check_with_its_points(part: str, notebook: NotebookNode) -> None:
    checks = [cell for cell in notebook.cells if role(cell) is Role.AUTOGRADED]
    assert {grade_id(cell): cell.metadata.nbgrader.points for cell in checks} == AUTOGRADED[part]
    for cell in checks:
        assert cell.metadata.nbgrader.locked, grade_id(cell)
        assert "test." in cell.source, grade_id(cell)


@every_part
def test_each_question_is_followed_by_its_answer_and_a_rubric(part: str, notebook: NotebookNode) -> None:
    at = [index for index, cell in enumerate(notebook.cells) if role(cell) is Role.TASK]
    assert [grade_id(notebook.cells[index]) for index in at] == [f"{part}_q{i + 1}" for i in range(QUESTIONS[part])]
    for index in at:
        question, answer, rubric = notebook.cells[index : index + 3]
        name = grade_id(question)
        assert question.metadata.nbgrader.points == 2
        assert grade_id(answer) == f"{name}-answer"
        assert answer.source == f"display_answer(hw3.answers.{name})"
        assert answer.metadata.nbgrader.locked
        assert role(rubric) is Role.RUBRIC


@every_part
def test_code_is_locked_and_whole(part: str, notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert cell.metadata.nbgrader.locked, cell.id
            assert "BEGIN SOLUTION" not in cell.source
            assert not cell.outputs


def test_part_0_has_a_table_of_two_members_that_students_can_fill_in(hw3_path: Path) -> None:
    notebook = nbformat.read(hw3_path / PARTS["part0"], 4)
    (cell,) = [cell for cell in notebook.cells if grade_id(cell) == "members"]
    rows = [line for line in cell.source.splitlines() if line.startswith("|")]
    assert (cell.cell_type, len(rows), cell.metadata.nbgrader.locked) == ("markdown", 4, False)


@every_part
def test_each_name_that_a_task_asks_for_is_told_in_the_prose(part: str, notebook: NotebookNode) -> None:
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for name in AUTOGRADED[part]:
        wanted = name.replace("part1_hyperparams", "part1_rnn_hyperparams")
        wanted = wanted.replace("part2_hyperparams", "part2_vae_hyperparams")
        assert f"`{wanted}" in prose, name


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_interfaces_that_submissions_rely_on(hw3: SimpleNamespace, name: str) -> None:
    module, *path = name.split(".")
    found = getattr(hw3, module)
    for part in path:
        found = getattr(found, part)
    signature = inspect.signature(found)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    plain = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    assert str(plain) == SIGNATURES[name]


def test_hyperparameters_have_the_keys_and_kinds_of_values(hw3: SimpleNamespace) -> None:
    rnn, vae = hw3.answers.part1_rnn_hyperparams(), hw3.answers.part2_vae_hyperparams()
    keys = "batch_size seq_len h_dim n_layers dropout learn_rate lr_sched_factor lr_sched_patience".split()
    assert list(rnn) == keys
    assert list(vae) == ["batch_size", "h_dim", "z_dim", "x_sigma2", "learn_rate", "betas"]
    start, temperature = hw3.answers.part1_generation_params()
    assert isinstance(start, str)
    assert 0 < temperature < 1


def test_each_answer_has_a_stub_first_and_a_model_answer_in_a_region(hw3_path: Path, hw3: SimpleNamespace) -> None:
    text = (hw3_path / "hw3" / "answers.py").read_text(encoding="utf-8")
    for name in (f"part{part}_q{i}" for part in (1, 2) for i in range(1, 5)):
        stub = rf'^{name} = r"""\n\*\*Your answer:\*\*\n.*?"""\n'
        pattern = rf'{stub}### BEGIN SOLUTION\n{name} = r"""\n.*?"""\n### END SOLUTION$'
        assert re.search(pattern, text, re.MULTILINE | re.DOTALL), name
        assert len(getattr(hw3.answers, name)) > 200


def test_the_visible_tensors_are_what_plain_loops_give(hw3_path: Path, tensors: SimpleNamespace) -> None:
    for name, made in (("gru", tensors.part1()), ("vae_loss", tensors.part2())):
        kept: dict[str, Tensor] = torch.load(hw3_path / "test_tensors" / f"{name}_expected.pt")
        assert list(kept) == list(made)
        for key, value in made.items():
            torch.testing.assert_close(kept[key], value)
