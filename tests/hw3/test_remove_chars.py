"""Part 1: a text without the characters that hardly occur in it."""

from typing import Any

import pytest

from autograder.grading.checks import check, check_type
from autograder.grading.marks import question, weight

pytestmark = question("remove_chars")

CASES = {
    "ordinary characters": ("brown cow, brown hen", ["b", "w", ","]),
    "the corpus's own": ("\ufeffTHE {SONNETS} $1 <end>_", ["}", "$", "_", "<", "\ufeff"]),
    "a dot and a star": ("a.b*c.d*", [".", "*"]),
    "a caret first": ("^up^ and ]down[", ["^", "]"]),
    "a backslash": ("a\\b\\d", ["\\"]),
    "a dash between others": ("0-9 and 5-3", ["0", "-", "9"]),
    "brackets and bars": ("(a|b)[c]{d}+?", list("()|[]{}+?")),
    "a line end": ("one\ntwo\n", ["\n"]),
}


def without(text: str, unwanted: list[str]) -> str:
    return "".join(char for char in text if char not in unwanted)


def cleaned(charnn: Any, text: str, unwanted: list[str]) -> tuple[str, int]:
    result = charnn.remove_chars(text, unwanted)
    check_type(result, (tuple, list), "what `remove_chars` returns")
    check(len(result) == 2, f"`remove_chars` should return the text and a number; it returned {len(result)} things")
    check_type(result[0], str, "the cleaned text")
    check_type(result[1], int, "the number of removed characters")
    return result[0], result[1]


@weight(2)
@pytest.mark.parametrize(("text", "unwanted"), CASES.values(), ids=CASES)
def test_the_text_has_lost_them(charnn: Any, text: str, unwanted: list[str]) -> None:
    """the text has lost the characters, whatever they mean to regular expressions, and nothing else"""
    found = cleaned(charnn, text, unwanted)[0]
    left = sorted(set(found) & set(unwanted))
    check(not left, f"these characters are still in the text: {left}")
    check(found == without(text, unwanted), "the text lost or changed other characters too")


@weight(1)
@pytest.mark.parametrize(("text", "unwanted"), CASES.values(), ids=CASES)
def test_the_number_is_that_of_all_occurrences(charnn: Any, text: str, unwanted: list[str]) -> None:
    """the number counts every occurrence that was removed"""
    count = cleaned(charnn, text, unwanted)[1]
    expected = len(text) - len(without(text, unwanted))
    check(count == expected, f"{expected} characters had to go, and the number says {count}")


@weight(1)
def test_what_does_not_occur_changes_nothing(charnn: Any) -> None:
    """characters that do not occur change nothing and count nothing"""
    text, count = cleaned(charnn, "to be or not", ["z", "$"])
    check(text == "to be or not", "the text was changed although none of the characters occurs")
    check(count == 0, f"none of the characters occurs, and the number says {count}")
