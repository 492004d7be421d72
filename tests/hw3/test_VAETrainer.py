"""Part 2: training on images. The model has one weight, and a loss of its own."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question, weight

pytestmark = question("VAETrainer")

Normal = Callable[..., Tensor]
KINDS = pytest.mark.parametrize("parallel", [False, True], ids=["plain", "DataParallel"])
START, DIVERGENCE = 0.2, 0.5 + 3 * -0.5


@pytest.fixture
def images(student: Any, normal: Normal) -> list[Tensor]:
    """Two batches."""
    student("hw3.training")
    return [normal(3, 1, 4, 4), normal(2, 1, 4, 4)]


@weight(2)
@KINDS
@pytest.mark.parametrize("train", [True, False], ids=["train_batch", "test_batch"])
def test_loss(student: Any, images: list[Tensor], train: bool, parallel: bool) -> None:
    """the loss of a batch is what loss_fn gives for it"""
    found = student.probe.vae_training(images[:1], train=train, parallel=parallel)["losses"][0]
    expected = (1 - START) ** 2 * float(images[0].square().mean()) + DIVERGENCE
    check_close(found, expected, "the loss", absolute=1e-4)


@weight(3)
@KINDS
def test_one_step_a_batch(student: Any, images: list[Tensor], parallel: bool) -> None:
    """each batch steps once, along the gradient of its own loss"""
    found = student.probe.vae_training(images, train=True, parallel=parallel)
    check(found["steps"] == 2, f"two batches make two steps of the optimiser; found {found['steps']}")
    expected = START
    for x, now in zip(images, found["weights"], strict=True):
        expected += 0.1 * 2 * (1 - expected) * float(x.square().mean())
        check_close(now, expected, "the weight after a batch", absolute=1e-4)


@weight(1)
def test_testing_changes_nothing(student: Any, images: list[Tensor]) -> None:
    """test_batch tracks no gradients and changes no weights"""
    found = student.probe.vae_training(images, train=False, parallel=False)
    check(found["steps"] == 0, "test_batch steps the optimiser")
    check_close(found["weights"], [START, START], "the weight while testing", absolute=1e-6)
    check(not any(found["tracked"]), "gradients are tracked while testing")


@weight(1)
def test_the_loss_falls(student: Any, images: list[Tensor]) -> None:
    """the loss falls on the same batch"""
    losses = student.probe.vae_training(images[:1] * 20, train=True, parallel=False)["losses"]
    check(losses[-1] < losses[0], "the loss is no lower after twenty steps on the same batch")
    check(bool(torch.tensor(losses).isfinite().all()), "the loss is not finite")
