"""Whatever became of a notebook, formgrader shows it whole, and nothing in it acts on whoever looks."""

import base64
import copy
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.autograded import restore
from autograder.course import Assignment
from autograder.grading.report import Outcome, Report
from autograder.harmless import harmless_markdown, harmless_outputs
from autograder.notebooks import grade_id, parse_notebook
from autograder.skeleton import skeletons

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()
ANSWERS = {"twice-solution": "def twice(x):\n    return x + x", "half-solution": "def half(x):\n    return 1"}


@pytest.fixture
def skeleton(assignment: Assignment) -> NotebookNode:
    return skeletons(assignment)["tiny"]


@pytest.fixture
def handed_in(source_cells: list[dict[str, Any]], notebook_text: Callable[..., str]) -> Callable[..., NotebookNode]:
    """The source's cells, without its rubric, after ``change`` had its way with them."""

    def handed_in(change: Callable[[list[dict[str, Any]]], None] = lambda _: None) -> NotebookNode:
        cells = [cell for cell in source_cells if "rubric" not in cell["metadata"].get("tags", [])]
        change(cells)
        return parse_notebook(notebook_text(cells).encode(), "a test")

    return handed_in


def by_id(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {name: cell for cell in notebook.cells if (name := grade_id(cell))}


def test_a_whole_notebook_comes_back_in_order_with_answers_and_metadata(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def answer(cells: list[dict[str, Any]]) -> None:
        cells[3]["source"] = ANSWERS["twice-solution"]
        cells[7]["source"] = "Since it doubles."

    restored = restore(skeleton, handed_in(answer), {}, a_report()).notebook

    nbformat.validate(restored)
    assert [grade_id(cell) for cell in restored.cells] == [grade_id(cell) for cell in skeleton.cells]
    assert by_id(restored)["twice-solution"].source == ANSWERS["twice-solution"]
    assert by_id(restored)["why"].source == "Since it doubles."
    assert all(
        cell.metadata == original.metadata for cell, original in zip(restored.cells, skeleton.cells, strict=True)
    )


def test_neither_notebook_is_changed(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    student = handed_in()
    before = copy.deepcopy((skeleton, student))

    restore(skeleton, student, {}, a_report())

    assert (skeleton, student) == before


def test_locked_cells_are_the_instructors_whatever_the_student_made_of_them(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def forge(cells: list[dict[str, Any]]) -> None:
        cells[1]["source"] = "import os"
        cells[4]["source"] = "pass"
        cells[4]["metadata"]["nbgrader"]["points"] = 400

    restored = by_id(restore(skeleton, handed_in(forge), {}, a_report()).notebook)

    assert restored["setup"].source == "import math"
    assert restored["twice"].source == "assert twice(2) == 4"
    assert restored["twice"].metadata.nbgrader.points == 4


def test_a_notebook_without_metadata_is_recognised_by_its_text(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def strip(cells: list[dict[str, Any]]) -> None:
        cells[3]["source"] = ANSWERS["twice-solution"]
        cells[5]["source"] = ANSWERS["half-solution"]
        for number, cell in enumerate(cells):
            cell["metadata"] = {}
            cell["id"] = f"other-{number}"

    restored = restore(skeleton, handed_in(strip), ANSWERS | {"why": "Because of linearity."}, a_report()).notebook

    assert [grade_id(cell) for cell in restored.cells if grade_id(cell)] == list(by_id(skeleton))
    assert by_id(restored)["twice-solution"].source == ANSWERS["twice-solution"]
    assert sum("return x + x" in cell.source for cell in restored.cells) == 1


def test_of_two_cells_with_one_id_the_one_that_was_graded_is_shown_as_the_answer(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def double(cells: list[dict[str, Any]]) -> None:
        cells.insert(4, copy.deepcopy(cells[3]) | {"id": "copy"})
        cells[3]["source"] = ANSWERS["twice-solution"]

    restored = restore(skeleton, handed_in(double), ANSWERS, a_report()).notebook

    assert by_id(restored)["twice-solution"].source == ANSWERS["twice-solution"]
    assert [cell.source for cell in restored.cells].count(ANSWERS["twice-solution"]) == 1
    assert any("BEGIN SOLUTION" in cell.source for cell in restored.cells)  # the other copy, as a cell of their own


def test_a_missing_answer_is_put_back_with_a_note_and_waits_for_a_person(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    result = restore(skeleton, handed_in(lambda cells: cells.pop(7)), {}, a_report())

    assert by_id(result.notebook)["why"].source.startswith("This cell was missing from the submission.")
    assert "why" not in result.unanswered


def test_cells_as_they_were_released_are_unanswered(skeleton: NotebookNode, a_report: Callable[..., Report]) -> None:
    result = restore(skeleton, skeleton, {}, a_report())

    assert result.unanswered == {"twice-solution", "half-solution", "why", "plot"}


def test_cells_of_the_students_own_stay_where_they_stood(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def add(cells: list[dict[str, Any]]) -> None:
        cells.insert(0, cells[0] | {"id": "first", "source": "we are group 7"})
        cells.insert(5, cells[4] | {"id": "own", "source": "twice(7)", "metadata": {"trusted": True}})

    restored = restore(skeleton, handed_in(add), {}, a_report()).notebook

    assert restored.cells[0].source == "we are group 7"
    assert restored.cells[5].source == "twice(7)"
    assert restored.cells[5].metadata == {}
    assert restored.cells[6].metadata.nbgrader.grade_id == "twice"


def test_an_answer_written_into_the_instructors_prose_is_shown_too(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def misplace(cells: list[dict[str, Any]]) -> None:
        cells[2]["source"] += "\nI answer here: linearity."

    restored = restore(skeleton, handed_in(misplace), {}, a_report()).notebook

    assert [cell.source for cell in restored.cells[2:4]] == ["## Q1 Twice", "## Q1 Twice\nI answer here: linearity."]


def test_the_outcome_of_each_check_stands_under_its_graded_cell(
    skeleton: NotebookNode,
    handed_in: Callable[..., NotebookNode],
    a_report: Callable[..., Report],
    a_test: Callable[..., Any],
) -> None:
    failed = a_test("twice", Outcome.FAILED, message="got \x1b[31m5\x1b[0m\nnot 4", hint="add, do not square")
    report = a_report("ada", a_test("twice"), failed, a_test("half", message="unseen"))

    restored = by_id(restore(skeleton, handed_in(), {}, report).notebook)

    text = restored["twice"].outputs[0].text
    assert text.splitlines()[0] == "twice: 2 of 4 points"
    assert (
        "failed                twice does what it should\n    got 5\n    not 4\n    hint: add, do not square\n" in text
    )
    assert restored["half"].outputs[0].text == "half: 2 of 2 points\npassed                half does what it should\n"


def test_hidden_tests_in_the_source_do_not_reach_the_notebook(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    by_id(skeleton)["twice"].source += "\n### BEGIN HIDDEN TESTS\nassert twice(3) == 6\n### END HIDDEN TESTS"

    restored = restore(skeleton, handed_in(), {}, a_report()).notebook

    assert "twice(3)" not in nbformat.writes(restored)


def test_a_notebook_of_very_many_cells_keeps_its_graded_ones(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def flood(cells: list[dict[str, Any]]) -> None:
        cells[:0] = [cells[0] | {"id": f"own-{n}", "source": f"cell {n}"} for n in range(20_000)]

    restored = restore(skeleton, handed_in(flood), {}, a_report()).notebook

    assert len(restored.cells) == 300 + len(skeleton.cells)


def test_text_and_bitmaps_are_kept_of_outputs_and_nothing_else() -> None:
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": ["\x1b[31mwarning", "\n"]},
        {"output_type": "display_data", "data": {"image/png": PNG[:8] + "\n" + PNG[8:], "text/html": "<script>"}},
        {"output_type": "execute_result", "data": {"text/plain": "4", "text/html": "<b>4</b>"}},
        {"output_type": "display_data", "data": {"text/html": "<script>"}},
        {"output_type": "display_data", "data": {"image/svg+xml": "<svg onload=x>"}},
        {"output_type": "display_data", "data": {"image/png": '"><script>alert(1)</script>'}},
        {"output_type": "display_data", "data": {"image/png": base64.b64encode(b"<script>").decode()}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["<script>"]},
        {"output_type": "display_data"},
        {"output_type": "something"},
    ]

    kept = harmless_outputs([nbformat.from_dict(output) for output in outputs])

    assert kept[0] == {"output_type": "stream", "name": "stderr", "text": "warning\n"}
    assert kept[1].data == {"image/png": PNG}
    assert kept[2].data == {"text/plain": "4"}
    assert [output.text for output in kept[3:7]] == [
        "[an output of type text/html left out]\n",
        "[an output of type image/svg+xml left out]\n",
        "[an output of type image/png left out]\n",
        "[an output of type image/png left out]\n",
    ]
    assert kept[7].text == "ValueError: no\n"
    assert "script" not in str(kept[3:])


def test_endless_outputs_are_cut() -> None:
    printed = nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": "x" * 1_000_000})

    kept = harmless_outputs([printed] * 1_000)

    assert kept[-1].text == "[950 more outputs left out]\n"
    assert sum(len(output.text) for output in kept) < 1_100_000


@pytest.mark.parametrize(
    "text",
    [
        "Since $a < b$ and $x <= y$, **attention** helps.",
        "[our run](https://wandb.ai/team/cv-lab8/runs/abc?x=1&y=2) and <https://wandb.ai/x>",
        "| a | b |\n|---|---|\n| 1<br>2 | `x` |",
        f"![plot](data:image/png;base64,{PNG})",
        "H<sub>2</sub>O <b>bold</b>",
        "[a file](figures/plot.png) [above](#section)",
    ],
)
def test_an_ordinary_answer_stays_as_it_is(text: str) -> None:
    assert harmless_markdown(text) == text


class Page(HTMLParser):
    """Everything in a page that acts: scripts, handlers, frames, and where links and images lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.acting: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {
            "script",
            "iframe",
            "object",
            "embed",
            "form",
            "style",
            "svg",
            "math",
            "base",
            "meta",
            "link",
            "video",
        }:
            self.acting.append(tag)
        for name, value in attrs:
            where = "".join((value or "").split()).lower()
            if name.startswith("on") or (
                name in {"href", "src", "action"} and where.startswith(("javascript", "vbscript", "data:text"))
            ):
                self.acting.append(f"{tag} {name}={value}")


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "unclosed-tag": "<img src=x onerror=alert(1) ",
    "svg": "<svg/onload=alert(1)>",
    "capitals": "<SCRIPT>alert(1)</SCRIPT><IfRaMe src=javascript:alert(1)>",
    "allowed-tag-with-handler": "<b onmouseover=alert(1)>x</b> <p/onclick=alert(1)>",
    "link": "[x](javascript:alert(1))",
    "link-with-entity": "[x](java&#115;cript:alert(1))",
    "link-with-tab": "[x](java\tscript:alert(1))",
    "link-in-brackets": "[x](<javascript:alert(1)>)",
    "link-on-next-line": "[x](\n javascript:alert(1))",
    "link-with-escape": "[x](javascript\\:alert(1))",
    "reference": "[x]\n\n[x]: javascript:alert(1)",
    "reference-on-next-line": "[x]\n\n[x]:\n  javascript:alert(1)",
    "autolink": "<javascript:alert(1)>",
    "data-page": "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "broken-out-of-href": '[x](https://a.b/"onmouseover="alert(1))',
    "broken-out-of-title": '[x](https://a.b "t\\" onmouseover=alert(1)")',
    "image": "![x](javascript:alert(1))",
    "broken-out-of-alt": '![" onerror="alert(1)](x)',
    "missing-attachment": "![x](attachment:nothing.png)",
    "diagram": "```mermaid\n<img src=x onerror=alert(1)>\n```",
    "diagram-with-tildes": "~~~ mermaid\n</pre><script>alert(1)</script>\n~~~",
    "formula": "$\\href{javascript:alert(1)}{x}$ $$\\require{html}\\style{x}{y}$$",
    "formula-with-markup": "$$<script>alert(1)</script>$$",
    "environment": "\\begin{a}<script>alert(1)</script>\\end{a}",
    "comment": "<!-- --!><script>alert(1)</script>",
    "code-that-ends": "```\n</code></pre><script>alert(1)</script>\n```",
    "heading": "# <script>alert(1)</script>",
    "meta": '<meta http-equiv="refresh" content="0;url=https://evil">',
    "fence-language": '```"><script>alert(1)</script>\nx\n```',
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_nothing_a_student_wrote_acts_in_formgrader(
    attack: str,
    skeleton: NotebookNode,
    handed_in: Callable[..., NotebookNode],
    a_report: Callable[..., Report],
    a_test: Callable[..., Any],
    formgrader: Callable[[NotebookNode], str],
) -> None:
    text = HOSTILE[attack]

    def poison(cells: list[dict[str, Any]]) -> None:
        cells[7]["source"] = text
        cells[3]["source"] = f"def twice(x):\n    '''{text}'''"
        cells[3]["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": text},
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {"text/html": text, "text/plain": text, "text/markdown": text},
            },
        ]
        own = [
            {"cell_type": kind, "id": kind, "metadata": {"tags": [text]}, "source": text}
            for kind in ("markdown", "raw")
        ]
        cells.extend(own)

    report = a_report("ada", a_test("twice", Outcome.FAILED, message=text))
    harmless = restore(skeleton, handed_in(), {}, report).notebook

    page = formgrader(restore(skeleton, handed_in(poison), {}, report).notebook)

    assert Page(page).acting == Page(formgrader(harmless)).acting


def test_formulas_that_act_are_spelt_so_that_they_do_not() -> None:
    text = harmless_markdown(HOSTILE["formula"])

    assert not any(command in text for command in ("\\href", "\\require", "\\style"))


@pytest.fixture(scope="module")
def formgrader() -> Callable[[NotebookNode], str]:
    """The page that nbgrader's formgrader makes of a notebook."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader import handlers

    exporter = HTMLExporter(template_name="formgrade", extra_template_basedirs=[handlers.template_path])
    resources = {
        "assignment_id": "tiny", "notebook_id": "tiny", "submission_id": "1", "index": 0, "total": 1, "base_url": "/",
        "student": "ada", "last_name": None, "first_name": None, "notebook_path": "x",
    }  # fmt: skip

    def page(notebook: NotebookNode) -> str:
        return str(exporter.from_notebook_node(notebook, resources=resources)[0])

    return page


def test_formgrader_shows_answers_scores_and_outcomes(
    skeleton: NotebookNode,
    handed_in: Callable[..., NotebookNode],
    a_report: Callable[..., Report],
    formgrader: Callable[[NotebookNode], str],
) -> None:
    page = formgrader(restore(skeleton, handed_in(), {}, a_report()).notebook)

    assert 'id="why-comment"' in page
    assert page.count("full-credit") == 4
    assert "twice: 4 of 4 points" in page


def test_a_cell_that_only_defines_what_was_asked_for_is_recognised_without_metadata(
    skeleton: NotebookNode, handed_in: Callable[..., NotebookNode], a_report: Callable[..., Report]
) -> None:
    def strip(cells: list[dict[str, Any]]) -> None:
        cells[3] = cells[3] | {"id": "x", "metadata": {}, "source": "def twice(x):\n    return x * 2  # mine"}

    restored = restore(skeleton, handed_in(strip), {}, a_report()).notebook

    assert by_id(restored)["twice-solution"].source.endswith("# mine")
    assert len(restored.cells) == len(skeleton.cells)
