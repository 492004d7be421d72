"""The image is taken to have three channels."""

MODULE = "autoencoder"
FAILS = ("test_the_shape_comes_back",)


_any_encoder = EncoderCNN.__init__
EncoderCNN.__init__ = lambda self, in_channels, out_channels: _any_encoder(self, 3, out_channels)
