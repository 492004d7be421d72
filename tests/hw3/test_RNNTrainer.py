"""Part 1: batches that continue each other. The model is a stand-in with a state and no gates."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question, weight

pytestmark = question("RNNTrainer")

Normal = Callable[..., Tensor]
Batch = tuple[Tensor, Tensor]
B, S, V = 3, 4, 5


@pytest.fixture
def batches(student: Any, torch_rng: torch.Generator) -> list[Batch]:
    """Three batches (x, y), x one-hot int8."""
    student("hw3.training")
    text = torch.randint(V, (3, B, S), generator=torch_rng)
    labels = torch.randint(V, (3, B, S), generator=torch_rng)
    return [(nn.functional.one_hot(x, V).to(torch.int8), y) for x, y in zip(text, labels, strict=True)]


def forward(weight: Tensor, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """The stand-in's scores (B, S, V) and last state (B, V), written down once more."""
    scores = []
    for step in x.double().unbind(1):
        state = 0.5 * state + step @ weight
        scores.append(state)
    return torch.stack(scores, 1), state


def entropy(scores: Tensor, y: Tensor) -> Tensor:
    """Mean cross-entropy."""
    return nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten())


def scale_of(found: float, mean: float) -> float:
    """1 where the loss is the mean over the sequence, S where it is the sum; fails for anything else."""
    for scale in (1.0, float(S)):
        if abs(found - scale * mean) <= 1e-4 * scale * mean + 1e-6:
            return scale
    check(False, "the loss is neither the mean nor the sum over the sequence of the cross-entropy")
    raise AssertionError


@weight(2)
@pytest.mark.parametrize("train", [True, False], ids=["train_batch", "test_batch"])
def test_loss(student: Any, batches: list[Batch], normal: Normal, train: bool) -> None:
    """the loss is the cross-entropy of all characters of the batch, averaged or summed over the sequence"""
    start = normal(V, V)
    found = student.probe.rnn_training(start, batches[:1], train=train)["results"][0][0]
    x, y = batches[0]
    scale_of(found, float(entropy(forward(start.double(), x, torch.zeros(B, V).double())[0], y)))


@weight(2)
@pytest.mark.parametrize("train", [True, False], ids=["train_batch", "test_batch"])
def test_number_of_right_characters(student: Any, batches: list[Batch], normal: Normal, train: bool) -> None:
    """num_correct is the number of right characters divided by the length of the sequence"""
    start = normal(V, V)
    found = student.probe.rnn_training(start, batches[:1], train=train)["results"][0][1]
    x, y = batches[0]
    right = (forward(start.double(), x, torch.zeros(B, V).double())[0].argmax(-1) == y).sum()
    check_close(found, float(right) / S, "num_correct")


@weight(3)
@pytest.mark.parametrize("train", [True, False], ids=["train_batch", "test_batch"])
def test_the_state_is_carried_on(student: Any, batches: list[Batch], normal: Normal, train: bool) -> None:
    """each batch begins with the state that the one before ended with"""
    found = student.probe.rnn_training(normal(V, V), batches, train=train)
    check(
        len(found["given"]) == 3, f"three batches call the model three times; it was called {len(found['given'])} times"
    )
    first = found["given"][0]
    check(first is None or not bool(first.any()), "the first batch does not begin with a fresh state")
    for given, before in zip(found["given"][1:], found["returned"], strict=False):
        check(given is not None, "a batch begins with a fresh state instead of the last one")
        check_close(given, before, "the state that a batch begins with")


@weight(2)
def test_the_state_is_detached(student: Any, batches: list[Batch], normal: Normal) -> None:
    """gradients stay within a batch"""
    found = student.probe.rnn_training(normal(V, V), batches, train=True)
    check(not any(found["attached"]), "the state that is carried on still has the graph of the batch before")


@weight(2)
def test_one_step_a_batch(student: Any, batches: list[Batch], normal: Normal) -> None:
    """each batch steps once, along the gradient of its own loss"""
    start = normal(V, V)
    found = student.probe.rnn_training(start, batches, train=True, lr=0.1)
    check(found["steps"] == 3, f"three batches make three steps of the optimiser; found {found['steps']}")
    weight_now, state = start.double(), torch.zeros(B, V).double()
    scale = 0.0
    for (x, y), after, (loss, _) in zip(batches, found["weights"], found["results"], strict=True):
        leaf = weight_now.clone().requires_grad_()
        scores, state = forward(leaf, x, state)
        mean = entropy(scores, y)
        scale = scale or scale_of(loss, mean.item())
        weight_now = (leaf - 0.1 * scale * torch.autograd.grad(mean, leaf)[0]).detach()
        state = state.detach()
        check_close(after.double(), weight_now, "the weights after a batch", absolute=1e-4)


@weight(1)
def test_testing_changes_nothing(student: Any, batches: list[Batch], normal: Normal) -> None:
    """test_batch tracks no gradients and changes no weights"""
    start = normal(V, V)
    found = student.probe.rnn_training(start, batches, train=False)
    check(found["steps"] == 0, "test_batch steps the optimiser")
    check_close(found["weights"][-1], start, "the weights after testing")
    check(not any(found["tracked"]), "gradients are tracked while testing")


@weight(2)
def test_each_epoch_begins_afresh(student: Any, batches: list[Batch], normal: Normal) -> None:
    """the state is fresh at the beginning of each epoch, of training and of testing, and only there"""
    x, y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    found = student.probe.rnn_epochs(normal(V, V), x, y, B, ["train", "train", "test", "test"])
    check(
        found["fresh"] == [True, False, False] * 4,
        "the state is not fresh at the beginning of each epoch, or also elsewhere",
    )


@weight(1)
def test_modes_and_accuracy(student: Any, batches: list[Batch], normal: Normal) -> None:
    """an epoch trains in train mode and tests in eval mode, and its accuracy is a percentage"""
    x, y = (torch.cat(parts) for parts in zip(*batches, strict=True))
    found = student.probe.rnn_epochs(normal(V, V), x, y, B, ["train", "test"])
    check(
        found["modes"] == [True] * 3 + [False] * 3,
        "the model is not in train mode when it trains, or not in eval mode after",
    )
    weight_now = found["weight"].double()
    state, right = torch.zeros(B, V).double(), 0.0
    for part, labels in batches:
        scores, state = forward(weight_now, part, state)
        right += float((scores.argmax(-1) == labels).sum())
    check_close(found["accuracies"][1], 100 * right / y.numel(), "the accuracy of a test epoch", absolute=1e-3)


@weight(1)
def test_the_loss_falls(student: Any, batches: list[Batch], normal: Normal) -> None:
    """over a few dozen batches the loss falls"""
    results = student.probe.rnn_training(normal(V, V), batches[:1] * 40, train=True, lr=0.5)["results"]
    check(results[-1][0] < results[0][0], "the loss is no lower after forty steps on the same batch")
