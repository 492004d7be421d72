"""The decoder undoes one step less than the encoder takes."""

MODULE = "autoencoder"
FAILS = ("test_the_shape_comes_back",)


def _short(self, in_channels, out_channels):
    nn.Module.__init__(self)
    self.cnn = nn.Sequential(
        nn.ConvTranspose2d(in_channels, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, out_channels, 4, 2, 1)
    )


DecoderCNN.__init__ = _short
