"""The encoder ignores out_channels."""

MODULE = "autoencoder"
FAILS = ("test_features_have_the_channels_asked_for",)


_encoder_init, _decoder_init = EncoderCNN.__init__, DecoderCNN.__init__
EncoderCNN.__init__ = lambda self, in_channels, out_channels: _encoder_init(self, in_channels, 12)
DecoderCNN.__init__ = lambda self, in_channels, out_channels: _decoder_init(self, 12, out_channels)
