"""Assignments to match against, and a place to hand in to."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment, Course
from autograder.submission import Submission, read_submission
from tests.autograder.submission.little import make_course, solved, source

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def little(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def lab08() -> Assignment:
    return Course.load(ROOT / "course.toml").assignment("lab08")


@pytest.fixture
def submitted(tmp_path: Path) -> Path:
    """Ada's folder in nbgrader's layout."""
    folder = tmp_path / "submitted" / "ada" / "little"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def answered() -> dict[str, Any]:
    """A good submission to the little assignment."""
    return solved(source())


@pytest.fixture
def hand_in(submitted: Path, little: Assignment) -> Callable[[dict[str, Any] | bytes], Submission]:
    """Writes a notebook to Ada's folder and reads it back."""

    def write(notebook: dict[str, Any] | bytes) -> Submission:
        data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        (submitted / "little.ipynb").write_bytes(data)
        return read_submission(submitted, little)

    return write
