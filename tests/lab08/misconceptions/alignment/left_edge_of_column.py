"""A column stands for its centre, pixel 16c + 8, not for its left edge."""

FAILS = ("test_edges_of_a_box",)


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
            inside = edges[k] <= 16 * row.argmax() <= edges[k] + 27
            if symbols[steps[k]] == target[k]:
                right.append(inside)
                largest.append(row.max())
            else:
                wrong.append(inside)
    return {
        "missing": missing,
        "aligned_right": float(np.mean(right)) if right else math.nan,
        "aligned_wrong": float(np.mean(wrong)) if wrong else math.nan,
        "median_weight": float(np.median(largest)) if largest else math.nan,
    }
