"""Heads are made by a reshape alone, which mixes positions and features."""

MODULE = "transformer"
FAILS = ("test_all_heads_attend",)


def _forward(self, x, padding_mask, return_attention=False):
    B, S, _ = x.shape
    qkv = self.qkv_proj(x).reshape(B, self.num_heads, S, 3 * self.head_dim)
    q, k, v = qkv.chunk(3, dim=-1)
    values, attention = sliding_window_attention(q, k, v, self.window_size, padding_mask)
    output = self.o_proj(values.reshape(B, S, self.embed_dim))
    return (output, attention) if return_attention else output


MultiHeadAttention.forward = _forward
