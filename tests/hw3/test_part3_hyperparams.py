"""Part 3: hyperparameters are there and make sense."""

from typing import Any

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("part3_hyperparams")

KEYS = {"embed_dim", "num_heads", "num_layers", "hidden_dim", "window_size", "droupout", "lr"}


def hyperparams(answers: Any) -> dict[str, Any]:
    found = answers.part3_transformer_encoder_hyperparams()
    check_type(found, dict, "what `part3_transformer_encoder_hyperparams` returns")
    missing = sorted(KEYS - set(found))
    check(not missing, f"these keys are missing: {', '.join(missing)}")
    return found  # type: ignore[no-any-return]


@weight(1)
def test_whole_numbers(answers: Any) -> None:
    """sizes are whole numbers above zero that fit each other"""
    found = hyperparams(answers)
    for key in ("embed_dim", "num_heads", "num_layers", "hidden_dim", "window_size"):
        check_type(found[key], int, f"`{key}`")
        check(found[key] > 0, f"`{key}` should be above zero")
    check(found["embed_dim"] % found["num_heads"] == 0, "`embed_dim` should be a multiple of `num_heads`")
    check(found["window_size"] % 2 == 0, "`window_size` should be even")


@weight(1)
def test_rates(answers: Any) -> None:
    """dropout and learning rate are in their ranges"""
    found = hyperparams(answers)
    for key in ("droupout", "lr"):
        check_type(found[key], (int, float), f"`{key}`")
    check(0 <= found["droupout"] < 1, "`droupout` should be at least 0 and below 1")
    check(0 < found["lr"] < 1, "`lr` should be above 0 and below 1")
