"""Positions are counted from 0."""

FAILS = ("test_position[at the start]",)


def first_wrong_position(pred, target):
    for position, (a, b) in enumerate(zip(pred, target), start=1):
        if a != b:
            return position
    return None if len(pred) == len(target) else min(len(pred), len(target)) + 1
