"""The values come from the library's attention, which multiplies all pairs before it masks them."""

MODULE = "transformer"
FAILS = ("test_scores_and_values",)

_banded = sliding_window_attention


def sliding_window_attention(q, k, v, window_size, padding_mask=None):
    _, weights = _banded(q, k, v, window_size, padding_mask)
    seen = weights > 0
    queries = q.unsqueeze(1) if q.dim() == 3 else q
    keys, values = (x.unsqueeze(1) if x.dim() == 3 else x for x in (k, v))
    mask = (seen.unsqueeze(1) if seen.dim() == 3 else seen) | ~seen.any(-1, keepdim=True).reshape(
        *queries.shape[:-1], 1
    )
    out = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    return out.reshape(v.shape), weights
