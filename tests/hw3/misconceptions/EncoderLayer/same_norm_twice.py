"""The first norm is used twice."""

MODULE = "transformer"
FAILS = ("test_values",)


def _forward(self, x, padding_mask):
    x = self.norm1(x + self.dropout(self.self_attn(x, padding_mask)))
    x = self.norm1(x + self.dropout(self.feed_forward(x)))
    return x


EncoderLayer.forward = _forward
