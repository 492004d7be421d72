"""The likeliest character is taken instead of one drawn."""

MODULE = "charnn"
FAILS = ("test_characters_are_drawn_by_their_probabilities",)


def generate_from_model(model, start_sequence, n_chars, char_maps, T):
    char_to_idx, idx_to_char = char_maps
    text, h = start_sequence, None
    x = start_sequence
    with torch.no_grad():
        while len(text) < n_chars:
            y, h = model(chars_to_onehot(x, char_to_idx).float().unsqueeze(0), h)
            p = hot_softmax(y[0, -1], 0, T)
            x = idx_to_char[int(p.argmax())]
            text += x
    return text
