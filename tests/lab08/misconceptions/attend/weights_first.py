"""Weights and context are returned in the wrong order."""

FAILS = ("test_shapes", "test_weights_of_the_chapter_example")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return weights, context
