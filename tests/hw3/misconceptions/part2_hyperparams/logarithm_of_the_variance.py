"""The logarithm of the variance is given, and so the variance of the images is negative."""

MODULE = "answers"
FAILS = ("test_rates",)


_positive = part2_vae_hyperparams


def part2_vae_hyperparams():
    return {**_positive(), "x_sigma2": -6.9}
