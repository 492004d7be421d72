"""Indices run from 1 instead of 0."""

MODULE = "charnn"
FAILS = ("test_every_character_has_a_number_of_its_own",)


def char_maps(text):
    chars = sorted(set(text))
    return {c: i + 1 for i, c in enumerate(chars)}, {i + 1: c for i, c in enumerate(chars)}
