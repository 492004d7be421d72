"""Step by step."""

MODULE = "transformer"


def _forward(self, x, padding_mask):
    a = self.self_attn(x, padding_mask)
    a = self.dropout(a)
    x = self.norm1(a + x)
    f = self.feed_forward(x)
    x = self.norm2(x + self.dropout(f))
    return x


EncoderLayer.forward = _forward
