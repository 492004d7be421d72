"""Part 1: characters as one-hot rows, and back."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("chars_to_onehot")

ALPHABET = "\n !abcdz"
TO_INDEX = {char: index for index, char in enumerate(ALPHABET)}
TO_CHAR = dict(enumerate(ALPHABET))


def expected(text: str) -> torch.Tensor:
    """One-hot rows by numpy, int8."""
    return torch.from_numpy(np.eye(len(ALPHABET), dtype=np.int8)[[TO_INDEX[char] for char in text]])


@weight(3)
@pytest.mark.parametrize("text", ["bad cab!\n", "aaaa", "z"], ids=["a line", "one character repeated", "one character"])
def test_rows_are_one_hot(charnn: Any, text: str) -> None:
    """row i has a single 1, in the column of character i"""
    found = charnn.chars_to_onehot(text, TO_INDEX)
    check_shape(found, (len(text), len(ALPHABET)), "the embedded text")
    check_close(found.double(), expected(text).double(), "the embedded text")


@weight(1)
def test_dtype(charnn: Any) -> None:
    """the embedding is of dtype int8"""
    found = charnn.chars_to_onehot("cab", TO_INDEX)
    check_type(found, torch.Tensor, "the embedded text")
    check(found.dtype == torch.int8, f"the dtype should be torch.int8; it is {found.dtype}")


@weight(1)
def test_any_numbering(charnn: Any) -> None:
    """columns follow the map that was given, whatever its order"""
    found = charnn.chars_to_onehot("xyyx", {"y": 0, "q": 1, "x": 2})
    check_close(
        found.double(), torch.tensor([[0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 0, 1]]).double(), "the embedded text"
    )


@weight(3)
@pytest.mark.parametrize("text", ["bad cab!\n", "zz top"[:2], " "], ids=["a line", "repeated", "one character"])
def test_text_comes_back(charnn: Any, text: str) -> None:
    """`onehot_to_chars` gives the text of one-hot rows"""
    found = charnn.onehot_to_chars(expected(text), TO_CHAR)
    check_type(found, str, "what `onehot_to_chars` returns")
    check(found == text, f"the text that came back has {len(found)} characters, or others than it should")


@weight(1)
def test_there_and_back(charnn: Any) -> None:
    """the two functions undo each other"""
    found = charnn.onehot_to_chars(charnn.chars_to_onehot("a bad z", TO_INDEX), TO_CHAR)
    check(found == "a bad z", "a text that was embedded does not come back")
