"""A general function with a mask, behind a wrapper that checks shapes."""

import functools


def checked(function):
    @functools.wraps(function)
    def wrapper(query, keys, values, **options):
        assert keys.shape[:2] == values.shape[:2] and query.shape[-1] == keys.shape[-1], "shapes do not fit"
        return function(query, keys, values, **options)

    return wrapper


@checked
def attend(query, keys, values, mask=None):
    scores = torch.bmm(keys, query[..., None])[..., 0] * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = F.softmax(scores, dim=-1)
    return torch.bmm(weights[:, None], values)[:, 0], weights
