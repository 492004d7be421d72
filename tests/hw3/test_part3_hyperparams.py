"""Part 3: hyperparameters are there and make sense."""

from collections.abc import Callable
from typing import Any

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("part3_hyperparams")

Hyperparams = Callable[[str, set[str]], dict[str, Any]]
KEYS = {"embed_dim", "num_heads", "num_layers", "hidden_dim", "window_size", "droupout", "lr"}


@weight(1)
def test_whole_numbers(hyperparams: Hyperparams) -> None:
    """sizes are whole numbers above zero that fit each other"""
    found = hyperparams("part3_transformer_encoder_hyperparams", KEYS)
    for key in ("embed_dim", "num_heads", "num_layers", "hidden_dim", "window_size"):
        check_type(found[key], int, f"`{key}`")
        check(found[key] > 0, f"`{key}` should be above zero")
    check(found["embed_dim"] % found["num_heads"] == 0, "`embed_dim` should be a multiple of `num_heads`")
    check(found["window_size"] % 2 == 0, "`window_size` should be even")


@weight(1)
def test_rates(hyperparams: Hyperparams) -> None:
    """dropout and learning rate are in their ranges"""
    found = hyperparams("part3_transformer_encoder_hyperparams", KEYS)
    for key in ("droupout", "lr"):
        check_type(found[key], (int, float), f"`{key}`")
    check(0 <= found["droupout"] < 1, "`droupout` should be at least 0 and below 1")
    check(0 < found["lr"] < 1, "`lr` should be above 0 and below 1")
