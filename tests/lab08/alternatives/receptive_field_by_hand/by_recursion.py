"""Backwards through the blocks."""


def receptive_field_by_hand():
    pixels = 1
    for _ in range(4):
        pixels = 2 * pixels + 2
    return pixels
