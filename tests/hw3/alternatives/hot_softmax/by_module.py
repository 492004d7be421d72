"""A module's softmax."""

MODULE = "charnn"


def hot_softmax(y, dim=0, temperature=1.0):
    return nn.Softmax(dim=dim)(torch.div(y, temperature))
