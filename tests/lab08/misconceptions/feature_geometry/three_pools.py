"""There are four max-pools, so the width is halved four times."""

FAILS = ("test_shape_of_the_feature_map", "test_distances")


def feature_geometry():
    return {"shape": (128, 3, 42), "stride": 8, "columns_per_box": 3.5}
