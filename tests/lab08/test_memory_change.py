"""Q2.2: which column states change when the strip does.

The encoder is a stand-in (SumEncoder in probes.py): with m_j the mean of column j's pixels, the forward half of state j
is (m_1 + ... + m_j) x (1, -2, 0.5), and the backward half (m_j + ... + m_N) x (3, 1, -1). A change of d in one column's
mean changes the forward half by 2d at the most, in that column and those after it, and the backward half by 3d at the
most, in that column and those before it.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("memory_change")

Strips = Callable[..., Tensor]
CHANGED = 6  # the column that differs, counted from 0


def two_strips(strips: Strips, width: int = 336, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    """Two strips that differ by 0.25 in one column."""
    before = strips(1, width, dtype=dtype)[0] / 2
    after = before.clone()
    after[..., 16 * CHANGED : 16 * (CHANGED + 1)] += 0.25
    return before, after


def half(found: dict[str, Any], name: str) -> Tensor:
    result = found["result"]
    check_type(result, dict, "what `memory_change` returns")
    check(name in result, f'the dictionary has no key "{name}"')
    check_type(result[name], Tensor, f'"{name}"')
    return result[name]


def expected_half(name: str, columns: int, size: float = 0.25) -> Tensor:
    change = torch.zeros(columns)
    if name == "forward":
        change[CHANGED:] = 2 * size
    else:
        change[: CHANGED + 1] = 3 * size
    return change


@weight(4)
@pytest.mark.parametrize("name", ["forward", "backward"])
def test_change_of_one_column(student: Any, strips: Strips, name: str) -> None:
    """for each column the largest change in this half of its state"""
    found = half(student.probe.change_and_traces(*two_strips(strips)), name)
    check_close(found, expected_half(name, 21), f'"{name}" where one column of the strip differs')


@weight(2)
@pytest.mark.parametrize("name", ["forward", "backward"])
def test_a_decrease_counts_like_an_increase(student: Any, strips: Strips, name: str) -> None:
    """the change is the same the other way round"""
    before, after = two_strips(strips)
    found = half(student.probe.change_and_traces(after, before), name)
    check_close(found, expected_half(name, 21), f'"{name}" where one column got darker')


@weight(1)
def test_shapes(student: Any, strips: Strips) -> None:
    """one number for each column, for strips of any width"""
    found = student.probe.change_and_traces(*two_strips(strips, 224))
    for name in ("forward", "backward"):
        check_shape(half(found, name), (14,), f'"{name}" for a strip of 14 columns')
        check_close(half(found, name), expected_half(name, 14), f'"{name}" for a strip of 14 columns')


@weight(1)
def test_same_strip_gives_zero(student: Any, strips: Strips) -> None:
    """a strip compared with itself shows no change"""
    before, _ = two_strips(strips)
    found = student.probe.change_and_traces(before, before.clone())
    for name in ("forward", "backward"):
        check_close(half(found, name), torch.zeros(21), f'"{name}" for the same strip twice')


@weight(2)
def test_encoder_is_measured_in_eval_mode(student: Any, strips: Strips) -> None:
    """an encoder in train mode is put in eval mode to be measured"""
    found = student.probe.change_and_traces(*two_strips(strips), training=True)
    for name in ("forward", "backward"):
        check_close(half(found, name), expected_half(name, 21), f'"{name}" for an encoder that was in train mode')


@weight(1)
@pytest.mark.parametrize("training", [True, False], ids=["train mode", "eval mode"])
def test_mode_is_restored(student: Any, strips: Strips, training: bool) -> None:
    """the encoder is returned to the mode it was in"""
    found = student.probe.change_and_traces(*two_strips(strips), training=training)
    check(found["modes"] == [training], "the encoder is not back in the mode it was in")


@weight(1)
def test_no_graph_and_no_change_of_inputs(student: Any, strips: Strips) -> None:
    """no graph is kept, and the two strips are left as they were"""
    found = student.probe.change_and_traces(*two_strips(strips))
    half(found, "forward")
    check(not found["graph"], "the result still carries a graph: measuring needs no gradients")
    check(not found["changed"], "the strips were changed in place")


@weight(1)
def test_float64(student: Any, strips: Strips) -> None:
    """strips in float64 work too"""
    found = student.probe.change_and_traces(*two_strips(strips, dtype=torch.float64))
    for name in ("forward", "backward"):
        check_close(half(found, name).double(), expected_half(name, 21).double(), f'"{name}" in float64', absolute=1e-6)
