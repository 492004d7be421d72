"""The library's mean squared error."""

MODULE = "autoencoder"


def vae_loss(x, xr, z_mu, z_log_sigma2, x_sigma2):
    data_loss = nn.functional.mse_loss(xr, x) / x_sigma2
    kldiv_loss = -(1 + z_log_sigma2 - z_mu.pow(2) - z_log_sigma2.exp()).sum() / len(x)
    return data_loss + kldiv_loss, data_loss, kldiv_loss
