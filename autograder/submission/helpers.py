"""Definitions that stand in a student's own cells and that the answers need: helper functions, constants, imports.

Only what is needed is taken, and of that only what is quiet: copies of supplied code, training, downloads and plots
never run. Where a name is defined several times, the definition before the answer that needs it counts, as in a
notebook that is run from top to bottom.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from autograder.submission.cells import StudentCell
from autograder.submission.leftovers import colab_statements
from autograder.submission.matching import Answer, Matching
from autograder.submission.quiet import Quiet, imported_modules
from autograder.submission.statements import Definition, Statement

__all__ = ["Helper", "Helpers"]

UNQUIET_BUILTINS = {"__import__", "breakpoint", "compile", "eval", "exec", "exit", "input", "open", "quit"}
HARMLESS_BUILTINS = frozenset(dir(builtins)) - UNQUIET_BUILTINS

BEFORE, AFTER = 0, 2
"""Places of helpers around the source cell whose index goes with them; the cell itself is at 1."""

Position = tuple[int, int]


@dataclass(frozen=True)
class Helper:
    """One statement outside the answers: where it stands in the student's notebook, and where it is run."""

    cell: StudentCell
    order: int
    statement: Statement

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in the notebook."""
        return (self.cell.index, self.order)


class Helpers:
    """``taken`` maps what the answers need to its position in the source's order.

    ``loud`` are needed definitions that were not taken because they do more than define, by name; ``shadowing`` those
    that the supplied definition of the name stood before.
    """

    def __init__(self, matching: Matching) -> None:
        self._matching = matching
        self._template = matching.template
        self.taken: dict[Helper, Position] = {}
        self.loud: dict[str, Helper] = {}
        self.shadowing: dict[str, Helper] = {}
        self._unresolved: set[str] = set()
        self._quiet = Quiet(self._modules, self._is_helper)
        self._judged: dict[str, bool] = {}
        self._judging: set[str] = set()
        chosen: set[Helper] = set()
        for answer in matching.answers:
            for part in answer.parts:
                self._follow(_outside(part.kept), part.cell.index, chosen)
            for helper in self._continuations(answer):
                chosen.add(helper)
                self._follow(helper.statement.references, helper.cell.index, chosen)
        if self._unresolved:
            chosen.update(helper for helper in self._pool if _imports_all(helper.statement))
        for helper in sorted(chosen, key=lambda found: found.place):
            self.taken[helper] = self._position(helper)

    # -- what is needed ---------------------------------------------------------------------------------------------

    @cached_property
    def _pool(self) -> tuple[Helper, ...]:
        """Every statement that is in no answer, is not supplied and defines no answer."""
        used = {id(statement) for answer in self._matching.answers for part in answer.parts for statement in part.kept}
        supplied, answers = self._template.supplied_keys, self._template.slot_of.keys()
        pool = []
        for cell in self._matching.readable:
            leftovers = colab_statements(cell.statements)
            pool += [
                Helper(cell, order, statement)
                for order, statement in enumerate(cell.statements)
                if id(statement) not in used and statement not in leftovers
                if statement.nodes and statement.key not in supplied and not statement.binds & answers
            ]
        return tuple(pool)

    @cached_property
    def _answered(self) -> frozenset[str]:
        """What the answers define themselves, beside what they have to."""
        parts = [part for answer in self._matching.answers for part in answer.parts]
        kept = frozenset(name for part in parts for statement in part.kept for name in statement.binds)
        return kept | self._template.slot_of.keys()

    @cached_property
    def _binders(self) -> dict[str, list[Helper]]:
        found: dict[str, list[Helper]] = {}
        for helper in self._pool:
            for name in helper.statement.binds:
                found.setdefault(name, []).append(helper)
        return found

    @cached_property
    def _changers(self) -> dict[str, list[Helper]]:
        found: dict[str, list[Helper]] = {}
        for helper in self._pool:
            for name in helper.statement.changes:
                found.setdefault(name, []).append(helper)
        return found

    def _continuations(self, answer: Answer) -> Iterator[Helper]:
        """What goes on from an answer right below it, such as a method that is set, or a class that extends it."""
        last = max((part.cell.index for part in answer.parts), default=len(self._matching.cells))
        near = self._matching.near(answer.slot)
        for helper in (helper for name in answer.slot.names for helper in self._changers.get(name, [])):
            if helper.cell.index > last and helper.cell.index in near and self._is_quiet(helper):
                yield helper

    def _follow(self, names: Iterable[str], at: int, chosen: set[Helper]) -> None:
        """Choose what defines ``names`` for code in the cell with index ``at``, and what that needs in turn."""
        waiting = list(names)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen or name in self._answered:
                continue
            seen.add(name)
            helper = self._definition(name, at)
            if name in self._template.setup_names:
                if helper is not None and not helper.statement.is_import:
                    self.shadowing.setdefault(name, helper)
            elif helper is None:
                self._unresolved.update({name} - HARMLESS_BUILTINS)
            elif not self._is_quiet(helper):
                self.loud.setdefault(name, helper)
            else:
                for found in (helper, *self._changes(name, helper)):
                    chosen.add(found)
                    waiting.extend(found.statement.references)

    def _definition(self, name: str, at: int) -> Helper | None:
        """The last one up to the cell that needs it, which is the one that ran before it; else the first one after."""
        found = self._binders.get(name, [])
        before = [helper for helper in found if helper.cell.index <= at]
        return before[-1] if before else next(iter(found), None)

    def _changes(self, name: str, helper: Helper) -> Iterator[Helper]:
        """What adds to ``name`` after ``helper`` and before it is defined again, such as the filling of a table."""
        again = [other.place for other in self._binders[name] if other.place > helper.place]
        end = min(again, default=(len(self._matching.cells), 0))
        for other in self._changers.get(name, []):
            if helper.place < other.place < end and self._is_quiet(other):
                yield other

    # -- what is quiet ----------------------------------------------------------------------------------------------

    @cached_property
    def _modules(self) -> dict[str, str]:
        """What imported names stand for, the student's and the setup cells'."""
        theirs = [node for cell in self._matching.readable for part in cell.statements for node in part.nodes]
        return imported_modules(theirs) | imported_modules(
            node for part in self._template.setup_statements for node in part.nodes
        )

    def _is_quiet(self, helper: Helper) -> bool:
        try:
            return self._quiet.statements(helper.statement.nodes)
        except RecursionError:  # code nested as no person nests it
            return False

    def _is_helper(self, name: str) -> bool:
        """Whether ``name`` is a student's own function or class that may be called for a constant's value.

        It may where it needs nothing but imports, constants and others like it.
        """
        if name in self._judging:
            return True  # functions that call each other are judged by the rest of them
        if name not in self._judged:
            self._judging.add(name)
            try:
                found = [helper for helper in self._binders.get(name, []) if _defines(helper.statement)]
                needed = {other for helper in found for other in helper.statement.references}
                self._judged[name] = bool(found) and all(map(self._is_harmless, needed))
            finally:
                self._judging.discard(name)
        return self._judged[name]

    def _is_harmless(self, name: str) -> bool:
        if name in self._modules or name in HARMLESS_BUILTINS or name in self._setup_constants:
            return True
        if self._is_helper(name):
            return True
        return any(not _defines(helper.statement) and self._is_quiet(helper) for helper in self._binders.get(name, []))

    @cached_property
    def _setup_constants(self) -> frozenset[str]:
        constants = [part for part in self._template.setup_statements if not part.is_import and not _defines(part)]
        return frozenset(name for part in constants for name in part.binds)

    # -- where it is run --------------------------------------------------------------------------------------------

    def _position(self, helper: Helper) -> Position:
        """Where the student had it, but not before what it needs at once, nor after what needs it at once."""
        position = self._anchor(helper)
        for name in helper.statement.immediate:
            if name in self._template.setup_names:
                position = max(position, (self._template.setup_names[name], AFTER))
            for other in self._binders.get(name, []):
                position = max(position, self.taken.get(other, position))
        needers = [self._needed_at_once[name] for name in helper.statement.binds if name in self._needed_at_once]
        return min([position, *needers])

    @cached_property
    def _needed_at_once(self) -> dict[str, Position]:
        """Names that answers look up as soon as they are run, and the place before the first that does."""
        found: dict[str, Position] = {}
        for answer in self._matching.answers:
            for name in (name for part in answer.parts for kept in part.kept for name in kept.immediate):
                found.setdefault(name, (answer.slot.index, BEFORE))
        return found

    def _anchor(self, helper: Helper) -> Position:
        hosts = [
            (order, answer.slot.index)
            for answer in self._matching.answers
            for part in answer.parts
            if part.cell.index == helper.cell.index
            for order, statement in enumerate(part.cell.statements)
            if any(statement is kept for kept in part.kept)
        ]
        if hosts:
            above = [index for order, index in sorted(hosts) if order < helper.order]
            return (above[-1], AFTER) if above else (min(hosts)[1], BEFORE)
        places = self._matching.places
        source = places.of.get(helper.cell.index) or places.before(helper.cell.index)
        return (source.index if source else -1, AFTER)


def _outside(kept: tuple[Statement, ...]) -> set[str]:
    """Names that the statements look up and do not define themselves."""
    inside = {name for statement in kept for name in statement.binds}
    return {name for statement in kept for name in statement.references} - inside


def _defines(statement: Statement) -> bool:
    return any(isinstance(node, Definition) for node in statement.nodes)


def _imports_all(statement: Statement) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names) for node in statement.nodes
    )
