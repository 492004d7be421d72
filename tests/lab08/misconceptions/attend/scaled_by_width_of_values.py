"""The scores are divided by the square root of d_v; it is the keys' width that counts."""

FAILS = ("test_scale_follows_the_width_of_the_keys", "test_weights_on_random_tensors")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(V.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
