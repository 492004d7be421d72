"""The replaced digit itself does not belong to the other digits."""

FAILS = ("test_one_strip[read as new]", "test_shares_over_strips[other]")


def intervention_scores(old, new, readings, positions):
    exact, digit, other = [], [], []
    for before, after, reading, k in zip(old, new, readings, positions):
        exact.append(reading == after)
        digit.append(len(reading) > k and reading[k] == after[k])
        other.append(len(reading) != len(before) or any(reading[j] != before[j] for j in range(len(before))))
    shares = {"exact": exact, "digit": digit, "other": other}
    return {name: sum(hits) / len(hits) if hits else math.nan for name, hits in shares.items()}
