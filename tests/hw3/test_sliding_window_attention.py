"""Part 3: attention through a window: its values and its weights. Expected ones are dense, masked and in float64."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("sliding_window_attention")

Normal = Callable[..., Tensor]
RANKS = pytest.mark.parametrize("shape", [(3, 10, 4), (3, 2, 10, 4)], ids=["one head", "heads"])


def qkv(normal: Normal, *shape: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    """Three different tensors."""
    return normal(*shape, dtype=dtype), normal(*shape, dtype=dtype), normal(*shape, dtype=dtype)


def padding(lengths: list[int], size: int) -> Tensor:
    """A mask (B, S) with so many tokens in each sentence."""
    return torch.stack([(torch.arange(size) < length).float() for length in lengths])


def dense(q: Tensor, k: Tensor, v: Tensor, window: int, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Every score, then a mask: what comes out right and costs too much."""
    dtype, (q, k, v) = q.dtype, (tensor.double() for tensor in (q, k, v))
    S = q.shape[-2]
    position = torch.arange(S)
    seen = ((position[:, None] - position).abs() <= window / 2).expand(*q.shape[:-1], S)
    if mask is not None:
        seen = seen & mask.bool().reshape(len(mask), *[1] * (q.dim() - 2), S)
    scores = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores.masked_fill(~seen, -1e300), -1) * seen
    return torch.einsum("...ij,...jd->...id", weights, v).to(dtype), weights.to(dtype)


def attend(transformer: Any, *arguments: Any) -> tuple[Tensor, Tensor]:
    result = transformer.sliding_window_attention(*arguments)
    check_type(result, (tuple, list), "what `sliding_window_attention` returns")
    check(len(result) == 2, f"it should return values and weights; it returned {len(result)} things")
    check_type(result[0], torch.Tensor, "the values")
    check_type(result[1], torch.Tensor, "the weights")
    return result[0], result[1]


def rows_of_tokens(tensor: Tensor, mask: Tensor) -> Tensor:
    """What stands at positions that are tokens: the rest is not specified."""
    real = mask.bool().reshape(len(mask), *[1] * (tensor.dim() - 3), mask.shape[1]).expand(tensor.shape[:-1])
    return tensor[real]


# -- without padding --------------------------------------------------------------------------------------------------


@weight(1)
@RANKS
def test_shapes(transformer: Any, normal: Normal, shape: tuple[int, ...]) -> None:
    """values like v, and weights (..., S, S)"""
    values, weights = attend(transformer, *qkv(normal, *shape), 4)
    check_shape(values, shape, "the values")
    check_shape(weights, (*shape[:-1], shape[-2]), "the weights")


@weight(4)
@RANKS
@pytest.mark.parametrize("window", [2, 4, 6])
def test_values(transformer: Any, normal: Normal, shape: tuple[int, ...], window: int) -> None:
    """the values follow the equations"""
    tensors = qkv(normal, *shape)
    check_close(attend(transformer, *tensors, window)[0], dense(*tensors, window)[0], "the values")


@weight(3)
@RANKS
@pytest.mark.parametrize("window", [2, 6])
def test_weights(transformer: Any, normal: Normal, shape: tuple[int, ...], window: int) -> None:
    """the weights follow the equations"""
    tensors = qkv(normal, *shape)
    check_close(attend(transformer, *tensors, window)[1], dense(*tensors, window)[1], "the weights")


@weight(1)
def test_nothing_outside_the_window(transformer: Any, normal: Normal) -> None:
    """weights are zero outside the window, which does not wrap around at the ends"""
    weights = attend(transformer, *qkv(normal, 2, 9, 3), 4)[1]
    position = torch.arange(9)
    outside = (position[:, None] - position).abs() > 2
    check_shape(weights, (2, 9, 9), "the weights")
    check(not bool(weights[:, outside].any()), "there are weights outside the window")


@weight(1)
@RANKS
def test_rows_sum_to_one(transformer: Any, normal: Normal, shape: tuple[int, ...]) -> None:
    """the weights of each position sum to one"""
    weights = attend(transformer, *qkv(normal, *shape), 4)[1]
    check_close(weights.sum(-1), torch.ones(shape[:-1]), "the sums of the weights")


SIZES = {
    "a window wider than the sequence": (5, 20),
    "a window as wide as the sequence": (6, 6),
    "no multiple of the window": (13, 4),
    "one more than a multiple": (9, 8),
    "two positions": (2, 2),
    "one position": (1, 2),
    "a long sequence": (67, 10),
}


@weight(4)
@pytest.mark.parametrize(("size", "window"), SIZES.values(), ids=SIZES)
def test_any_length_and_window(transformer: Any, normal: Normal, size: int, window: int) -> None:
    """right for windows wider than the sequence, and for lengths that are no multiple of the window"""
    tensors = qkv(normal, 2, size, 4)
    found, expected = attend(transformer, *tensors, window), dense(*tensors, window)
    check_close(found[0], expected[0], f"the values for S={size} and a window of {window}")
    check_close(found[1], expected[1], f"the weights for S={size} and a window of {window}")


@weight(1)
def test_batch_of_one(transformer: Any, normal: Normal) -> None:
    """a batch of one sentence works like any other"""
    tensors = qkv(normal, 1, 1, 7, 4)
    check_close(attend(transformer, *tensors, 2)[0], dense(*tensors, 2)[0], "the values of a batch of one")


# -- with padding -----------------------------------------------------------------------------------------------------


@weight(4)
@RANKS
@pytest.mark.parametrize("window", [2, 4, 30])
def test_padding(transformer: Any, normal: Normal, shape: tuple[int, ...], window: int) -> None:
    """keys that are padding get no weight, sentence by sentence and in all heads"""
    tensors, mask = qkv(normal, *shape), padding([10, 6, 3], 10)
    found, expected = attend(transformer, *tensors, window, mask), dense(*tensors, window, mask)
    for value, wanted, what in zip(found, expected, ("values", "weights"), strict=True):
        check_shape(value, tuple(wanted.shape), f"the {what}")
        check_close(rows_of_tokens(value, mask), rows_of_tokens(wanted, mask), f"the {what} of tokens beside padding")


@weight(1)
@RANKS
def test_a_mask_of_ones_changes_nothing(transformer: Any, normal: Normal, shape: tuple[int, ...]) -> None:
    """a mask without padding gives what no mask gives"""
    tensors = qkv(normal, *shape)
    masked = attend(transformer, *tensors, 4, torch.ones(shape[0], shape[-2]))[0]
    check_close(masked, attend(transformer, *tensors, 4)[0], "the values with a mask of ones")


@weight(1)
def test_a_mask_of_whole_numbers(transformer: Any, normal: Normal) -> None:
    """a mask of whole numbers, as a tokeniser makes it, works too"""
    tensors, mask = qkv(normal, 2, 2, 8, 4), padding([8, 5], 8)
    values = attend(transformer, *tensors, 4, mask.long())[0]
    expected = dense(*tensors, 4, mask)[0]
    check_close(rows_of_tokens(values, mask), rows_of_tokens(expected, mask), "the values with an integer mask")


# -- numbers ----------------------------------------------------------------------------------------------------------


@weight(1)
@pytest.mark.parametrize("scale", [30.0, 1000.0])
def test_large_scores(transformer: Any, normal: Normal, scale: float) -> None:
    """large scores give weights, not nan"""
    q, k, v = qkv(normal, 2, 8, 4)
    mask = padding([8, 5], 8)
    found = attend(transformer, q * scale, k, v, 4, mask)[1]
    check(not bool(rows_of_tokens(found, mask).isnan().any()), "there are nan among the weights")
    expected = dense(q * scale, k, v, 4, mask)[1]
    check_close(
        rows_of_tokens(found, mask), rows_of_tokens(expected, mask), "the weights of large scores", absolute=1e-3
    )


@weight(1)
def test_float64(transformer: Any, normal: Normal) -> None:
    """float64 stays float64, to its precision"""
    tensors = qkv(normal, 2, 8, 4, dtype=torch.float64)
    values = attend(transformer, *tensors, 4)[0]
    check(values.dtype == torch.float64, f"the values should be float64; they are {values.dtype}")
    check_close(values, dense(*tensors, 4)[0], "the values in float64")


@weight(2)
@RANKS
def test_gradients(transformer: Any, student: Any, normal: Normal, shape: tuple[int, ...]) -> None:
    """gradients reach q, k and v, past padding too"""
    tensors, mask = qkv(normal, *shape), padding([10, 6, 3], 10)
    direction = normal(*shape) * mask.reshape(shape[0], *[1] * (len(shape) - 3), shape[-2], 1)
    found = student.probe.attention_gradients(*tensors, 4, mask, direction)
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    expected = torch.autograd.grad((dense(*leaves, 4, mask)[0] * direction).sum(), leaves)
    for value, wanted, name in zip(found, expected, "qkv", strict=True):
        check(value is not None, f"no gradient reaches {name}")
        check(not bool(value.isnan().any()), f"the gradient of {name} has nan in it")
        check_close(value, wanted, f"the gradient of {name}", absolute=1e-4)


@weight(1)
def test_inputs_stay_as_they_were(transformer: Any, student: Any, normal: Normal) -> None:
    """q, k, v and the mask are left as they were"""
    changed = student.probe.attention_changes(*qkv(normal, 2, 8, 4), 4, padding([8, 5], 8))
    check(not changed, f"{' and '.join(('q', 'k', 'v', 'the mask')[i] for i in changed)} changed in place")


@weight(1)
def test_values_on_each_device(transformer: Any, student: Any, normal: Normal, device: str) -> None:
    """the same values on every device of this machine"""
    tensors, mask = qkv(normal, 2, 8, 4), padding([8, 5], 8)
    values = student.probe.attention_on(device, *tensors, 4, mask)
    expected = dense(*tensors, 4, mask)[0]
    check_close(rows_of_tokens(values, mask), rows_of_tokens(expected, mask), f"the values on {device}", absolute=1e-4)


@weight(1)
def test_works_on_any_device(transformer: Any, student: Any, normal: Normal) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    values = student.probe.attention_on("meta", *qkv(normal, 2, 2, 8, 4), 4, padding([8, 5], 8))
    check(values.device.type == "meta", "the values are not on the device of q, k and v")
