"""A reading of another length is missed or extra, not incorrect."""

FAILS = ("test_class_of_a_reading[shorter and different]",)


def outcome(pred, target):
    if pred == target:
        return "correct"
    if pred == target[: len(pred)]:
        return "missed"
    if target == pred[: len(target)]:
        return "extra"
    return "incorrect"
