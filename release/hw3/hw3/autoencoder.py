"""Part 2: a variational autoencoder of images.

Shapes: N images, C channels, H x W pixels, d_z numbers in the latent space.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn


class EncoderCNN(nn.Module):
    """Features of an image, for the encoder."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        """
        :param in_channels: channels of the image.
        :param out_channels: channels of the features.
        """
        super().__init__()
        # Any architecture whose features have ``out_channels`` channels. Convolutions with a stride make a pooling
        # layer unnecessary; normalise and use a non-linearity between them.
        modules: list[nn.Module] = []
        # YOUR CODE HERE
        raise NotImplementedError()
        self.cnn = nn.Sequential(*modules)

    def forward(self, x: Tensor) -> Tensor:
        """
        :param x: images (N, in_channels, H, W), H and W 64 or a larger multiple of it.
        :return: features (N, out_channels, H', W').
        """
        return self.cnn(x)


class DecoderCNN(nn.Module):
    """An image from features: the way back."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        """
        :param in_channels: channels of the features.
        :param out_channels: channels of the image.
        """
        super().__init__()
        # Undo the encoder's steps: decoder(encoder(x)) has the shape of x.
        modules: list[nn.Module] = []
        # YOUR CODE HERE
        raise NotImplementedError()
        self.cnn = nn.Sequential(*modules)

    def forward(self, h: Tensor) -> Tensor:
        """
        :param h: features (N, in_channels, H', W').
        :return: images (N, out_channels, H, W), with values of any size; ``VAE.decode`` takes them to -1 to 1.
        """
        return self.cnn(h)


class VAE(nn.Module):
    """A variational autoencoder: images to a normal distribution in the latent space, and a sample of it back."""

    def __init__(
        self, features_encoder: nn.Module, features_decoder: nn.Module, in_size: tuple[int, int, int], z_dim: int
    ) -> None:
        """
        :param features_encoder: gives the features of an image.
        :param features_decoder: gives an image from features of the same shape.
        :param in_size: (C, H, W) of the images.
        :param z_dim: d_z, the size of the latent space.
        """
        super().__init__()
        self.features_encoder = features_encoder
        self.features_decoder = features_decoder
        self.z_dim = z_dim
        self.features_shape, n_features = self._check_features(in_size)
        # Make the affine maps: from the flattened features to the mean and to the log-variance of z, and from z to the
        # flattened features of the decoder.
        # YOUR CODE HERE
        raise NotImplementedError()

    def _check_features(self, in_size: tuple[int, int, int]) -> tuple[torch.Size, int]:
        """The shape of the features of one image, and their number. Fails where the two networks do not fit."""
        device = next(self.parameters()).device
        training = self.training
        self.eval()
        with torch.no_grad():
            x = torch.randn(1, *in_size, device=device)
            h = self.features_encoder(x)
            xr = self.features_decoder(h)
        self.train(training)
        assert xr.shape == x.shape, f"an image of shape {tuple(x.shape[1:])} comes back as {tuple(xr.shape[1:])}"
        return h.shape[1:], h[0].numel()

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Sample a z for each image, from the normal distribution that the encoder gives.

        The sample is reparametrised, z = mu + sigma u with u ~ N(0, I), so that gradients reach mu and sigma.

        :param x: images (N, C, H, W).
        :return: z, its mean mu, and the logarithm of its variance, log_sigma2; each (N, d_z).
        """
        # YOUR CODE HERE
        raise NotImplementedError()
        return z, mu, log_sigma2

    def decode(self, z: Tensor) -> Tensor:
        """The image that each point of the latent space stands for.

        :param z: (N, d_z).
        :return: images (N, C, H, W) with values from -1 to 1.
        """
        # YOUR CODE HERE
        raise NotImplementedError()
        return torch.tanh(x_rec)

    def sample(self, n: int) -> list[Tensor]:
        """Images that never were: decoded from z ~ N(0, I), without gradients.

        :param n: how many.
        :return: n images (C, H, W), on the CPU.
        """
        device = next(self.parameters()).device
        with torch.no_grad():
            # YOUR CODE HERE
            raise NotImplementedError()
        return [image.cpu() for image in samples]

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """
        :param x: images (N, C, H, W).
        :return: their reconstructions (N, C, H, W), and mu and log_sigma2, (N, d_z) each.
        """
        z, mu, log_sigma2 = self.encode(x)
        return self.decode(z), mu, log_sigma2


def vae_loss(
    x: Tensor, xr: Tensor, z_mu: Tensor, z_log_sigma2: Tensor, x_sigma2: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss of a variational autoencoder, averaged over a batch.

    For one image, with S the diagonal matrix of the variances of z, d_x the numbers in x and d_z those in z:

        ||x - xr||^2 / (x_sigma2 d_x)  +  tr(S) + ||mu||^2 - d_z - log det S

    :param x: images (N, C, H, W).
    :param xr: their reconstructions, of the same shape.
    :param z_mu: means of z, (N, d_z).
    :param z_log_sigma2: logarithms of the variances of z, (N, d_z).
    :param x_sigma2: variance of the images given z.
    :return: the loss, the data term and the KL divergence term, each a tensor with one number.
    """
    # YOUR CODE HERE
    raise NotImplementedError()
    return loss, data_loss, kldiv_loss
