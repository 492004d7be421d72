"""The CNN is left in eval mode."""

FAILS = ("test_mode_is_restored[train mode]",)


def receptive_field_by_gradient(cnn, column):
    was_training = cnn.training
    cnn.eval()
    image = torch.rand(1, 1, H, W, requires_grad=True)
    (gradient,) = torch.autograd.grad(cnn(image)[..., column].sum(), image)
    seen = torch.nonzero(gradient.abs().sum(dim=(0, 1, 2))).flatten()
    return int(seen[0]), int(seen[-1])
