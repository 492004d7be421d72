"""Exponentials are taken without taking the largest score away, so large scores give nan."""

MODULE = "charnn"
FAILS = ("test_large_scores",)


def hot_softmax(y, dim=0, temperature=1.0):
    e = torch.exp(y / temperature)
    return e / e.sum(dim, keepdim=True)
