"""Other values, no patience, and a list for generation."""

MODULE = "answers"


def part1_rnn_hyperparams():
    sizes = dict(batch_size=64, seq_len=50, h_dim=2**9, n_layers=1)
    rates = dict(dropout=0, learn_rate=0.01, lr_sched_factor=0.1, lr_sched_patience=0)
    return {**sizes, **rates}


def part1_generation_params():
    return ["KING. ", 1]
