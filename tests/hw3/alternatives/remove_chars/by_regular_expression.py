"""A regular expression whose characters are escaped."""

MODULE = "charnn"


import re


def remove_chars(text, chars_to_remove):
    return re.subn("|".join(map(re.escape, chars_to_remove)), "", text)
