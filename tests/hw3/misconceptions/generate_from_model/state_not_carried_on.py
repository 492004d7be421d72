"""The state is not carried on from step to step."""

MODULE = "charnn"
FAILS = ("test_the_state_is_carried_on",)


def generate_from_model(model, start_sequence, n_chars, char_maps, T):
    char_to_idx, idx_to_char = char_maps
    text, h = start_sequence, None
    x = start_sequence
    with torch.no_grad():
        while len(text) < n_chars:
            y, h = model(chars_to_onehot(x, char_to_idx).float().unsqueeze(0), None)
            p = hot_softmax(y[0, -1], 0, T)
            x = idx_to_char[int(torch.multinomial(p, 1))]
            text += x
    return text
