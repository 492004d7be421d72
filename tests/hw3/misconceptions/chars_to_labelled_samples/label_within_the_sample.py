"""Labels wrap around within a sample, so the last one is wrong."""

MODULE = "charnn"
FAILS = ("test_a_label_is_the_next_character",)


def chars_to_labelled_samples(text, char_to_idx, seq_len, device="cpu"):
    n = (len(text) - 1) // seq_len
    x = chars_to_onehot(text[: n * seq_len], char_to_idx).reshape(n, seq_len, -1).to(device)
    return x, x.argmax(2).roll(-1, 1)
