"""Other values, the variance a whole number, and no momentum."""

MODULE = "answers"


def part2_vae_hyperparams():
    hypers = dict(batch_size=8, h_dim=2**10, z_dim=3)
    hypers.update(x_sigma2=1, learn_rate=2e-4, betas=(0.0, 0.99))
    return hypers
