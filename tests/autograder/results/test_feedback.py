"""A student's page says what was checked and found, needs nothing but itself, and does nothing."""

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.feedback import student_page
from autograder.feedback.words import FAULTS, OUTCOMES
from autograder.grading import summary
from autograder.grading.report import Note, Outcome, Report
from autograder.submission.records import FaultName

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """A page's tags, attributes and text; complains of tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)
        self.ids.extend(value for name, value in attrs if name == "id" and value)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def page(assignment: Assignment) -> Callable[[Report], Page]:
    return lambda report: Page(student_page(report, assignment))


def test_points_are_shown_by_question_under_the_notebooks_headings(
    page: Callable[[Report], Page], a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    report = a_report("ada", a_test("twice"), a_test("twice", Outcome.FAILED), a_test("half"))

    text = page(report).text

    assert "Feedback for ada" in text
    assert "4 of 6 points from automatic checks; 4 more are given by hand" in text
    assert "Q1 Twice twice 1 of 2 2 / 4 half 1 of 1 2 / 2 why by hand … / 3 plot by hand … / 1" in text


def test_every_check_has_its_sentence_outcome_worth_message_and_hint(
    page: Callable[[Report], Page], a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    failed = a_test("twice", Outcome.FAILED, weight=3, check="doubles 7", message="got 13", hint="use 2 * x")

    text = page(a_report("ada", a_test("twice"), failed, a_test("half"))).text

    assert "✗ doubles 7 not passed 3 pt got 13 Hint: use 2 * x" in text
    assert "✓ twice does what it should passed 1 pt" in text


def test_what_is_for_the_instructor_alone_is_not_on_the_page(
    assignment: Assignment, a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    broken = a_test("twice", Outcome.NOT_CHECKED, detail="expected tensor([1.25])", test="test_twice.py::test_secret")

    text = student_page(a_report("ada", broken, a_test("half"), seed=987654321), assignment)

    assert "1.25" not in text
    assert "test_secret" not in text
    assert "987654321" not in text


def test_the_message_that_all_checks_of_a_question_share_is_said_once(
    page: Callable[[Report], Page], a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    stub = a_test("twice", Outcome.NOT_ATTEMPTED, message="the stub is as it was released")

    assert page(a_report("ada", stub, stub, stub, a_test("half"))).text.count("the stub is as it was released") == 1


def test_repairs_cell_problems_and_members_are_shown(
    page: Callable[[Report], Page], a_report: Callable[..., Report]
) -> None:
    report = a_report(
        repairs=(
            Note("twice", "two cells had this id"),
            Note("", "the metadata was lost"),
            Note("plot", "`plot` moved"),
        ),
        cell_problems=(Note("half", "raised NameError"),),
        members=(("Ada L.", "001"), ("Grace H.", "002")),
    )

    text = page(report).text

    assert "twice : two cells had this id the metadata was lost" in text
    assert "half : raised NameError" in text
    assert "plot : plot" not in text
    assert "group of Ada L. (001), Grace H. (002)" in text


def test_names_in_backticks_are_set_as_code(
    assignment: Assignment, a_report: Callable[..., Report], a_test: Callable[..., Any]
) -> None:
    failed = a_test("twice", Outcome.FAILED, message="`twice` gave `<b>`")

    assert "<code>twice</code> gave <code>&lt;b&gt;</code>" in student_page(a_report("ada", failed), assignment)


def test_a_submission_that_was_not_graded_says_why_and_what_to_do(
    page: Callable[[Report], Page], a_report: Callable[..., Report]
) -> None:
    text = page(a_report(fault="empty", fault_message="tiny.ipynb is empty; submit it again")).text

    assert "Your notebook is empty. tiny.ipynb is empty; submit it again" in text


@pytest.mark.parametrize("fault", FaultName.__args__)
def test_every_fault_of_reading_has_words_for_student_and_instructor(fault: str) -> None:
    assert fault in FAULTS
    assert fault in summary.FAULTS or fault == "unreadable"


def test_every_outcome_has_words() -> None:
    assert set(OUTCOMES) == set(Outcome)


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": '"><img src=x onerror=alert(1)>',
    "single-quotes": "'><svg onload=alert(1)>",
    "comment": "--><script>alert(1)</script><!--",
    "style": "</style><script>alert(1)</script>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "entity": "&lt;script&gt;&#60;script&#62;",
    "ansi": "\x1b[31mred\x1b[0m\x1b]8;;javascript:x\x07",
    "bidi": "\u202egnorw\u202c\u2066",
    "null": "a\x00b\x08\x7f",
    "surrogate": "\ud800",
    "huge": "x" * 5_000_000,
    "many-lines": "line\n" * 100_000,
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_whatever_a_student_wrote_comes_out_as_text(
    attack: str,
    assignment: Assignment,
    page: Callable[[Report], Page],
    a_report: Callable[..., Report],
    a_test: Callable[..., Any],
) -> None:
    def report(text: str) -> Report:
        test = a_test("twice", Outcome.STUDENT_ERROR, check=text, message=text, hint=text)
        note = (Note("a cell", text), Note(text, "a sentence"))
        members = ((text, text),)
        return a_report(
            text,
            test,
            a_test("half"),
            fault_message=text,
            fault=text,
            repairs=note,
            cell_problems=note,
            members=members,
        )

    text = student_page(report(HOSTILE[attack]), assignment)

    assert page(report(HOSTILE[attack])).tags == page(report("harmless")).tags
    assert not any(name.startswith("on") for name, _ in page(report(HOSTILE[attack])).attributes)
    assert not any(sign in text for sign in "\x1b\x00\x08\x7f\u202e\u2066\ud800")
    assert "49" not in text or attack != "template"
    assert len(text) < 60_000
    text.encode()


def test_the_page_loads_nothing_and_runs_nothing(assignment: Assignment, a_report: Callable[..., Report]) -> None:
    text = student_page(a_report(), assignment)

    found = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(found.tags)
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text
    assert all(value and value.startswith("#") for name, value in found.attributes if name == "href")


def test_links_within_the_page_lead_somewhere_and_no_id_is_used_twice(
    page: Callable[[Report], Page], a_report: Callable[..., Report]
) -> None:
    found = page(a_report())

    targets = [value[1:] for name, value in found.attributes if name == "href" and value]
    assert targets == ["q-twice", "q-half"]
    assert set(targets) <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))


def test_it_is_readable_in_print_on_a_phone_and_in_the_dark(
    assignment: Assignment, a_report: Callable[..., Report]
) -> None:
    text = student_page(a_report(), assignment)

    assert "@media print" in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport" content="width=device-width' in text
    assert '<html lang="en">' in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_contrast_as_wcag_aa_asks(scheme: str, assignment: Assignment, a_report: Callable[..., Report]) -> None:
    css = student_page(a_report(), assignment).split(":root {")[1 if scheme == "light" else 2].split("}")[0]
    colours = dict(part.strip().split(": ") for part in css.replace("--", "").split(";") if part.strip())

    for ground in ("ground", "panel"):
        for text in ("text", "quiet", "good", "bad", "link"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def contrast(one: str, other: str) -> float:
    """WCAG's ratio of the luminances of two colours ``#rrggbb``."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
