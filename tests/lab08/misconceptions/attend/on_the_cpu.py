"""A tensor is made on the CPU, wherever the inputs are."""

FAILS = ("test_works_on_any_device",)


def attend(q, K, V):
    scale = torch.full((len(q), 1), 1 / math.sqrt(q.shape[-1]), dtype=q.dtype)
    weights = torch.softmax(torch.einsum("bd,bnd->bn", q, K) * scale, dim=-1)
    return torch.einsum("bn,bnd->bd", weights, V), weights
