"""hw3's loops with their solutions: epochs, early stopping, checkpoints, the carried state, one step a batch."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD
from torch.utils.data import DataLoader, TensorDataset

IMPROVES_TWICE = [10.0, 30.0, 20.0, 30.0, 29.0, 50.0]


@pytest.fixture
def scripted(hw3: SimpleNamespace) -> Any:
    """``scripted([10.0, 30.0])``: a trainer whose epochs give these test accuracies and keep what they were passed."""

    class Scripted(hw3.training.Trainer):  # type: ignore[misc]
        def __init__(self, accuracies: list[float]) -> None:
            model = nn.Linear(1, 1, bias=False)
            super().__init__(model, None, SGD(model.parameters(), lr=0.1))
            self.accuracies = accuracies
            self.epoch = 0
            self.passed: list[Any] = []

        def train_epoch(self, dl_train: Any, **kw: Any) -> Any:
            self.passed.append(("train", dl_train, kw.get("max_batches")))
            self.epoch += 1
            nn.init.constant_(self.model.weight, self.epoch)
            return hw3.support.train_results.EpochResult([1.0, 2.0], 5.0)

        def test_epoch(self, dl_test: Any, **kw: Any) -> Any:
            self.passed.append(("test", dl_test, kw.get("max_batches")))
            accuracy = self.accuracies[self.epoch - 1]
            return hw3.support.train_results.EpochResult([100 - accuracy], accuracy)

        def train_batch(self, batch: Any) -> Any: ...

        def test_batch(self, batch: Any) -> Any: ...

    return Scripted


def test_fit_returns_what_every_epoch_gave(scripted: Any) -> None:
    result = scripted(IMPROVES_TWICE).fit(None, None, num_epochs=3, print_every=9)
    assert result.num_epochs == 3
    assert result.train_loss == [1.0, 2.0] * 3
    assert (result.train_acc, result.test_acc) == ([5.0] * 3, [10.0, 30.0, 20.0])
    assert result.test_loss == [90.0, 70.0, 80.0]


@pytest.mark.parametrize(("patience", "epochs"), [(1, 3), (2, 4), (3, 5), (4, 6), (None, 6)])
def test_training_stops_after_so_many_epochs_without_an_improvement(
    scripted: Any, patience: int | None, epochs: int
) -> None:
    """Equal to the best is no improvement."""
    result = scripted(IMPROVES_TWICE).fit(None, None, num_epochs=6, early_stopping=patience, print_every=9)
    assert result.num_epochs == len(result.test_acc) == epochs


def test_max_batches_and_data_are_passed_on(scripted: Any) -> None:
    trainer = scripted(IMPROVES_TWICE)
    trainer.fit("some", "others", num_epochs=1, max_batches=3, print_every=9)
    assert trainer.passed == [("train", "some", 3), ("test", "others", 3)]


def test_the_hook_is_called_after_each_epoch(scripted: Any) -> None:
    calls: list[tuple[int, float, float, bool]] = []

    def hook(epoch: int, train_result: Any, test_result: Any, verbose: bool) -> None:
        calls.append((epoch, train_result.accuracy, test_result.accuracy, verbose))

    scripted(IMPROVES_TWICE).fit(None, None, num_epochs=3, print_every=2, post_epoch_fn=hook)
    assert calls == [(0, 5.0, 10.0, True), (1, 5.0, 30.0, False), (2, 5.0, 20.0, True)]


def test_the_checkpoint_holds_the_best_epoch(scripted: Any, tmp_path: Path) -> None:
    scripted(IMPROVES_TWICE).fit(None, None, num_epochs=4, checkpoints=f"{tmp_path}/new/toy", print_every=9)
    saved = torch.load(tmp_path / "new" / "toy.pt")
    assert (saved["best_acc"], saved["ewi"]) == (30.0, 0)
    assert saved["model_state"]["weight"].item() == 2


def test_training_resumes_from_the_checkpoint(scripted: Any, tmp_path: Path) -> None:
    name = f"{tmp_path}/toy"
    scripted([40.0]).fit(None, None, num_epochs=1, checkpoints=name)
    again = scripted(IMPROVES_TWICE)
    result = again.fit(None, None, num_epochs=6, checkpoints=name, early_stopping=3, print_every=9)
    assert result.num_epochs == 3  # 10, 30 and 20 are no better than 40
    assert torch.load(f"{name}.pt")["best_acc"] == 40.0


def test_an_epoch_takes_at_most_max_batches_and_accuracy_is_in_percent(hw3: SimpleNamespace) -> None:
    class Counts(hw3.training.Trainer):  # type: ignore[misc]
        modes: tuple[bool, ...] = ()

        def train_batch(self, batch: Any) -> Any:
            self.modes += (self.model.training,)
            return hw3.support.train_results.BatchResult(1.0, 3)

        test_batch = train_batch

    model = nn.Linear(1, 1)
    trainer = Counts(model, None, SGD(model.parameters(), lr=0.1))
    loader = DataLoader(TensorDataset(torch.zeros(10, 1)), batch_size=4)
    assert trainer.train_epoch(loader, verbose=False, max_batches=2) == ([1.0] * 2, 75.0)
    assert trainer.test_epoch(loader, verbose=False) == ([1.0] * 3, 90.0)
    assert trainer.modes == (True, True, False, False, False)


class Adds(nn.Module):
    """A recurrent toy: the state is the sum of all input so far, times a weight; scores come from it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(1.0))
        self.given: list[Tensor | None] = []

    def forward(self, x: Tensor, hidden_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        self.given.append(hidden_state)
        first = 0 if hidden_state is None else hidden_state
        states = first + self.weight * x.cumsum(1)  # (B, S, V)
        return states, states[:, -1:]


@pytest.fixture
def sequences() -> DataLoader[Any]:
    """Three batches of two sequences of four characters out of three."""
    torch.manual_seed(0)
    y = torch.randint(3, (6, 4))
    return DataLoader(TensorDataset(nn.functional.one_hot(y, 3).to(torch.int8), y), batch_size=2)


@pytest.mark.parametrize("kind", ["train", "test"])
def test_the_state_is_carried_detached_and_fresh_each_epoch(
    hw3: SimpleNamespace, sequences: DataLoader[Any], kind: str
) -> None:
    model = Adds()
    trainer = hw3.training.RNNTrainer(model, nn.CrossEntropyLoss(), SGD(model.parameters(), lr=0.0))
    for _ in range(2):
        getattr(trainer, f"{kind}_epoch")(sequences, verbose=False)
    assert [state is None for state in model.given] == [True, False, False] * 2
    carried = [state for state in model.given if state is not None]
    assert not any(state.requires_grad for state in carried)
    x = sequences.dataset.tensors[0]  # type: ignore[attr-defined]
    torch.testing.assert_close(carried[1][:, 0], (x[:2] + x[2:4]).sum(1).float())


def test_rnn_accuracy_is_the_share_of_characters(hw3: SimpleNamespace, sequences: DataLoader[Any]) -> None:
    model = Adds()
    trainer = hw3.training.RNNTrainer(model, nn.CrossEntropyLoss(), SGD(model.parameters(), lr=0.0))
    x, y = sequences.dataset.tensors  # type: ignore[attr-defined]
    state, right = torch.zeros(2, 3), 0
    for first in (0, 2, 4):
        states = state.unsqueeze(1) + x[first : first + 2].cumsum(1)
        right += int((states.argmax(-1) == y[first : first + 2]).sum())
        state = states[:, -1]
    assert trainer.test_epoch(sequences, verbose=False).accuracy == pytest.approx(100 * right / 24)


class Shrinks(nn.Module):
    """A toy autoencoder: everything is scaled by a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.5))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        code = self.weight * x.flatten(1)[:, :2]
        return self.weight * x, code, torch.zeros_like(code)


@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "in-DataParallel"])
def test_the_vae_trainer_takes_one_step_a_batch_on_fresh_gradients(hw3: SimpleNamespace, wrapped: bool) -> None:
    def loss_fn(x: Tensor, xr: Tensor, mu: Tensor, log_sigma2: Tensor) -> Any:
        return hw3.autoencoder.vae_loss(x, xr, mu, log_sigma2, 0.5)

    inner = Shrinks()
    model = nn.DataParallel(inner) if wrapped else inner
    trainer = hw3.training.VAETrainer(model, loss_fn, SGD(inner.parameters(), lr=0.1))
    x, weight = torch.ones(3, 1, 2, 2), 0.5
    for _ in range(3):
        # loss = (1 - w)^2 / 0.5 + 2 w^2, so its derivative is 4 (w - 1) + 4 w
        expected = (1 - weight) ** 2 / 0.5 + 2 * weight**2
        result = trainer.train_batch((x, torch.zeros(3)))
        assert result.loss == pytest.approx(expected)
        weight -= 0.1 * (8 * weight - 4)
        assert inner.weight.item() == pytest.approx(weight)
    trainer.test_batch((x, torch.zeros(3)))
    assert inner.weight.item() == pytest.approx(weight)
