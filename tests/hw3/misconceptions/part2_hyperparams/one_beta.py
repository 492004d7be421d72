"""One beta is given where Adam needs a pair of them."""

MODULE = "answers"
FAILS = ("test_rates",)


_pair = part2_vae_hyperparams


def part2_vae_hyperparams():
    return {**_pair(), "betas": 0.9}
