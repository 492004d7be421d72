"""What a person marks, and who handed it in: the written answers, and the list of members."""

import ast
from collections.abc import Iterable, Iterator

from autograder.submission.cells import StudentCell
from autograder.submission.names import PARSER_ERRORS, parsed
from autograder.submission.places import Places
from autograder.submission.records import Repair
from autograder.submission.sentences import numbered
from autograder.submission.template import MEMBERS, STUB_TEXT, SourceCell, Template, layout_free

__all__ = ["MEMBERS_NAME", "Members", "manual_answers", "members_of", "pairs_in", "written"]

MEMBERS_NAME = "MEMBERS"
MAX_MEMBERS = 20
MAX_NAME_CHARACTERS = 200

Members = tuple[tuple[str, str], ...]


def manual_answers(
    template: Template, cells: tuple[StudentCell, ...], places: Places, used: frozenset[int]
) -> tuple[dict[str, str], list[Repair]]:
    """The text of each question marked by hand, empty where there is none, and what was found out of its place.

    ``used`` are indices of cells that belong to other questions.
    """
    found: dict[str, str] = {}
    repairs: list[Repair] = []
    for name in (question.id for question in template.questions if question.kind == "manual"):
        source = template.by_id[name]
        own = _written_in(places.cells_of(source), source)
        if own:
            found[name] = list(own.values())[-1]
            if len(set(own.values())) > 1:
                repairs.append(Repair(name, f"`{name}` is answered in {numbered(own)}; the last answer counts."))
        else:
            near = _near(template, cells, places, source)
            texts = _written_in((cell for cell in near if cell.index not in used), source)
            found[name] = "\n\n".join(texts.values())
            if texts:
                where = numbered(texts)
                repairs.append(Repair(name, f"The answer to `{name}` was recognised by its place, in {where}."))
    return found, repairs


def _written_in(cells: Iterable[StudentCell], source: SourceCell) -> dict[int, str]:
    """What was written into ``cells``, by their numbers; those with nothing in them left out."""
    return {cell.number: text for cell in cells if (text := written(cell.text, source.released))}


def written(text: str, released: str) -> str:
    """What a student wrote into an answer's cell that was ``released`` with a stub; empty for nothing."""
    if layout_free(text) == layout_free(released):
        return ""
    return "\n".join(line for line in text.splitlines() if line.strip() != STUB_TEXT).strip()


def _near(template: Template, cells: tuple[StudentCell, ...], places: Places, source: SourceCell) -> list[StudentCell]:
    """Cells of the answer's kind that are no cell of the source and stand where the answer should be."""
    own = places.cells_of(source)
    if own:
        return [cells[index] for index in places.free_after(own[-1].index) if _fits(cells[index], source)]
    known = {place.index: index for index, place in places.of.items()}  # the last copy of each
    before = max((at for at in known if at < source.index), default=None)
    after = min((at for at in known if at > source.index), default=len(template.cells))
    start = -1 if before is None else known[before]
    between = range(start + 1, known.get(after, len(cells)))
    free = [cells[index] for index in between if index not in places.of and cells[index].text.strip()]
    free = [cell for cell in free if _fits(cell, source)]
    lost = template.cells[(-1 if before is None else before) + 1 : after]
    lost = tuple(cell for cell in lost if cell.is_code == source.is_code and not cell.is_slot)
    # As many cells as were lost: each is its own; otherwise a person has to see all of them.
    return [free[lost.index(source)]] if len(free) == len(lost) else free


def _fits(cell: StudentCell, source: SourceCell) -> bool:
    """Whether it may be an answer by its kind: prose that was turned into code is still prose."""
    return cell.is_code if source.is_code else not (cell.is_code and cell.is_python)


def members_of(template: Template, cells: tuple[StudentCell, ...], places: Places) -> tuple[Members, Repair | None]:
    """The members named in the notebook, placeholders left out, read as literals and never run."""
    source = template.by_id.get(MEMBERS)
    released = source.released if source else ""
    placeholders = {part for pair in pairs_in(released) for part in pair}
    own = places.cells_of(source) if source else []
    holders = own or [cell for cell in cells if cell.is_code and MEMBERS_NAME in cell.text]
    pairs = next((pairs for cell in reversed(holders) if (pairs := pairs_in(cell.python))), [])
    members = [
        (name, "" if number in placeholders else number) for name, number in pairs if name and name not in placeholders
    ]
    unreadable = bool(own) and not pairs and any(written(cell.text, released) for cell in own)
    repair = None
    if unreadable:
        form = f'{MEMBERS_NAME} = [("Ada Lovelace", "12345678")]'
        repair = Repair(MEMBERS, f"The members could not be read; write them as {form}, with quotation marks.")
    return tuple(dict.fromkeys(members[:MAX_MEMBERS])), repair


def pairs_in(text: str) -> list[tuple[str, str]]:
    """The (name, number) pairs that ``text``, plain Python, assigns to ``MEMBERS`` last; [] where there are none."""
    return next((pairs for node in reversed(_values(text)) if (pairs := _pairs(node))), [])


def _values(text: str) -> list[ast.expr]:
    """Everything that ``text`` assigns to ``MEMBERS``, in order."""
    tree = parsed(text)
    return [
        node.value
        for node in (tree.body if tree else [])
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == MEMBERS_NAME
    ]


def _pairs(node: ast.expr) -> list[tuple[str, str]]:
    """The (name, number) pairs in a literal: of a list of pairs, of a dict, of one pair; [] where it is neither."""
    try:
        value = ast.literal_eval(node)
    except (*PARSER_ERRORS, TypeError):
        return []
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(part, str | int) for part in value):
        value = [value]
    return list(_clean_pairs(value)) if isinstance(value, list | tuple | set) else []


def _clean_pairs(entries: "list[object] | tuple[object, ...] | set[object]") -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, str):
            yield _clean(entry), ""
        elif isinstance(entry, list | tuple) and 1 <= len(entry) <= 2 and isinstance(entry[0], str | int):
            yield _clean(entry[0]), _clean(entry[1]) if len(entry) == 2 else ""


def _clean(value: object) -> str:
    return " ".join(str(value).split())[:MAX_NAME_CHARACTERS] if isinstance(value, str | int) else ""
