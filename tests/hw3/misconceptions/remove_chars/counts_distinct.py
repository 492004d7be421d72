"""The number counts distinct characters instead of all occurrences."""

MODULE = "charnn"
FAILS = ("test_the_number_is_that_of_all_occurrences",)


def remove_chars(text, chars_to_remove):
    clean = "".join(c for c in text if c not in chars_to_remove)
    return clean, len(set(text) & set(chars_to_remove))
