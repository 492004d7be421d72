"""More keys than were asked for."""

MODULE = "answers"


_asked = part1_rnn_hyperparams


def part1_rnn_hyperparams():
    return {**_asked(), "weight_decay": 1e-4}
