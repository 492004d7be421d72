"""The definition, with the largest score taken away."""

MODULE = "charnn"


def hot_softmax(y, dim=0, temperature=1.0):
    y = y / temperature
    e = torch.exp(y - y.max(dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)
