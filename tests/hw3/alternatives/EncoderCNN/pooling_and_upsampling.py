"""Pooling on the way in, upsampling on the way out."""

MODULE = "autoencoder"


def _pool(self, in_channels, out_channels):
    nn.Module.__init__(self)
    self.cnn = nn.Sequential(
        nn.Conv2d(in_channels, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4), nn.Conv2d(8, out_channels, 3, padding=1)
    )


def _upsample(self, in_channels, out_channels):
    nn.Module.__init__(self)
    self.cnn = nn.Sequential(
        nn.Conv2d(in_channels, 8, 3, padding=1),
        nn.ReLU(),
        nn.Upsample(scale_factor=4),
        nn.Conv2d(8, out_channels, 3, padding=1),
    )


EncoderCNN.__init__, DecoderCNN.__init__ = _pool, _upsample
