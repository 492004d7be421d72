"""The features of the embedding cannot be shared out equally among the heads."""

MODULE = "answers"
FAILS = ("test_whole_numbers",)


_dividing = part3_transformer_encoder_hyperparams


def part3_transformer_encoder_hyperparams():
    return {**_dividing(), "embed_dim": 100, "num_heads": 8}
