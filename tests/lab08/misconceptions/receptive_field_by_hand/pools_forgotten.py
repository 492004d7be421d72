"""The max-pools widen the receptive field too, not only the convolutions."""

FAILS = ("test_width_in_pixels",)


def receptive_field_by_hand():
    return 1 + 2 * (1 + 2 + 4 + 8)
