"""The softmax runs over the strips of the batch, not over the columns of each strip."""

FAILS = ("test_rows_of_weights_sum_to_one", "test_zero_query_weights_all_columns_alike")


def attend(q, K, V):
    scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=0)
    context = torch.einsum("bn,bnd->bd", weights, V)
    return context, weights
