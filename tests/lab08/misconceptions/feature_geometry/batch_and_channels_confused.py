"""The shape of F leaves out the batch, and the channels come first: 128 channels, 1 row, 21 columns."""

FAILS = ("test_shape_of_the_feature_map",)


def feature_geometry():
    return {"shape": (1, 128, 21), "stride": 16, "columns_per_box": 1.75}
