"""No dropout at all."""

MODULE = "answers"


_some = part3_transformer_encoder_hyperparams


def part3_transformer_encoder_hyperparams():
    return {**_some(), "droupout": 0}
