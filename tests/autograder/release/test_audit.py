"""The leak audit: each kind of leak, planted where an instructor might leave it, is caught; nothing else is."""

import base64
import getpass
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder._exceptions import LeakError
from autograder.course import Assignment, Course
from autograder.notebooks import read_notebook
from autograder.release import Finding, release
from autograder.release.audit import audit
from autograder.release.build import build
from autograder.release.files import Trees, source_files
from autograder.release.hidden import hidden_in
from autograder.release.patterns import _OWN, Patterns, _shape
from autograder.release.prose import MIN_WORDS

Edit = Callable[[Callable[[dict[str, NotebookNode]], None]], None]

PLACE = "release/lab/lab.ipynb, cell 7"
SCORES = 'scores = torch.einsum("bd,bnd->bn", q, K) / math.sqrt(q.shape[-1])'
RENAMED = "s=torch.einsum( 'bd,bnd->bn',query,  keys )/math.sqrt(query.shape[-1])"
SPLIT = 'scores = torch.einsum(\n    "bd,bnd->bn", q, K\n) / math.sqrt(\n    q.shape[-1]\n)'
SENTENCE = "the weights are MIXING coefficients, so they say\nhow much of each value enters the sum"


def findings(assignment: Assignment) -> tuple[Finding, ...]:
    return audit(assignment, build(assignment))


def with_source(name: str, source: str) -> Callable[[dict[str, NotebookNode]], None]:
    def change(cells: dict[str, NotebookNode]) -> None:
        cells[name].source += source

    return change


def test_a_clean_source_has_no_findings(assignment: Assignment) -> None:
    assert findings(assignment) == ()


class TestSolutionLines:
    @pytest.mark.parametrize(
        "line", [SCORES, RENAMED, SPLIT], ids=["as it is", "renamed and respaced", "over four lines"]
    )
    @pytest.mark.parametrize(
        ("cell", "around", "place"),
        [
            pytest.param("play", "\n{}\n", "cell 7 (play)", id="as code in a free cell"),
            pytest.param("attend", "\n{}\n", "cell 4 (attend)", id="as code in a check"),
            pytest.param("play", "\nif True:\n    x = 1; {}\n", "cell 7 (play)", id="in the middle of a line"),
            pytest.param("title", "\nIt's this: {}, isn't it?\n", "cell 1 (title)", id="in prose"),
            pytest.param("title", "\n```python\n{}\n```\n", "cell 1 (title)", id="in a code block"),
            pytest.param("title", "\nDon't write `{}`, it isn't done.\n", "cell 1 (title)", id="in a code span"),
            pytest.param("setup", '\n"""\n>>> {}\n"""\n', "cell 2 (setup)", id="in a docstring"),
            pytest.param("setup", "\nhint = {!r}\n", "cell 2 (setup)", id="in a string"),
        ],
    )
    def test_one_is_caught(
        self, assignment: Assignment, edit: Edit, line: str, cell: str, around: str, place: str
    ) -> None:
        edit(with_source(cell, around.format(line)))
        found = findings(assignment)

        assert {(finding.file, finding.cell) for finding in found} == {("release/lab/lab.ipynb", place)}
        assert any("a solution line (lab.ipynb, cell 3 (attend-solution), line 5)" in one.what for one in found)
        assert all(finding.what.endswith(", renamed") == (line is RENAMED) for finding in found)

    @pytest.mark.parametrize(
        "line", [SCORES, RENAMED, SPLIT], ids=["as it is", "renamed and respaced", "over four lines"]
    )
    def test_one_that_is_commented_out_is_caught(self, assignment: Assignment, edit: Edit, line: str) -> None:
        edit(with_source("setup", "\n" + "\n".join(f"# {part}" for part in line.split("\n"))))
        [found] = findings(assignment)

        assert (found.cell, found.line) == (
            "cell 2 (setup)",
            len(read_setup(assignment).split("\n")) - line.count("\n"),
        )

    def test_the_line_is_that_of_the_cell(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["play"].update(source=f"x = 1\n\n{SCORES}\n"))

        assert [str(finding) for finding in findings(assignment)] == [
            f"{PLACE} (play), line 3: a solution line (lab.ipynb, cell 3 (attend-solution), line 5)"
        ]

    def test_escaped_for_the_web_it_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(with_source("title", f"<pre>{SCORES.replace('>', '&gt;').replace(chr(34), '&quot;')}</pre>"))

        assert len(findings(assignment)) == 1

    def test_in_metadata_of_a_cell_it_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["play"].metadata.update(notes={"old": ["try", json.dumps({"source": RENAMED})]}))
        [found] = findings(assignment)

        assert found.what.startswith("in its metadata: a solution line")
        assert (found.cell, found.line) == ("cell 7 (play)", 0)

    def test_in_metadata_of_the_notebook_it_is_caught(self, assignment: Assignment) -> None:
        path = assignment.source_dir / "lab.ipynb"
        notebook = read_notebook(path)
        notebook.metadata["toc"] = {"title": SCORES}
        nbformat.write(notebook, path)
        [found] = findings(assignment)

        assert (found.file, found.cell) == ("release/lab/lab.ipynb", "")

    def test_in_a_text_attachment_it_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        data = base64.b64encode(f"try this:\n{RENAMED}".encode()).decode()
        edit(lambda cells: cells["title"].update(attachments={"hint.txt": {"text/plain": data}}))
        [found] = findings(assignment)

        assert found.what.startswith("in its attachment: a solution line")

    def test_in_a_file_beside_the_notebook_it_is_caught(self, assignment: Assignment) -> None:
        (assignment.source_dir / "README.md").write_text(f"# Hints\n\n    {RENAMED}\n")
        (assignment.source_dir / "attic.py").write_text(
            f"import math, torch\n\n\ndef old(query, keys):\n    {RENAMED}\n"
        )

        found = {(finding.file, finding.line) for finding in findings(assignment)}
        assert found == {("release/lab/README.md", 3), ("release/lab/attic.py", 5)}

    def test_of_a_module_it_is_caught_in_the_notebook(self, assignment: Assignment, edit: Edit) -> None:
        body = "    return torch.logsumexp(logits / 0.7, dim=-1) + math.log(logits.shape[-1])\n"
        module = f"def f(logits):\n    ### BEGIN SOLUTION\n{body}    ### END SOLUTION\n"
        (assignment.source_dir / "model.py").write_text(module)
        edit(with_source("play", "\n" + body.replace("logits", "z").replace("return", "y =").strip()))
        [found] = findings(assignment)

        assert found.what == "a solution line (model.py, line 3), renamed"

    def test_of_a_cell_that_is_all_solution_it_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(with_source("title", "\n`print(scaled(xs, factor=0.125).max())`"))
        [found] = findings(assignment)

        assert found.what == "a solution line (lab.ipynb, cell 5 (plot), line 2), renamed"

    def test_three_short_lines_in_a_row_are_caught_and_one_of_them_is_not(
        self, assignment: Assignment, edit: Edit
    ) -> None:
        body = ["rows = table.clone()", "rows[0] = rows.sum() * 2", "rows = rows.flip(0)"]
        inside = "\n    ".join(body)
        edit(
            with_source(
                "attend-solution", f"\ndef g(table):\n    ### BEGIN SOLUTION\n    {inside}\n    ### END SOLUTION\n"
            )
        )
        edit(with_source("title", f"\n`{body[1]}`\n"))
        assert findings(assignment) == ()

        edit(with_source("title", "\n" + "\n".join(body).replace("rows", "x").replace("table", "y")))
        [found] = findings(assignment)
        assert found.what == "a solution line (lab.ipynb, cell 3 (attend-solution), line 12), renamed"

    def test_a_hidden_test_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(with_source("play", "\nt = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(2, 3, 4)"))
        [found] = findings(assignment)

        assert found.what == "a hidden test line (lab.ipynb, cell 4 (attend), line 3), renamed"

    def test_a_comment_that_explains_the_solution_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        text = "\nThe scores are divided by the root of their width, or the softmax saturates.\n"
        edit(with_source("title", text))
        [found] = findings(assignment)

        assert found.what == "a comment or string of the solution (lab.ipynb, cell 3 (attend-solution))"


def read_setup(assignment: Assignment) -> str:
    return next(
        str(cell.source) for cell in read_notebook(assignment.source_dir / "lab.ipynb").cells if cell.id == "setup"
    )


def test_most_of_what_lab08_hides_is_found_with_every_name_changed() -> None:
    """The others are lines like ``return losses`` or ``model.train()``, or stand in the supplied code too."""
    lab08 = Course.find(Path(__file__)).assignment("lab08")
    hidden = hidden_in({name: path.read_bytes() for name, path in source_files(lab08)})
    patterns = Patterns(hidden.lines, hidden.vocabulary)
    found = []
    for _, tokens in hidden.lines:
        shape = _shape(tokens, hidden.vocabulary)
        renamed = [
            token._replace(text=f"{token.text}_2") if kind == _OWN else token
            for token, kind in zip(tokens, shape, strict=True)
        ]
        found.append(any(patterns.matches(renamed)))

    assert sum(found) > len(found) / 2


class TestNoFalseAlarms:
    @pytest.mark.parametrize(
        "text",
        [
            "\ndef f(weights):\n    return weights\n",
            "\nweights = torch.softmax(rows, dim=-1)\n",
            "\nscores = torch.zeros(3) / math.sqrt(3)\n",
            "\nfor i in range(10):\n    pass\n",
            '\nprint(torch.einsum("bd,bnd->bn", a, b).shape)\n',
        ],
        ids=["return", "one call", "other numbers", "loop", "another use of a call"],
    )
    def test_code_that_any_program_may_hold(self, assignment: Assignment, edit: Edit, text: str) -> None:
        edit(with_source("play", text))

        assert findings(assignment) == ()

    def test_a_line_that_the_supplied_code_has_too(self, assignment: Assignment, edit: Edit) -> None:
        line = "    return torch.tanh(x * factor) / math.sqrt(WIDTH)\n"
        edit(
            with_source("attend-solution", f"\ndef g(x, factor):\n    ### BEGIN SOLUTION\n{line}    ### END SOLUTION\n")
        )

        assert findings(assignment) == ()

    def test_a_line_that_is_marked_as_given(self, assignment: Assignment, edit: Edit) -> None:
        def change(cells: dict[str, NotebookNode]) -> None:
            cells["attend-solution"].source = cells["attend-solution"].source.replace(SCORES, f"{SCORES}  # given")
            cells["title"].source += f"\nUse `{SCORES}`.\n"

        edit(change)

        assert findings(assignment) == ()

    def test_a_phrase_that_question_and_answer_share(self, assignment: Assignment, edit: Edit) -> None:
        edit(with_source("title", "\nSay how much of each value enters the sum.\n"))

        assert findings(assignment) == ()

    def test_a_machine_whose_user_has_a_common_name(
        self, assignment: Assignment, edit: Edit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(getpass, "getuser", lambda: "root")
        edit(with_source("title", "\nThe square root is taken of `root=data`, see /content/drive.\n"))

        assert findings(assignment) == ()

    def test_the_course_that_ships(self) -> None:
        assert findings(Course.find(Path(__file__)).assignment("lab08")) == ()


class TestProse:
    @pytest.mark.parametrize(
        ("cell", "text", "place"),
        [
            ("title", f"\n> {SENTENCE}!\n", "cell 1 (title)"),
            ("play", f"\n# {SENTENCE.replace(chr(10), chr(10) + '# ')}\n", "cell 7 (play)"),
        ],
        ids=["prose", "comment"],
    )
    def test_a_sentence_of_a_model_answer_is_caught(
        self, assignment: Assignment, edit: Edit, cell: str, text: str, place: str
    ) -> None:
        edit(with_source(cell, text))
        [found] = findings(assignment)

        assert (found.cell, found.what) == (place, "a sentence of the model answer (lab.ipynb, cell 6 (why))")

    def test_a_rubric_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(
            with_source("title", "\n(One point for saying that weights mix values, one point for denying the rest.)\n")
        )
        [found] = findings(assignment)

        assert found.what == "a sentence of the rubric (lab.ipynb, cell 7 (why-rubric))"

    def test_a_rubric_that_lost_its_tag_is_caught_where_another_has_its_text(
        self, assignment: Assignment, edit: Edit
    ) -> None:
        edit(lambda cells: cells["play"].update(source=f"'''{cells['why-rubric'].source}'''"))

        assert [finding.cell for finding in findings(assignment)] == ["cell 7 (play)"]

    def test_the_figure_of_an_answer_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        figure = {"figure.png": {"image/png": base64.b64encode(bytes(range(200))).decode()}}

        def change(cells: dict[str, NotebookNode]) -> None:
            cells["why"]["attachments"] = figure
            cells["title"]["attachments"] = {"other.png": figure["figure.png"]}

        edit(change)
        [found] = findings(assignment)

        assert found.what == "the attachment of a hidden cell (lab.ipynb, cell 6 (why))"

    def test_short_phrases_are_documented_as_not_looked_for(self) -> None:
        assert MIN_WORDS == 7


class TestTransformsThatFail:
    """What the audit says of a release that was not made as it should be."""

    @pytest.fixture
    def tamper(self, assignment: Assignment) -> Callable[[str, Callable[[NotebookNode], None]], list[str]]:
        def tampered(name: str, change: Callable[[NotebookNode], None]) -> list[str]:
            trees = build(assignment)
            notebook = nbformat.reads(trees.release["lab.ipynb"].decode(), as_version=4)
            change(next(cell for cell in notebook.cells if cell.id == name))
            release_tree = {"lab.ipynb": nbformat.writes(notebook).encode()}
            return [str(finding) for finding in audit(assignment, Trees(release_tree, trees.solutions))]

        return tampered

    def test_an_output_is_caught_and_read(self, tamper: Callable[..., list[str]]) -> None:
        output = nbformat.v4.new_output("execute_result", {"text/plain": RENAMED})
        found = tamper("play", lambda cell: cell.update(outputs=[output]))

        assert found[0] == "release/lab/lab.ipynb, cell 7 (play): has outputs"
        assert found[1].startswith("release/lab/lab.ipynb, cell 7 (play): in its output: a solution line")

    def test_an_execution_count_is_caught(self, tamper: Callable[..., list[str]]) -> None:
        found = tamper("play", lambda cell: cell.update(execution_count=3))

        assert found == ["release/lab/lab.ipynb, cell 7 (play): has an execution count"]

    def test_a_rubric_cell_is_caught(self, tamper: Callable[..., list[str]]) -> None:
        found = tamper("play", lambda cell: cell.metadata.update(tags=["rubric"]))

        assert found == ["release/lab/lab.ipynb, cell 7 (play): is a rubric"]

    def test_an_attachment_in_an_answer_is_caught(self, tamper: Callable[..., list[str]]) -> None:
        found = tamper("why", lambda cell: cell.update(attachments={"a.png": {"image/png": "AAAA"}}))

        assert found == ["release/lab/lab.ipynb, cell 6 (why): has an attachment, but is for students to fill"]

    @pytest.mark.parametrize(
        "marker", ["### BEGIN SOLUTION", "### END SOLUTION", "# BEGIN HIDDEN TESTS", "=== BEGIN MARK SCHEME ==="]
    )
    def test_a_marker_is_caught(self, tamper: Callable[..., list[str]], marker: str) -> None:
        found = tamper("play", lambda cell: cell.update(source=f"'''\n{marker}\n'''"))

        assert found == [f"release/lab/lab.ipynb, cell 7 (play), line 2: the marker {marker.strip('#= ')} is left"]

    def test_a_stub_that_is_no_python_is_caught(self, tamper: Callable[..., list[str]]) -> None:
        found = tamper("attend-solution", lambda cell: cell.update(source="%time\ndef attend(q, K, V):\n"))

        problem = "is not Python (expected an indented block after function definition on line 2)"
        assert found == [f"release/lab/lab.ipynb, cell 3 (attend-solution), line 2: {problem}"]

    def test_code_that_parses_and_still_cannot_run_is_caught(self, tamper: Callable[..., list[str]]) -> None:
        assert "'return' outside function" in tamper("play", lambda cell: cell.update(source="return 1"))[0]

    def test_an_uncut_solution_is_caught_line_by_line(self, tamper: Callable[..., list[str]]) -> None:
        source = f"def attend(q, K, V):\n    {SCORES}\n    return 0"

        assert len(tamper("attend-solution", lambda cell: cell.update(source=source))) == 1


class TestTracesOfTheMachine:
    @pytest.mark.parametrize(
        "text",
        [
            "/home/ada/course/data",
            "/Users/Ada/data",
            "C:\\Users\\Ada\\data",
            "/root/course",
            "ask ada-l on this machine",
        ],
    )
    def test_a_home_folder_or_a_users_name_is_caught(
        self, assignment: Assignment, edit: Edit, monkeypatch: pytest.MonkeyPatch, text: str
    ) -> None:
        monkeypatch.setattr(getpass, "getuser", lambda: "ada-l")
        edit(with_source("title", f"\nSee {text} for it.\n"))
        found = findings(assignment)

        assert [finding.file for finding in found] == ["release/lab/lab.ipynb", "solutions/lab/lab.ipynb"]
        assert all("is a path or name of one machine or user" in finding.what for finding in found)

    def test_the_courses_own_folder_is_caught(self, assignment: Assignment, edit: Edit) -> None:
        edit(with_source("setup", f"\nFOLDER = {str(assignment.root / 'data')!r}\n"))

        assert len(findings(assignment)) == 2

    def test_a_trace_in_a_solution_is_caught_in_solutions(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["plot"].update(source="open('/home/ada/values.txt')"))

        assert [finding.file for finding in findings(assignment)] == ["solutions/lab/lab.ipynb"]


class TestFilesOfTheSuite:
    def test_a_reference_is_caught_by_whatever_name(self, assignment: Assignment) -> None:
        shutil.copy(assignment.tests_dir / "references" / "attend.safetensors", assignment.source_dir / "weights.bin")
        [found] = findings(assignment)

        assert str(found) == "release/lab/weights.bin: is a file of the hidden suite (references/attend.safetensors)"

    def test_a_test_module_is_caught_whatever_it_holds_now(self, assignment: Assignment) -> None:
        (assignment.source_dir / "test_attend.py").write_text("# an older version\n")
        [found] = findings(assignment)

        assert str(found) == "release/lab/test_attend.py: is a file of the hidden suite (test_attend.py)"

    def test_files_too_small_to_tell_are_left_alone(self, assignment: Assignment) -> None:
        for folder in (assignment.tests_dir, assignment.source_dir):
            (folder / "__init__.py").write_text("")

        assert findings(assignment) == ()


def test_the_error_lists_every_leak_and_nothing_is_written(assignment: Assignment, edit: Edit) -> None:
    edit(with_source("title", f"\n{SENTENCE}.\n\n`{RENAMED}`\n"))

    with pytest.raises(LeakError) as caught:
        release(assignment)
    first, *listed = str(caught.value).split("\n")
    assert first == "lab: not released, for students would see what is hidden:"
    assert len(listed) == 2
    assert all(line.startswith("  release/lab/lab.ipynb, cell 1 (title), line ") for line in listed)
    assert not assignment.release_dir.exists()
    assert not assignment.solutions_dir.exists()
