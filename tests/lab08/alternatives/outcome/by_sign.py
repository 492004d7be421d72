"""The difference of the lengths decides."""


def outcome(pred, target):
    if pred == target:
        return "correct"
    longer = len(pred) - len(target)
    return "extra" if longer > 0 else "missed" if longer < 0 else "incorrect"
