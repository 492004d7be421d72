"""Positions are not encoded."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, sentence, padding_mask):
    x = self.dropout(self.encoder_embedding(sentence))
    for layer in self.encoder_layers:
        x = layer(x, padding_mask)
    return self.classification_mlp(x[:, 0]).squeeze(-1)


Encoder.forward = _forward
