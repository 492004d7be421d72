"""Numbers and characters zipped."""

MODULE = "charnn"


def char_maps(text):
    chars = sorted(list(set(text)))
    char_to_idx = dict(zip(chars, range(len(chars))))
    idx_to_char = dict(zip(range(len(chars)), chars))
    return char_to_idx, idx_to_char
