"""With backward(), its gradients cleared afterwards."""


def receptive_field_by_gradient(cnn, column):
    mode = cnn.training
    image = torch.randn(1, 1, 28, 336)
    image.requires_grad_(True)
    cnn.eval()
    try:
        cnn(image)[:, :, :, column].sum().backward()
    finally:
        cnn.train(mode)
        cnn.zero_grad(set_to_none=True)
    columns = np.flatnonzero(image.grad.numpy()[0, 0].any(axis=0))
    return [columns.min(), columns.max()]
