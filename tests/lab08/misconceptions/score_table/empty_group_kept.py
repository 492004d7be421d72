"""A group without strips has a row; it should be left out."""

FAILS = ("test_empty_group_is_left_out",)


def score_table(preds, targets, groups):
    table = {}
    for name, lengths in groups.items():
        pairs = [(pred, target) for pred, target in zip(preds, targets) if len(target) in lengths]
        some_preds, some_targets = [pred for pred, _ in pairs], [target for _, target in pairs]
        table[name] = exact_string_accuracy(some_preds, some_targets), cer(some_preds, some_targets), len(pairs)
    return table
