"""What handouts of earlier years rely on and newer libraries took away, given back inside the worker.

``install`` changes the libraries; what is used of it is kept in ``USED`` and said in the report. Results are those of
the older library: nobody gains or loses by it.
"""
# ruff: noqa: ARG002 - a finder is asked with more than it needs

import collections
import collections.abc
import functools
import importlib.machinery
import importlib.util
import inspect
import pickle
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import Any

import numpy as np
import torch
import torch.optim.lr_scheduler
import torch.utils.data

__all__ = ["SENTENCES", "USED", "install"]

SENTENCES = {
    "sampler": "A sampler hands its data to `Sampler.__init__`, which takes no argument any more; it was passed over.",
    "load": "`torch.load` reads tensors only unless `weights_only=False` is given; the file was read as before.",
    "verbose": "Learning rate schedulers have no `verbose` any more; it was passed over.",
    "names": "A name is used that its library dropped (such as `collections.Iterable` or `np.int`); it was given back.",
    "load_metric": "`datasets` has no `load_metric` any more (it is `evaluate.load` now); a stand-in was used.",
}
USED: set[str] = set()


def install() -> None:
    """Give back what this machine's libraries lack. Call once, before any student code is imported."""
    _names()
    _samplers()
    _loading()
    _schedulers()
    sys.meta_path.insert(0, _Datasets())


def _names() -> None:
    """Abstract classes that ``collections`` had up to Python 3.9, Python's types that numpy had up to 1.23."""
    gone = {name: getattr(collections.abc, name) for name in collections.abc.__all__ if not hasattr(collections, name)}
    _give_back(collections, gone)
    types_of_python = {"int": int, "float": float, "object": object, "str": str, "complex": complex, "bool": bool}
    _give_back(np, {name: kind for name, kind in types_of_python.items() if name not in vars(np)})


def _give_back(module: types.ModuleType, gone: dict[str, Any]) -> None:
    before = vars(module).get("__getattr__")

    def look_up(name: str) -> Any:
        if name in gone:
            USED.add("names")
            return gone[name]
        if before is not None:
            return before(name)
        raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'")

    module.__getattr__ = look_up  # type: ignore[method-assign]


def _samplers() -> None:
    sampler = torch.utils.data.Sampler
    if "__init__" in vars(sampler):
        return  # an older torch, which still takes the argument

    def construct(self: Any, *data: Any, **keywords: Any) -> None:
        if data or keywords:
            USED.add("sampler")
        super(sampler, self).__init__()

    sampler.__init__ = construct  # type: ignore[method-assign]


def _loading() -> None:
    load = torch.load

    @functools.wraps(load)
    def load_as_before(f: Any, *args: Any, **keywords: Any) -> Any:
        start = f.tell() if hasattr(f, "tell") else 0
        try:
            return load(f, *args, **keywords)
        except pickle.UnpicklingError:  # what it holds is the student's own, and this is the student's own process
            if "weights_only" in keywords:
                raise
            if hasattr(f, "seek"):
                f.seek(start)
            value = load(f, *args, weights_only=False, **keywords)
            USED.add("load")
            return value

    torch.load = load_as_before


def _schedulers() -> None:
    for scheduler in list(vars(torch.optim.lr_scheduler).values()):
        if isinstance(scheduler, type) and issubclass(scheduler, torch.optim.lr_scheduler.LRScheduler):
            _without_verbose(scheduler)


def _without_verbose(scheduler: Any) -> None:
    """Let ``scheduler`` be constructed with ``verbose``, by name, or after all its other arguments."""
    construct = vars(scheduler).get("__init__")
    if construct is None or "verbose" in (known := inspect.signature(construct).parameters):
        return

    @functools.wraps(construct)
    def construct_quietly(*args: Any, **keywords: Any) -> None:
        if "verbose" in keywords or len(args) == len(known) + 1:
            USED.add("verbose")
            keywords.pop("verbose", None)
        construct(*args[: len(known)], **keywords)

    scheduler.__init__ = construct_quietly


class _Datasets(MetaPathFinder):
    """Adds ``load_metric`` to ``datasets`` when that is imported, and not before: it takes a second."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find; of ``datasets``, with one function more."""
        if fullname != "datasets":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_add(module: types.ModuleType) -> None:
                execute(module)
                if not hasattr(module, "load_metric"):
                    module.load_metric = load_metric  # type: ignore[attr-defined]

            spec.loader.exec_module = execute_and_add  # type: ignore[method-assign]
        return spec


class Accuracy:
    """The metric ``accuracy``, as ``datasets`` had it."""

    def __init__(self) -> None:
        self._right: list[bool] = []

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Take in a batch of labels."""
        self._right += [bool(one == other) for one, other in zip(predictions, references, strict=True)]

    def add(self, *, prediction: Any, reference: Any) -> None:
        """Take in one label."""
        self.add_batch(predictions=[prediction], references=[reference])

    def compute(self, *, predictions: Any = (), references: Any = ()) -> dict[str, float]:
        """The share of right predictions among those taken in since the last time."""
        self.add_batch(predictions=predictions, references=references)
        right, self._right = self._right, []
        return {"accuracy": sum(right) / len(right)}


def load_metric(name: str, *_: Any, **__: Any) -> Accuracy:
    """The metric called ``name``; ``accuracy`` is the only one there is. Raises ValueError for another."""
    if name != "accuracy":
        raise ValueError(f"load_metric is gone from datasets; here it knows 'accuracy' and no {name!r}")
    USED.add("load_metric")
    return Accuracy()
