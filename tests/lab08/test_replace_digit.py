"""Q5.3: one digit of a strip replaced by another.

The images are noise, each unlike the others, so that what was drawn can be told from the strip.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("replace_digit")

LABELS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 2])
STRIPS = {"n": 6, "lengths": [1, 3, 5], "seed": 11}


class Replaced:
    """The student's function on one small dataset, and the dataset itself as it is on this side."""

    def __init__(self, student: Any, reference: SimpleNamespace, rng: np.random.Generator) -> None:
        self.student, self.reference = student, reference
        self.images = rng.integers(1, 256, (len(LABELS), 28, 28)).astype(np.uint8)

    def dataset(self, **options: Any) -> Any:
        return self.reference.StripDataset(self.images, LABELS, **{**STRIPS, **options})

    def __call__(
        self,
        calls: list[tuple[int, int]],
        seed: int,
        elsewhere: int = 0,
        drawn_from: np.ndarray | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """What ``calls`` of (strip, position) gave, checked for its form."""
        strips = {**STRIPS, **options}
        given = self.images, LABELS, strips, [list(call) for call in calls], seed, elsewhere, drawn_from
        found = self.student.probe.replaced(*given)
        for result in found["results"]:
            check_type(result, (tuple, list), "what `replace_digit` returns")
            check(len(result) == 2, f"`replace_digit` should return two things, image and digits; found {len(result)}")
            check_type(result[0], torch.Tensor, "the image")
            check_type(result[1], (list, tuple), "the digits")
        return found

    def drawn_with(self, dataset: Any, i: int, k: int, image: torch.Tensor) -> list[int]:
        """The indices of all images that, put at position k of strip i, give ``image``."""
        return [j for j in range(len(LABELS)) if torch.equal(self.redrawn(dataset, i, k, j), image)]

    def redrawn(self, dataset: Any, i: int, k: int, j: int) -> torch.Tensor:
        source = [int(s) for s in dataset.src[i]]
        source[k] = j
        canvas = self.reference.draw_strip(self.images, source, dataset.xs[i], dataset.width)
        return torch.from_numpy(canvas).float().div(255).unsqueeze(0)


@pytest.fixture
def replaced(student: Any, reference: SimpleNamespace, rng: np.random.Generator) -> Replaced:
    return Replaced(student, reference, rng)


def positions(dataset: Any) -> list[tuple[int, int]]:
    """Every digit of the dataset, as (strip, position)."""
    return [(i, k) for i, digits in enumerate(dataset.digits) for k in range(len(digits))]


@weight(1)
@pytest.mark.parametrize("width", [336, 224])
def test_form_of_the_image(replaced: Replaced, seed: int, width: int) -> None:
    """a float image of shape (1, 28, width) with values from 0 to 1"""
    image = replaced([(0, 0)], seed, width=width)["results"][0][0]
    check_shape(image, (1, 28, width), "the image")
    check(image.is_floating_point(), f"the image should be of floats; its type is {image.dtype}")
    check(float(image.min()) >= 0 and float(image.max()) <= 1, "the image has values outside 0 to 1")


@weight(2)
def test_one_digit_is_new(replaced: Replaced, seed: int) -> None:
    """the k-th digit is of another class, and the other digits stay"""
    dataset = replaced.dataset()
    calls = positions(dataset) * 6  # one in six would be of the same class by chance
    for (i, k), (_, digits) in zip(calls, replaced(calls, seed)["results"], strict=True):
        old = [int(digit) for digit in dataset.digits[i]]
        check(len(digits) == len(old), "the number of digits changed")
        check(all(isinstance(digit, int) for digit in digits), "the digits should be a list of ints")
        check(digits[k] != old[k], "the replaced digit is of the same class as before")
        check([*digits[:k], *digits[k + 1 :]] == [*old[:k], *old[k + 1 :]], "a digit at another position changed")


@weight(4)
def test_image_shows_the_new_digit_in_its_box(replaced: Replaced, seed: int) -> None:
    """the image is the strip redrawn, with an image of the new class in the box of the old"""
    dataset = replaced.dataset()
    calls = positions(dataset)
    for (i, k), (image, digits) in zip(calls, replaced(calls, seed)["results"], strict=True):
        check_shape(image, (1, 28, 336), "the image")
        candidates = replaced.drawn_with(dataset, i, k, image.float())
        check(candidates, "the image is not the strip with one digit replaced at its box")
        check(any(LABELS[j] == digits[k] for j in candidates), "the digit that was drawn is not the one in the list")


@weight(1)
def test_other_digits_keep_their_images(replaced: Replaced, seed: int, rng: np.random.Generator) -> None:
    """a dataset drawn from other images than the new digit keeps them for all its other digits"""
    others = rng.integers(1, 256, replaced.images.shape).astype(np.uint8)
    dataset = replaced.reference.StripDataset(others, LABELS, **STRIPS)
    i = next(i for i, digits in enumerate(dataset.digits) if len(digits) == 5)
    image = replaced([(i, 1)], seed, drawn_from=others)["results"][0][0]
    check_shape(image, (1, 28, 336), "the image")
    boxes = torch.zeros(336, dtype=torch.bool)
    boxes[dataset.xs[i][1] : dataset.xs[i][1] + 28] = True
    check_close(image[..., ~boxes].float(), dataset[i][0][..., ~boxes], "the image outside the box of the new digit")
    check(not torch.equal(image.float(), dataset[i][0]), "the digit in the box is the one of before")


@weight(1)
def test_dataset_stays_as_it_was(replaced: Replaced, seed: int) -> None:
    """the dataset is left as it was"""
    found = replaced(positions(replaced.dataset()), seed)
    check(not found["dataset_changed"], "`replace_digit` changed the dataset")


@weight(1)
def test_same_generator_state_gives_the_same_strip(replaced: Replaced, seed: int) -> None:
    """all randomness comes from `rng`: a generator with the same seed gives the same strips"""
    calls = positions(replaced.dataset())
    first, second = replaced(calls, seed, elsewhere=1)["results"], replaced(calls, seed, elsewhere=2)["results"]
    for (image, digits), (other_image, other_digits) in zip(first, second, strict=True):
        check(digits == other_digits, "the same seed gave other digits")
        check_close(image, other_image, "the image from the same seed")


@weight(2)
def test_every_image_of_another_class_can_come(replaced: Replaced, seed: int) -> None:
    """the new digit is drawn at random from all images of other classes"""
    dataset = replaced.dataset()
    old = int(dataset.digits[0][0])
    found = replaced([(0, 0)] * 250, seed)["results"]  # ten or so candidates: each is missed with odds below 1 in 10^9
    drawn = {j for image, _ in found for j in replaced.drawn_with(dataset, 0, 0, image.float())}
    check(not any(LABELS[j] == old for j in drawn), "the new digit was of the same class as before")
    expected = {j for j in range(len(LABELS)) if LABELS[j] != old}
    never = f"{len(expected - drawn)} of {len(expected)} images of other classes never came"
    check(drawn >= expected, f"in 250 calls, {never}")
