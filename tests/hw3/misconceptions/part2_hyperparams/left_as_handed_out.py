"""The values are those that were handed out."""

MODULE = "answers"
FAILS = (
    "test_whole_numbers",
    "test_rates",
)


def part2_vae_hyperparams():
    return dict(batch_size=0, h_dim=0, z_dim=0, x_sigma2=0.0, learn_rate=0.0, betas=(0.0, 0.0))
