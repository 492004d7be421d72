"""The scores are turned to float32, so float64 loses its precision."""

FAILS = ("test_float64",)


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K).float() / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V.float())
    return context, weights
