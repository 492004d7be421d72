"""One diagonal after the other: keys and values are shifted, and multiplied element by element."""

MODULE = "transformer"


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    S, D = q.shape[-2:]
    reach = min(window_size // 2, S - 1)
    shifts = range(-reach, reach + 1)
    tokens = torch.ones_like(q[..., 0], dtype=torch.bool)
    if padding_mask is not None:
        tokens = tokens & padding_mask.bool().view(len(q), *[1] * (q.dim() - 3), S)
    here = lambda shift: slice(max(0, -shift), S - max(0, shift))  # rows that have a key so far away,
    there = lambda shift: slice(max(0, shift), S - max(0, -shift))  # and those keys

    scores = q.new_full((*q.shape[:-1], len(shifts)), -1e9)
    for d, shift in enumerate(shifts):
        products = (q[..., here(shift), :] * k[..., there(shift), :]).sum(-1) / math.sqrt(D)
        scores[..., here(shift), d] = products.masked_fill(~tokens[..., there(shift)], -1e9)
    weights = scores.softmax(-1)

    values, attention = torch.zeros_like(v), q.new_zeros(*q.shape[:-1], S)
    for d, shift in enumerate(shifts):
        weight = weights[..., here(shift), d] * tokens[..., there(shift)]
        values[..., here(shift), :] += weight.unsqueeze(-1) * v[..., there(shift), :]
        attention.diagonal(shift, -2, -1).copy_(weight)
    return values, attention
