"""Part 3: one layer of the encoder. A mixture of what it is given takes the attention's place."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape
from autograder.grading.marks import question, weight

pytestmark = question("EncoderLayer")

Normal = Callable[..., Tensor]
Pair = tuple[Any, torch.nn.Module]


@pytest.fixture
def pair(transformer: Any, student: Any, mixing: ModuleType, torch_rng: torch.Generator) -> Callable[..., Pair]:
    """``pair(dropout=...)``: the student's layer and the reference, with the same weights, in eval mode."""

    def make(dropout: float = 0.1) -> Pair:
        mine = mixing.EncoderLayer(12, 9, 3, 4, dropout).eval()
        for parameter in mine.parameters():
            parameter.data.normal_(0.2, 0.4, generator=torch_rng)
        theirs = transformer.EncoderLayer(12, 9, 3, 4, dropout)
        lost = student.probe.load(theirs, mine.state_dict())
        check(not lost, f"supplied parts were changed: {', '.join(lost)}")
        theirs.eval()
        return theirs, mine

    return make


MASK = torch.tensor([[1.0] * 8, [1.0] * 5 + [0.0] * 3])


@weight(1)
def test_shape(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """the output has the shape of the input, for a batch of one too"""
    theirs, _ = pair()
    check_shape(student.probe.layer_with_stand_ins(theirs, normal(2, 8, 12), MASK), (2, 8, 12), "the output")
    check_shape(
        student.probe.layer_with_stand_ins(theirs, normal(1, 8, 12), MASK[:1]),
        (1, 8, 12),
        "the output of a batch of one",
    )


@weight(4)
def test_values(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """attention, residual, norm; feed-forward, residual, norm"""
    theirs, mine = pair()
    x = normal(2, 8, 12)
    check_close(
        student.probe.layer_with_stand_ins(theirs, x, MASK), mine(x, MASK).detach(), "the output", absolute=1e-4
    )


@weight(2)
def test_dropout(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """dropout acts on what attention and feed-forward give, before it is added"""
    theirs, mine = pair(dropout=1.0)  # everything is dropped: what is left are the residuals and the norms
    theirs.train()
    x = normal(2, 8, 12)
    found = student.probe.layer_with_stand_ins(theirs, x, MASK)
    check_close(found, mine.norm2(mine.norm1(x)).detach(), "the output where everything is dropped", absolute=1e-4)


@weight(1)
def test_gradients_reach_every_parameter(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """every parameter gets a gradient"""
    without = student.probe.without_gradient_with_stand_ins(pair()[0], normal(2, 8, 12), MASK)
    check(not without, f"no gradient reaches {', '.join(without)}")


@weight(1)
def test_the_input_stays_as_it_was(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """the input is left as it was"""
    check(not student.probe.layer_changes(pair()[0], normal(2, 8, 12), MASK), "the layer changed its input in place")
