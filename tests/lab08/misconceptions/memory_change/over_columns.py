"""The largest change is taken over the columns, not for each column."""

FAILS = ("test_shapes",)


def memory_change(encoder, before, after):
    was_training = encoder.training
    encoder.eval()
    with torch.no_grad():
        a, _ = encoder(before.unsqueeze(0))
        b, _ = encoder(after.unsqueeze(0))
    encoder.train(was_training)
    change = (b - a)[0].abs()
    units = change.shape[1] // 2
    return {"forward": change[:, :units].max(dim=0).values, "backward": change[:, units:].max(dim=0).values}
