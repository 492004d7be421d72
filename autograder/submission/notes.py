"""What was put right, in plain sentences for the student who sent it."""

from collections.abc import Iterator

from autograder.submission.cells import StudentCell
from autograder.submission.helpers import Helpers
from autograder.submission.leftovers import colab_statements
from autograder.submission.matching import Answer, Matching, Part
from autograder.submission.records import Repair
from autograder.submission.sentences import numbered, quoted
from autograder.submission.statements import Progress
from autograder.submission.template import SourceCell

__all__ = ["notes"]


def notes(matching: Matching, helpers: Helpers) -> Iterator[Repair]:
    """Everything that reading the notebook took for granted or changed."""
    stripped = not any(cell.grade_id in matching.template.by_id for cell in matching.cells)
    if stripped:
        yield Repair("", "The notebook has lost nbgrader's metadata; its cells were recognised by what they hold.")
    yield from _order(matching)
    yield from _splits(matching)
    yield from _supplied(matching)
    for answer in matching.answers:
        for what in _answer(matching, answer, stripped=stripped):
            yield Repair(answer.slot.id, what)
    yield from _holders(matching)
    yield from _helpers(helpers)


def _numbers(cells: list[StudentCell]) -> str:
    return numbered(cell.number for cell in cells)


def _order(matching: Matching) -> Iterator[Repair]:
    """Whether the cells that were released stand in another order."""
    places = matching.places.of
    order = list(dict.fromkeys(places[index].index for index in sorted(places)))
    if order != sorted(order):
        yield Repair("", "The cells stand in another order than in the release; they were run in the release's order.")


def _splits(matching: Matching) -> Iterator[Repair]:
    for cell in matching.cells:
        if cell.parts:
            numbers = numbered([cell.number, *cell.parts])
            yield _of_cell(cell.number, f"{numbers.capitalize()} were read as one cell that had been split.")


def _supplied(matching: Matching) -> Iterator[Repair]:
    """Supplied code that was changed, or is not there."""
    changed: list[SourceCell] = []
    missing: list[SourceCell] = []
    everywhere = {part.key for cell in matching.readable for part in cell.statements}
    for source in matching.template.cells:
        if not (source.supplied and source.is_code and source.has_grade_id):
            continue
        copies = matching.places.cells_of(source)
        if not copies and not everywhere.issuperset(part.key for part in source.statements):
            missing.append(source)
        elif copies and not any(_is_same(matching, cell, source) for cell in copies):
            changed.append(source)
    for cells, what in ((changed, "changed"), (missing, "missing")):
        if cells:
            several = len(cells) > 1
            subject = f"The supplied cell{'s' * several} {quoted(cell.id for cell in cells)}"
            verb = "are" if several else "is"
            end = "the originals were used" if several else "the original was used"
            yield Repair("", f"{subject} {verb} {what} in your notebook; {end}.")


def _is_same(matching: Matching, cell: StudentCell, source: SourceCell) -> bool:
    """Whether a supplied cell is there in the student's notebook, comments and layout aside."""
    if cell.index in matching.places.copies:
        return True
    return [part.key for part in cell.statements] == [part.key for part in source.statements]


def _answer(matching: Matching, answer: Answer, *, stripped: bool) -> Iterator[str]:
    """Where the answer to one question was found, if not in its own cell or not there alone."""
    slot, own = answer.slot, matching.places.cells_of(answer.slot)
    used = [part.cell for part in answer.parts]
    if not used:
        wanted = quoted(slot.names) if slot.names else "an answer"
        yield f"No cell of your notebook defines {wanted}, so the question counts as not attempted."
        return
    if len(own) > 1:
        yield f"`{slot.id}` stands in {_numbers(own)}; {_numbers(used)} was graded, the last that is complete."
    elsewhere = [cell for cell in used if cell not in own]
    if elsewhere and own:
        yield f"The answer to `{slot.id}` was taken from {_numbers(elsewhere)}, not from {_numbers(own)}."
    elif elsewhere and not stripped:
        yield f"The cell `{slot.id}` was not found; its answer was recognised in {_numbers(elsewhere)}."
    if len(used) > 1:
        yield f"The answer to `{slot.id}` was put together from {_numbers(used)}."
    versions = _other_versions(answer, [*used, *own])
    if versions:
        yield f"Of the versions of `{slot.id}` in {_numbers([*used, *versions])}, that in {_numbers(used)} was graded."


def _other_versions(answer: Answer, known: list[StudentCell]) -> list[StudentCell]:
    """Cells elsewhere that hold a different definition which is no stub."""
    graded = {statement.key for part in answer.parts for statement in part.kept}
    others = {
        found.cell.index: found.cell
        for found in answer.occurrences
        if found.progress > Progress.STUB and found.cell not in known and found.statement.key not in graded
    }
    return [others[index] for index in sorted(others)]


def _holders(matching: Matching) -> Iterator[Repair]:
    """Cells that hold more, or something else, than one answer in plain Python."""
    holders: dict[int, list[tuple[Answer, Part]]] = {}
    for answer in matching.answers:
        for part in answer.parts:
            holders.setdefault(part.cell.index, []).append((answer, part))
    for _, held in sorted(holders.items()):
        cell, slot = held[0][1].cell, held[0][0].slot
        if len(held) > 1:
            ids = quoted(answer.slot.id for answer, _ in held)
            yield Repair(slot.id, f"Cell {cell.number} holds {ids}; each was graded from its own part.")
        for what in _left_out(matching, cell, [part for _, part in held]):
            yield Repair(slot.id, what)


def _left_out(matching: Matching, cell: StudentCell, parts: list[Part]) -> Iterator[str]:
    kept = {id(statement) for part in parts for statement in part.kept}
    dropped = [statement for statement in cell.statements if id(statement) not in kept]
    if not cell.is_code:
        kind = {"markdown": "Markdown"}.get(cell.kind, cell.kind)
        yield f"Cell {cell.number} is a {kind} cell; its text was read as code."
    if any(matching.repeats(part) for part in dropped):
        yield f"Cell {cell.number} also holds supplied code, which was not taken from there."
    if any(not statement.nodes for statement in dropped):
        yield f"A part of cell {cell.number} is not Python and was left out."
    if cell.magic:
        yield f"The line `{cell.magic}` of cell {cell.number} was left out."
    if colab_statements(cell.statements):
        yield f"The lines of cell {cell.number} that need Google Colab were left out; grading runs elsewhere."


def _helpers(helpers: Helpers) -> Iterator[Repair]:
    """Definitions that answers need from the student's other cells."""
    by_cell: dict[int, list[str]] = {}
    for helper in helpers.taken:
        defined = sorted(helper.statement.binds | helper.statement.changes) or ["*"]
        by_cell.setdefault(helper.cell.number, []).extend(defined)
    for number, found in by_cell.items():
        was = "was" if len(set(found)) == 1 else "were"
        names = quoted(dict.fromkeys(found))
        yield _of_cell(number, f"{names} {was} taken over from cell {number}, because an answer needs it.")
    for name, helper in helpers.loud.items():
        number = helper.cell.number
        why = "which does more than define it and is not run when grading; put what the answer needs into its own cell"
        yield _of_cell(number, f"An answer needs `{name}` of cell {number}, {why}.")
    for name, helper in helpers.shadowing.items():
        number = helper.cell.number
        why = "defines anew; the supplied one was used"
        yield _of_cell(number, f"An answer needs `{name}`, which cell {number} {why}.")


def _of_cell(number: int, what: str) -> Repair:
    return Repair(f"cell-{number}", what)
