"""The softmax is written as exp(scores) over its sum, which overflows for large scores.

Subtracting each row's largest score first changes no weight and cannot overflow.
"""

FAILS = ("test_large_scores_do_not_overflow",)


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])
    powers = torch.exp(scores)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return torch.einsum("bn,bnd->bd", weights, V), weights
