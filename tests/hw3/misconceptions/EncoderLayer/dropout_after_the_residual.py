"""Dropout acts on the sum, residual included."""

MODULE = "transformer"
FAILS = ("test_dropout",)


def _forward(self, x, padding_mask):
    x = self.norm1(self.dropout(x + self.self_attn(x, padding_mask)))
    x = self.norm2(self.dropout(x + self.feed_forward(x)))
    return x


EncoderLayer.forward = _forward
