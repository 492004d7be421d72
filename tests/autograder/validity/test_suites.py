"""The hidden suites tell right from wrong: known mistakes lose marks, and only where they were made.

``tests/<assignment>/misconceptions/<question>/<name>.py`` is a wrong answer: a docstring whose first line is the hint
that a student reads, a constant FAILS with tests that fail at least, and code that takes the solution cell's place.
``alternatives/`` holds right answers in the same form, without FAILS.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.grading.report import Outcome, Report
from tests.autograder.validity.verdicts import constant, failed, hint, lost, modules

LAB08 = Path(__file__).parents[2] / "lab08"
QUESTIONS = sorted(path.stem.removeprefix("test_") for path in LAB08.glob("test_*.py"))
ONE_NUMBER = {"receptive_field_by_hand"}  # right or wrong, with nothing in between
ALL_WRONG = {"feature_geometry-three_pools", "boxes_in_window-whole_boxes_only"}  # no number of theirs is right

Answered = Callable[[Mapping[str, str | None]], Report]


def points(report: Report, question: str) -> float:
    return next(score.points for score in report.questions if score.question == question)


@pytest.mark.parametrize(("question", "path"), modules(LAB08, "misconceptions"))
def test_a_misconception_loses_marks_at_its_question_and_no_other(
    answered: Answered, question: str, path: Path
) -> None:
    report = answered({question: path.read_text(encoding="utf-8")})
    assert set(lost(report)) == {question}, lost(report)
    assert not [test for test in report.tests if test.detail], lost(report)  # no check broke off


@pytest.mark.parametrize(("question", "path"), modules(LAB08, "misconceptions"))
def test_a_misconception_fails_the_tests_it_names(answered: Answered, question: str, path: Path) -> None:
    named = constant(path, "FAILS")
    assert named
    assert set(named) <= failed(answered({question: path.read_text(encoding="utf-8")}), question)


@pytest.mark.parametrize(("question", "path"), modules(LAB08, "misconceptions"))
def test_a_misconception_does_not_take_everything(answered: Answered, question: str, path: Path) -> None:
    score = points(answered({question: path.read_text(encoding="utf-8")}), question)
    assert (score == 0) == (question in ONE_NUMBER or f"{question}-{path.stem}" in ALL_WRONG)


@pytest.mark.parametrize(("question", "path"), modules(LAB08, "misconceptions"))
def test_a_misconception_has_a_hint(question: str, path: Path) -> None:
    assert hint(path).endswith(".")
    assert len(hint(path)) <= 120


@pytest.mark.parametrize(("question", "path"), modules(LAB08, "alternatives"))
def test_an_alternative_scores_full_marks(answered: Answered, question: str, path: Path) -> None:
    assert not lost(answered({question: path.read_text(encoding="utf-8")}))


@pytest.mark.parametrize("kind", ["misconceptions", "alternatives"])
def test_every_question_has_both(kind: str) -> None:
    least = {"ColumnEncoder", "attend", "AttentionReader"}
    counts = {question: len(list((LAB08 / kind / question).glob("*.py"))) for question in QUESTIONS}
    for question, count in counts.items():
        assert count >= ((3 if kind == "misconceptions" else 2) if question in least else 1), question
    assert {path.name for path in (LAB08 / kind).iterdir()} == set(counts)


def test_the_solutions_score_full_marks(answered: Answered, lab08: Assignment) -> None:
    report = answered({})
    assert not lost(report)
    assert report.points == lab08.auto_points == 70


def test_the_release_scores_nothing(answered: Any) -> None:
    """Also where its stubs are asked, instead of being passed over as untouched."""
    report = answered({question: stub(answered, question) for question in QUESTIONS})
    assert report.points == 0
    assert {test.outcome for test in report.tests} == {Outcome.NOT_ATTEMPTED}


def stub(answered: Any, question: str) -> str:
    return next(str(cell.source) for cell in answered.released.cells if cell.id == f"{question}-solution")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_solved_alone_scores_full_marks(answered: Any, question: str) -> None:
    report = answered.alone(question)
    assert question not in lost(report), lost(report)[question]
    assert report.points == points(report, question)


# Mistakes in what AttentionReader builds on, worse than the misconceptions: none may cost marks at the reader.
BROKEN = {
    "attend is missing": {"attend": None},
    "attend raises": {"attend": "def attend(q, K, V):\n    raise ValueError(q.shape)\n"},
    "attend returns nothing": {"attend": "def attend(q, K, V):\n    pass\n"},
    "attend has no code object": {
        "attend": "import functools\nattend = functools.partial(lambda q, K, V: (q, K, V))\n"
    },
    "attend keeps no graph": {"attend": "@torch.no_grad()\ndef attend(q, K, V):\n    return V.sum(1), K.sum(2)\n"},
    "attend changes the keys": {"attend": "def attend(q, K, V):\n    K.zero_()\n    return V[:, 0], K[..., 0]\n"},
    "ColumnEncoder is missing": {"ColumnEncoder": None},
    "ColumnEncoder cannot be made": {
        "ColumnEncoder": "class ColumnEncoder(nn.Module):\n    def __init__(self, hidden):\n        raise ValueError\n"
    },
    "ColumnEncoder is a function": {"ColumnEncoder": "def ColumnEncoder(hidden):\n    return nn.Identity()\n"},
    "both are missing": {"attend": None, "ColumnEncoder": None},
}


@pytest.mark.parametrize("answers", BROKEN.values(), ids=BROKEN)
def test_what_the_reader_builds_on_costs_no_marks_at_the_reader(
    answered: Answered, answers: dict[str, str | None]
) -> None:
    report = answered(answers)
    assert set(lost(report)) == set(answers), lost(report)


@pytest.mark.parametrize("name", ["attend raises", "ColumnEncoder cannot be made"])
def test_names_bound_early_are_stood_in_for_too(answered: Answered, name: str) -> None:
    early = (LAB08 / "alternatives" / "AttentionReader" / "forward_without_step.py").read_text(encoding="utf-8")
    report = answered({**BROKEN[name], "AttentionReader": early})
    assert set(lost(report)) == set(BROKEN[name]), lost(report)
