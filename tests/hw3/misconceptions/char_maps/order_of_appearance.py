"""Characters are numbered in the order in which they appear, not in lexical order."""

MODULE = "charnn"
FAILS = ("test_lexical_order",)


def char_maps(text):
    chars = list(dict.fromkeys(text))
    return {c: i for i, c in enumerate(chars)}, dict(enumerate(chars))
