"""One point is drawn and decoded once, so that all samples are the same image."""

MODULE = "autoencoder"
FAILS = ("test_sample",)


def _sample(self, n):
    with torch.no_grad():
        z = torch.randn(1, self.z_dim, device=next(self.parameters()).device)
        return list(self.decode(z).cpu().expand(n, -1, -1, -1))


VAE.sample = _sample
