"""Filled row by row."""

MODULE = "charnn"


def chars_to_onehot(text, char_to_idx):
    out = torch.zeros((len(text), len(char_to_idx)), dtype=torch.int8)
    for i, c in enumerate(text):
        out[i, char_to_idx[c]] = 1
    return out


def onehot_to_chars(embedded_text, idx_to_char):
    text = ""
    for row in embedded_text:
        text += idx_to_char[torch.argmax(row).item()]
    return text
