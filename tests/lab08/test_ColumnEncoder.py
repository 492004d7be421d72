"""Q2.1: a state for every column of the feature map, and the decoder's first state."""

import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("ColumnEncoder")

Pair = Callable[..., tuple[Any, nn.Module]]
Strips = Callable[..., Tensor]


@pytest.fixture
def pair(student: Any, reference: SimpleNamespace, randomised: Callable[[nn.Module], nn.Module]) -> Pair:
    """``pair(hidden=..., units=...)``: the student's encoder and the reference, with the same weights, in eval mode."""

    def make(dtype: torch.dtype = torch.float32, **sizes: int) -> tuple[Any, nn.Module]:
        trusted = randomised(reference.ColumnEncoder(**sizes)).to(dtype)
        encoder = student.ColumnEncoder(**sizes)
        if dtype == torch.float64:
            encoder.double()
        lost = student.probe.load(encoder, trusted.state_dict())
        parts = sorted({name.split(".")[0] for name in lost})
        check(not lost, f"these parts are missing or have other shapes than asked for: {', '.join(parts)}")
        encoder.eval()
        return encoder, trusted

    return make


def outputs(result: Any) -> tuple[Tensor, Tensor]:
    """Memory and s0, when the encoder returned two tensors."""
    check_type(result, (tuple, list), "what `ColumnEncoder` returns")
    check(len(result) == 2, f"`ColumnEncoder` should return two things, memory and s0; it returned {len(result)}")
    check_type(result[0], torch.Tensor, "memory")
    check_type(result[1], torch.Tensor, "s0")
    return result[0], result[1]


def halves(memory: Tensor) -> tuple[Tensor, Tensor]:
    """The first 64 numbers of each state, and the rest."""
    return memory[..., :64], memory[..., 64:]


# -- shapes and parts -------------------------------------------------------------------------------------------------


@weight(2)
@pytest.mark.parametrize(("batch", "width", "columns"), [(3, 336, 21), (2, 224, 14)], ids=["21 columns", "14 columns"])
def test_shapes(student: Any, strips: Strips, batch: int, width: int, columns: int) -> None:
    """memory has shape (B, N, 128) and s0 has shape (B, 64), for strips of any width"""
    memory, s0 = outputs(student.ColumnEncoder()(strips(batch, width)))
    check_shape(memory, (batch, columns, 128), "memory")
    check_shape(s0, (batch, 64), "s0")


@weight(2)
def test_shapes_at_other_sizes(student: Any, strips: Strips) -> None:
    """`hidden` sets the width of s0, and `units` that of each half of memory"""
    for encoder in (student.ColumnEncoder(hidden=20, units=24), student.ColumnEncoder(20, 24)):
        memory, s0 = outputs(encoder(strips(2)))
        check_shape(memory, (2, 21, 48), "memory for units=24")
        check_shape(s0, (2, 20), "s0 for hidden=20")


@weight(2)
@pytest.mark.parametrize(
    ("part", "count"), [("cnn", 240_608), ("bigru", 74_496), ("init", 8_256)], ids=["cnn", "bigru", "init"]
)
def test_parts(student: Any, part: str, count: int) -> None:
    """the parts `cnn`, `bigru` and `init` are there, with the right number of parameters"""
    found = student.probe.parameters_of(student.ColumnEncoder(), [part])[part]
    check(found >= 0, f"the encoder has no part named `{part}`")
    check(found == count, f"the number of parameters of `{part}` is not right: found {found:,}")


@weight(1)
def test_parameters_in_all(student: Any) -> None:
    """the encoder has no parameters besides those of `cnn`, `bigru` and `init`"""
    counts = student.probe.parameters_of(student.ColumnEncoder(), ["cnn", "bigru", "init"])
    beside = counts["total"] - sum(counts[name] for name in ("cnn", "bigru", "init") if counts[name] > 0)
    check(counts["total"] > 0, "the encoder has no parameters")
    check(beside == 0, f"{beside:,} parameters belong to none of the parts `cnn`, `bigru` and `init`")


# -- values -----------------------------------------------------------------------------------------------------------


@weight(4)
def test_forward_states(pair: Pair, strips: Strips) -> None:
    """the first half of each column's state is the forward state, which has read the columns up to it"""
    encoder, trusted = pair()
    images = strips(2)
    forward = halves(outputs(encoder(images))[0])[0]
    check_close(forward, halves(trusted(images)[0])[0].detach(), "the forward half of memory")


@weight(4)
def test_backward_states(pair: Pair, strips: Strips) -> None:
    """the second half of each column's state is the backward state, which has read from the last column to it"""
    encoder, trusted = pair()
    images = strips(2)
    backward = halves(outputs(encoder(images))[0])[1]
    check_close(backward, halves(trusted(images)[0])[1].detach(), "the backward half of memory")


@weight(5)
def test_first_decoder_state(pair: Pair, strips: Strips) -> None:
    """s0 comes from the forward state after the last column and the backward state after the first, in this order"""
    encoder, trusted = pair()
    images = strips(2)
    check_close(outputs(encoder(images))[1], trusted(images)[1].detach(), "s0")


@weight(1)
def test_first_decoder_state_is_squashed(pair: Pair, strips: Strips) -> None:
    """s0 went through tanh, so its numbers lie between -1 and 1 whatever the weights"""
    encoder, trusted = pair()
    state = {name: value * 50 if name.startswith("init.") else value for name, value in trusted.state_dict().items()}
    encoder.load_state_dict(state)
    s0 = outputs(encoder(strips(2)))[1]
    check(bool((s0.abs() <= 1).all()), "s0 has numbers outside -1 to 1")
    check(bool((s0 < -0.5).any() and (s0 > 0.5).any()), "s0 does not reach from -1 to 1 when its weights are large")


@weight(2)
def test_values_at_other_sizes(pair: Pair, strips: Strips) -> None:
    """memory and s0 of an encoder of other sizes"""
    encoder, trusted = pair(hidden=20, units=24)
    images = strips(2)
    memory, s0 = outputs(encoder(images))
    expected_memory, expected_s0 = trusted(images)
    check_close(memory, expected_memory.detach(), "memory for units=24")
    check_close(s0, expected_s0.detach(), "s0 for hidden=20")


@weight(2)
@pytest.mark.parametrize("width", [224, 100, 28], ids=["14 columns", "6 columns", "1 column"])
def test_values_at_other_widths(pair: Pair, strips: Strips, width: int) -> None:
    """memory and s0 for strips of other widths"""
    encoder, trusted = pair()
    images = strips(2, width)
    memory, s0 = outputs(encoder(images))
    expected_memory, expected_s0 = trusted(images)
    check_close(memory, expected_memory.detach(), f"memory for strips {width} pixels wide")
    check_close(s0, expected_s0.detach(), f"s0 for strips {width} pixels wide")


@weight(2)
def test_train_mode(pair: Pair, strips: Strips) -> None:
    """train mode uses the batch's statistics in the CNN, and changes nothing else"""
    encoder, trusted = pair()
    images = strips(2)
    encoder.train()
    memory, s0 = outputs(encoder(images))
    expected_memory, expected_s0 = trusted.train()(images)
    check_close(memory, expected_memory.detach(), "memory in train mode")
    check_close(s0, expected_s0.detach(), "s0 in train mode")


# -- trace ------------------------------------------------------------------------------------------------------------


@weight(2)
def test_trace_prints_five_shapes(student: Any, strips: Strips) -> None:
    """`trace=True` prints the shapes of F, the column sequence, memory, the final states and s0, in this order"""
    B, N, hidden, units = 3, 21, 64, 24  # memory and the column sequence differ in width
    text, _ = student.printed(student.ColumnEncoder(hidden, units), strips(B), trace=True)
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    finals = [[(2, B, units)], [(B, 2 * units)], [(B, units), (B, units)]]
    for final in finals:
        shapes = [(B, 128, 1, N), (B, N, 128), (B, N, 2 * units), *final, (B, hidden)]
        if appear_in_order(shapes, numbers):
            return
    known = {"F": (B, 128, 1, N), "the column sequence": (B, N, 128), "memory": (B, N, 2 * units)}
    for count, name in enumerate(known, start=1):
        found = appear_in_order(list(known.values())[:count], numbers)
        check(found, f"the printed text does not show the shape of {name} in its place")
    check(False, "the printed text does not show the shapes of the final states and of s0 after that of memory")


def appear_in_order(shapes: Sequence[tuple[int, ...]], numbers: Sequence[int]) -> bool:
    """Whether each shape stands in ``numbers`` as one run, after the one before it."""
    start = 0
    for shape in shapes:
        ends = (i + len(shape) for i in range(start, len(numbers)) if tuple(numbers[i : i + len(shape)]) == shape)
        start = next(ends, -1)
        if start < 0:
            return False
    return True


@weight(1)
def test_trace_changes_nothing(student: Any, strips: Strips) -> None:
    """`trace=True` returns the same as without"""
    encoder, images = student.ColumnEncoder(), strips(2)
    encoder.eval()
    traced = student.printed(encoder, images, trace=True)[1]
    for name, with_trace, without in zip(("memory", "s0"), outputs(traced), outputs(encoder(images)), strict=True):
        check_close(with_trace, without, f"{name} with trace=True")


@weight(1)
def test_nothing_is_printed_without_trace(student: Any, strips: Strips) -> None:
    """without `trace`, nothing is printed"""
    encoder, images = student.ColumnEncoder(), strips(2)
    text, result = student.printed(encoder, images)
    outputs(result)
    check(not text, "something is printed without `trace`")


# -- the rules of the lab ---------------------------------------------------------------------------------------------


@weight(1)
def test_batch_of_one(pair: Pair, strips: Strips) -> None:
    """a batch of one strip works like any other"""
    encoder, trusted = pair()
    images = strips(1)
    memory, s0 = outputs(encoder(images))
    expected_memory, expected_s0 = trusted(images)
    check_close(memory, expected_memory.detach(), "memory for a batch of one")
    check_close(s0, expected_s0.detach(), "s0 for a batch of one")


@weight(1)
def test_float64(pair: Pair, strips: Strips) -> None:
    """an encoder in float64 gives float64, to float64's precision"""
    encoder, trusted = pair(torch.float64)
    images = strips(2, dtype=torch.float64)
    found, expected = outputs(encoder(images)), trusted(images)
    for name, value, wanted in zip(("memory", "s0"), found, expected, strict=True):
        check(value.dtype == torch.float64, f"{name} should be float64 when the encoder is; found {value.dtype}")
        check_close(value, wanted.detach(), f"{name} in float64")


@weight(1)
def test_strips_do_not_mix(pair: Pair, strips: Strips) -> None:
    """in eval mode a strip gets the same states whatever other strips are in the batch"""
    encoder, _ = pair()
    images = strips(3)
    together, alone = outputs(encoder(images)), outputs(encoder(images[1:2].clone()))
    for name, in_batch, single in zip(("memory", "s0"), together, alone, strict=True):
        check_shape(single, (1, *in_batch.shape[1:]), f"{name} of one strip")
        check_close(in_batch[1:2], single, f"{name} of a strip in a batch, against the strip alone,")


@weight(1)
def test_nothing_is_kept_between_calls(pair: Pair, strips: Strips) -> None:
    """a call in eval mode gives the same result whatever was encoded before"""
    encoder, _ = pair()
    images = strips(2)
    before = outputs(encoder(images))
    outputs(encoder(strips(3)))
    after = outputs(encoder(images))
    check(all(map(torch.equal, before, after)), "the same strips gave another result after a call with other strips")


@weight(1)
def test_images_stay_as_they_were(student: Any, strips: Strips) -> None:
    """the images are left as they were"""
    changed = student.probe.changed(student.ColumnEncoder(), strips(2))
    check(not changed, "the encoder changed its images in place")


@weight(2)
def test_gradients(pair: Pair, student: Any, strips: Strips, torch_rng: torch.Generator) -> None:
    """gradients flow back to the images and to every parameter"""
    encoder, trusted = pair()
    images = strips(2)
    directions = torch.randn(2, 21, 128, generator=torch_rng), torch.randn(2, 64, generator=torch_rng)
    found = student.probe.gradients(encoder, [images], directions)
    leaf = images.clone().requires_grad_()
    parameters = dict(trusted.named_parameters())
    loss = sum((output * direction).sum() for output, direction in zip(trusted(leaf), directions, strict=True))
    expected = torch.autograd.grad(loss, [leaf, *parameters.values()])
    for name, wanted in zip(["0", *parameters], expected, strict=True):
        what = "the images" if name == "0" else f"`{name}`"
        check(found.get(name) is not None, f"no gradient reaches {what}")
        # Sums over a whole strip: compared as a direction with a size, not number by number.
        close = (found[name] - wanted).norm() <= 1e-3 * wanted.norm()
        check(found[name].shape == wanted.shape and bool(close), f"the gradient of {what} is wrong")


@weight(1)
def test_works_on_any_device(student: Any, strips: Strips) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    encoder = student.ColumnEncoder()
    memory, s0 = outputs(student.probe.on_device(encoder, "meta", strips(2)))
    check(memory.device.type == s0.device.type == "meta", "the results are not on the encoder's device")


@weight(1)
def test_values_on_each_device(pair: Pair, student: Any, strips: Strips, device: str) -> None:
    """the same values on every device of this machine"""
    encoder, trusted = pair()
    images = strips(2)
    memory, s0 = outputs(student.probe.on_device(encoder, device, images))
    expected_memory, expected_s0 = trusted(images)
    check_close(memory, expected_memory.detach(), f"memory on {device}")
    check_close(s0, expected_s0.detach(), f"s0 on {device}")
