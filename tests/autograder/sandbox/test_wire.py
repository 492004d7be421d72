"""What crosses the wire comes out as it went in, and no bytes whatever do harm."""

import math
import struct
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox.wire import (
    HEADER_BYTES,
    MAX_DEPTH,
    MAX_PAYLOAD_BYTES,
    MAX_TREE_BYTES,
    Handle,
    Kind,
    WireError,
    decode,
    encode,
    lengths,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(0, 99), inner),
    max_leaves=20,
)


def there_and_back(value: Any) -> Any:
    frame = b"".join(encode(value))
    tree, payload = lengths(frame[:HEADER_BYTES])
    assert len(frame) == HEADER_BYTES + tree + payload
    return decode(frame[HEADER_BYTES : HEADER_BYTES + tree], bytearray(frame[HEADER_BYTES + tree :]))


def extension(kind: int, content: Any) -> bytes:
    return msgspec.msgpack.encode(msgspec.msgpack.Ext(int(kind), msgspec.msgpack.encode(content)))


@given(VALUES)
def test_plain_data_comes_back_equal_and_of_the_same_types(value: Any) -> None:
    assert repr(there_and_back(value)) == repr(value)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.complex64,
        torch.int64,
        torch.int8,
        torch.uint8,
        torch.bool,
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3), (2, 1, 4)], ids=str)
def test_a_tensor_comes_back_with_its_type_shape_and_values(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    sent = (torch.rand(shape) * 5).to(dtype)
    received = there_and_back(sent)
    assert received.dtype == dtype
    assert received.shape == sent.shape
    assert torch.equal(received, sent)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x[::2, 1:],
        lambda x: x[:1][:, 2],
        lambda x: x.expand(3, 4, 6),
        lambda x: torch.complex(x, x).conj(),
        lambda x: torch.complex(x, x).conj().imag,
        lambda x: x.requires_grad_() * 2,
        torch.nn.Parameter,
    ],
    ids=["transposed", "strided", "one of a column", "expanded", "conjugated", "negated", "with graph", "parameter"],
)
def test_views_and_graphs_come_back_as_plain_tensors_of_equal_values(view: Any) -> None:
    sent = view(torch.randn(4, 6))
    received = there_and_back(sent)
    assert type(received) is torch.Tensor
    assert not received.requires_grad
    assert torch.equal(received, sent.detach())


def test_several_tensors_in_one_value_keep_their_places() -> None:
    a, b, c = torch.randn(3), torch.randn(5, 2), np.arange(6, dtype=np.int16).reshape(2, 3)
    value = there_and_back({"a": [a, (b, c)], "again": a})
    assert torch.equal(value["a"][0], a)
    assert torch.equal(value["a"][1][0], b)
    assert np.array_equal(value["a"][1][1], c)
    assert value["a"][1][1].dtype == np.int16
    assert torch.equal(value["again"], a)


def test_a_meta_tensor_comes_back_without_values() -> None:
    received = there_and_back(torch.empty(2, 3, dtype=torch.float16, device="meta"))
    assert (received.device.type, received.shape, received.dtype) == ("meta", (2, 3), torch.float16)


def test_numpy_scalars_become_python_numbers() -> None:
    assert repr(there_and_back([np.float64(0.5), np.int32(3), np.bool_(True)])) == "[0.5, 3, True]"


def test_nan_and_infinities_survive() -> None:
    nan, up, down = there_and_back([math.nan, math.inf, -math.inf])
    assert math.isnan(nan)
    assert (up, down) == (math.inf, -math.inf)


def test_an_object_that_is_not_data_is_refused_where_no_handle_can_be_given() -> None:
    with pytest.raises(WireError, match="a object is not data"):
        encode(object())


def test_an_object_that_is_not_data_becomes_its_handle() -> None:
    frame = encode([object()], lambda value: Handle(7, type(value).__name__))
    assert decode(bytes(frame[1]), bytearray()) == [Handle(7, "object")]


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(WireError, match="nested too deeply"):
        encode(value)


def test_tensors_larger_than_the_bound_are_refused() -> None:
    with pytest.raises(WireError, match="256 MiB"):
        encode(torch.zeros(1).expand(MAX_PAYLOAD_BYTES // 4 + 1))


def test_text_longer_than_the_bound_is_refused() -> None:
    with pytest.raises(WireError, match="4 MiB"):
        encode("x" * (MAX_TREE_BYTES + 1))


@pytest.mark.parametrize(
    "sizes", [(MAX_TREE_BYTES + 1, 0), (0, MAX_PAYLOAD_BYTES + 1), (2**64 - 1, 2**64 - 1)], ids=str
)
def test_a_header_that_announces_too_much_is_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(WireError, match="longer than allowed"):
        lengths(struct.pack(">QQ", *sizes))


FLOATS = bytearray(64)
HOSTILE = {
    "an unknown extension": extension(99, []),
    "a tensor past the end": extension(Kind.TENSOR, ["float32", [17], 0]),
    "a tensor before the start": extension(Kind.TENSOR, ["float32", [1], -16]),
    "an offset that is not aligned": extension(Kind.TENSOR, ["float32", [1], 4]),
    "a negative size": extension(Kind.TENSOR, ["float32", [-1], 0]),
    "a size that is no integer": extension(Kind.TENSOR, ["float32", [1.0], 0]),
    "a size that is a bool": extension(Kind.TENSOR, ["float32", [True], 0]),
    "a product that overflows": extension(Kind.TENSOR, ["float32", [2**31 - 1] * 16, 0]),
    "a huge empty tensor": extension(Kind.TENSOR, ["float32", [0, *[2**30] * 3], 0]),
    "too many dimensions": extension(Kind.TENSOR, ["float32", [1] * 17, 0]),
    "a type that is no type": extension(Kind.TENSOR, ["qint8", [1], 0]),
    "a type that is an attribute of torch": extension(Kind.TENSOR, ["load", [1], 0]),
    "an object array": extension(Kind.ARRAY, ["object", [1], 0]),
    "a huge meta tensor": extension(Kind.META, ["float32", [2**30, 2**30]]),
    "a set of lists": extension(Kind.SET, [[1]]),
    "a handle that is no number": extension(Kind.HANDLE, ["x", "y"]),
    "a number in no base": extension(Kind.BIG_INT, "0xzz"),
    "a number that takes for ever to read": extension(Kind.BIG_INT, "f" * 20_000),
    "a map with an unhashable key": b"\x81" + extension(Kind.SET, [1]) + b"\x00",
    "nothing": b"",
    "two values": b"\x00\x00",
    "lists within lists": b"\x91" * 100_000 + b"\x00",
    "lists deeper than anyone walks": b"\x91" * 500 + b"\x00",
    "maps deeper than anyone walks": b"\x81\x00" * 500 + b"\x00",
    "a number too long to be written out": extension(Kind.BIG_INT, "f" * 4_000),
    "a map with a long number for a key": b"\x81" + extension(Kind.BIG_INT, hex(2**64)) + b"\x00",
    "a map with a fraction for a key": b"\x81" + msgspec.msgpack.encode(0.5) + b"\x00",
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_tree_is_a_wire_error(tree: bytes) -> None:
    with pytest.raises(WireError):
        decode(tree, bytearray(FLOATS))


MODULUS = 2**61 - 1  # of Python's hash of a number: all its multiples hash to 0


def one_hash_pair(first: int) -> tuple[int, int]:
    """A pair of numbers whose hash is that of (0, 0), or of another one of few, whatever ``first`` is."""
    mask, p1, p2, p5 = 2**64 - 1, 11400714785074694791, 14029467366897019727, 2870177450012600261

    def lane(total: int, value: int) -> int:
        total = (total + value * p2) & mask
        return ((total << 31 | total >> 33) & mask) * p1 & mask

    second = (lane(p5, 0) - lane(p5, first)) * pow(p2, -1, 2**64) & mask
    return first, second


def test_pairs_of_one_hash_can_be_made() -> None:
    """The premise of the next test, or it would prove nothing."""
    pairs = [pair for pair in map(one_hash_pair, range(2000)) if pair[1] < MODULUS]
    assert len(pairs) > 100
    assert {hash(pair) for pair in pairs} == {hash((0, 0))}


@pytest.mark.parametrize(
    "member",
    [
        lambda number: extension(Kind.BIG_INT, hex(MODULUS * (number + 100))),
        lambda number: extension(Kind.TUPLE, list(one_hash_pair(number))),
    ],
    ids=["long numbers", "tuples"],
)
def test_a_set_whose_members_all_have_one_hash_is_refused(member: Callable[[int], bytes]) -> None:
    raw = [msgspec.Raw(member(number)) for number in range(20_000)]
    content = msgspec.msgpack.encode(raw)
    tree = msgspec.msgpack.encode(msgspec.msgpack.Ext(Kind.SET.value, content))
    with pytest.raises(WireError, match="a set of too many"):
        decode(tree, bytearray())


def test_sets_of_tuples_and_values_as_deep_as_can_be_sent_come_back() -> None:
    value: Any = {(1, "a"), (2, "b")}
    for _ in range(MAX_DEPTH // 2 - 1):
        value = ([value],)
    frame = encode(value)
    assert decode(bytes(frame[1]), bytearray()) == value


def test_tuples_nested_without_end_are_a_wire_error() -> None:
    tree = msgspec.msgpack.encode(0)
    for _ in range(2000):
        tree = msgspec.msgpack.encode(msgspec.msgpack.Ext(Kind.TUPLE.value, b"\x91" + tree))
    with pytest.raises(WireError):
        decode(tree, bytearray())


def test_one_stretch_of_the_payload_cannot_be_used_twice() -> None:
    part = msgspec.msgpack.Ext(int(Kind.TENSOR), msgspec.msgpack.encode(["float32", [16], 0]))
    with pytest.raises(WireError, match="outside its message"):
        decode(msgspec.msgpack.encode([part, part]), bytearray(FLOATS))


@given(st.binary(max_size=300), st.binary(max_size=64))
def test_random_bytes_are_data_or_a_wire_error(tree: bytes, payload: bytes) -> None:
    try:
        decode(tree, bytearray(payload))
    except WireError:
        return


@given(st.sampled_from(list(Kind)), VALUES, st.binary(max_size=64))
def test_random_contents_of_extensions_are_data_or_a_wire_error(kind: Kind, content: Any, payload: bytes) -> None:
    try:
        tree = extension(kind, content)
    except (OverflowError, UnicodeEncodeError, msgspec.MsgspecError):
        return  # what msgpack itself cannot say cannot arrive
    try:
        decode(tree, bytearray(payload))
    except WireError:
        return
