"""Part 3: the call of the attention in `MultiHeadAttention`. A mixture takes the attention's place."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("MultiHeadAttention")

Normal = Callable[..., Tensor]
Pair = tuple[Any, torch.nn.Module]


@pytest.fixture
def pair(transformer: Any, student: Any, mixing: ModuleType, torch_rng: torch.Generator) -> Callable[..., Pair]:
    """``pair(input_dim, embed_dim, num_heads, window)``: the student's and the reference, with the same weights."""

    def make(*sizes: int) -> Pair:
        mine = mixing.MultiHeadAttention(*sizes)
        for parameter in mine.parameters():
            parameter.data.normal_(0, 0.3, generator=torch_rng)
        theirs = transformer.MultiHeadAttention(*sizes)
        lost = student.probe.load(theirs, mine.state_dict())
        check(not lost, f"supplied parts were changed: {', '.join(lost)}")
        return theirs, mine

    return make


@weight(2)
@pytest.mark.parametrize("window", [2, 6])
def test_all_heads_attend(pair: Callable[..., Pair], student: Any, normal: Normal, window: int) -> None:
    """queries, keys and values reach the attention in this order, with the layer's window and the padding mask"""
    theirs, mine = pair(6, 12, 3, window)
    x, mask = normal(2, 7, 6), torch.tensor([[1.0] * 7, [1.0] * 4 + [0.0] * 3])
    check_close(student.probe.with_stand_in(theirs, x, mask), mine(x, mask).detach(), "the output")


@weight(1)
def test_weights_are_returned_where_they_are_wanted(pair: Callable[..., Pair], student: Any, normal: Normal) -> None:
    """the weights are those of the attention"""
    theirs, mine = pair(6, 8, 2, 4)
    x, mask = normal(2, 5, 6), torch.ones(2, 5)
    found = student.probe.with_stand_in(theirs, x, mask, return_attention=True)
    check_type(found, (tuple, list), "what it returns with return_attention=True")
    check_shape(found[1], (2, 2, 5, 5), "the weights")
    check_close(found[1], mine(x, mask, return_attention=True)[1].detach(), "the weights")
