"""All products are written out element by element."""

MODULE = "transformer"
FAILS = ("test_scores",)


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, D = q.shape[-2], q.shape[-1]
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / D**0.5
    i = torch.arange(S, device=q.device)
    distance = (i[:, None] - i).abs()
    outside = distance > window_size // 2
    if padding_mask is not None:
        m = padding_mask.bool()
        m = m[:, None, :] if q.dim() == 3 else m[:, None, None, :]
        outside = outside | ~m
    scores = scores.masked_fill(outside, -1e9)
    attention = torch.softmax(scores, -1).masked_fill(outside, 0.0)
    return attention @ v, attention
