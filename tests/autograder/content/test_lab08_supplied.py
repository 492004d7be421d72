"""What lab08 supplies to students works as it says: strips, scores, batches, reading and training."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from autograder.sandbox.stand_ins import WANDB

COUNTS = {"cnn": 240_608, "bigru": 74_496, "init": 8_256, "total": 323_360}


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Forty noise images of digits 0 to 9."""
    rng = np.random.default_rng(0)
    return rng.integers(1, 256, (40, 28, 28), dtype=np.uint8), np.arange(40) % 10


@pytest.fixture
def budget(lab08: SimpleNamespace, digits: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """``train_reader``'s globals, with a budget of two epochs of two small batches."""
    namespace: dict[str, Any] = lab08.train_reader.__globals__
    images, labels = digits
    changed: dict[str, Any] = {"EPOCHS": 2, "N_STRIPS": 4, "BATCH": 2, "EVAL_EPOCHS": (2,)}
    changed |= {"train_imgs": images, "train_labels": labels}
    changed["test_set"] = lab08.StripDataset(images, labels, 4, range(1, 3), seed=0)
    return namespace | changed


def test_a_strip_set_has_equal_counts_and_boxes_that_fit(lab08: SimpleNamespace, digits: Any) -> None:
    strips = lab08.StripDataset(*digits, 240, range(1, 13), seed=3)
    assert Counter(map(len, strips.digits)) == dict.fromkeys(range(1, 13), 20)
    assert [len(found) for found in strips.digits] != sorted(len(found) for found in strips.digits)
    for found, src, xs in zip(strips.digits, strips.src, strips.xs, strict=True):
        assert found == digits[1][src].tolist()
        assert all(22 <= pitch <= 28 for pitch in np.diff(xs))
        assert xs[0] >= 0
        assert xs[-1] + 28 <= 336
    overlaps = {28 - pitch for xs in strips.xs for pitch in np.diff(xs).tolist()}
    assert overlaps == set(range(7))


def test_a_strip_is_the_pixelwise_maximum_of_its_digits(lab08: SimpleNamespace, digits: Any) -> None:
    images, labels = digits
    canvas, found, src, xs = lab08.make_strip(images, labels, 3, np.random.default_rng(1), width=224)
    expected = np.zeros((3, 28, 224), dtype=np.uint8)
    for layer, i, x in zip(expected, src, xs, strict=True):
        layer[:, x : x + 28] = images[i]
    assert canvas.dtype == np.uint8
    assert (canvas == expected.max(axis=0)).all()
    assert found == labels[src].tolist()


def test_a_strip_sets_item_is_an_image_in_0_to_1_and_long_digits(lab08: SimpleNamespace, digits: Any) -> None:
    image, found = lab08.StripDataset(*digits, 4, [8], seed=0, width=224)[1]
    assert (image.shape, image.dtype) == ((1, 28, 224), torch.float32)
    assert (found.shape, found.dtype) == ((8,), torch.int64)
    assert 0 == image.min() < image.max() <= 1


def test_the_seed_fixes_a_strip_set(lab08: SimpleNamespace, digits: Any) -> None:
    first, again, other = (lab08.StripDataset(*digits, 30, range(1, 9), seed=seed) for seed in (7, 7, 8))
    assert (first.digits, first.src, first.xs) == (again.digits, again.src, again.xs)
    assert first.src != other.src


def test_too_many_digits_for_the_strip_are_refused(lab08: SimpleNamespace, digits: Any) -> None:
    with pytest.raises(ValueError, match="13 digits can need 364 pixels, but the strip has 336"):
        lab08.make_strip(*digits, 13, np.random.default_rng(0))


def test_scores_of_known_strings(lab08: SimpleNamespace) -> None:
    preds = [[1, 2, 11, 5], [10, 3, 12, 4, 11], [], [7, 8]]
    targets = [[1, 2], [3, 5], [6], [7, 9, 8]]
    assert [lab08.clean(pred) for pred in preds] == [[1, 2], [3, 4], [], [7, 8]]
    assert lab08.exact_string_accuracy(preds, targets) == 1 / 4
    assert lab08.cer(preds, targets) == 3 / 8
    assert lab08.by_length(preds, targets) == {1: (0, 1, 1), 2: (1 / 2, 1 / 4, 2), 3: (0, 1 / 3, 1)}
    assert lab08.show_tokens([10, 4, 11, 12]) == "<sos> 4 <eos> <pad>"


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [([], [], 0), ([], [1, 2], 2), ([1, 2, 3], [1, 3], 1), ([1, 2, 3, 4], [2, 3, 4, 5], 2), ([1, 1], [2, 2, 2], 3)],
    ids=["nothing", "all inserted", "one deleted", "shifted by one", "nothing shared"],
)
def test_edit_distance(lab08: SimpleNamespace, a: list[int], b: list[int], edits: int) -> None:
    assert lab08.edit_distance(a, b) == lab08.edit_distance(b, a) == edits


def test_a_batch_is_shifted_by_one_and_padded(lab08: SimpleNamespace) -> None:
    image = torch.zeros(1, 28, 336)
    images, dec_in, tgt = lab08.collate([(image, torch.tensor([4, 2])), (image, torch.tensor([7]))])
    assert images.shape == (2, 1, 28, 336)
    assert dec_in.tolist() == [[10, 4, 2], [10, 7, 12]]
    assert tgt.tolist() == [[4, 2, 11], [7, 11, 12]]


def test_padding_has_no_part_in_the_loss(lab08: SimpleNamespace, torch_generator: torch.Generator) -> None:
    logits, tgt = torch.randn(2, 3, 13, generator=torch_generator), torch.tensor([[4, 2, 11], [7, 11, 12]])
    chosen = torch.log_softmax(logits, dim=2).gather(2, tgt[:, :, None])[:, :, 0]  # (2, 3)
    assert torch.isclose(lab08.masked_loss(logits, tgt), -chosen[tgt != 12].mean())


@pytest.fixture
def torch_generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_the_readers_have_the_sizes_that_the_lab_names(lab08: SimpleNamespace) -> None:
    assert lab08.parameter_counts(lab08.ColumnEncoder()) == COUNTS
    fixed, attention = (lab08.parameter_counts(make()) for make in (lab08.FixedReader, lab08.AttentionReader))
    assert (fixed["total"], attention["total"]) == (343_437, 398_349)
    assert round(attention["total"] / fixed["total"], 2) == 1.16


def test_the_figures_to_be_worked_out_by_hand(lab08: SimpleNamespace) -> None:
    assert lab08.feature_geometry() == {"shape": (128, 1, 21), "stride": 16, "columns_per_box": 1.75}
    assert lab08.receptive_field_by_hand() == 46
    assert lab08.boxes_in_window(46) == 4


def test_both_readers_start_from_the_same_encoder(lab08: SimpleNamespace) -> None:
    encoders = []
    for make_reader in (lab08.FixedReader, lab08.AttentionReader):
        lab08.seed_everything(0)
        encoders.append(make_reader().encoder.state_dict())
    assert all(torch.equal(value, encoders[1][name]) for name, value in encoders[0].items())


@pytest.mark.parametrize("reader", ["FixedReader", "AttentionReader"])
def test_forward_gives_what_step_gives(lab08: SimpleNamespace, reader: str, torch_generator: torch.Generator) -> None:
    model = getattr(lab08, reader)().double().eval()
    images = torch.rand(2, 1, 28, 224, dtype=torch.float64, generator=torch_generator)
    dec_in = torch.randint(0, 13, (2, 4), generator=torch_generator)
    state, memory = model.encode(images)
    for t, expected in enumerate(model(images, dec_in).unbind(1)):
        logits, state, _ = model.step(dec_in[:, t], state, memory)
        assert torch.allclose(logits, expected)


class Scripted(nn.Module):
    """A reader whose row ``b`` writes ``script[b]``, whatever the image."""

    def __init__(self, script: list[list[int]], *, weights: bool) -> None:
        super().__init__()
        self.script, self.weights = torch.tensor(script), weights

    def encode(self, images: Tensor) -> tuple[Tensor, int]:
        return torch.zeros(len(images), 1), len(images)

    def step(self, y_prev: Tensor, s_prev: Tensor, memory: int) -> tuple[Tensor, Tensor, Tensor | None]:
        written = self.script[:memory, int(s_prev[0])]
        rows = torch.full((memory, 21), 1 / 21) if self.weights else None
        return nn.functional.one_hot(written, 13).float(), s_prev + 1, rows


@pytest.mark.parametrize("weights", [True, False], ids=["attention", "no weights"])
def test_reading_stops_when_every_row_has_written_eos(lab08: SimpleNamespace, weights: bool) -> None:
    model = Scripted([[4, 11, 5, 5], [1, 2, 11, 6]], weights=weights).train()
    symbols, maps = lab08.generate(model, torch.zeros(2, 1, 28, 336))
    assert symbols.tolist() == [[4, 11, 5], [1, 2, 11]]
    assert (maps.shape == (2, 3, 21)) if weights else (maps is None)
    assert model.training


def test_reading_stops_at_the_longest_length(lab08: SimpleNamespace) -> None:
    symbols, _ = lab08.generate(Scripted([[3] * 20], weights=False), torch.zeros(1, 1, 28, 336), max_len=6)
    assert symbols.tolist() == [[3] * 6]


def test_a_whole_set_is_read_into_three_lists(lab08: SimpleNamespace, digits: Any) -> None:
    strips = lab08.StripDataset(*digits, 5, [1], seed=0)
    script = [[6, 11], [7, 11]]
    preds, targets, weights = lab08.predict(Scripted(script, weights=True), strips, batch_size=2)
    assert preds == [*script, *script, script[0]]
    assert targets == strips.digits
    assert [rows.shape for rows in weights] == [(2, 21)] * 5
    assert lab08.predict(Scripted(script, weights=False), strips, batch_size=2)[2] == [None] * 5


@pytest.mark.parametrize(("reader", "kind"), [("FixedReader", "fixed-context"), ("AttentionReader", "attention")])
def test_training_logs_its_configuration_and_its_rows(
    lab08: SimpleNamespace, budget: dict[str, Any], monkeypatch: pytest.MonkeyPatch, reader: str, kind: str
) -> None:
    for name, value in budget.items():
        monkeypatch.setitem(lab08.train_reader.__globals__, name, value)
    WANDB.reset()
    _, rows = lab08.train_reader(getattr(lab08, reader), seed=1, name="a run", lengths=range(1, 4))
    (run,) = WANDB.runs
    assert (run["project"], run["name"], run["finished"]) == ("cv-lab8", "a run", True)
    expected = {
        "reader": kind, "hidden": 64, "emb": 32, "bigru_units": 64, "train_lengths": [1, 2, 3], "strips_per_epoch": 4,
        "optimiser": "adam", "lr": 1e-3, "schedule": "cosine, per batch", "batch_size": 2, "epochs": 2,
        "eval_epochs": [2], "params": {"fixed-context": 343_437, "attention": 398_349}[kind], "seed": 1,
    }  # fmt: skip
    if kind == "attention":
        expected |= {"attention": "scaled dot product", "d_k": 64, "d_v": 128}
    assert run["config"] == expected
    assert run["logs"] == rows
    assert [set(row) for row in rows] == [{"epoch", "train/loss"}, {"epoch", "train/loss", "test/exact", "test/cer"}]


def test_the_same_seed_trains_the_same_reader(
    lab08: SimpleNamespace, budget: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in budget.items():
        monkeypatch.setitem(lab08.train_reader.__globals__, name, value)
    (first, _), (again, _), (other, _) = (lab08.train_reader(lab08.AttentionReader, seed, "") for seed in (0, 0, 1))
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in first.state_dict().items())
    assert not torch.equal(first.out.weight, other.out.weight)
