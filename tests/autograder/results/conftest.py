"""A small course of one notebook, and reports on it made by hand."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment, Course
from autograder.grading.report import Outcome, Report, TestResult, score_questions

COURSE = """
[course]
title = "A small course"

[assignments.tiny]
title = "Doubling"
notebooks = ["tiny.ipynb"]
due = 2031-05-02T12:00:00+02:00
"""


def code(name: str, source: str, **metadata: Any) -> dict[str, Any]:
    return cell(name, source, "code", **metadata) | {"execution_count": None, "outputs": []}


def markdown(name: str, source: str, **metadata: Any) -> dict[str, Any]:
    return cell(name, source, "markdown", **metadata)


def cell(name: str, source: str, kind: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": kind, "id": name, "metadata": metadata, "source": source}


def nbgrader(name: str, points: float | None = None, *, solution: bool = False, locked: bool = False) -> dict[str, Any]:
    found = {"grade_id": name, "grade": points is not None, "solution": solution, "locked": locked}
    return found | {"task": False, "schema_version": 3} | ({} if points is None else {"points": points})


def source_cells() -> list[dict[str, Any]]:
    return [
        markdown("intro", "# Doubling\nWrite, and say why."),
        code("setup", "import math", nbgrader=nbgrader("setup", locked=True), tags=["grade-setup"]),
        markdown("q1", "## Q1 Twice"),
        code(
            "twice-solution",
            'def twice(x):\n    """Return 2x."""\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION',
            nbgrader=nbgrader("twice-solution", solution=True),
        ),
        code("twice", "assert twice(2) == 4", nbgrader=nbgrader("twice", 4, locked=True)),
        code(
            "half-solution",
            "def half(x):\n    ### BEGIN SOLUTION\n    return x / 2\n    ### END SOLUTION",
            nbgrader=nbgrader("half-solution", solution=True),
        ),
        code("half", "assert half(4) == 2", nbgrader=nbgrader("half", 2, locked=True)),
        markdown("why", "Because of linearity.", nbgrader=nbgrader("why", 3, solution=True)),
        markdown("why-rubric", "3 points for linearity", tags=["rubric"]),
        code(
            "plot", "### BEGIN SOLUTION\nprint(twice(1))\n### END SOLUTION", nbgrader=nbgrader("plot", 1, solution=True)
        ),
    ]


def notebook_text(cells: list[dict[str, Any]]) -> str:
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path: Path) -> Course:
    root = tmp_path / "course"
    (root / "source/tiny").mkdir(parents=True)
    (root / "course.toml").write_text(COURSE)
    (root / "source/tiny/tiny.ipynb").write_text(notebook_text(source_cells()))
    return Course.load(root / "course.toml")


@pytest.fixture
def assignment(course: Course) -> Assignment:
    return course.assignment("tiny")


@pytest.fixture
def submit(course: Course) -> Callable[..., Path]:
    """Hand in for a student: the source's cells with some sources replaced (None: cell left out), or any bytes."""

    def submit(
        student: str, data: bytes | None = None, *, without_metadata: bool = False, **answers: str | None
    ) -> Path:
        cells = []
        for found in source_cells():
            answer = answers.get(found["id"].replace("-", "_"), found["source"])
            if answer is None or "rubric" in found["metadata"].get("tags", []):
                continue
            if without_metadata:
                found["metadata"] = {}
            cells.append(found | {"source": answer})
        path = course.root / "submitted" / student / "tiny" / "tiny.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if data is not None else notebook_text(cells).encode())
        return path

    return submit


def a_test(question: str, outcome: Outcome = Outcome.PASSED, *, weight: float = 1.0, **fields: str) -> TestResult:
    given = {"test": f"test_{question}.py::test_it", "check": f"{question} does what it should", **fields}
    return TestResult(question=question, outcome=outcome, weight=weight, seconds=0.01, **given)


def a_report(student: str = "ada", *tests: TestResult, **fields: Any) -> Report:
    """A report on the small course: without tests, full marks."""
    found = tests or (a_test("twice"), a_test("half"))
    given: dict[str, Any] = {
        "assignment": "tiny",
        "student": student,
        "submission_sha256": "0" * 64,
        "graded_at": datetime(2031, 5, 3, tzinfo=UTC),
        "seed": 7,
        "tests": found,
        "questions": score_questions(found, {"twice": 4.0, "half": 2.0}),
    }
    return Report(**(given | fields))


@pytest.fixture(name="a_test")
def a_test_fixture() -> Callable[..., TestResult]:
    return a_test


@pytest.fixture(name="a_report")
def a_report_fixture() -> Callable[..., Report]:
    return a_report


@pytest.fixture(name="source_cells")
def source_cells_fixture() -> list[dict[str, Any]]:
    return source_cells()


@pytest.fixture(name="notebook_text")
def notebook_text_fixture() -> Callable[[list[dict[str, Any]]], str]:
    return notebook_text
