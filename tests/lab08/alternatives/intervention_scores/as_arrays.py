"""One row of booleans for each strip."""


def intervention_scores(old, new, readings, positions):
    rows = []
    for before, after, reading, k in zip(old, new, readings, positions):
        with_old = reading[:k] + [before[k]] + reading[k + 1 :]
        rows.append(
            (reading == after, reading[k : k + 1] == [after[k]], len(reading) != len(before) or with_old != before)
        )
    if not rows:
        return dict.fromkeys(("exact", "digit", "other"), float("nan"))
    return dict(zip(("exact", "digit", "other"), np.mean(rows, axis=0)))
