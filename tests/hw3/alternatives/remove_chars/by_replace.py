"""One replacement after the other."""

MODULE = "charnn"


def remove_chars(text, chars_to_remove):
    count = 0
    for c in chars_to_remove:
        count += text.count(c)
        text = text.replace(c, "")
    return text, count
