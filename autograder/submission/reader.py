"""Reading one submission: from whatever a student sent to the cells that are run, or the reason for none."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from autograder._exceptions import SubmissionError
from autograder.course import Assignment
from autograder.notebooks import Role
from autograder.submission.answers import manual_answers, members_of
from autograder.submission.cells import StudentCell, student_cells
from autograder.submission.files import CHECKPOINTS, SUFFIX, Found, look_through, read_bytes, trusted_base
from autograder.submission.helpers import AFTER, Helpers
from autograder.submission.matching import Answer, Matching
from autograder.submission.notes import notes
from autograder.submission.package import read_package
from autograder.submission.places import Places
from autograder.submission.records import Cell, FaultName, Refused, Repair, Submission
from autograder.submission.sentences import listed, quoted
from autograder.submission.splits import rejoined
from autograder.submission.template import MEMBERS, Template, template

__all__ = ["read_submission"]

MAX_CANDIDATES = 20
"""Notebooks of one submission that are read to find the right one."""


@dataclass(frozen=True)
class _Reading:
    """One notebook that was read and matched; ``path`` is where it lay."""

    path: Path
    data: bytes
    cells: tuple[StudentCell, ...]
    places: Places
    matching: Matching

    @property
    def worked_on(self) -> bool:
        """Whether there is an answer in it."""
        return any(answer.parts and not answer.untouched for answer in self.matching.answers)


def read_submission(path: Path, assignment: Assignment, student: str | None = None) -> Submission:
    """Read the submission at ``path``: a notebook or a folder that holds one; a package or a zip of it.

    Whatever a student sent gives a ``Submission``, with a ``fault`` where it cannot be graded. ``student`` is by
    default the name of the folder. Raises ``SubmissionError`` where ``path`` does not exist, and what reading the
    assignment's own source raises.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    if not os.path.lexists(path):
        raise SubmissionError(f"{path}: there is no such file or folder to read a submission from")
    name = student if student is not None else _student(path, assignment)
    if assignment.package is not None:
        return read_package(path, assignment, name)
    measure = template(assignment)
    data, notebook = b"", path
    try:
        notebook, data, ignored = _find(path, assignment, measure)
        reading = _examine(notebook, data, assignment, measure)
        return _submission(reading, assignment, name, ignored)
    except Refused as refused:
        missing = tuple(question.id for question in measure.questions if question.kind == "auto")
        manual = {question.id: "" for question in measure.questions if question.kind == "manual"}
        digest = hashlib.sha256(data).hexdigest() if data else ""
        return Submission(
            assignment.name, name, str(notebook), digest, fault=refused.fault, missing=missing, manual=manual
        )


def _student(path: Path, assignment: Assignment) -> str:
    """Whose it is by nbgrader's layout, ``submitted/<student>/<assignment>/<notebook>``, or by its folder."""
    folder = path.parent if path.suffix.lower() in (SUFFIX, ".zip") else path
    return folder.parent.name if folder.name == assignment.name else folder.name


# -- which file -------------------------------------------------------------------------------------------------------


def _find(path: Path, assignment: Assignment, measure: Template) -> tuple[Path, bytes, list[Repair]]:
    """The notebook to grade, its bytes, and what was passed over; raises ``Refused`` where there is no telling."""
    base = trusted_base(path)
    if path.is_symlink() or path.suffix.lower() == SUFFIX or not path.is_dir():
        return path, read_bytes(path, base), []
    found = look_through(path, base)
    if not found.notebooks:
        raise _nothing(path, found)
    beside = (*found.checkpoints, *found.links, *found.directories, *found.special)
    ignored = [_passed_over(path, other) for other in beside if other.suffix.lower() == SUFFIX]
    if len(found.notebooks) == 1:
        return found.notebooks[0], read_bytes(found.notebooks[0], base), ignored
    chosen, data = _choose(path, found.notebooks, base, assignment, measure)
    others = [_passed_over(path, other) for other in found.notebooks if other != chosen]
    return chosen, data, [*ignored, *others]


def _passed_over(folder: Path, path: Path) -> Repair:
    why = "is Jupyter's own copy" if CHECKPOINTS in path.parts else "is not the notebook to grade"
    return Repair("", f"`{path.relative_to(folder)}` {why} and was passed over.")


def _nothing(path: Path, found: Found) -> Refused:
    kinds: tuple[tuple[list[Path], FaultName, str], ...] = (
        (found.links, "symlink", "a symbolic link, and links are not followed"),
        (found.directories, "directory", "a folder, not a notebook"),
        (found.special, "unreadable", "a pipe or a device, not a file"),
    )
    for paths, fault, what in kinds:
        if paths:
            return Refused(fault, f"{paths[0].name} is {what}; submit the notebook file itself")
    if found.checkpoints:
        return Refused("no-notebook", f"{path.name} holds only Jupyter's checkpoint copy; submit the notebook itself")
    there = listed([other.name for other in found.others[:5]]) if found.others else "nothing"
    return Refused("no-notebook", f"{path.name} holds no notebook, but {there}; submit the .ipynb file")


def _choose(
    folder: Path, paths: list[Path], base: Path, assignment: Assignment, measure: Template
) -> tuple[Path, bytes]:
    """The one of several notebooks that is the assignment's, or the one of those that was worked on."""
    names = quoted(str(path.relative_to(folder)) for path in paths[:5])
    remedy = f"submit only the one that is to be graded, as {assignment.notebooks[0]}"
    readings: dict[bytes, _Reading] = {}
    refusals: dict[Path, Refused] = {}
    for path in sorted(paths[:MAX_CANDIDATES], key=lambda path: path.name not in assignment.notebooks):
        try:
            data = read_bytes(path, base)
            if data not in readings:
                readings[data] = _examine(path, data, assignment, measure)
        except Refused as refused:
            refusals[path] = refused
    if not readings:
        raise next(iter(refusals.values()))
    candidates = list(readings.values())
    worked_on = [reading for reading in candidates if reading.worked_on] or candidates[:1]
    if len(worked_on) > 1 or len(paths) > MAX_CANDIDATES:
        raise Refused("two-notebooks", f"{folder.name} holds {len(paths)} notebooks, {names}; {remedy}")
    return worked_on[0].path, worked_on[0].data


# -- what is in it ----------------------------------------------------------------------------------------------------


def _examine(path: Path, data: bytes, assignment: Assignment, measure: Template) -> _Reading:
    """Match the notebook in ``data``; raises ``Refused`` where it is none, or another assignment's."""
    cells = rejoined(student_cells(data, path.name))
    try:
        places = Places(measure, cells)
        matching = Matching(measure, cells, places)
    except (MemoryError, RecursionError) as error:
        raise Refused("unreadable", f"{path.name} holds code nested too deeply to be read") from error
    found = {source.index for source in places.of.values() if source.role is not Role.LOCKED and source.id != MEMBERS}
    found |= {answer.slot.index for answer in matching.answers if answer.parts}
    ours = {index for index in found if measure.cells[index].role is not Role.SETUP}
    foreign = {cell.grade_id for cell in cells if cell.grade_id is not None} - measure.by_id.keys()
    if not ours or len(foreign) > len(found):
        named = f" (its cells are called {listed(sorted(map(str, foreign))[:3])})" if foreign else ""
        remedy = f"submit {assignment.notebooks[0]}"
        raise Refused("other-assignment", f"{path.name} is not the notebook of {assignment.name}{named}; {remedy}")
    return _Reading(path, data, cells, places, matching)


def _submission(reading: _Reading, assignment: Assignment, student: str, ignored: list[Repair]) -> Submission:
    measure, matching = reading.matching.template, reading.matching
    helpers = Helpers(matching)
    used = frozenset(part.cell.index for answer in matching.answers for part in answer.parts)
    manual, found = manual_answers(measure, reading.cells, reading.places, used)
    members, doubt = members_of(measure, reading.cells, reading.places)
    answers = {answer.slot.id: answer for answer in matching.answers}
    of = {name: [answers[slot.id] for slot in slots] for name, slots in measure.question_slots.items()}
    return Submission(
        assignment=assignment.name,
        student=student,
        path=str(reading.path),
        sha256=hashlib.sha256(reading.data).hexdigest(),
        cells=tuple(_cells(matching, helpers)),
        repairs=(*ignored, *notes(matching, helpers), *found, *([doubt] if doubt else [])),
        members=members,
        missing=tuple(name for name, found in of.items() if not any(answer.parts for answer in found)),
        untouched=tuple(
            name for name, found in of.items()
            if any(answer.parts for answer in found) and all(answer.untouched or not answer.parts for answer in found)
        ),
        manual=manual,
    )  # fmt: skip


def _cells(matching: Matching, helpers: Helpers) -> list[Cell]:
    """Everything that is run, in the source's order: supplied cells, answers, and the helpers between them."""
    placed = [
        ((source.index, 1, 0, 0), Cell(source.id, source.python, "setup", "source"))
        for source in matching.template.cells
        if source.role is Role.SETUP
    ]
    for answer in matching.answers:
        for place, cell in enumerate(_answer_cells(answer)):
            placed.append(((answer.slot.index, 1, 0, place), cell))
    groups: dict[tuple[int, int, int], list[str]] = {}
    for helper, (index, side) in helpers.taken.items():
        groups.setdefault((index, side, helper.cell.number), []).append(helper.statement.text)
    seen: set[int] = set()
    for (index, side, number), texts in sorted(groups.items()):
        name = f"cell-{number}" + (f"-{'after' if side == AFTER else 'before'}-{index}" if number in seen else "")
        seen.add(number)
        placed.append(((index, side, number, 0), Cell(name, "\n\n\n".join(texts), "solution", "student")))
    return [cell for _, cell in sorted(placed, key=lambda pair: pair[0])]


def _answer_cells(answer: Answer) -> list[Cell]:
    """One cell, or one a part where a part is not Python, so that it costs no other."""
    slot, texts = answer.slot.id, [part.text for part in answer.parts]
    if not texts:
        return []
    if len(texts) > 1 and all(statement.nodes for part in answer.parts for statement in part.kept):
        texts = ["\n\n\n".join(texts)]
    return [
        Cell(slot if place == 0 else f"{slot}-part-{place + 1}", text, "solution", "student")
        for place, text in enumerate(texts)
    ]
