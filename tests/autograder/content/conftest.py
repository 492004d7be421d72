"""The sources of lab08 and hw3 as they stand, and what they define where there is no network and no data."""

import importlib
import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.course import Course
from autograder.grading.reference import load_reference

ROOT = Path(__file__).parents[3]
LAB08 = ROOT / "source" / "lab08" / "lab08.ipynb"
HW3 = ROOT / "source" / "hw3"
HW3_MODULES = tuple(
    ["hw3.charnn", "hw3.autoencoder", "hw3.transformer", "hw3.training", "hw3.answers"]
    + [f"cs236781.{name}" for name in ("answers", "download", "plot", "sources", "train_results")]
)


@pytest.fixture(scope="session")
def lab08_path() -> Path:
    return LAB08


@pytest.fixture(scope="session")
def cells() -> dict[str, Any]:
    """Cell id -> cell, in reading order, with ``source`` as one string."""
    notebook = json.loads(LAB08.read_text(encoding="utf-8"))
    return {cell["id"]: cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]}


@pytest.fixture(scope="session")
def lab08() -> SimpleNamespace:
    """Everything that the notebook's setup and solution cells define, as the grader runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AUTOGRADER_SMOKE", raising=False)  # the full budget's constants
        return load_reference(Course.load(ROOT / "course.toml").assignment("lab08"))


@pytest.fixture(scope="session")
def hw3_path() -> Path:
    return HW3


@pytest.fixture(scope="session")
def hw3() -> SimpleNamespace:
    """The modules of hw3, solutions in place, by their last names (``hw3.charnn``); ``support`` has those of cs236781.

    No trace of them is left among the modules of this process, where other assignments may have some of the same name.
    """
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HW3)
        found = {name: importlib.import_module(name) for name in HW3_MODULES}
        main = importlib.import_module("main")
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("hw3", "cs236781", "main"):
            del sys.modules[name]
    packages: dict[str, dict[str, Any]] = {"hw3": {}, "cs236781": {}}
    for name, module in found.items():
        package, last = name.split(".")
        packages[package][last] = module
    return SimpleNamespace(**packages["hw3"], support=SimpleNamespace(**packages["cs236781"]), main=main)


@pytest.fixture(scope="session")
def tensors() -> SimpleNamespace:
    """What makes hw3's visible tensors: plain loops over single numbers."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("hw3_tensors.py"))))
