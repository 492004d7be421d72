"""The padding mask is not passed on to the layers."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, sentence, padding_mask):
    x = self.dropout(self.positional_encoding(self.encoder_embedding(sentence)))
    for layer in self.encoder_layers:
        x = layer(x, torch.ones_like(padding_mask))
    return self.classification_mlp(x[:, 0]).squeeze(-1)


Encoder.forward = _forward
