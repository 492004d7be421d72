"""Readings are compared as they were written, with EOS and what follows it."""

FAILS = ("test_readings_are_cleaned",)


def score_table(preds, targets, groups):
    table = {}
    for name, lengths in groups.items():
        chosen = [i for i, target in enumerate(targets) if len(target) in lengths]
        if chosen:
            some_preds, some_targets = [preds[i] for i in chosen], [targets[i] for i in chosen]
            table[name] = (
                sum(p == t for p, t in zip(some_preds, some_targets)) / len(chosen),
                cer(some_preds, some_targets),
                len(chosen),
            )
    return table
