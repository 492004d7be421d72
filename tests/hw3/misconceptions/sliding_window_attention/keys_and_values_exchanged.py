"""Keys and values are exchanged."""

MODULE = "transformer"
FAILS = ("test_values",)


_in_order = banded_attention


def banded_attention(q, k, v, w, padding_mask):
    return _in_order(q, v, k, w, padding_mask)
