"""Which of a student's code answers which question: by grade id, by what it defines, and by where it stands."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from autograder.submission.cells import StudentCell
from autograder.submission.leftovers import colab_statements
from autograder.submission.places import Places
from autograder.submission.statements import Progress, Statement
from autograder.submission.template import SourceCell, Template

__all__ = ["Answer", "Matching", "Occurrence", "Part"]


@dataclass(frozen=True)
class Occurrence:
    """One definition of a name that an answer has to define."""

    cell: StudentCell
    order: int
    statement: Statement
    progress: Progress
    near: bool
    """Whether it stands where the answer belongs: in its cell, or after it and before the next cell of the source."""

    @property
    def rank(self) -> tuple[int, bool, bool, int, int]:
        """The greatest one counts: complete before begun before stub; then the right place, code, the last."""
        return (self.progress, self.near, self.cell.is_code, self.cell.index, self.order)


@dataclass(frozen=True)
class Part:
    """What one cell gives an answer: the statements ``kept``, whose text ``text`` is; ``dropped`` are the others."""

    cell: StudentCell
    text: str
    kept: tuple[Statement, ...]
    dropped: tuple[Statement, ...]


@dataclass(frozen=True)
class Answer:
    """A student's answer to one slot; without ``parts`` there is none."""

    slot: SourceCell
    parts: tuple[Part, ...]
    untouched: bool
    occurrences: tuple[Occurrence, ...] = field(default=())

    @property
    def text(self) -> str:
        """The code of all parts."""
        return "\n\n\n".join(part.text for part in self.parts)


class Matching:
    """The answers in ``cells``, one for each slot of the template."""

    def __init__(self, template: Template, cells: tuple[StudentCell, ...], places: Places) -> None:
        self.template = template
        self.cells = cells
        self.places = places
        self._picks = {
            name: max(found, key=lambda occurrence: occurrence.rank)
            for name, found in self._occurrences.items()
            if found
        }
        self.answers = tuple(self._answer(slot) for slot in template.slots)

    @cached_property
    def readable(self) -> tuple[StudentCell, ...]:
        """The cells whose code may belong to an answer: no copies of what was supplied, and no prose."""
        return tuple(cell for cell in self.cells if cell.index not in self.places.copies and self._holds_code(cell))

    def _holds_code(self, cell: StudentCell) -> bool:
        if cell.is_code:
            return True
        place = self.places.of.get(cell.index)
        if place is not None and place.is_slot:
            return True
        return bool(self._defines_answer.search(cell.text)) and cell.is_python

    @cached_property
    def _defines_answer(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.template.slot_of)) or r"\Z."
        return re.compile(rf"(?m)^(?:def|class)\s+(?:{names})\b")

    @cached_property
    def _occurrences(self) -> dict[str, list[Occurrence]]:
        found: dict[str, list[Occurrence]] = {name: [] for name in self.template.slot_of}
        for cell in self.readable:
            for order, statement in enumerate(cell.statements):
                if self.repeats(statement):
                    continue
                for name in statement.binds & found.keys():
                    slot = self.template.slot_of[name]
                    progress = statement.progress(name, slot.stub_keys(name))
                    near = cell.index in self.near(slot)
                    found[name].append(Occurrence(cell, order, statement, progress, near))
        return found

    def near(self, slot: SourceCell) -> frozenset[int]:
        """Indices of the cells where the slot's answer belongs: its own and those right below."""
        if slot.index not in self._near_found:
            self._near_found[slot.index] = frozenset(self._places_near(slot))
        return self._near_found[slot.index]

    @cached_property
    def _near_found(self) -> dict[int, frozenset[int]]:
        return {}

    def _places_near(self, slot: SourceCell) -> list[int]:
        own = [cell.index for cell in self.places.cells_of(slot)]
        if own:
            return own + [index for place in own for index in self.places.free_after(place)]
        after = [index for index, source in self.places.of.items() if source.index > slot.index and not source.is_slot]
        return list(range(min(after, default=len(self.cells))))

    def _answer(self, slot: SourceCell) -> Answer:
        picks = {name: self._picks[name] for name in slot.names if name in self._picks}
        chosen = sorted({pick.cell.index for pick in picks.values()})
        if not chosen:
            # Nothing that it defines can be recognised: what stands in its cell counts as it is.
            chosen = [cell.index for cell in self.places.cells_of(slot) if cell.text.strip()][-1:]
        parts = tuple(part for index in chosen if (part := self._part(slot, self.cells[index])).text.strip())
        if picks:
            untouched = all(pick.progress is Progress.STUB for pick in picks.values())
        else:
            keys = [statement.key for part in parts for statement in part.kept]
            untouched = bool(parts) and keys == [statement.key for statement in slot.statements]
        occurrences = tuple(found for name in slot.names for found in self._occurrences[name])
        return Answer(slot, parts, untouched, occurrences)

    def _part(self, slot: SourceCell, cell: StudentCell) -> Part:
        place = self.places.of.get(cell.index)
        in_own_cell = place is not None and place.index == slot.index
        leftovers = colab_statements(cell.statements)
        belongs = self._belongs if in_own_cell else self._defines
        kept: list[Statement] = []
        dropped: list[Statement] = []
        for order, statement in enumerate(cell.statements):
            keep = statement not in leftovers and belongs(slot, cell, order, statement)
            (kept if keep else dropped).append(statement)
        # As long as nothing is left out it stays as it was written, comments below the code included.
        text = "\n\n\n".join(statement.text for statement in kept) if dropped else cell.python
        return Part(cell, text, tuple(kept), tuple(dropped))

    def _belongs(self, slot: SourceCell, cell: StudentCell, order: int, statement: Statement) -> bool:
        """Whether a statement in the slot's own cell stays: all do but what belongs elsewhere or is an old version."""
        answers = statement.binds & self.template.slot_of.keys()
        if answers:
            return self._defines(slot, cell, order, statement)
        if not statement.nodes and any(pick.statement.nodes for pick in self._picks_of(slot)):
            return False  # it is not Python, and the answer stands without it
        if statement.is_import:
            return True
        return not (self.repeats(statement) or (self._supplied_beside(cell) and self._redefines(statement)))

    def repeats(self, statement: Statement) -> bool:
        """Whether it is supplied code that was copied; imports may be repeated anywhere."""
        return not statement.is_import and statement.key in self.template.supplied_keys

    def _supplied_beside(self, cell: StudentCell) -> bool:
        """Whether a supplied cell was merged into ``cell``, so that what it redefines is no helper but a change."""
        return any(map(self.repeats, cell.statements))

    def _redefines(self, statement: Statement) -> bool:
        return bool(statement.binds) and statement.binds <= self.template.setup_names.keys()

    def _defines(self, slot: SourceCell, cell: StudentCell, order: int, statement: Statement) -> bool:
        """Whether a statement is, or leads up to, the definition that was picked."""
        for name in (statement.binds | statement.changes) & frozenset(slot.names):
            pick = self._picks.get(name)
            if pick is None or pick.cell.index != cell.index:
                continue
            if order <= pick.order or name in statement.changes:
                return True
        return False

    def _picks_of(self, slot: SourceCell) -> list[Occurrence]:
        return [self._picks[name] for name in slot.names if name in self._picks]
