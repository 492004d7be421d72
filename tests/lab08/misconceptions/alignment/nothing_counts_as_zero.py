"""A share of nothing is not 0 but undefined: nan."""

FAILS = ("test_share_of_nothing",)


def alignment(preds, weights, digits, xs):
    missing, right, wrong, largest = 0, [], [], []
    for symbols, rows, target, edges in zip(preds, weights, digits, xs):
        rows = np.asarray(rows)
        stop = symbols.index(EOS) if EOS in symbols else len(symbols)
        steps = [t for t in range(stop) if symbols[t] < 10]
        for k in range(len(target)):
            if k >= len(steps):
                missing += 1
                continue
            row = rows[steps[k]]
            inside = edges[k] <= 16 * row.argmax() + 8 <= edges[k] + 27
            if symbols[steps[k]] == target[k]:
                right.append(inside)
                largest.append(row.max())
            else:
                wrong.append(inside)
    return {
        "missing": missing,
        "aligned_right": float(np.mean(right)) if right else 0.0,
        "aligned_wrong": float(np.mean(wrong)) if wrong else 0.0,
        "median_weight": float(np.median(largest)) if largest else 0.0,
    }
