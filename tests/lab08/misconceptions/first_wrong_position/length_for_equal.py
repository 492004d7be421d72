"""For equal strings there is no wrong position: the result is None."""

FAILS = ("test_equal_strings",)


def first_wrong_position(pred, target):
    for position, (a, b) in enumerate(zip(pred, target)):
        if a != b:
            return position
    return min(len(pred), len(target))
