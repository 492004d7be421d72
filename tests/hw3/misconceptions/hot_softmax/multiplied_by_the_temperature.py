"""Scores are multiplied by the temperature instead of divided."""

MODULE = "charnn"
FAILS = ("test_temperature",)


def hot_softmax(y, dim=0, temperature=1.0):
    return torch.softmax(y * temperature, dim)
