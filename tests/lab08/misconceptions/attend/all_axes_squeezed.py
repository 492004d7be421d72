"""squeeze() without a number also drops the batch axis when there is one strip, and the columns when there is one."""

FAILS = ("test_smallest_sizes",)


def attend(q, K, V):
    scores = (K @ q.unsqueeze(-1)).squeeze() / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return (weights.unsqueeze(-2) @ V).squeeze(), weights
