"""On a blank image every unit is at the ReLU's corner or in a tie, and no gradient comes through."""

FAILS = ("test_inner_column",)


def receptive_field_by_gradient(cnn, column):
    was_training = cnn.training
    cnn.eval()
    image = torch.zeros(1, 1, H, W, requires_grad=True)
    (gradient,) = torch.autograd.grad(cnn(image)[..., column].sum(), image)
    cnn.train(was_training)
    seen = torch.nonzero(gradient.abs().sum(dim=(0, 1, 2))).flatten()
    return int(seen[0]), int(seen[-1])
