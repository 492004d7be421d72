"""Scores are not divided by sqrt(D)."""

MODULE = "transformer"
FAILS = ("test_values",)


_banded_values = banded_attention


def banded_attention(q, k, v, w, padding_mask):
    return _banded_values(q * q.shape[-1] ** 0.5, k, v, w, padding_mask)
