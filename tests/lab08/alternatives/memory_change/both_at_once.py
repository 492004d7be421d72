"""Both strips in one batch."""


@torch.no_grad()
def memory_change(encoder, before, after):
    mode = encoder.training
    memory = encoder.eval()(torch.stack([before, after]))[0]
    encoder.train(mode)
    change = torch.abs(memory[1] - memory[0]).unflatten(1, (2, -1)).amax(dim=2)
    return dict(zip(("forward", "backward"), change.unbind(dim=1)))
