"""The strips are grouped by the length of the reading; the target's length decides."""

FAILS = ("test_values",)


def score_table(preds, targets, groups):
    table = {}
    for name, lengths in groups.items():
        chosen = [i for i, target in enumerate(preds) if len(clean(target)) in lengths]
        if chosen:
            some_preds, some_targets = [preds[i] for i in chosen], [targets[i] for i in chosen]
            table[name] = exact_string_accuracy(some_preds, some_targets), cer(some_preds, some_targets), len(chosen)
    return table
