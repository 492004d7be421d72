"""Part 4, method 1: all is frozen but the last two linear layers. The cell is run on a small model."""

from typing import Any

from autograder.grading.checks import check
from autograder.grading.marks import question, weight

pytestmark = question("method_1")

LAST = {"pre_classifier", "classifier"}


def trainable(student: Any) -> set[str]:
    return set(student.probe.frozen_by(student.source("method_1"), True))


@weight(1)
def test_the_last_two_layers_train(student: Any) -> None:
    """weights and biases of pre_classifier and classifier train"""
    missing = {f"{part}.{name}" for part in LAST for name in ("weight", "bias")} - trainable(student)
    check(not missing, f"these should train and are frozen: {', '.join(sorted(missing))}")


@weight(1)
def test_everything_else_is_frozen(student: Any) -> None:
    """nothing else trains"""
    found = trainable(student)
    others = sorted(name for name in found if name.partition(".")[0] not in LAST)
    check(not others, f"these should be frozen and train: {', '.join(others)}")
    check(found, "nothing trains at all")
