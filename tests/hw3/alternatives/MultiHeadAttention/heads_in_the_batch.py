"""Heads are taken for further sentences of the batch."""

MODULE = "transformer"


def _forward(self, x, padding_mask, return_attention=False):
    B, S, _ = x.shape
    H, D = self.num_heads, self.head_dim
    qkv = self.qkv_proj(x).view(B, S, H, 3, D).transpose(1, 2).flatten(0, 1)  # (B H, S, 3, D)
    mask = None if padding_mask is None else padding_mask.repeat_interleave(H, dim=0)
    values, attention = sliding_window_attention(*qkv.unbind(2), self.window_size, mask)
    output = self.o_proj(values.view(B, H, S, D).transpose(1, 2).flatten(2))
    if return_attention:
        return output, attention.view(B, H, S, S)
    return output


MultiHeadAttention.forward = _forward
