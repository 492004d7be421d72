"""Part 1: an order of samples in which each batch goes on where the one before it stopped."""

import itertools
from typing import Any

import pytest

from autograder.grading.checks import check
from autograder.grading.marks import question, weight

pytestmark = question("SequenceBatchSampler")

SIZES = {"a rest is dropped": (32, 10), "exact": (30, 10), "one batch": (7, 7), "batches of one": (5, 1), "two": (9, 2)}


def order(student: Any, items: int, batch: int) -> list[int]:
    """The indices in the sampler's order, as int."""
    found = student.probe.sampled_indices(items, batch)
    check(isinstance(found, list), "the sampler's items should be indices")
    return found  # type: ignore[no-any-return]


@weight(2)
@pytest.mark.parametrize(("items", "batch"), SIZES.values(), ids=SIZES)
def test_full_batches_only(student: Any, items: int, batch: int) -> None:
    """as many indices as fill whole batches, each once and within the data set"""
    found = order(student, items, batch)
    wanted = items // batch * batch
    check(len(found) == wanted, f"{items} samples in batches of {batch} give {wanted} indices; found {len(found)}")
    check(len(set(found)) == len(found), "an index comes more than once")
    check(all(0 <= index < items for index in found), "an index is outside the data set")


@weight(4)
@pytest.mark.parametrize(("items", "batch"), SIZES.values(), ids=SIZES)
def test_each_sample_continues_the_one_in_the_batch_before(student: Any, items: int, batch: int) -> None:
    """sample k of the next batch is the one after sample k of this batch"""
    found = order(student, items, batch)
    check(len(found) == items // batch * batch, "there are too few or too many indices to form batches")
    pairs = list(zip(found, found[batch:], strict=False))
    broken = sum(after != before + 1 for before, after in pairs)
    check(not broken, f"{broken} of {len(pairs)} samples do not continue the one in the batch before")


@weight(1)
def test_every_pass_is_the_same(student: Any) -> None:
    """a second pass over the sampler gives the same order"""
    check(student.probe.sampled_twice(23, 5), "the second pass gave another order")


@weight(2)
def test_a_data_loader_can_use_it(student: Any) -> None:
    """a `DataLoader` with this sampler gives batches that continue each other"""
    batches = student.probe.loaded_batches(23, 5)
    check(len(batches) == 4, f"23 samples in batches of 5 give 4 batches; the loader gave {len(batches)}")
    goes_on = all(b == a + 1 for one, two in itertools.pairwise(batches) for a, b in zip(one, two, strict=True))
    check(goes_on, "the loader's batches do not continue each other")
