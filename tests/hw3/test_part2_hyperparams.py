"""Part 2: hyperparameters are there and make sense."""

from collections.abc import Callable
from typing import Any

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("part2_hyperparams")

Hyperparams = Callable[[str, set[str]], dict[str, Any]]
KEYS = {"batch_size", "h_dim", "z_dim", "x_sigma2", "learn_rate", "betas"}


@weight(1)
def test_whole_numbers(hyperparams: Hyperparams) -> None:
    """sizes are whole numbers above zero"""
    found = hyperparams("part2_vae_hyperparams", KEYS)
    for key in ("batch_size", "h_dim", "z_dim"):
        check_type(found[key], int, f"`{key}`")
        check(found[key] > 0, f"`{key}` should be above zero")


@weight(1)
def test_rates(hyperparams: Hyperparams) -> None:
    """variance, learning rate and betas are in their ranges"""
    found = hyperparams("part2_vae_hyperparams", KEYS)
    for key in ("x_sigma2", "learn_rate"):
        check_type(found[key], (int, float), f"`{key}`")
        check(found[key] > 0, f"`{key}` should be above zero")
    check_type(found["betas"], (tuple, list), "`betas`")
    check(len(found["betas"]) == 2, "`betas` should be two numbers")
    check(all(0 <= beta < 1 for beta in found["betas"]), "each of `betas` should be at least 0 and below 1")
    check(any(found["betas"]), "`betas` are as they were handed out")
