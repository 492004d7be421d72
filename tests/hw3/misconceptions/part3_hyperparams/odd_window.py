"""The window is odd."""

MODULE = "answers"
FAILS = ("test_whole_numbers",)


_even = part3_transformer_encoder_hyperparams


def part3_transformer_encoder_hyperparams():
    return {**_even(), "window_size": 31}
