"""Windows as views of padded keys and values."""

MODULE = "transformer"


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, half = q.shape[-2], window_size // 2
    pad = nn.functional.pad
    windows = lambda x: pad(x, (0, 0, half, half)).unfold(-2, window_size + 1, 1)  # (..., S, D, w + 1)
    scores = (q.unsqueeze(-2) @ windows(k)).squeeze(-2) / q.shape[-1] ** 0.5
    mask = q.new_ones(q.shape[0], S) if padding_mask is None else padding_mask.to(q.dtype)
    seen = pad(mask, (half, half)).unfold(-1, window_size + 1, 1) > 0
    seen = seen if q.dim() == 3 else seen.unsqueeze(1)
    weights = torch.softmax(scores.masked_fill(~seen, -1e9), -1) * seen
    values = (windows(v) @ weights.unsqueeze(-1)).squeeze(-1)
    attention = q.new_zeros(*q.shape[:-1], S + 2 * half)
    columns = torch.arange(S, device=q.device).unsqueeze(1) + torch.arange(window_size + 1, device=q.device)
    attention = attention.scatter(-1, columns.expand(weights.shape), weights)
    return values, attention[..., half : half + S]
