"""The key is `dropout`, but the code relies on `droupout`."""

MODULE = "answers"
FAILS = ("test_rates",)


_spelled = part3_transformer_encoder_hyperparams


def part3_transformer_encoder_hyperparams():
    found = _spelled()
    found["dropout"] = found.pop("droupout")
    return found
