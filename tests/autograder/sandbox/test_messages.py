"""A reply is believed in no field that was not looked at."""

from typing import Any

import pytest

from autograder.sandbox.messages import Frame, Reply, reply_from_data, reply_to_data
from autograder.sandbox.wire import WireError

GOOD = Reply(3, "text", "error", "ValueError", "no", (Frame("attend", 2, "attend", "x = 1"),))


def test_a_reply_survives_the_wire() -> None:
    assert reply_from_data(reply_to_data(GOOD)) == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"fault": "passed"},
        {"fault": 3},
        {"printed": None},
        {"message": b"bytes"},
        {"type_name": ["list"]},
        {"frames": "none"},
        {"frames": [["cell", "line one", "f", "x"]]},
        {"frames": [["cell", 1, "f"]]},
        {"frames": [["cell", 1, "f", "x"]] * 13},
        {"points": 100},
    ],
    ids=repr,
)
def test_a_field_of_the_wrong_kind_makes_it_no_reply(change: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        reply_from_data(reply_to_data(GOOD) | change)


@pytest.mark.parametrize("data", [None, 3, "reply", [], {}, {"value": 1}, ("value", 1)], ids=repr)
def test_other_data_is_no_reply(data: Any) -> None:
    with pytest.raises(WireError):
        reply_from_data(data)


def test_texts_are_cut_to_size() -> None:
    long = "x" * 100_000
    reply = reply_from_data(reply_to_data(Reply(None, "", "error", long, long, (Frame(long, 1, long, long),) * 50)))
    assert len(reply.message) == len(reply.type_name) == 2000
    assert len(reply.frames) == 12
