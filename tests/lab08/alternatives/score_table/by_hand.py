"""Edits and digits are added up."""


def score_table(preds, targets, groups):
    rows = [(len(t), clean(p) == list(t), edit_distance(clean(p), list(t))) for p, t in zip(preds, targets)]
    table = {}
    for name, lengths in groups.items():
        some = [row for row in rows if row[0] in set(lengths)]
        if not some:
            continue
        digits, exact, edits = (sum(column) for column in zip(*some))
        table[name] = [exact / len(some), edits / digits, len(some)]
    return table
