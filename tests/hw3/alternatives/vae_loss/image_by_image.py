"""Norms, image by image."""

MODULE = "autoencoder"


def vae_loss(x, xr, z_mu, z_log_sigma2, x_sigma2):
    data_loss = (torch.norm((x - xr).reshape(len(x), -1), dim=1) ** 2 / (x_sigma2 * x[0].numel())).mean()
    kldiv_loss = torch.mean(
        torch.sum(torch.exp(z_log_sigma2), 1) + torch.norm(z_mu, dim=1) ** 2 - z_mu.size(1) - torch.sum(z_log_sigma2, 1)
    )
    return data_loss + kldiv_loss, data_loss, kldiv_loss
