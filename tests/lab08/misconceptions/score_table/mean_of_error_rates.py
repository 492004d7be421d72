"""The CER of a group is all its edits over all its digits, not the mean over its strips."""

FAILS = ("test_values[cer]",)


def score_table(preds, targets, groups):
    table = {}
    for name, lengths in groups.items():
        chosen = [i for i, target in enumerate(targets) if len(target) in lengths]
        if chosen:
            some_preds, some_targets = [preds[i] for i in chosen], [targets[i] for i in chosen]
            table[name] = (
                exact_string_accuracy(some_preds, some_targets),
                sum(cer([p], [t]) for p, t in zip(some_preds, some_targets)) / len(chosen),
                len(chosen),
            )
    return table
