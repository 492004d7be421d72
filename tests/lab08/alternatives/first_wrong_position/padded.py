"""Both are padded with a symbol that is no digit."""

from itertools import zip_longest


def first_wrong_position(pred, target):
    return next((k for k, (a, b) in enumerate(zip_longest(pred, target)) if a != b), None)
