"""A reading may be too short to have a k-th digit."""

FAILS = ("test_one_strip[too short]", "test_shares_over_strips")


def intervention_scores(old, new, readings, positions):
    exact, digit, other = [], [], []
    for before, after, reading, k in zip(old, new, readings, positions):
        exact.append(reading == after)
        digit.append(reading[k] == after[k])
        other.append(len(reading) != len(before) or any(reading[j] != before[j] for j in range(len(before)) if j != k))
    shares = {"exact": exact, "digit": digit, "other": other}
    return {name: sum(hits) / len(hits) if hits else math.nan for name, hits in shares.items()}
