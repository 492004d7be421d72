"""The encoder is measured in whatever mode it is; in train mode batch statistics mix into the change."""

FAILS = ("test_encoder_is_measured_in_eval_mode",)


def memory_change(encoder, before, after):
    with torch.no_grad():
        a, _ = encoder(before.unsqueeze(0))
        b, _ = encoder(after.unsqueeze(0))
    change = (b - a)[0].abs()
    units = change.shape[1] // 2
    return {"forward": change[:, :units].max(dim=1).values, "backward": change[:, units:].max(dim=1).values}
