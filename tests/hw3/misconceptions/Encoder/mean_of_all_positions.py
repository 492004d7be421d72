"""The classifier sees the mean of all positions instead of position 0."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, sentence, padding_mask):
    x = self.dropout(self.positional_encoding(self.encoder_embedding(sentence)))
    for layer in self.encoder_layers:
        x = layer(x, padding_mask)
    return self.classification_mlp(x.mean(1)).squeeze(-1)


Encoder.forward = _forward
