"""Part 1: a text cut into samples, each character labelled with the one after it."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("chars_to_labelled_samples")

CASES = {
    "a rest is left over": ("abracadabra simsalabim", 4),
    "the length less one is a multiple": ("abracadab", 4),
    "the length itself is a multiple": ("abracada", 4),
    "exactly one sample": ("abrac", 4),
    "one character a sample": ("abrac", 1),
}


def split(charnn: Any, student: Any, text: str, length: int, **options: Any) -> tuple[Tensor, Tensor]:
    """Samples and labels for an alphabet of the text's own characters."""
    result = student.probe.labelled_samples(text, to_index(text), length, **options)
    check_type(result, (tuple, list), "what `chars_to_labelled_samples` returns")
    check(len(result) == 2, f"it should return samples and labels; it returned {len(result)} things")
    check_type(result[0], torch.Tensor, "the samples")
    check_type(result[1], torch.Tensor, "the labels")
    return result[0], result[1]


def to_index(text: str) -> dict[str, int]:
    return {char: index for index, char in enumerate(sorted(set(text)))}


def indices(text: str) -> np.ndarray:
    numbers = to_index(text)
    return np.array([numbers[char] for char in text])


@weight(2)
@pytest.mark.parametrize(("text", "length"), CASES.values(), ids=CASES)
def test_shapes(charnn: Any, student: Any, text: str, length: int) -> None:
    """samples have shape (N, S, V) and labels (N, S), with N = (len(text) - 1) // S"""
    samples, labels = split(charnn, student, text, length)
    count = (len(text) - 1) // length
    check_shape(samples, (count, length, len(set(text))), "the samples")
    check_shape(labels, (count, length), "the labels")


@weight(3)
@pytest.mark.parametrize(("text", "length"), CASES.values(), ids=CASES)
def test_samples_are_the_text_in_order(charnn: Any, student: Any, text: str, length: int) -> None:
    """the samples are the text's one-hot rows, cut every S characters"""
    samples, _ = split(charnn, student, text, length)
    count = (len(text) - 1) // length
    rows = np.eye(len(set(text)))[indices(text)[: count * length]]
    check_close(samples.double(), torch.from_numpy(rows).reshape(count, length, -1), "the samples")


@weight(3)
@pytest.mark.parametrize(("text", "length"), CASES.values(), ids=CASES)
def test_a_label_is_the_next_character(charnn: Any, student: Any, text: str, length: int) -> None:
    """the label of each character is the index of the next one, across samples too"""
    _, labels = split(charnn, student, text, length)
    count = (len(text) - 1) // length
    following = torch.from_numpy(indices(text)[1 : count * length + 1]).reshape(count, length)
    check_close(labels.double(), following.double(), "the labels")


@weight(1)
def test_on_the_device_that_was_asked_for(charnn: Any, student: Any, device: str) -> None:
    """both tensors are on the device that was asked for"""
    split(charnn, student, "abracadabra", 3, device=device)
    places = student.probe.devices_of_samples("abracadabra", to_index("abracadabra"), 3, device)
    check(all(place == device for place in places), f"asked for on {device}, they are on {' and '.join(places)}")
