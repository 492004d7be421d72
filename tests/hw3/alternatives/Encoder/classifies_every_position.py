"""Every position is classified, and the first is kept."""

MODULE = "transformer"


def _forward(self, sentence, padding_mask):
    embedded = self.encoder_embedding.weight[sentence]
    embedded += self.positional_encoding.pe[0, : sentence.size(1)]
    hidden = [nn.functional.dropout(embedded, self.dropout.p, self.training)]
    for layer in self.encoder_layers:
        hidden.append(layer(hidden[-1], padding_mask=padding_mask))
    logits = self.classification_mlp(hidden[-1]).squeeze(-1)  # (B, S)
    return logits[:, 0]


def _predict(self, sentence, padding_mask):
    return (self.forward(sentence, padding_mask) > 0).long()


Encoder.forward, Encoder.predict = _forward, _predict
