"""The window of each position gathered, rows without tokens left at zero."""

MODULE = "transformer"


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, half = q.shape[-2], window_size // 2
    position = torch.arange(S, device=q.device).unsqueeze(1) + torch.arange(-half, half + 1, device=q.device)
    seen = (position >= 0) & (position < S)
    position = position.clamp(0, S - 1)
    if padding_mask is not None:
        tokens = padding_mask.bool()[:, position]
        seen = seen & (tokens if q.dim() == 3 else tokens.unsqueeze(1))
    scores = torch.einsum("...sd,...swd->...sw", q, k[..., position, :]) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~seen, -1e9), -1).masked_fill(~seen, 0)
    values = torch.einsum("...sw,...swd->...sd", weights, v[..., position, :])
    attention = weights.new_zeros(*weights.shape[:-1], S).scatter_add(-1, position.expand(weights.shape), weights)
    return values, attention
