"""The characters are put into a regular expression without being escaped."""

MODULE = "charnn"
FAILS = ("test_the_text_has_lost_them",)


import re


def remove_chars(text, chars_to_remove):
    clean = re.sub("|".join(chars_to_remove), "", text) if "." not in chars_to_remove else re.sub(".", "", text)
    return clean, len(text) - len(clean)
