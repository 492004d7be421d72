"""The largest change is taken with its sign, so decreases are overlooked."""

FAILS = ("test_change_of_one_column[forward]", "test_a_decrease_counts_like_an_increase")


def memory_change(encoder, before, after):
    was_training = encoder.training
    encoder.eval()
    with torch.no_grad():
        a, _ = encoder(before.unsqueeze(0))
        b, _ = encoder(after.unsqueeze(0))
    encoder.train(was_training)
    change = (b - a)[0]
    units = change.shape[1] // 2
    return {"forward": change[:, :units].max(dim=1).values, "backward": change[:, units:].max(dim=1).values}
