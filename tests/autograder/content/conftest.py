"""The source notebook of lab08 as it stands, and what it defines where there is no network and no data."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.course import Course
from autograder.grading.reference import load_reference

ROOT = Path(__file__).parents[3]
LAB08 = ROOT / "source" / "lab08" / "lab08.ipynb"


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
