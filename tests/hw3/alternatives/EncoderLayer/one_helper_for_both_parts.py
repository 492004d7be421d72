"""The same helper for both parts, with dropout and norm as functions."""

MODULE = "transformer"


def _forward(self, x, padding_mask):
    def add_and_norm(x, change, norm):
        kept = nn.functional.dropout(change, self.dropout.p, training=self.training)
        return nn.functional.layer_norm(torch.add(x, kept), norm.normalized_shape, norm.weight, norm.bias, norm.eps)

    x = add_and_norm(x, self.self_attn(x, padding_mask=padding_mask), self.norm1)
    return add_and_norm(x, self.feed_forward(x), self.norm2)


EncoderLayer.forward = _forward
