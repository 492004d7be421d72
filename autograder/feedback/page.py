"""A student's page, from a report. It shows what was checked and what was found; no test, reference value or seed."""

import itertools
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import jinja2
import msgspec

from autograder.course import Assignment
from autograder.feedback.words import FAULTS, OUTCOMES, Words
from autograder.grading.report import Outcome, QuestionScore, Report, TestResult
from autograder.plain import one_line, plain

__all__ = ["student_page"]

CODE_SPAN = re.compile(r"`([^`\n]+)`")


class Check(msgspec.Struct, frozen=True):
    """One check as the page shows it; ``worth`` is its part of the question's points."""

    sentence: str
    outcome: Outcome
    words: Words
    worth: float
    message: str
    hint: str


class Section(msgspec.Struct, frozen=True):
    """One autograded question."""

    id: str
    title: str
    points: float
    max_points: float
    checks: tuple[Check, ...]

    @property
    def passed(self) -> int:
        """How many of its checks passed."""
        return sum(check.outcome is Outcome.PASSED for check in self.checks)

    @property
    def common(self) -> str:
        """The message that all of its several checks share, which is then said once; else empty."""
        messages = {check.message for check in self.checks}
        return messages.pop() if len(messages) == 1 and len(self.checks) > 1 else ""


def student_page(report: Report, assignment: Assignment) -> str:
    """One self-contained HTML page for the student of ``report``."""
    questions = assignment.questions()
    titles = {question.id: question.title for question in questions}
    sections = {score.question: _section(report, score, titles) for score in report.questions}
    by_hand = {question.id: question for question in questions if question.kind == "manual" and question.points}
    return _template().render(
        report=report,
        title=assignment.title,
        fault=FAULTS.get(report.fault, "Your submission could not be graded.") if report.fault else "",
        sections=sections.values(),
        groups=_groups([*titles, *(sections.keys() - titles.keys())], titles, sections | by_hand),
        by_hand_points=sum(question.points for question in by_hand.values()),
        notes=_joined(report.repairs),
        problems=_joined(report.cell_problems),
    )


def _section(report: Report, score: QuestionScore, titles: dict[str, str]) -> Section:
    tests = [test for test in report.tests if test.question == score.question]
    total = sum(test.weight for test in tests)
    checks = tuple(_check(test, score.max_points * test.weight / total if total else 0.0) for test in tests)
    return Section(score.question, titles.get(score.question, ""), score.points, score.max_points, checks)


def _groups(order: list[str], titles: dict[str, str], rows: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """``rows`` in the notebook's order, with the heading that each run of them stands under."""
    shown = [name for name in order if name in rows]
    runs = itertools.groupby(shown, key=lambda name: titles.get(name, ""))
    return [(heading, [rows[name] for name in names]) for heading, names in runs]


def _check(test: TestResult, worth: float) -> Check:
    found = test.outcome is not Outcome.PASSED
    return Check(
        sentence=one_line(test.check, most=300),
        outcome=test.outcome,
        words=OUTCOMES[test.outcome],
        worth=worth,
        message=plain(test.message) if found else "",
        hint=plain(test.hint) if found else "",
    )


def _joined(notes: Iterable[Any]) -> list[tuple[str, str]]:
    """Notes as (cell, sentence), each once."""
    return list(dict.fromkeys((one_line(note.cell, most=80), plain(note.what)) for note in notes))


def _around_code(text: str) -> list[str]:
    """``text`` cut at its backticks: every second part stood between two of them."""
    return CODE_SPAN.split(text)


def _points(points: float) -> str:
    """Points as people write them: 4, 2.5, 0.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autograder.feedback"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": plain, "one_line": one_line, "points": _points, "around_code": _around_code}
    return environment.get_template("student.html.j2")
