"""Read back by the places of the ones."""

MODULE = "charnn"


def chars_to_onehot(text, char_to_idx):
    out = torch.zeros(len(text), len(char_to_idx), dtype=torch.int8)
    out[torch.arange(len(text)), [char_to_idx[c] for c in text]] = 1
    return out


def onehot_to_chars(embedded_text, idx_to_char):
    return "".join(idx_to_char[i.item()] for i in torch.nonzero(embedded_text)[:, 1])
