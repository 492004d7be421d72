"""Part 1: a model writes on, character by character. The model, the embedding and the softmax are stand-ins."""

from typing import Any

import pytest
import torch

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("generate_from_model")

ALPHABET = "abcdefg"


def written(student: Any, kind: str, start: str, length: int, T: float = 1.0, scores: Any = None) -> str:
    text = student.probe.generate(kind, ALPHABET, start, length, T, scores)[0]
    check_type(text, str, "what `generate_from_model` returns")
    return str(text)


def counted_on(start: str, length: int) -> str:
    """What the counting model writes: the index of each new character is that of the last plus all that were read."""
    indices = [ALPHABET.index(char) for char in start]
    while len(indices) < length:
        indices.append((indices[-1] + len(indices)) % len(ALPHABET))
    return "".join(ALPHABET[index] for index in indices)


@weight(2)
@pytest.mark.parametrize(("start", "length"), [("bad", 12), ("a", 2), ("cabbage", 40)])
def test_length_and_beginning(charnn: Any, student: Any, start: str, length: int) -> None:
    """the text begins with the given beginning and has the given length"""
    text = written(student, "counting", start, length)
    check(text.startswith(start), "the text does not begin with the given beginning")
    check(len(text) == length, f"the text should have {length} characters; it has {len(text)}")


@weight(5)
@pytest.mark.parametrize(("start", "length"), [("b", 20), ("bad", 20), ("cabbage", 40)])
def test_the_state_is_carried_on(charnn: Any, student: Any, start: str, length: int) -> None:
    """each character is drawn from the last scores, and read with the state of everything before it, once"""
    text = written(student, "counting", start, length)
    expected = counted_on(start, length)
    same = next((i for i, (one, two) in enumerate(zip(text, expected, strict=False)) if one != two), len(expected))
    check(
        text == expected,
        f"from character {same - len(start) + 1} after the beginning on, the text is not what the model says",
    )


@weight(3)
@pytest.mark.parametrize("T", [1.0, 0.5])
def test_characters_are_drawn_by_their_probabilities(
    charnn: Any, student: Any, T: float, torch_rng: torch.Generator
) -> None:
    """characters are drawn by the probabilities at the temperature, and not simply the likeliest one"""
    n = 1500
    probabilities = torch.rand(len(ALPHABET), generator=torch_rng) + 0.3
    scores = probabilities.log()
    text = written(student, "constant", "a", n + 1, T, scores)[1:]
    expected = torch.softmax(scores.double() / T, 0)
    found = torch.tensor([text.count(char) / n for char in ALPHABET], dtype=torch.float64)
    # Six standard deviations of a share: a right sampler fails once in a hundred million runs.
    bound = 6 * (expected * (1 - expected) / n).sqrt()
    check(bool(((found - expected).abs() <= bound).all()), "how often characters come does not fit their probabilities")


@weight(1)
def test_no_gradients_are_tracked(charnn: Any, student: Any) -> None:
    """the model is called without tracking gradients"""
    check(not student.probe.generate("counting", ALPHABET, "bad", 6, 1.0)[1], "gradients were tracked while writing")
