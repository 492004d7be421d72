"""Views of the whole embedding, as floats."""

MODULE = "charnn"


def chars_to_labelled_samples(text, char_to_idx, seq_len, device="cpu"):
    n = (len(text) - 1) // seq_len
    onehot = chars_to_onehot(text, char_to_idx).float()
    samples = onehot[: n * seq_len].view(n, seq_len, len(char_to_idx))
    labels = torch.tensor([char_to_idx[c] for c in text])[1 : n * seq_len + 1].view(n, -1).int()
    return samples.to(device), labels.to(device)
