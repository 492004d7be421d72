"""The number of samples is counted from len(text) - seq_len - 1."""

MODULE = "charnn"
FAILS = ("test_shapes",)


def chars_to_labelled_samples(text, char_to_idx, seq_len, device="cpu"):
    n = max((len(text) - seq_len - 1) // seq_len, 1)
    x = chars_to_onehot(text[: n * seq_len + 1], char_to_idx).to(device)
    return x[:-1].reshape(n, seq_len, -1), x[1:].argmax(1).reshape(n, seq_len)
