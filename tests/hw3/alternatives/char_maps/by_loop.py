"""Two dictionaries filled in a loop."""

MODULE = "charnn"


def char_maps(text):
    a, b = {}, {}
    for c in sorted(text):
        if c not in a:
            b[len(a)] = c
            a[c] = len(a)
    return a, b
