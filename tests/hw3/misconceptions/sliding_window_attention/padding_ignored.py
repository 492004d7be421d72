"""Padding gets weight."""

MODULE = "transformer"
FAILS = ("test_padding",)


_with_padding = banded_attention


def banded_attention(q, k, v, w, padding_mask):
    return _with_padding(q, k, v, w, None)
