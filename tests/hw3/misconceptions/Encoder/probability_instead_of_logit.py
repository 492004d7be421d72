"""A probability is returned instead of a logit."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, sentence, padding_mask):
    x = self.dropout(self.positional_encoding(self.encoder_embedding(sentence)))
    for layer in self.encoder_layers:
        x = layer(x, padding_mask)
    return self.classification_mlp(x[:, 0]).sigmoid().squeeze(-1)


Encoder.forward = _forward
