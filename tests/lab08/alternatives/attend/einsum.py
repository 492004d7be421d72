"""Written with einsum, the query scaled first."""


def attend(q, K, V):
    weights = torch.einsum("bd,bnd->bn", q / q.size(-1) ** 0.5, K).softmax(-1)
    return torch.einsum("bn,bnv->bv", weights, V), weights
