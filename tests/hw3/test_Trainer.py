"""Part 1: what `Trainer.fit` does with given results of epochs. Accuracy and loss improve together."""

from typing import Any

import numpy as np
import pytest

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question, weight

pytestmark = question("Trainer")

Epoch = tuple[float, float]


def epochs(*accuracies: float) -> list[Epoch]:
    """Test loss and accuracy of each epoch; the better the accuracy, the lower the loss."""
    return [(100.0 - accuracy, accuracy) for accuracy in accuracies]


@pytest.fixture
def fit(student: Any) -> Any:
    student("hw3.training")
    return student.probe.fitted


@weight(2)
def test_losses_and_accuracies_are_kept(fit: Any) -> None:
    """losses (of batches or the mean of each epoch) and accuracies of all epochs are returned, in order"""
    result = fit(epochs(10.0, 20.0, 15.0), 3)["result"]
    check_close(result["train_acc"], [50.0, 50.0, 50.0], "train_acc")
    check_close(result["test_acc"], [10.0, 20.0, 15.0], "test_acc")
    for name, batches, means in (
        ("train_loss", [2.0, 1.0] * 3, [1.5] * 3),
        ("test_loss", [90.0, 90.0, 80.0, 80.0, 85.0, 85.0], [90.0, 80.0, 85.0]),
    ):
        found = result[name].tolist()
        check(found in (batches, means), f"{name} should hold the losses of all batches, or the mean of each epoch")


@weight(2)
@pytest.mark.parametrize("count", [1, 4])
def test_number_of_epochs(fit: Any, count: int) -> None:
    """num_epochs is the number of epochs that were run"""
    found = fit(epochs(*range(10, 60, 10))[:count], count)["num_epochs"]
    check(found == count, f"{count} epochs were run, and num_epochs says {found}")


@weight(1)
def test_number_of_epochs_after_stopping_early(fit: Any) -> None:
    """num_epochs counts only what was run when training stopped early"""
    found = fit(epochs(50.0, *[10.0] * 9), 10, early_stopping=2)
    ran = len(found["test_kw"])
    check(found["num_epochs"] == ran, f"{ran} epochs were run, and num_epochs says {found['num_epochs']}")


STOPS = {
    "never better": ([50.0, 40.0, 40.0, 40.0, 40.0, 40.0], 3, 4),
    "better once more": ([10.0, 9.0, 8.0, 20.0, 9.0, 8.0, 7.0, 6.0, 5.0], 3, 7),
    "equal is not better": ([30.0, 30.0, 30.0, 30.0, 30.0], 2, 3),
    "worse twice with patience one": ([30.0, 40.0, 20.0, 50.0], 1, 3),
}


@weight(4)
@pytest.mark.parametrize(("accuracies", "patience", "expected"), STOPS.values(), ids=STOPS)
def test_stops_early(fit: Any, accuracies: list[float], patience: int, expected: int) -> None:
    """training stops after so many epochs in a row without an improvement, at that very epoch"""
    ran = len(fit(epochs(*accuracies), len(accuracies), early_stopping=patience)["test_kw"])
    check(ran == expected, f"with early_stopping={patience} training should end after epoch {expected}; {ran} were run")


@weight(1)
def test_without_early_stopping_all_epochs_are_run(fit: Any) -> None:
    """without early_stopping all epochs are run"""
    ran = len(fit(epochs(50.0, *[10.0] * 7), 8)["test_kw"])
    check(ran == 8, f"8 epochs were asked for, and {ran} were run")


@weight(2)
def test_max_batches_is_passed_on(fit: Any) -> None:
    """max_batches reaches train_epoch and test_epoch"""
    found = fit(epochs(10.0, 20.0), 2, max_batches=7)
    for part in ("train", "test"):
        given = [kw.get("max_batches") for kw in found[f"{part}_kw"]]
        check(given == [7, 7], f"max_batches does not reach {part}_epoch")


# -- checkpoints ------------------------------------------------------------------------------------------------------


@weight(3)
def test_the_best_model_is_kept(fit: Any) -> None:
    """the checkpoint holds the model of the best epoch, not of the last"""
    file = fit(epochs(10.0, 40.0, 20.0, 30.0), 4, checkpoints="checkpoints/best")["file"]
    check(file is not None, "no checkpoint was written to checkpoints + '.pt'")
    check("model_state" in file, "the checkpoint has no entry model_state")
    check_close(file["model_state"]["weight"], np.array([[2.0]]), "the weight in the checkpoint")


@weight(1)
def test_what_else_is_in_the_checkpoint(fit: Any) -> None:
    """the checkpoint holds best_acc, and ewi, the epochs without an improvement"""
    file = fit(epochs(10.0, 40.0), 2, checkpoints="checkpoints/entries")["file"]
    check(file is not None, "no checkpoint was written to checkpoints + '.pt'")
    missing = {"best_acc", "ewi", "model_state"} - set(file)
    check(not missing, f"the checkpoint lacks {', '.join(sorted(missing))}")
    check_close(file["best_acc"], 40.0, "best_acc in the checkpoint")
    check(file["ewi"] == 0, f"ewi should be 0 right after an improvement; it is {file['ewi']}")


@weight(1)
def test_no_checkpoint_unless_asked_for(fit: Any) -> None:
    """without checkpoints nothing is written, and training works"""
    check(fit(epochs(10.0, 20.0), 2)["file"] is None, "a checkpoint was written although none was asked for")


@weight(2)
def test_training_resumes(fit: Any) -> None:
    """a checkpoint that is there is loaded: the model goes on from it, and worse epochs do not replace it"""
    saved = {"best_acc": 35.0, "ewi": 0, "model_state": {"weight": np_tensor(7.0)}}
    found = fit(epochs(20.0, 30.0), 2, checkpoints="checkpoints/resumed", saved=saved)
    check(found["weights"] == [8.0, 9.0], "the model does not go on from the checkpoint")
    check_close(found["file"]["best_acc"], 35.0, "best_acc after two worse epochs")
    check_close(found["file"]["model_state"]["weight"], np.array([[7.0]]), "the weight kept after two worse epochs")


def np_tensor(value: float) -> Any:
    import torch

    return torch.tensor([[value]])


@weight(1)
def test_the_function_after_each_epoch_is_called(fit: Any) -> None:
    """post_epoch_fn is called after each epoch"""
    calls = fit(epochs(10.0, 20.0, 30.0), 3)["posts"]
    check(calls == 3, f"three epochs were run, and post_epoch_fn was called {calls} times")
