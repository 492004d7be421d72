"""The scale is written as 8, the square root of 64, but d_k is an argument's width and can be another."""

FAILS = ("test_weights_of_the_chapter_example", "test_scale_follows_the_width_of_the_keys")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / 8
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
