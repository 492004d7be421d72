"""Cut sample by sample, with float labels."""

MODULE = "charnn"


def chars_to_labelled_samples(text, char_to_idx, seq_len, device="cpu"):
    n = (len(text) - 1) // seq_len
    xs, ys = [], []
    for i in range(n):
        xs.append(chars_to_onehot(text[i * seq_len : (i + 1) * seq_len], char_to_idx))
        ys.append(torch.tensor([float(char_to_idx[c]) for c in text[i * seq_len + 1 : (i + 1) * seq_len + 1]]))
    return torch.stack(xs).to(device), torch.stack(ys).to(device)
