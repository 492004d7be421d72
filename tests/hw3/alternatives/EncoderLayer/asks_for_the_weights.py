"""The weights are asked for too, and not used."""

MODULE = "transformer"


def _forward(self, x, padding_mask):
    attended, _ = self.self_attn(x, padding_mask, return_attention=True)
    x = self.norm1(x + self.dropout(attended))
    return self.norm2(x + self.dropout(self.feed_forward(x)))


EncoderLayer.forward = _forward
