"""What crosses between trusted and untrusted: plain data and raw tensor bytes, in bounded frames.

A frame is a 16-byte header (two big-endian unsigned 64-bit lengths), a msgpack *tree*, and a *payload*: the bytes of
all tensors and arrays, each aligned to 16 bytes, in the order in which the tree names them. Nothing is ever pickled;
decoding can build only the types listed below, each within the bounds below. Both sides import this module, so it
imports nothing of the trusted side.

    None, bool, int, float, str, bytes, list, tuple, dict, set    themselves
    torch.Tensor (strided, or on the meta device)                 detached; on the CPU
    numpy.ndarray of numbers, numpy scalars                       array; Python number
    anything else                                                 a Handle to an object that stays in the worker
"""

import math
import struct
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from enum import IntEnum
from typing import Any

import msgspec
import numpy as np
import torch

__all__ = ["HEADER_BYTES", "MAX_PAYLOAD_BYTES", "MAX_TREE_BYTES", "Handle", "WireError", "decode", "encode", "lengths"]

HEADER_BYTES = 16
MAX_TREE_BYTES = 4 * 2**20
MAX_PAYLOAD_BYTES = 256 * 2**20
MAX_DEPTH = 64
MAX_DIMENSIONS = 16
MAX_ELEMENTS = 2**40  # of a meta tensor, which holds no memory
MAX_COSTLY_MEMBERS = 1000
MAX_HEX_DIGITS = 3_500  # Python refuses to write out longer numbers
SCALARS = frozenset({type(None), bool, int, float, str, bytes})
KEYS = frozenset({str, int, bool})
ALIGNMENT = 16
HEADER = struct.Struct(">QQ")


class Kind(IntEnum):
    """msgpack extension codes."""

    TUPLE = 1
    TENSOR = 2
    ARRAY = 3
    META = 4
    HANDLE = 5
    SET = 6
    BIG_INT = 7


TENSOR_TYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128,
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    )
}  # fmt: skip
ARRAY_TYPES = {name: np.dtype(name) for name in (
    "float64", "float32", "float16", "complex64", "complex128", "bool",
    "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
)}  # fmt: skip


class WireError(Exception):
    """A value that cannot be sent, or bytes that are not a frame."""


class Handle(msgspec.Struct, frozen=True):
    """An object that stays in the worker: its number there, and the name of its type."""

    number: int
    type_name: str


def lengths(header: bytes | bytearray) -> tuple[int, int]:
    """Tree and payload length of the frame that ``header`` starts. Raises WireError past the bounds."""
    tree, payload = HEADER.unpack(header)
    if tree > MAX_TREE_BYTES or payload > MAX_PAYLOAD_BYTES:
        raise WireError(f"a message of {tree + payload} bytes is longer than allowed")
    return tree, payload


class _Packer:
    """Turns one value into what msgspec can encode, and gathers the payload."""

    def __init__(self, handle_for: Callable[[object], Handle] | None) -> None:
        self.handle_for = handle_for
        self.payload: list[bytes | memoryview] = []
        self.size = 0

    def pack(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("a value nested too deeply (or holding itself)")
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return self._pack_scalar(value)
        if isinstance(value, torch.Tensor):
            return self._pack_tensor(value)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._pack_numpy(value)
        if isinstance(value, (list, range, tuple, AbstractSet)):
            return self._pack_sequence(value, depth + 1)
        if isinstance(value, Mapping) and all(isinstance(key, (str, int, bool)) for key in value):
            return {key: self.pack(item, depth + 1) for key, item in value.items()}
        return self._pack_handle(value)

    def _pack_scalar(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            return _extension(Kind.BIG_INT, hex(value))
        base = next(base for base in (int, float, str, bytes) if isinstance(value, base))
        return base(value)  # strips subclasses: what crosses is plain

    def _pack_sequence(self, value: Any, depth: int) -> Any:
        items = [self.pack(item, depth) for item in value]
        if isinstance(value, tuple):
            return _extension(Kind.TUPLE, items)
        return _extension(Kind.SET, items) if isinstance(value, AbstractSet) else items

    def _pack_tensor(self, value: torch.Tensor) -> Any:
        name = str(value.dtype).removeprefix("torch.")
        if value.layout is not torch.strided or value.is_quantized or name not in TENSOR_TYPES:
            return self._pack_handle(value)
        if value.device.type == "meta":
            return _extension(Kind.META, [name, list(value.shape)])
        flat = value.detach().resolve_conj().resolve_neg().to("cpu").contiguous().reshape(-1)
        flat = flat.as_strided((flat.numel(),), (1,))  # one number may count as contiguous with any stride
        data = memoryview(flat.view(torch.uint8).numpy().data) if flat.numel() else b""
        return _extension(Kind.TENSOR, [name, list(value.shape), self._append(data)])

    def _pack_numpy(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return self.pack(value.item(), MAX_DEPTH) if value.dtype.name in ARRAY_TYPES else self._pack_handle(value)
        name = value.dtype.name
        if name not in ARRAY_TYPES:
            return self._pack_handle(value)
        data = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("=")).tobytes()
        return _extension(Kind.ARRAY, [name, list(value.shape), self._append(data)])

    def _pack_handle(self, value: object) -> Any:
        if isinstance(value, Handle):
            return _extension(Kind.HANDLE, [value.number, value.type_name])
        if self.handle_for is None:
            raise WireError(f"a {type(value).__name__} is not data")
        return self._pack_handle(self.handle_for(value))

    def _append(self, data: bytes | memoryview) -> int:
        """Add ``data`` to the payload; returns its offset."""
        offset, padding = self.size, -len(data) % ALIGNMENT
        self.size += len(data) + padding
        if self.size > MAX_PAYLOAD_BYTES:
            raise WireError(f"tensors of more than {MAX_PAYLOAD_BYTES >> 20} MiB in one value")
        self.payload += [data, bytes(padding)]
        return offset


def _extension(code: Kind, content: Any) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(int(code), msgspec.msgpack.encode(content))


def encode(value: Any, handle_for: Callable[[object], Handle] | None = None) -> list[bytes | memoryview]:
    """``value`` as the chunks of one frame.

    ``handle_for`` gives the handle of an object that is not data; without it such an object raises WireError.
    """
    packer = _Packer(handle_for)
    tree = msgspec.msgpack.encode(packer.pack(value))
    if len(tree) > MAX_TREE_BYTES:
        raise WireError(f"a value of more than {MAX_TREE_BYTES >> 20} MiB besides its tensors")
    return [HEADER.pack(len(tree), packer.size), tree, *packer.payload]


class _Unpacker:
    """Rebuilds one value. ``cursor`` makes every payload byte usable once only; ``hashed`` counts costly members."""

    def __init__(self, payload: bytearray) -> None:
        self.payload = payload
        self.cursor = 0
        self.hashed = 0

    def unpack(self, value: Any, depth: int = 0) -> Any:
        """``value`` as msgpack gives it, with each extension in it built, in place."""
        if type(value) in SCALARS:
            return value
        if depth > 2 * MAX_DEPTH:  # a tuple counts twice: its extension, and the list within
            raise WireError("a value nested too deeply")
        if isinstance(value, list):
            for index, item in enumerate(value):
                value[index] = self.unpack(item, depth + 1)
            return value
        if isinstance(value, dict) and all(type(key) in KEYS for key in value):
            for key, item in value.items():
                value[key] = self.unpack(item, depth + 1)
            return value
        if isinstance(value, msgspec.msgpack.Ext):
            return self._extension(value.code, self.unpack(msgspec.msgpack.decode(value.data), depth + 1))
        raise WireError("an unknown kind of value")

    def _extension(self, code: int, content: Any) -> Any:
        match code, content:
            case (Kind.TUPLE, list()):
                return tuple(content)
            case (Kind.SET, list()):
                return self._set(content)
            case (Kind.BIG_INT, str()) if len(content) < MAX_HEX_DIGITS:
                return int(content, 16)
            case (Kind.HANDLE, [int(number), str(name)]):
                return Handle(number, name)
            case (Kind.META, [str(name), list(shape)]):
                return torch.empty(_shape(shape), dtype=TENSOR_TYPES[name], device="meta")
            case (Kind.TENSOR, [str(name), list(shape), int(offset)]):
                return self._tensor(TENSOR_TYPES[name], _shape(shape), offset)
            case (Kind.ARRAY, [str(name), list(shape), int(offset)]):
                return self._array(ARRAY_TYPES[name], _shape(shape), offset)
        raise WireError("an unknown kind of value")

    def _set(self, items: list[Any]) -> set[Any]:
        """Whoever can choose numbers of any length, or tuples, can choose a million of one hash: a set of them would
        take the square of that time.
        """
        self.hashed += sum(type(item) not in KEYS or (type(item) is int and abs(item) >= 2**63) for item in items)
        if self.hashed > MAX_COSTLY_MEMBERS:
            raise WireError("a set of too many tuples or long numbers")
        return set(items)

    def _take(self, offset: int, size: int) -> None:
        if offset % ALIGNMENT or offset < self.cursor or offset + size > len(self.payload):
            raise WireError("a tensor outside its message")
        self.cursor = offset + size

    def _tensor(self, dtype: torch.dtype, shape: tuple[int, ...], offset: int) -> torch.Tensor:
        count = math.prod(shape)
        self._take(offset, count * dtype.itemsize)
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self.payload, dtype=dtype, count=count, offset=offset).reshape(shape)

    def _array(self, dtype: Any, shape: tuple[int, ...], offset: int) -> Any:
        count = math.prod(shape)
        self._take(offset, count * dtype.itemsize)
        if count == 0:
            return np.empty(shape, dtype=dtype)
        return np.frombuffer(self.payload, dtype=dtype, count=count, offset=offset).reshape(shape)


def _shape(sizes: list[Any]) -> tuple[int, ...]:
    if len(sizes) > MAX_DIMENSIONS or not all(type(size) is int and 0 <= size < 2**31 for size in sizes):
        raise WireError("a tensor with an impossible shape")
    if math.prod(size for size in sizes if size) > MAX_ELEMENTS:
        raise WireError("a tensor with an impossible shape")
    return tuple(sizes)


def decode(tree: bytes | bytearray, payload: bytearray) -> Any:
    """The value of a frame. Tensors are views of ``payload``. Raises WireError for anything that is no frame."""
    try:
        return _Unpacker(payload).unpack(msgspec.msgpack.decode(tree))
    except WireError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever hostile bytes provoke is the same fault, a bad frame
        raise WireError(f"not a message: {type(error).__name__}") from None
