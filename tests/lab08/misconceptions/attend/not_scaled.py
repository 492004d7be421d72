"""The scores are not divided by the square root of d_k."""

FAILS = (
    "test_weights_of_the_chapter_example",
    "test_weights_on_random_tensors",
    "test_scale_follows_the_width_of_the_keys",
)


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K)
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
