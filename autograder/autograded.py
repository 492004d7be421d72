"""A submission as formgrader shows it: the instructor's cells, the student's answers, and what the hidden checks found.

Laid over the skeleton of its notebook, a submission is whole again whatever became of it: every graded cell is there
once, with nbgrader's metadata, in the source's order. Cells of the student's own stay near where they stood.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from nbformat import NotebookNode

from autograder._tolerant import as_node
from autograder.grading.report import Outcome, Report, TestResult
from autograder.harmless import harmless_attachments, harmless_markdown, harmless_outputs, printed, shown
from autograder.notebooks import Role, definitions, grade_id, plain_python, role
from autograder.plain import one_line, plain

__all__ = ["Restored", "restore"]

MISSING = "This cell was missing from the submission."
SHOWS_ANSWER = "-answer"
"""The cell ``<task>-answer`` shows what was written for a task in a module."""

RULES = 5
MAX_FREE_CELLS = 300
MAX_CELL_CHARACTERS = 200_000
STUDENT_ROLES = frozenset({Role.SOLUTION, Role.MANUAL})


class Restored(msgspec.Struct, frozen=True):
    """A submission laid over its skeleton. ``unanswered`` names the answers that are as they were released."""

    notebook: NotebookNode
    unanswered: frozenset[str]


def restore(skeleton: NotebookNode, student: NotebookNode, answers: Mapping[str, str], report: Report) -> Restored:
    """Lay the ``student``'s notebook over ``skeleton`` and write the outcomes of ``report`` under its graded cells.

    ``answers`` maps solution cells to what the student wrote in them, as the submission was read (cells without or with
    doubled ids already told apart), and tasks to what was written elsewhere. Neither notebook is changed.
    """
    places = _places(skeleton.cells, student.cells, answers)
    free = _free_cells(skeleton.cells, student.cells, places)
    cells = [_free(cell) for cell in free.pop(-1, ())]
    unanswered = set()
    for index, cell in enumerate(skeleton.cells):
        found = student.cells[places[index]] if index in places else None
        restored = _restored(cell, found, answers, report)
        cells.append(restored)
        if (
            role(cell) in STUDENT_ROLES
            and found is not None
            and _text(cell, found, answers).strip() == cell.source.strip()
        ):
            unanswered.add(str(grade_id(cell)))
        if role(cell) is Role.TASK and not answers.get(str(grade_id(cell))):
            unanswered.add(str(grade_id(cell)))
        cells.extend(_free(own) for own in free.pop(index, ()))
    metadata = {"kernelspec": copy.deepcopy(skeleton.metadata.get("kernelspec", {}))}
    notebook = as_node({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
    _without_hidden_tests(notebook)
    _number_ids(notebook.cells)
    return Restored(notebook, frozenset(unanswered))


def _places(skeleton: list[NotebookNode], student: list[NotebookNode], answers: Mapping[str, str]) -> dict[int, int]:
    """For each cell of the skeleton the place of the student's cell that is it.

    Found by nbgrader's id and text, then id, then text, then what it defines, then the notebook format's cell id, each
    rule over all cells before the next. Of several, the last one that is not as it was released wins, as when the
    submission was read.
    """
    offered = [_keys(cell, cell.source, slot=True) for cell in student]
    wanted = [
        _keys(cell, answers.get(grade_id(cell) or "", cell.source), slot=role(cell) is Role.SOLUTION)
        for cell in skeleton
    ]
    released = {cell.source.strip() for cell in skeleton}
    order = sorted(range(len(student)), key=lambda place: student[place].source.strip() not in released)
    places: dict[int, int] = {}
    taken: set[int] = set()
    for rule in range(RULES):
        by_key = {offered[place][rule]: place for place in order if offered[place][rule] and place not in taken}
        for index, keys in enumerate(wanted):
            place = by_key.get(keys[rule])
            if index not in places and place is not None and place not in taken:
                places[index] = place
                taken.add(place)
    return places


def _keys(cell: NotebookNode, text: str, *, slot: bool) -> tuple[object, ...]:
    """What ``cell`` may be recognised by, the surest first; a falsy key recognises nothing.

    What a cell defines says which it is only of a ``slot``, whose names the source prescribes.
    """
    name = grade_id(cell)
    is_code = cell.cell_type == "code"
    text = (plain_python(text) if is_code else text).strip()
    names = definitions(text) if slot and is_code else None
    return (name and (name, text), name, text, names, cell.get("id") and (cell.cell_type, cell.id))


def _free_cells(
    skeleton: list[NotebookNode], student: list[NotebookNode], places: Mapping[int, int]
) -> dict[int, list[NotebookNode]]:
    """The student's own cells by the index of the skeleton's cell that they follow, -1 for those before all."""
    index_of = {place: index for index, place in places.items()}
    free: dict[int, list[NotebookNode]] = {}
    after = -1
    room = MAX_FREE_CELLS
    for place, cell in enumerate(student):
        index = index_of.get(place)
        if index is not None:
            after = index
            edited = role(skeleton[index]) is Role.FREE and cell.source.strip() != skeleton[index].source.strip()
            if not edited:  # else somebody answered into the instructor's prose: show both
                continue
        if cell.source.strip() and room:
            room -= 1
            free.setdefault(after, []).append(cell)
    return free


def _restored(
    cell: NotebookNode, found: NotebookNode | None, answers: Mapping[str, str], report: Report
) -> NotebookNode:
    """The skeleton's ``cell`` with what the student's ``found`` has to add to it."""
    restored = copy.deepcopy(cell)
    kind = role(cell)
    if kind in STUDENT_ROLES:
        text = _text(cell, found, answers)
        if cell.cell_type == "markdown":
            kept = harmless_attachments(found.get("attachments", {})) if found is not None else {}
            text = harmless_markdown(text, kept)
            if kept:
                restored["attachments"] = kept
        restored.source = text if cell.cell_type == "markdown" else plain(text, most=MAX_CELL_CHARACTERS)
    if cell.cell_type != "code":
        return restored
    task = (grade_id(cell) or "").removesuffix(SHOWS_ANSWER)
    if kind is Role.LOCKED and task in answers:
        restored.outputs = [shown(harmless_markdown(answers[task], {}))]
    elif kind is Role.AUTOGRADED:
        restored.outputs = [printed(_outcomes(str(grade_id(cell)), report))]
    elif found is not None and found.cell_type == "code":
        restored.outputs = harmless_outputs(found.outputs)
    return restored


def _text(cell: NotebookNode, found: NotebookNode | None, answers: Mapping[str, str]) -> str:
    """What the student wrote into ``cell``: as it stands there, or as it was read where it stood elsewhere."""
    text = answers.get(grade_id(cell) or "")
    if found is not None and (text is None or found.source.strip() != cell.source.strip()):
        return str(found.source)
    if text is not None:
        return text
    return f"# {MISSING}\n{cell.source}" if cell.cell_type == "code" else f"{MISSING}\n\n{cell.source}"


def _free(cell: NotebookNode) -> NotebookNode:
    """A cell of the student's own, with none of its metadata."""
    own: dict[str, Any] = {"cell_type": cell.cell_type, "metadata": {}}
    if cell.cell_type == "code":
        text = plain(cell.source, most=MAX_CELL_CHARACTERS)
        return as_node(own | {"source": text, "outputs": harmless_outputs(cell.outputs), "execution_count": None})
    kept = harmless_attachments(cell.get("attachments", {}))
    # Raw cells too: nbconvert copies them into the page as they are.
    own["source"] = harmless_markdown(cell.source, kept)
    return as_node(own | ({"attachments": kept} if kept else {}))


def _outcomes(question: str, report: Report) -> str:
    """The checks of one question, a line each and what was found below it."""
    score = next((score for score in report.questions if score.question == question), None)
    if score is None:
        return "No hidden check was run for this question.\n"
    lines = [f"{question}: {score.points:g} of {score.max_points:g} points"]
    if report.fault:
        lines.append(f"not graded, {report.fault}: {one_line(report.fault_message, most=300)}")
    for test in report.tests:
        if test.question == question:
            lines.extend(_outcome(test))
    return "\n".join(lines) + "\n"


def _outcome(test: TestResult) -> Iterable[str]:
    yield f"{test.outcome.value:<21} {one_line(test.check, most=200)}"
    for text, label in ((test.message, ""), (test.hint, "hint: ")):
        if text and test.outcome is not Outcome.PASSED:
            yield "\n".join(f"    {line}" for line in f"{label}{plain(text, most=1_000)}".splitlines())


def _without_hidden_tests(notebook: NotebookNode) -> None:
    """Take out what students must not see: nbgrader makes its own feedback of this notebook."""
    from nbgrader.preprocessors import ClearHiddenTests

    ClearHiddenTests().preprocess(notebook, {})


def _number_ids(cells: list[Any]) -> None:
    """Cell ids by place: the student's may be doubled or forged, and the same submission should give the same bytes."""
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
