"""The order of the digits counts."""

FAILS = ("test_class_of_a_reading[other order]",)


def outcome(pred, target):
    if len(pred) < len(target):
        return "missed"
    if len(pred) > len(target):
        return "extra"
    return "correct" if sorted(pred) == sorted(target) else "incorrect"
