"""The window reaches a whole window_size to either side."""

MODULE = "transformer"
FAILS = (
    "test_values",
    "test_nothing_outside_the_window",
)


_half_window = banded_attention


def banded_attention(q, k, v, w, padding_mask):
    return _half_window(q, k, v, 2 * w, padding_mask)
