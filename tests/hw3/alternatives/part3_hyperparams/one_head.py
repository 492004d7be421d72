"""Key by key, with one head and the narrowest window."""

MODULE = "answers"


def part3_transformer_encoder_hyperparams():
    hypers = {}
    hypers["embed_dim"] = 50
    hypers["num_heads"] = 1
    hypers["num_layers"] = 1
    hypers["hidden_dim"] = 7
    hypers["window_size"] = 2
    hypers["droupout"] = 0.5
    hypers["lr"] = 5e-5
    return hypers
