"""The norm comes before each part instead of after it."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, x, padding_mask):
    x = x + self.dropout(self.self_attn(self.norm1(x), padding_mask))
    x = x + self.dropout(self.feed_forward(self.norm2(x)))
    return x


EncoderLayer.forward = _forward
