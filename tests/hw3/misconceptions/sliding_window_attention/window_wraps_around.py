"""The window wraps around at the ends."""

MODULE = "transformer"
FAILS = ("test_nothing_outside_the_window",)


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, D, half = q.shape[-2], q.shape[-1], window_size // 2
    index = (torch.arange(S)[:, None] + torch.arange(-half, half + 1)) % S
    scores = torch.einsum("...sd,...swd->...sw", q, k[..., index, :]) / D**0.5
    if padding_mask is not None:
        seen = padding_mask.bool()[:, index]
        scores = scores.masked_fill(~(seen if q.dim() == 3 else seen[:, None]), -1e9)
    weights = torch.softmax(scores, -1)
    values = torch.einsum("...sw,...swd->...sd", weights, v[..., index, :])
    return values, torch.zeros(*weights.shape[:-1], S, dtype=q.dtype).scatter_add(
        -1, index.expand(weights.shape), weights
    )
