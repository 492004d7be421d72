"""The weights are the scaled scores themselves: the softmax is missing."""

FAILS = ("test_rows_of_weights_sum_to_one", "test_zero_query_weights_all_columns_alike")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])
    weights = scores
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
