"""z is drawn without a gradient for mean and variance."""

MODULE = "autoencoder"
FAILS = ("test_gradients_reach_the_distribution",)


def _encode(self, x):
    h = self.features_encoder(x).flatten(1)
    mu, log_sigma2 = self.to_mu(h), self.to_log_sigma2(h)
    z = torch.normal(mu.detach(), torch.exp(log_sigma2 / 2).detach())
    return z, mu, log_sigma2


VAE.encode = _encode
