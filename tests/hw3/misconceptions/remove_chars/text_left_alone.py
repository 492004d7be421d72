"""The result of `str.replace` is thrown away, so the text still has the characters."""

MODULE = "charnn"
FAILS = ("test_the_text_has_lost_them",)


def remove_chars(text, chars_to_remove):
    count = 0
    for c in chars_to_remove:
        count += text.count(c)
        text.replace(c, "")
    return text, count
