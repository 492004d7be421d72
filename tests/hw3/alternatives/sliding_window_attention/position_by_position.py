"""A loop over positions."""

MODULE = "transformer"


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, half = q.shape[-2], window_size // 2
    values = []
    attention = q.new_zeros(*q.shape[:-1], S)
    for i in range(S):
        low, high = max(0, i - half), min(S, i + half + 1)
        scores = (q[..., i : i + 1, :] @ k[..., low:high, :].transpose(-1, -2)).squeeze(-2) / q.shape[-1] ** 0.5
        if padding_mask is not None:
            m = padding_mask[:, low:high].bool()
            scores = scores.masked_fill(~(m if q.dim() == 3 else m.unsqueeze(1)), -1e9)
        weights = torch.softmax(scores, -1)
        attention[..., i, low:high] = weights
        values.append((weights.unsqueeze(-2) @ v[..., low:high, :]).squeeze(-2))
    return torch.stack(values, -2), attention
