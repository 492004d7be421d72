"""Which cell of the source each cell of a student's notebook is."""

from collections.abc import Iterable

from autograder.submission.cells import StudentCell
from autograder.submission.template import STUB_TEXT, SourceCell, Template, layout_free

__all__ = ["Places"]

SAME_NAMES = 0.5
"""Share of names in common from which a cell counts as a changed copy of a supplied one."""


class Places:
    """Finds them once; ``of`` maps a student's cell index to a source cell, several to one where a cell was copied.

    In order of trust: nbgrader's grade id, an editor's cell id, the text as it was released, the names defined.
    """

    def __init__(self, template: Template, cells: tuple[StudentCell, ...]) -> None:
        self.of: dict[int, SourceCell] = {}
        self._template = template
        self._cells = cells
        self._by_grade_id()
        self._by_cell_id()
        self._by_text()
        self._by_names()
        self.copies = frozenset(index for index, source in self.of.items() if self._is_copy(cells[index], source))

    def cells_of(self, source: SourceCell) -> list[StudentCell]:
        """The student's cells that are ``source``."""
        return [self._cells[index] for index in sorted(self.of) if self.of[index].index == source.index]

    def before(self, index: int) -> SourceCell | None:
        """The source cell that the last placed cell before ``index`` is."""
        return next((self.of[place] for place in range(index - 1, -1, -1) if place in self.of), None)

    def free_after(self, index: int) -> Iterable[int]:
        """Indices of the cells right after ``index`` that are no cell of the source."""
        for place in range(index + 1, len(self._cells)):
            if place in self.of:
                return
            yield place

    def _unplaced(self) -> list[StudentCell]:
        return [cell for cell in self._cells if cell.index not in self.of]

    def _claimed(self) -> set[int]:
        return {source.index for source in self.of.values()}

    def _by_grade_id(self) -> None:
        for cell in self._cells:
            if cell.grade_id in self._template.by_id:
                self.of[cell.index] = self._template.by_id[cell.grade_id]

    def _by_cell_id(self) -> None:
        for cell in self._unplaced():
            if cell.grade_id is not None:
                continue  # another assignment's
            claimed = self._claimed()
            for name in cell.ids:
                source = self._template.by_id.get(name)
                if source is not None and source.index not in claimed:
                    self.of[cell.index] = source

    def _by_text(self) -> None:
        claimed = self._claimed()
        for cell in self._unplaced():
            text = layout_free(cell.text)
            sources = self._template.by_text.get(text, ())
            # A text that stands twice in the source, such as an answer's stub, does not say which of the two it is.
            if len(sources) == 1 and sources[0] not in claimed and text not in ("", STUB_TEXT):
                self.of[cell.index] = self._template.cells[sources[0]]
                claimed.add(sources[0])

    def _by_names(self) -> None:
        claimed = self._claimed()
        waiting = [cell for cell in self._unplaced() if cell.is_code and cell.text.strip()]
        for source in self._template.cells:
            if not (source.supplied and source.is_code) or source.index in claimed:
                continue
            names = _names(source)
            best = max(waiting, default=None, key=lambda cell: _share(names, _names(cell)))
            if best is not None and _share(names, _names(best)) >= SAME_NAMES:
                self.of[best.index] = source
                waiting.remove(best)

    @staticmethod
    def _is_copy(cell: StudentCell, source: SourceCell) -> bool:
        """Whether a supplied cell is as it was released, or as the instructor has it, its layout aside."""
        texts = (source.released, source.solved) if source.supplied else (source.released,)
        return not source.is_slot and layout_free(cell.text) in map(layout_free, texts)


def _names(cell: StudentCell | SourceCell) -> frozenset[str]:
    return frozenset(name for part in cell.statements if not part.is_import for name in part.binds)


def _share(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0
