"""backward() leaves gradients in the CNN's parameters."""

FAILS = ("test_no_gradient_is_left",)


def receptive_field_by_gradient(cnn, column):
    was_training = cnn.training
    cnn.eval()
    image = torch.rand(1, 1, H, W, requires_grad=True)
    cnn(image)[..., column].sum().backward()
    gradient = image.grad
    cnn.train(was_training)
    seen = torch.nonzero(gradient.abs().sum(dim=(0, 1, 2))).flatten()
    return int(seen[0]), int(seen[-1])
