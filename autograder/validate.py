"""What a student should know before submitting: everything of the checklist that a machine can check.

It reads the notebook alone, runs nothing, and needs neither torch nor the hidden tests. Where the course's own files
are at hand, it also says what grading would have to repair.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
from nbformat import NotebookNode

from autograder._exceptions import NotebookError
from autograder.course import Assignment
from autograder.notebooks import Role, grade_id, plain_python, read_notebook, role
from autograder.submission import Submission, read_submission
from autograder.submission.answers import MEMBERS_NAME, pairs_in
from autograder.submission.names import parsed
from autograder.submission.sentences import numbered, quoted
from autograder.submission.statements import raises_not_implemented
from autograder.submission.template import MEMBERS, STUB_CODE, STUB_TEXT

__all__ = ["Finding", "validate"]

LARGE_BYTES = 10_000_000
"""From this size on a notebook is slow to submit and to mark, though it is read."""

WANDB_LINKS = 3
WANDB_CELL = "wandb-links"
WANDB_RUN = re.compile(r"https?://(?:www\.)?wandb\.ai/([\w.-]+)/([\w.%-]+)/runs/([\w-]+)")

RERUN = "choose Restart and Run All, then save"
PLACEHOLDERS = frozenset({"student name", "student number", "your name", "name", ""})


class Finding(msgspec.Struct, frozen=True):
    """One thing to look at before submitting. ``missing``: something has to be done; otherwise it is worth knowing.

    ``where`` names the question and its section, or the cell; ``what`` says what is wrong and what to do.
    """

    where: str
    what: str
    missing: bool = True


class _Spot(msgspec.Struct, frozen=True):
    """A cell with its place, counted from 1, and the heading that it stands under."""

    cell: NotebookNode
    number: int
    heading: str

    @property
    def text(self) -> str:
        return str(self.cell.source)

    @property
    def is_code(self) -> bool:
        return bool(self.cell.cell_type == "code")

    @property
    def where(self) -> str:
        """``question `attend` in "Q3.1 Attend", cell 20``."""
        name = grade_id(self.cell)
        asks = role(self.cell) in (Role.SOLUTION, Role.AUTOGRADED, Role.MANUAL) and name != MEMBERS
        question = f"question `{name.removesuffix('-solution')}`" if name and asks else ""
        section = f'"{self.heading}"' if self.heading else ""
        place = " in ".join(part for part in (question, section) if part)
        return f"{place}, cell {self.number}" if place else f"cell {self.number}"


def validate(path: Path, assignment: Assignment | None = None) -> list[Finding]:
    """Everything to look at in the notebook at ``path``, in its order; empty where it is ready to submit.

    With ``assignment``, whose source must be at hand, what grading would repair is said too. Raises
    ``NotebookError`` where there is no such file.
    """
    try:
        spots = tuple(_spots(read_notebook(path)))
    except NotebookError as error:
        if error.fault == "missing":
            raise
        return [Finding(path.name, f"{error}.")]
    known = [spot for spot in spots if grade_id(spot.cell) is not None]
    found = [
        *_size(path),
        *(_recognisable(path) if not known else ()),
        *(finding for spot in spots for finding in _spot(spot)),
        *_duplicates(known),
        *_incomplete(known),
        *_runs(spots),
        *_links(spots),
    ]
    return [*found, *_graded(path, assignment, found)] if assignment is not None else found


def _spots(notebook: NotebookNode) -> Iterator[_Spot]:
    heading = ""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown":
            titles = re.findall(r"(?m)^#{1,6}[ \t]+(.+?)[ \t#]*$", cell.source)
            heading = titles[-1] if titles else heading
        yield _Spot(cell, number, heading)


def _size(path: Path) -> Iterator[Finding]:
    size = path.stat().st_size
    if size > LARGE_BYTES:
        remedy = "clear the outputs of the cells that show many images (Edit, Clear Outputs) before you submit"
        yield Finding(path.name, f"The file has {size / 1e6:.0f} MB; {remedy}.", missing=False)


def _recognisable(path: Path) -> Iterator[Finding]:
    remedy = "copy your answers into a fresh copy of the assignment and submit that"
    yield Finding(path.name, f"The notebook has lost the marks by which its questions are recognised; {remedy}.")


# -- one cell ---------------------------------------------------------------------------------------------------------


def _spot(spot: _Spot) -> Iterator[Finding]:
    if grade_id(spot.cell) == MEMBERS:
        yield from _members(spot)
    elif role(spot.cell) is Role.MANUAL and not spot.is_code:
        if grade_id(spot.cell) == WANDB_CELL:
            pass  # its links are counted
        elif spot.text.strip() in ("", STUB_TEXT):
            yield Finding(spot.where, "There is no answer yet; write one in place of the placeholder.")
        elif STUB_TEXT in spot.text:
            yield Finding(spot.where, f"The placeholder {STUB_TEXT} is still there; delete it.", missing=False)
    elif spot.is_code:
        yield from _code(spot)
    yield from _error(spot)


def _members(spot: _Spot) -> Iterator[Finding]:
    form = f'{MEMBERS_NAME} = [("Ada Lovelace", "12345678"), ...]'
    pairs = pairs_in(plain_python(spot.text))
    blank = [name for name, number in pairs if name.lower() in PLACEHOLDERS or number.lower() in PLACEHOLDERS]
    if not pairs:
        yield Finding(spot.where, f"The members cannot be read; write them as {form}, with quotation marks.")
    elif blank:
        yield Finding(spot.where, f"The members are not filled in; write every name and number as {form}.")
    elif _stubs(spot.text):
        yield Finding(spot.where, f"The line `{STUB_CODE[1]}` is still there; delete it.", missing=False)


def _code(spot: _Spot) -> Iterator[Finding]:
    kind = role(spot.cell)
    if kind in (Role.SOLUTION, Role.MANUAL) and not spot.text.strip():
        yield Finding(spot.where, "The cell is empty; write your answer into it.")
    elif kind in (Role.SOLUTION, Role.MANUAL, Role.FREE):
        stubs = _stubs(spot.text)
        if stubs:
            named = f" of {quoted(stubs)}" if all(stubs) else ""
            what = f"The stubs{named} are" if len(stubs) > 1 else f"The stub{named} is"
            yield Finding(spot.where, f"{what} still there; write your answer and delete `{STUB_CODE[1]}`.")
        elif kind is not Role.FREE and (reason := _syntax_error(spot.text)):
            yield Finding(spot.where, f"The cell is not valid Python ({reason}); correct it and run it again.")


def _stubs(text: str) -> list[str]:
    """Names of the functions that still raise as they were released, an empty name for the cell itself."""
    if not re.search(r"(?m)^[^#\n]*\braise NotImplementedError\b", text) or STUB_CODE[0] not in text:
        return []
    tree = parsed(plain_python(text))
    if tree is None:
        return [""]
    found: list[str] = []
    waiting: list[tuple[str, ast.AST]] = [("", node) for node in tree.body]
    while waiting:
        name, node = waiting.pop(0)
        if isinstance(node, ast.stmt) and raises_not_implemented(node):
            found.append(name)
        own = getattr(node, "name", "") if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
        inner = ".".join(filter(None, (name, own)))
        waiting += [(inner, child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return list(dict.fromkeys(found))


def _syntax_error(text: str) -> str:
    source = plain_python(text)
    if parsed(source) is not None:
        return ""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, MemoryError, RecursionError):
        return "it is nested too deeply"
    return ""


def _error(spot: _Spot) -> Iterator[Finding]:
    for output in spot.cell.get("outputs", []):
        if output.get("output_type") == "error":
            kind = f" ({output['ename']})" if isinstance(output.get("ename"), str) and output["ename"] else ""
            yield Finding(spot.where, f"The last run of this cell ended in an error{kind}; correct it, and {RERUN}.")
            return


# -- the whole notebook -----------------------------------------------------------------------------------------------


def _duplicates(known: list[_Spot]) -> Iterator[Finding]:
    counts = Counter(grade_id(spot.cell) for spot in known)
    for name, times in counts.items():
        if times > 1:
            copies = [spot for spot in known if grade_id(spot.cell) == name]
            where = numbered(spot.number for spot in copies)
            yield Finding(copies[0].where, f"This cell is there {times} times, in {where}; keep the one that counts.")


def _incomplete(known: list[_Spot]) -> Iterator[Finding]:
    """Supplied cells that were changed, by nbgrader's checksum, and cells whose other half is gone."""
    names = {grade_id(spot.cell) for spot in known}
    for spot in known:
        name, kind = str(grade_id(spot.cell)), role(spot.cell)
        question = name.removesuffix("-solution")
        if kind is Role.AUTOGRADED and any(str(other).endswith("-solution") for other in names):
            if f"{name}-solution" not in names:
                yield Finding(spot.where, "The answer's cell above this check is gone; get it from the release.")
        elif kind is Role.SOLUTION and name != question and question not in names:
            yield Finding(spot.where, "The check below this answer is gone; get it from the release.", missing=False)
        if kind in (Role.SETUP, Role.LOCKED, Role.AUTOGRADED) and _is_changed(spot.cell):
            yield Finding(spot.where, "This supplied cell was changed; grading uses the original of it.", missing=False)


def _is_changed(cell: NotebookNode) -> bool:
    checksum = cell.metadata.nbgrader.get("checksum")
    if not isinstance(checksum, str):
        return False
    from nbgrader.utils import compute_checksum  # two seconds, so only where a release is looked at

    try:
        return bool(compute_checksum(cell) != checksum)
    except (AttributeError, KeyError, TypeError, ValueError):  # metadata edited by hand
        return True


def _runs(spots: tuple[_Spot, ...]) -> Iterator[Finding]:
    """Cells that were never run, and cells that were run in another order than they stand in."""
    code = [spot for spot in spots if spot.is_code and spot.text.strip()]
    never = [spot.number for spot in code if spot.cell.execution_count is None]
    if code and len(never) == len(code):
        yield Finding("the notebook", f"No cell has been run; {RERUN}.")
        return
    if never:
        was = "was" if len(never) == 1 else "were"
        yield Finding(numbered(never), f"{numbered(never).capitalize()} {was} never run; {RERUN}.")
    ran = [spot for spot in code if spot.cell.execution_count is not None]
    for above, below in pairwise(ran):
        if below.cell.execution_count <= above.cell.execution_count:
            order = f"Cell {below.number} was run before cell {above.number}, which stands above it"
            yield Finding(below.where, f"{order}, so the outputs may not be those of this notebook; {RERUN}.")
            return  # one sentence says what to do about all of them


def _links(spots: tuple[_Spot, ...]) -> Iterator[Finding]:
    """Links to runs on Weights & Biases, where the notebook asks for them."""
    asking = [spot for spot in spots if grade_id(spot.cell) == WANDB_CELL]
    if not asking:
        return
    prose = "\n".join(spot.text for spot in spots if not spot.is_code)
    runs = set(WANDB_RUN.findall(prose))
    if len(runs) < WANDB_LINKS:
        there = {0: "no link", 1: "1 link"}.get(len(runs), f"{len(runs)} links")
        form = "https://wandb.ai/<you>/<project>/runs/<run>"
        remedy = f"paste the addresses of {WANDB_LINKS} different runs, which look like {form}"
        yield Finding(asking[0].where, f"There is {there} to a W&B run; {remedy}.")


# -- with the course at hand ------------------------------------------------------------------------------------------


def _graded(path: Path, assignment: Assignment, found: list[Finding]) -> Iterator[Finding]:
    """What reading it for grading says, as far as the notebook alone did not say it."""
    submission = read_submission(path, assignment)
    if submission.fault is not None:
        yield Finding(path.name, f"{submission.fault.message}.")
        return
    yield from _unanswered(submission, found)
    for repair in submission.repairs:
        yield Finding(f"cell `{repair.cell}`" if repair.cell else path.name, repair.what, missing=False)


def _unanswered(submission: Submission, found: list[Finding]) -> Iterator[Finding]:
    said = " ".join(finding.where for finding in found if finding.missing)
    empty = [name for name, text in submission.manual.items() if not text]
    names = [name for name in (*submission.missing, *submission.untouched, *empty) if f"`{name}`" not in said]
    for name in names:
        yield Finding(f"question `{name}`", "There is no answer to this question; write one.")
