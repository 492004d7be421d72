"""Attempts on the trusted side by way of the pipe: replies that lie, never end, or are more than anybody can hold."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from autograder.grading.report import Outcome
from autograder.sandbox.wire import MAX_PAYLOAD_BYTES, MAX_TREE_BYTES, Kind
from tests.autograder.attacks.conftest import TOOLS, Attack, outcomes, points


def packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def extension(kind: int, content: object) -> bytes:
    return packed(msgspec.msgpack.Ext(int(kind), packed(content)))


def reply(value: bytes, **fields: object) -> bytes:
    """A reply of the form that the trusted side expects, with ``value`` as it is."""
    rest = {"printed": "", "fault": "", "type_name": "", "message": "", "frames": []} | fields
    return packed({"value": msgspec.Raw(value)} | rest)


def frame(tree: bytes, payload: bytes = b"") -> bytes:
    return struct.pack(">QQ", len(tree), len(payload)) + tree + payload


NONE = packed(None)
ONE_HASH = [msgspec.Raw(extension(Kind.BIG_INT, hex((2**61 - 1) * number))) for number in range(8, 1_500)]
LIES = {
    "a header of nonsense": b"\xff" * 16,
    "a header that announces all memory": struct.pack(">QQ", 0, 2**62),
    "text": frame(b"PASSED"),
    "a pickle": frame(b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system\x94\x93\x94."),
    "no reply at all, but a list": frame(packed([1, 2, 3])),
    "a reply with a field too few": frame(packed({"value": None})),
    "a reply with a field too many": frame(reply(NONE, passed=True)),
    "a reply of its own kind": frame(reply(NONE, fault="passed")),
    "a number for a message": frame(reply(NONE, message=5)),
    "frames that are none": frame(reply(NONE, frames=[1, 2])),
    "a million frames": frame(reply(NONE, frames=[["c", 1, "f", "s"]] * 100_000)),
    "a class by name": frame(reply(extension(Kind.HANDLE, ["__class__", "type"]))),
    "an extension that nobody knows": frame(reply(extension(77, "os.system"))),
    "a tensor outside its message": frame(reply(extension(Kind.TENSOR, ["float32", [1000], 0]))),
    "a tensor of a huge shape": frame(reply(extension(Kind.TENSOR, ["float32", [2**31 - 1] * 8, 0]))),
    "a tensor of negative size": frame(reply(extension(Kind.TENSOR, ["float32", [-4, -3], 0])), bytes(48)),
    "two tensors in one place": frame(
        reply(packed([msgspec.Raw(extension(Kind.TENSOR, ["float32", [4, 3], 0]))] * 2)), bytes(48)
    ),
    "a tensor of objects": frame(reply(extension(Kind.ARRAY, ["object", [1], 0])), bytes(16)),
    "lists within lists": frame(reply(b"\x91" * 100_000 + b"\xc0")),
    "lists as deep as they can be read": frame(reply(b"\x91" * 900 + b"\xc0")),
    "extensions within extensions": frame(reply(b"\xc7\x00\x01" * 10)),
    "a number of ten thousand digits": frame(reply(extension(Kind.BIG_INT, "f" * 9_000))),
    "a set of numbers of one hash": frame(
        reply(
            extension(Kind.SET, [msgspec.Raw(extension(Kind.BIG_INT, hex((2**61 - 1) * n))) for n in range(8, 1_500)])
        )
    ),
    "a map with a tensor for a key": frame(reply(b"\x81" + extension(Kind.META, ["float32", [1]]) + NONE)),
}


def sending(data: str) -> str:
    """An answer that writes ``data`` into its pipe instead of answering."""
    return f"{TOOLS}\ndef double(x):\n    data = {data}\n    reply(data)\n    time.sleep(60)\n"


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_reply_is(attack: Attack, lie: bytes) -> None:
    report = attack(sending(f"__import__('zlib').decompress({zlib.compress(lie)!r})"))
    assert points(report) == {"double": 0, "shift": 3}
    assert outcomes(report, "double") == {Outcome.FAILED}
    assert all("no answer" in test.message for test in report.tests if test.question == "double")


STOPPING = {
    "half a header": "bytes(7)",
    "half a tree": "struct.pack('>QQ', 100, 0) + bytes(50)",
    "half a payload": "struct.pack('>QQ', 1, 2**20) + b'\\xc0' + bytes(1000)",
    "nothing": "b''",
}


@pytest.mark.parametrize("data", STOPPING.values(), ids=STOPPING)
def test_a_reply_stops_after(attack: Attack, data: str) -> None:
    report = attack(sending(data))
    assert points(report) == {"double": 0, "shift": 3}
    assert outcomes(report, "double") == {Outcome.TIMED_OUT}


FORGED = {
    "right for another question": frame(reply(packed(True))),
    "the expected shape": frame(reply(extension(Kind.TENSOR, ["float32", [4, 3], 0])), bytes(48)),
    "a fault that is not its own": frame(reply(NONE, fault="memory", message="CheckFailed: all is well")),
    "a name for a type": frame(reply(extension(Kind.HANDLE, [0, "<script>alert(1)</script>" * 1000]))),
}


@pytest.mark.parametrize("times", [1, 3, 50])
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_replies_are_sent_ahead(attack: Attack, forged: bytes, times: int) -> None:
    """More than were asked for, so that each later request finds the reply to another."""
    report = attack(f"{TOOLS}\ndef double(x):\n    reply({forged!r} * {times})\n    return 2 * x\n")
    assert points(report)["double"] <= 1  # a shape can be forged, numbers that were never seen cannot
    assert "<script>" not in "".join(test.message for test in report.tests if len(test.message) > 2_200)


TREE, PAYLOAD = MAX_TREE_BYTES, MAX_PAYLOAD_BYTES
LARGE = {
    "as many bytes as may be sent": f"struct.pack('>QQ', 1, {PAYLOAD}) + b'\\xc0' + bytes({PAYLOAD})",
    "as many lists as may be sent": f"struct.pack('>QQ', {TREE}, 0) + b'\\xdd' + struct.pack('>I',"
    f" {TREE - 5}) + b'\\x90' * ({TREE - 5})",
    "ten million numbers": "struct.pack('>QQ', 10**7 + 5, 0) + b'\\xdd' + struct.pack('>I', 10**7) + bytes(10**7)",
    "a text as long as may be": f"struct.pack('>QQ', {TREE}, 0) + b'\\xdb' + struct.pack('>I', {TREE - 5})"
    f" + b'x' * ({TREE - 5})",
}


@pytest.mark.parametrize("data", LARGE.values(), ids=LARGE)
def test_the_trusted_sides_memory_is_filled_with(attack: Attack, data: str) -> None:
    with most_memory() as megabytes:
        report = attack(sending(data))
    assert points(report) == {"double": 0, "shift": 3}
    assert megabytes[0] < 700


@contextmanager
def most_memory() -> Iterator[list[float]]:
    """How much more memory than at the beginning this process has held at one time, in MB."""
    status = Path("/proc/self/status")

    def kilobytes(field: str) -> int:
        return int(status.read_text().partition(f"{field}:")[2].split()[0])

    found: list[float] = []
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = kilobytes("VmRSS")
    yield found
    found.append((kilobytes("VmHWM") - before) / 1024)


def test_a_number_is_kept_from_being_read_off_the_reports(attack: Attack) -> None:
    """A report says how far off an answer is, and for which inputs it does not say."""
    report = attack("import torch\n\ndef double(x):\n    return torch.zeros_like(x)\n")
    [message] = [test.message for test in report.tests if test.test == "test_values"]
    assert message.startswith("double(x): 12 of 12 values are off, by ")
