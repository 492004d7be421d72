"""Q3.3: the one-batch ritual.

The model is a stand-in small enough to follow (TinyReader in probes.py); the same training is done here, step by step.
"""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("memorise")

PAD = 12
Batch = tuple[Tensor, Tensor, Tensor]
Train = Callable[..., dict[str, Any]]


class Trained(NamedTuple):
    """What training should give: the loss before each update, and the weights after the last."""

    losses: list[float]
    state: dict[str, Tensor]


@pytest.fixture
def batch(torch_rng: torch.Generator) -> Batch:
    """Six strips of 1, 1, 2, 2, 3, 4 digits, as the lab's ``collate`` makes them."""
    images = torch.rand(6, 1, 28, 64, generator=torch_rng)
    dec_in, tgt = torch.full((6, 5), PAD), torch.full((6, 5), PAD)
    for row, length in enumerate((1, 1, 2, 2, 3, 4)):
        digits = torch.randint(0, 10, (length,), generator=torch_rng)
        dec_in[row, 0], dec_in[row, 1 : length + 1] = 10, digits
        tgt[row, :length], tgt[row, length] = digits, 11
    return images, dec_in, tgt


@pytest.fixture
def model(stand_ins: ModuleType, randomised: Callable[[torch.nn.Module], torch.nn.Module]) -> torch.nn.Module:
    """The stand-in reader, with fresh weights."""
    return randomised(stand_ins.TinyReader())


@pytest.fixture
def memorised(student: Any, model: torch.nn.Module, batch: Batch) -> Train:
    """``memorised(steps=..., lr=...)``: what the student's function did to the model."""

    def call(**options: Any) -> dict[str, Any]:
        return student.probe.memorised(model.state_dict(), batch, **options)

    return call


def train(model: torch.nn.Module, batch: Batch, steps: int, lr: float) -> Trained:
    images, dec_in, tgt = batch
    optimiser, losses = torch.optim.Adam(model.parameters(), lr=lr), []
    for _ in range(steps):
        loss = cross_entropy(model(images, dec_in).flatten(0, 1), tgt.flatten(), ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return Trained(losses, model.state_dict())


def losses_of(found: dict[str, Any]) -> list[float]:
    losses = found["losses"]
    check_type(losses, (list, tuple), "what `memorise` returns")
    for loss in losses:
        check_type(loss, float, "each loss")
    return list(losses)


def only_run(found: dict[str, Any]) -> dict[str, Any]:
    check(len(found["runs"]) == 1, f"`memorise` should start one W&B run; it started {len(found['runs'])}")
    return found["runs"][0]


@weight(1)
def test_one_loss_for_each_step(memorised: Train) -> None:
    """a list of as many floats as there are steps"""
    losses = losses_of(memorised(steps=7, lr=0.01))
    check(len(losses) == 7, f"there should be one loss for each of 7 steps; found {len(losses)}")


@weight(3)
def test_first_loss_is_that_of_the_untrained_model(memorised: Train, model: torch.nn.Module, batch: Batch) -> None:
    """the first loss is the masked loss before any update"""
    losses = losses_of(memorised(steps=2, lr=0.05))
    check(bool(losses), "there is no loss")
    check_close(losses[0], train(model, batch, 1, 0.05).losses[0], "the first loss", absolute=1e-4)


@weight(4)
def test_losses_fall_as_with_adam(memorised: Train, model: torch.nn.Module, batch: Batch) -> None:
    """every loss is that of Adam at this learning rate, all steps on the same batch"""
    losses = losses_of(memorised(steps=15, lr=0.03))
    check_close(losses, train(model, batch, 15, 0.03).losses, "the losses of 15 steps", absolute=1e-3)


@weight(1)
def test_model_is_trained_to_the_last_step(memorised: Train, model: torch.nn.Module, batch: Batch) -> None:
    """the weights after the last step are those of Adam"""
    found, expected = memorised(steps=5, lr=0.03)["state"], train(model, batch, 5, 0.03).state
    for name, value in expected.items():
        check_close(found[name], value, f"`{name}` after five steps", absolute=1e-3)


@weight(1)
def test_defaults(memorised: Train, model: torch.nn.Module, batch: Batch) -> None:
    """without further arguments: 300 steps at a learning rate of 0.001"""
    losses = losses_of(memorised())
    check(len(losses) == 300, f"there should be 300 losses; found {len(losses)}")
    expected = train(model, batch, 50, 1e-3).losses
    check_close(losses[:50], expected, "the losses at the default learning rate", absolute=1e-3)


@weight(1)
def test_train_mode(memorised: Train) -> None:
    """the model is in train mode"""
    modes = memorised(steps=3, lr=0.01)["modes"]
    check(bool(modes) and all(modes), "the model was not in train mode at each step")


@weight(1)
def test_run(memorised: Train) -> None:
    """one W&B run of project cv-lab8, with a name that says it is the ritual"""
    run = only_run(memorised(steps=2, lr=0.01))
    check(run["project"] == "cv-lab8", "the run does not belong to the project cv-lab8")
    check("ritual" in str(run["name"]).lower(), 'the name of the run does not contain "ritual"')


@weight(2)
def test_config(memorised: Train) -> None:
    """the run's config holds reader, optimiser, lr, steps, batch_size and params"""
    config = only_run(memorised(steps=2, lr=0.02))["config"]
    # TinyReader: 13 x 6 for the embedding, 7 x 13 + 13 for the output layer.
    expected = {"lr": 0.02, "steps": 2, "batch_size": 6, "params": 13 * 6 + 7 * 13 + 13}
    for key in ("reader", "optimiser", *expected):
        check(key in config, f'the config has no "{key}"')
    check(isinstance(config["reader"], str) and config["reader"], '"reader" should say which reader it is')
    check("adam" in str(config["optimiser"]).lower(), '"optimiser" does not say that it is adam')
    for key, value in expected.items():
        check_type(config[key], (int, float), f'"{key}" of the config')
        check_close(config[key], value, f'"{key}" of the config')


@weight(2)
def test_log(memorised: Train) -> None:
    """each step's loss is logged as train/loss"""
    found = memorised(steps=6, lr=0.01)
    logged = [entry["train/loss"] for entry in only_run(found)["logs"] if "train/loss" in entry]
    check(len(logged) == 6, f"train/loss should be logged once for each of 6 steps; it was logged {len(logged)} times")
    check_close(logged, losses_of(found), "the logged losses, against those returned,", absolute=1e-4)


@weight(1)
def test_run_is_finished(memorised: Train) -> None:
    """the run is finished at the end"""
    check(only_run(memorised(steps=2, lr=0.01))["finished"], "the run is left open")


@weight(1)
def test_print(memorised: Train) -> None:
    """the loss is printed at step 1 and every 50 steps, and not at every step"""
    found = memorised(steps=120, lr=0.01)
    losses, lines = losses_of(found), [line for line in found["printed"].splitlines() if line.strip()]
    for step in (1, 50, 100):
        check(any(reports(line, step, losses[step - 1]) for line in lines), f"no line shows step {step} with its loss")
    check(len(lines) <= 12, f"{len(lines)} lines are printed for 120 steps")


def reports(line: str, step: int, loss: float) -> bool:
    """Whether ``line`` shows the number ``step`` and a number that rounds ``loss``."""
    numbers = [float(number) for number in re.findall(r"\d+\.?\d*(?:e[-+]?\d+)?", line)]
    return step in numbers and any(abs(number - loss) <= 0.006 + 0.01 * abs(loss) for number in numbers)
