"""The scaling changes the caller's query in place."""

FAILS = ("test_inputs_stay_as_they_were",)


def attend(q, K, V):
    with torch.no_grad():
        q /= math.sqrt(q.shape[-1])
    weights = torch.softmax(torch.einsum("bd,bnd->bn", q, K), dim=-1)
    return torch.einsum("bn,bnd->bd", weights, V), weights
