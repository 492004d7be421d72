"""Part 3: training a classifier of sentences. The model has a weight and a bias."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question, weight

pytestmark = question("TransformerEncoderTrainer")

Batch = dict[str, Tensor]
START = (0.3, -1.0)
BOTH = pytest.mark.parametrize("train", [True, False], ids=["train_batch", "test_batch"])


@pytest.fixture
def batches(student: Any, torch_rng: torch.Generator) -> list[Batch]:
    """Two batches of six sentences, with padding."""
    student("hw3.training")
    return [make(torch_rng) for _ in range(2)]


def make(generator: torch.Generator) -> Batch:
    """No logit is 0, which may count for either class; and those between 0 and 0.5 change how many are right."""
    while True:
        mask = (torch.arange(5) < torch.randint(1, 6, (6, 1), generator=generator)).float()
        ids = torch.randint(1, 9, (6, 5), generator=generator) * mask.long()
        batch = {"input_ids": ids, "attention_mask": mask, "label": torch.tensor([0.0, 1.0] * 3)}
        if logits_of(batch, START).abs().min() > 0.01 and right_above(0, batch) != right_above(0.5, batch):
            return batch


def logits_of(batch: Batch, parameters: Any) -> Tensor:
    """The stand-in's logits, written down once more."""
    mean = (batch["input_ids"] * batch["attention_mask"]).sum(1) / batch["attention_mask"].sum(1)
    return parameters[0] * mean.double() + parameters[1]


def right_above(border: float, batch: Batch) -> int:
    """How many sentences are right if those with a logit above ``border`` are of class 1."""
    return int(((logits_of(batch, START) > border) == (batch["label"] > 0.5)).sum())


def loss_of(batch: Batch, parameters: Any) -> Tensor:
    return nn.functional.binary_cross_entropy_with_logits(logits_of(batch, parameters), batch["label"].double())


@weight(2)
@BOTH
def test_loss(student: Any, batches: list[Batch], train: bool) -> None:
    """the loss is the binary cross-entropy of the logits"""
    found = student.probe.classifier_training(batches[:1], train=train)["results"][0][0]
    check_close(found, float(loss_of(batches[0], START)), "the loss", absolute=1e-4)


@weight(2)
@BOTH
def test_number_of_right_sentences(student: Any, batches: list[Batch], train: bool) -> None:
    """num_correct is how many sentences were classified rightly"""
    found = student.probe.classifier_training(batches[:1], train=train)["results"][0][1]
    check_close(found, float(right_above(0, batches[0])), "num_correct")


@weight(3)
def test_one_step_a_batch(student: Any, batches: list[Batch]) -> None:
    """each batch steps once, along the gradient of its own loss"""
    found = student.probe.classifier_training(batches, train=True)
    check(found["steps"] == 2, f"two batches make two steps of the optimiser; found {found['steps']}")
    parameters = torch.tensor(START, dtype=torch.float64)
    for batch in batches:
        leaf = parameters.clone().requires_grad_()
        parameters = (leaf - 0.1 * torch.autograd.grad(loss_of(batch, leaf), leaf)[0]).detach()
    check_close(found["weights"], parameters, "the parameters after two batches", absolute=1e-4)


@weight(1)
def test_testing_changes_nothing(student: Any, batches: list[Batch]) -> None:
    """test_batch tracks no gradients and changes no parameters"""
    found = student.probe.classifier_training(batches, train=False)
    check(found["steps"] == 0, "test_batch steps the optimiser")
    check_close(found["weights"], list(START), "the parameters while testing", absolute=1e-6)
    check(not any(found["tracked"]), "gradients are tracked while testing")
