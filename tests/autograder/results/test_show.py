"""The terminal shows a class at a glance, and nothing a student wrote acts on it."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from autograder.class_folder import ClassFolder
from autograder.classwork import ClassResult
from autograder.grading.report import Note, Outcome, Report
from autograder.grading.summary import headline
from autograder.show import progress_bar, show_class, show_report


def printed(show: Callable[[Any, Console], None], what: Any, *, terminal: bool = False) -> str:
    file = io.StringIO()
    show(what, Console(file=file, width=100, force_terminal=terminal, color_system=None, highlight=False))
    return file.getvalue()


def a_class(*reports: Report, problems: dict[str, str] | None = None) -> ClassResult:
    ran = frozenset(report.student for report in reports[:1])
    return ClassResult(
        "tiny", ClassFolder(Path("/course")), reports, ran, problems or {}, "sqlite:////course/gradebook.db"
    )


def test_the_table_has_a_row_a_student_and_says_where_everything_lies(
    a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    wrong = a_report("bob", a_test("twice", Outcome.CRASHED), a_test("half"), repairs=(Note("twice", "doubled"),) * 2)
    missing = a_report("cy", a_test("none"), fault="no-notebook")

    text = printed(show_class, a_class(a_report("ada"), wrong, missing))

    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert rows[:4] == [
        "student points of what happened repairs",
        "ada 6.0 6 all checks passed",
        "bob 2.0 6 crashed in twice (unchanged) 2",
        "cy 0.0 6 no notebook (unchanged)",
    ]
    assert "3 submissions, 1 graded now, 1 with a fault" in rows
    assert "reports /course/results/tiny" in rows
    assert "gradebook sqlite:////course/gradebook.db" in rows


@pytest.mark.parametrize(
    "hostile", ["\x1b[2J\x1b[31mada", "[bold red]ada[/bold red]", "[/]ada", "ada\rfull marks", "\u202eada"]
)
def test_names_and_messages_neither_colour_nor_clear_nor_turn_the_terminal(
    hostile: str, a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    report = a_report(hostile, a_test("twice", Outcome.FAILED, message=hostile), a_test("half"))

    for text in (
        printed(show_class, a_class(report, problems={hostile: hostile}), terminal=True),
        printed(show_report, report, terminal=True),
    ):
        assert "\x1b[2J" not in text
        assert "\x1b[31m" not in text
        assert "\r" not in text
        assert "\u202e" not in text
    if hostile.startswith("["):
        assert hostile in printed(show_report, report)


def test_one_report_shows_what_did_not_pass(a_report: Callable[..., Report], a_test: Callable[..., Any]) -> None:
    report = a_report("ada", a_test("twice", Outcome.FAILED, message="got 5\nnot 4"), a_test("half"))

    text = printed(show_report, report)

    assert "ada: 2 of 6 points; not passed: twice" in text
    assert "  failed: twice does what it should\n    got 5\n    not 4\n" in text
    assert "half does what it should" not in text


def test_one_report_with_a_fault_shows_the_remedy(a_report: Callable[..., Report]) -> None:
    text = printed(show_report, a_report(fault="empty", fault_message="tiny.ipynb is empty; submit it again"))

    assert "empty: tiny.ipynb is empty; submit it again" in text


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ({"twice": Outcome.PASSED, "half": Outcome.PASSED}, "all checks passed"),
        ({"twice": Outcome.NOT_ATTEMPTED, "half": Outcome.NOT_ATTEMPTED}, "nothing attempted"),
        ({"twice": Outcome.FAILED, "half": Outcome.PASSED}, "not passed: twice"),
        ({"twice": Outcome.FAILED, "half": Outcome.PASSED, "x": Outcome.PASSED}, "not passed: twice"),
        ({"twice": Outcome.FAILED, "half": Outcome.TIMED_OUT}, "timed out in half; not passed: twice"),
        ({"twice": Outcome.OUT_OF_MEMORY, "half": Outcome.CRASHED}, "out of memory in twice; crashed in half"),
        ({"twice": Outcome.NOT_CHECKED, "half": Outcome.STUDENT_ERROR}, "could not be checked: twice; error in half"),
        (dict.fromkeys("abcd", Outcome.FAILED), "not passed: a, b and 2 more"),
    ],
)
def test_a_few_words_say_what_happened_the_gravest_first(
    outcomes: dict[str, Outcome], said: str, a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    assert headline(a_report("ada", *(a_test(question, outcome) for question, outcome in outcomes.items()))) == said


def test_a_fault_unheard_of_is_shown_by_its_name(a_report: Callable[..., Report]) -> None:
    assert headline(a_report(fault="something-new")) == "something new"


def test_the_bar_moves_with_a_hostile_name(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as move:
        move("[/nonsense]\x1b[2J", 1, 2)
        move("ada", 2, 2)

    assert "\x1b[2J" not in capsys.readouterr().err


def test_a_question_is_named_once_with_the_gravest_that_happened_to_it(
    a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    report = a_report("ada", a_test("twice", Outcome.FAILED), a_test("twice", Outcome.CRASHED), a_test("half"))

    assert headline(report) == "crashed in twice"
