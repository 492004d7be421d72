"""Boxes are packed and counted, wherever the window starts."""


def boxes_in_window(window):
    lefts = range(0, 22 * 60, 22)
    return max(sum(left < start + window and start < left + 28 for left in lefts) for start in range(400, 422))
