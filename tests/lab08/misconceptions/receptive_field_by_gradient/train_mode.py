"""In train mode batch norm ties every pixel to every other, so the whole strip seems to be seen."""

FAILS = ("test_field_does_not_depend_on_the_mode", "test_other_cnn[batch norm]")


def receptive_field_by_gradient(cnn, column):
    was_training = cnn.training
    image = torch.rand(1, 1, H, W, requires_grad=True)
    (gradient,) = torch.autograd.grad(cnn(image)[..., column].sum(), image)
    cnn.train(was_training)
    seen = torch.nonzero(gradient.abs().sum(dim=(0, 1, 2))).flatten()
    return int(seen[0]), int(seen[-1])
