"""Dropout is given in percent, but it is a probability."""

MODULE = "answers"
FAILS = ("test_rates",)


_share = part3_transformer_encoder_hyperparams


def part3_transformer_encoder_hyperparams():
    return {**_share(), "droupout": 10}
