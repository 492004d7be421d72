"""A size is the result of a division, and so it is not a whole number to Python."""

MODULE = "answers"
FAILS = ("test_whole_numbers",)


_whole = part2_vae_hyperparams


def part2_vae_hyperparams():
    hypers = _whole()
    hypers["z_dim"] = hypers["h_dim"] / 4
    return hypers
