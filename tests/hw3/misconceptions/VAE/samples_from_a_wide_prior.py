"""Samples are drawn from a prior with another variance."""

MODULE = "autoencoder"
FAILS = ("test_samples_come_from_the_prior",)


def _sample(self, n):
    device = next(self.parameters()).device
    with torch.no_grad():
        return list(self.decode(3 * torch.randn(n, self.z_dim, device=device)).cpu())


VAE.sample = _sample
