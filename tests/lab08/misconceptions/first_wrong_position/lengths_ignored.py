"""A reading that stops early or goes on is wrong where the shorter one ends."""

FAILS = ("test_position[reading stops early]", "test_position[reading goes on]")


def first_wrong_position(pred, target):
    for position, (a, b) in enumerate(zip(pred, target)):
        if a != b:
            return position
    return None
