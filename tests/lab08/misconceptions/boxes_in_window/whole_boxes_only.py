"""Boxes at the window's edges count too, even if it cuts them."""

FAILS = ("test_number_of_boxes[the receptive field]",)


def boxes_in_window(window):
    return max(0, (window - 28) // 22 + 1)
