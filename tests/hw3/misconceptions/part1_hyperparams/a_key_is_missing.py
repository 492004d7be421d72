"""A key is missing."""

MODULE = "answers"
FAILS = ("test_rates",)


_whole = part1_rnn_hyperparams


def part1_rnn_hyperparams():
    found = _whole()
    del found["dropout"]
    return found
