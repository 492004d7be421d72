"""The scores are banded, but the values are summed over all positions."""

MODULE = "transformer"
FAILS = ("test_scores_and_values",)


_linear = banded_attention
_scores_only = sliding_window_attention


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    attention = _scores_only(q, k, v, window_size, padding_mask)[1]
    return attention @ v, attention


def banded_attention(q, k, v, w, padding_mask):
    _, weights = _linear(q, k, v[..., :1], w, padding_mask)
    return None, weights
