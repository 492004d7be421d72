"""The determinant is taken as a product, which overflows."""

MODULE = "autoencoder"
FAILS = ("test_extreme_variances",)


def vae_loss(x, xr, z_mu, z_log_sigma2, x_sigma2):
    data_loss = ((x - xr) ** 2).mean() / x_sigma2
    kldiv_loss = (
        z_log_sigma2.exp().sum(1) + (z_mu**2).sum(1) - z_mu.shape[1] - z_log_sigma2.exp().prod(1).log()
    ).mean()
    return data_loss + kldiv_loss, data_loss, kldiv_loss
