"""The characters come back as a list instead of a string."""

MODULE = "charnn"
FAILS = ("test_text_comes_back",)


def onehot_to_chars(embedded_text, idx_to_char):
    return [idx_to_char[int(i)] for i in embedded_text.argmax(1)]
