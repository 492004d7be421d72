"""What a notebook's code may reach for and the jail has not: Jupyter's shell, the display, W&B, loader processes.

``install`` puts the module ``wandb`` in place before student code runs. It records instead of sending: ``wandb.runs``
is a list of dicts ``{"project", "name", "config", "logs", "finished"}``, one a run, which probes read.
"""
# ruff: noqa: ARG002, ARG005 - a stand-in takes whatever the real thing takes

import functools
import inspect
import sys
import types
from typing import Any, Self

import torch.utils.data

from autograder.sandbox import shims

__all__ = ["WANDB", "display", "get_ipython", "install", "reset"]


class Shell:
    """IPython's shell, as far as magics and shell lines go: they do nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **keywords: None


SHELL = Shell()


def get_ipython() -> Shell:
    """What ``%magic`` and ``!command`` lines call."""
    return SHELL


def display(*objects: object, **options: object) -> None:
    """Show nothing."""


class Run:
    """A W&B run that records: ``log``, ``config``, ``summary``, ``finish``."""

    def __init__(self, project: str | None = None, name: str | None = None, config: Any = None, **options: Any) -> None:
        self.config = Config(config or {})
        self.summary: dict[str, Any] = {}
        self.record: dict[str, Any] = {
            "project": project, "name": name, "config": self.config, "logs": [], "finished": False,
        }  # fmt: skip
        self.name, self.project, self.id, self.url = name, project, "recorded", ""

    def log(self, data: dict[str, Any], step: int | None = None, **options: Any) -> None:
        """Keep ``data``."""
        self.record["logs"].append(dict(data))

    def finish(self, *args: Any, **options: Any) -> None:
        """Mark the run finished."""
        self.record["finished"] = True

    def watch(self, *args: Any, **options: Any) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.finish()


class Config(dict[str, Any]):
    """A run's configuration: a dict with attribute access, as W&B's is."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__

    def update(self, *others: Any, **options: Any) -> None:
        """Take over ``others``; W&B's own option has no meaning here."""
        options.pop("allow_val_change", None)
        super().update(*[{} if isinstance(other, bool) else other for other in others], **options)


class Wandb(types.ModuleType):
    """The stand-in module ``wandb``."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.__version__ = "0"
        self.Run = Run
        self.reset()

    def reset(self) -> None:
        """Forget all runs."""
        self.run: Run | None = None
        self.runs: list[dict[str, Any]] = []
        self.config = Config()
        self.summary: dict[str, Any] = {}

    def init(self, *args: Any, **options: Any) -> Run:
        """Start a recorded run."""
        self.run = Run(*args, **options)
        self.runs.append(self.run.record)
        self.config, self.summary = self.run.config, self.run.summary
        return self.run

    def log(self, data: dict[str, Any], *args: Any, **options: Any) -> None:
        """Log to the current run."""
        if self.run is None:
            raise RuntimeError("You must call wandb.init() before wandb.log()")
        self.run.log(data)

    def finish(self, *args: Any, **options: Any) -> None:
        """Finish the current run."""
        if self.run is not None:
            self.run.finish()
            self.run = None

    def __getattr__(self, name: str) -> Any:
        """Everything else of W&B (login, watch, Image, Settings ...) does nothing."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **keywords: None


WANDB = Wandb()
OF_WORKERS = {"num_workers": 0, "prefetch_factor": None, "persistent_workers": False, "multiprocessing_context": None}


def load_in_this_process() -> None:
    """Make every DataLoader load in the process it is used in: the jail has no semaphores for worker processes.

    What a loader yields is the same; ``num_workers=2`` in a student's code is right, and costs nothing.
    """
    construct = torch.utils.data.DataLoader.__init__
    signature = inspect.signature(construct)

    @functools.wraps(construct)
    def without_workers(*args: Any, **keywords: Any) -> None:
        bound = signature.bind(*args, **keywords)
        bound.arguments.update(OF_WORKERS, timeout=0)
        construct(*bound.args, **bound.kwargs)

    torch.utils.data.DataLoader.__init__ = without_workers  # type: ignore[method-assign]


def uncompiled(model: Any = None, **options: Any) -> Any:  # noqa: ARG001
    """``torch.compile`` where no compiler can be run: what it is given, which computes the same."""
    return model if model is not None else lambda function: function


def install() -> None:
    """Put the stand-ins where student code finds them."""
    sys.modules["wandb"] = WANDB
    torch.compile = uncompiled
    load_in_this_process()
    shims.install()


def reset() -> None:
    """Clear what the stand-ins recorded."""
    WANDB.reset()
