"""One table with a row for each digit, then masks."""


def alignment(preds, weights, digits, xs):
    table, missing = [], 0
    for p, w, target, edges in zip(preds, weights, digits, xs):
        w = torch.as_tensor(w)
        written = []
        for t, symbol in enumerate(p):
            if symbol == EOS:
                break
            if symbol not in (SOS, PAD):
                written.append((symbol, w[t]))
        missing += max(len(target) - len(written), 0)
        for (symbol, row), digit, x in zip(written, target, edges):
            peak, column = row.max(dim=0)
            pixel = 16 * column.item() + 8
            table.append((symbol == digit, x <= pixel < x + 28, peak.item()))
    right = [row for row in table if row[0]]
    wrong = [row for row in table if not row[0]]
    nan = float("nan")
    return {
        "missing": missing,
        "aligned_right": sum(row[1] for row in right) / len(right) if right else nan,
        "aligned_wrong": sum(row[1] for row in wrong) / len(wrong) if wrong else nan,
        "median_weight": np.median([row[2] for row in right]) if right else nan,
    }
