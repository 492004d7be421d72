"""The tensor has shape (V, N) instead of (N, V)."""

MODULE = "charnn"
FAILS = (
    "test_rows_are_one_hot",
    "test_text_comes_back",
)


def chars_to_onehot(text, char_to_idx):
    out = torch.zeros(len(char_to_idx), len(text), dtype=torch.int8)
    for i, c in enumerate(text):
        out[char_to_idx[c], i] = 1
    return out


def onehot_to_chars(embedded_text, idx_to_char):
    return "".join(idx_to_char[int(i)] for i in embedded_text.argmax(0))
