"""A shorter reading has missed a digit, a longer one has an extra digit."""

FAILS = ("test_class_of_a_reading[nothing read]",)


def outcome(pred, target):
    if len(pred) < len(target):
        return "extra"
    if len(pred) > len(target):
        return "missed"
    return "correct" if pred == target else "incorrect"
