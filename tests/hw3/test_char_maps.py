"""Part 1: numbers for characters and back."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("char_maps")

TEXTS = {
    "a sentence": "how now, brown cow?",
    "line ends": "a\nb\tc\n",
    "one character": "zzz",
    "other scripts": "élan Ω 1",
}


def maps(charnn: Any, text: str) -> tuple[dict[str, int], dict[int, str]]:
    """The two maps, which must be dicts."""
    result = charnn.char_maps(text)
    check_type(result, (tuple, list), "what `char_maps` returns")
    check(len(result) == 2, f"`char_maps` should return two maps; it returned {len(result)} things")
    for value, name in zip(result, ("char_to_idx", "idx_to_char"), strict=True):
        check_type(value, dict, f"`{name}`")
    return result[0], result[1]


@weight(3)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_character_has_a_number_of_its_own(charnn: Any, text: str) -> None:
    """each distinct character has an index of its own, from 0 up without gaps"""
    char_to_idx, _ = maps(charnn, text)
    check(set(char_to_idx) == set(text), "`char_to_idx` should have one key for each distinct character of the text")
    check(sorted(char_to_idx.values()) == list(range(len(set(text)))), "the indices should run from 0 without gaps")


@weight(3)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_maps_are_inverse(charnn: Any, text: str) -> None:
    """`idx_to_char` leads back from every index to its character"""
    char_to_idx, idx_to_char = maps(charnn, text)
    check(len(idx_to_char) == len(char_to_idx), "the two maps should be of one length")
    check(
        all(idx_to_char.get(index) == char for char, index in char_to_idx.items()),
        "`idx_to_char` does not lead back to the character that `char_to_idx` came from",
    )


@weight(1)
def test_lexical_order(charnn: Any) -> None:
    """indices follow the lexical order of the characters"""
    char_to_idx, _ = maps(charnn, "the quick brown fox\nJUMPS over 13 lazy dogs!")
    check(sorted(char_to_idx, key=char_to_idx.__getitem__) == sorted(char_to_idx), "the order is not lexical")
