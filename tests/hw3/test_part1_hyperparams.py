"""Part 1: hyperparameters are there and make sense."""

from collections.abc import Callable
from typing import Any

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("part1_hyperparams")

Hyperparams = Callable[[str, set[str]], dict[str, Any]]
KEYS = {
    "batch_size", "seq_len", "h_dim", "n_layers", "dropout", "learn_rate", "lr_sched_factor", "lr_sched_patience",
}  # fmt: skip


@weight(1)
def test_whole_numbers(hyperparams: Hyperparams) -> None:
    """sizes are whole numbers above zero"""
    found = hyperparams("part1_rnn_hyperparams", KEYS)
    for key in ("batch_size", "seq_len", "h_dim", "n_layers"):
        check_type(found[key], int, f"`{key}`")
        check(found[key] > 0, f"`{key}` should be above zero")


@weight(1)
def test_rates(hyperparams: Hyperparams) -> None:
    """dropout, learning rate and its schedule are in their ranges"""
    found = hyperparams("part1_rnn_hyperparams", KEYS)
    for key in ("dropout", "learn_rate", "lr_sched_factor", "lr_sched_patience"):
        check_type(found[key], (int, float), f"`{key}`")
    check(0 <= found["dropout"] < 1, "`dropout` should be at least 0 and below 1")
    check(0 < found["learn_rate"] < 1, "`learn_rate` should be above 0 and below 1")
    check(0 < found["lr_sched_factor"] < 1, "`lr_sched_factor` should be between 0 and 1")
    check(found["lr_sched_patience"] >= 0, "`lr_sched_patience` should not be negative")


@weight(1)
def test_generation(answers: Any) -> None:
    """the beginning is a text, and the temperature is above zero"""
    found = answers.part1_generation_params()
    check_type(found, (tuple, list), "what `part1_generation_params` returns")
    check(len(found) == 2, f"`part1_generation_params` should return two things; it returned {len(found)}")
    check_type(found[0], str, "the beginning")
    check(found[0], "the beginning is empty")
    check_type(found[1], (int, float), "the temperature")
    check(0.001 < found[1] < 10, "the temperature should be neither next to zero nor above 10")
