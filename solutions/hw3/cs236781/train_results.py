"""What training returns: of a batch, of an epoch, and of all of it."""

from typing import NamedTuple


class BatchResult(NamedTuple):
    """The loss of a batch, and how many of its samples were classified rightly."""

    loss: float
    num_correct: float


class EpochResult(NamedTuple):
    """The losses of all batches of an epoch, and the accuracy over them, in percent."""

    losses: list[float]
    accuracy: float


class FitResult(NamedTuple):
    """The number of epochs that were run, and losses and accuracies (in percent, one an epoch) on both data sets."""

    num_epochs: int
    train_loss: list[float]
    train_acc: list[float]
    test_loss: list[float]
    test_acc: list[float]
