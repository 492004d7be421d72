"""The data term is summed over the image instead of divided by its size."""

MODULE = "autoencoder"
FAILS = ("test_check_value",)


def vae_loss(x, xr, z_mu, z_log_sigma2, x_sigma2):
    data_loss = ((x - xr) ** 2).flatten(1).sum(1).mean() / x_sigma2
    kldiv_loss = (z_log_sigma2.exp() + z_mu**2 - 1 - z_log_sigma2).sum(1).mean()
    return data_loss + kldiv_loss, data_loss, kldiv_loss
