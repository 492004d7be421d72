"""The hidden suite against student code in this very process: no sandbox, no copies, everything imported.

It is what a grader without walls would do, and the measure of what the walls cost. Never use it to grade: whatever is
called can read the tests.
"""

import sys
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from torch.utils.data import DataLoader

from autograder.sandbox import stand_ins
from autograder.sandbox.messages import Reply
from autograder.sandbox.supervisor import Supervisor
from autograder.sandbox.wire import Handle
from autograder.sandbox.worker import Worker

DATA = (type(None), bool, int, float, str, bytes, np.ndarray)


class InProcess(Supervisor):
    """Stands in for the sandbox: each worker is an object here, each request a call."""

    def __enter__(self) -> Self:
        self._before = sys.modules.get("wandb"), DataLoader.__init__, torch.compile
        stand_ins.install()
        self.worker = Worker(self.output_bytes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self.worker
        wandb, DataLoader.__init__, torch.compile = self._before  # type: ignore[method-assign]
        if wandb is None:
            del sys.modules["wandb"]
        else:
            sys.modules["wandb"] = wandb

    def fork(self) -> None:
        self.worker = Worker(self.output_bytes)

    def clear(self) -> None:
        self.worker.objects.clear()

    finish = clear

    def request(
        self,
        operation: str,
        arguments: list[Any],
        seconds: float,  # noqa: ARG002 - nothing here can be interrupted
        handle_for: Callable[[object], Handle] | None = None,
    ) -> Reply:
        reply = self.worker.handle(operation, _data(arguments, handle_for or self.worker.handle_for))
        return reply._replace(value=_data(reply.value, self.worker.handle_for))


def _data(value: Any, handle_for: Callable[[object], Handle]) -> Any:
    """``value`` as it would arrive over the wire: what is not data has a handle in its place."""
    match value:
        case torch.Tensor():
            return value.detach()
        case np.generic():
            return value.item()
        case tuple():
            return tuple(_data(item, handle_for) for item in value)
        case list() | range():
            return [_data(item, handle_for) for item in value]
        case AbstractSet():
            return {_data(item, handle_for) for item in value}
        case Mapping() if all(isinstance(key, (str, int)) for key in value):
            return {key: _data(item, handle_for) for key, item in value.items()}
    return value if isinstance(value, (Handle, *DATA)) else handle_for(value)
