"""One head after the other, each without an axis for heads."""

MODULE = "transformer"


def _forward(self, x, padding_mask, return_attention=False):
    values, attention = [], []
    for head in self.qkv_proj(x).split(3 * self.head_dim, dim=-1):  # (B, S, 3 D)
        q, k, v = head.tensor_split(3, dim=-1)
        found = sliding_window_attention(q, k, v, self.window_size, padding_mask)
        values.append(found[0])
        attention.append(found[1])
    output = self.o_proj(torch.cat(values, dim=-1))
    return (output, torch.stack(attention, dim=1)) if return_attention else output


MultiHeadAttention.forward = _forward
