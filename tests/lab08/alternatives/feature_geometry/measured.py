"""The shape is read off the CNN."""


def feature_geometry():
    with torch.no_grad():
        shape = make_cnn().eval()(torch.zeros(1, 1, H, W)).shape[1:]
    stride = W // shape[-1]
    return {"columns_per_box": 28 / stride, "shape": shape, "stride": stride}
