"""The encoder is left in eval mode."""

FAILS = ("test_mode_is_restored[train mode]",)


def memory_change(encoder, before, after):
    was_training = encoder.training
    encoder.eval()
    with torch.no_grad():
        a, _ = encoder(before.unsqueeze(0))
        b, _ = encoder(after.unsqueeze(0))
    change = (b - a)[0].abs()
    units = change.shape[1] // 2
    return {"forward": change[:, :units].max(dim=1).values, "backward": change[:, units:].max(dim=1).values}
