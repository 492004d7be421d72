"""A reading of another length counts as changed elsewhere, even when the digits that are there agree."""

FAILS = ("test_one_strip[too short]",)


def intervention_scores(old, new, readings, positions):
    exact, digit, other = [], [], []
    for before, after, reading, k in zip(old, new, readings, positions):
        exact.append(reading == after)
        digit.append(len(reading) > k and reading[k] == after[k])
        other.append(any(a != b for j, (a, b) in enumerate(zip(reading, before)) if j != k))
    shares = {"exact": exact, "digit": digit, "other": other}
    return {name: sum(hits) / len(hits) if hits else math.nan for name, hits in shares.items()}
