"""The scores are divided by d_k, not by its square root."""

FAILS = ("test_weights_of_the_chapter_example", "test_weights_on_random_tensors")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / q.shape[-1]
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
