"""Features as large as the image."""

MODULE = "autoencoder"


def _wide(self, in_channels, out_channels):
    nn.Module.__init__(self)
    self.cnn = nn.Sequential(
        nn.Conv2d(in_channels, 8, 3, padding=1), nn.LeakyReLU(), nn.Conv2d(8, out_channels, 3, padding=1)
    )


EncoderCNN.__init__ = DecoderCNN.__init__ = _wide
