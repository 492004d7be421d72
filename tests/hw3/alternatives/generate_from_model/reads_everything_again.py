"""Everything written so far is read again at each step."""

MODULE = "charnn"


@torch.no_grad()
def generate_from_model(model, start_sequence, n_chars, char_maps, T):
    c2i, i2c = char_maps
    out = list(start_sequence)
    for _ in range(n_chars - len(out)):
        y, _ = model(chars_to_onehot("".join(out), c2i).unsqueeze(0).float())
        probs = hot_softmax(y[0, -1, :], dim=0, temperature=T)
        out.append(i2c[torch.multinomial(probs, 1).item()])
    return "".join(out)
