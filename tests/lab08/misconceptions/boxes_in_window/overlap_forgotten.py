"""Neighbouring boxes may overlap by 6 pixels, so they can be as close as 22 pixels."""

FAILS = ("test_number_of_boxes[one pixel]",)


def boxes_in_window(window):
    return (window + 26) // 28 + 1
