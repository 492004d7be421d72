"""What source/ holds that students must not see, read from source itself and not from what the release made of it.

A line of a solution that students may see (a line they are told to write, say) can be excused where it stands, with a
comment ``# given`` at its end.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from nbformat import NotebookNode

from autograder.notebooks import Role, definitions, plain_python, role
from autograder.release.blocks import MIN_ATTACHMENT_CHARS, notebooks_in
from autograder.release.cells import cell_label
from autograder.release.regions import HIDDEN_TESTS, MARK_SCHEME, SOLUTION, cut, regions
from autograder.release.tokens import Token, code_tokens, lex, lines_of_tokens

__all__ = ["GIVEN", "Hidden", "hidden_in"]

GIVEN = "# given"


class Hidden(NamedTuple):
    """``lines`` of code and ``prose``, each with what it is and where it stands; ``attachments`` as base64.

    ``vocabulary`` are names that students see and cannot rename; ``given`` is the code of locked cells, which is handed
    out on purpose.
    """

    lines: list[tuple[str, tuple[Token, ...]]]
    prose: list[tuple[str, str]]
    attachments: dict[str, str]
    vocabulary: frozenset[str]
    given: list[tuple[Token, ...]]


class _Part(NamedTuple):
    """A hidden piece of text; ``first`` is the line, from 1, that it begins at in its cell or file."""

    kind: str
    place: str
    first: int
    text: str
    is_code: bool


def hidden_in(source: Mapping[str, bytes]) -> Hidden:
    """Everything hidden in the files of ``source``, by relative path."""
    parts: list[_Part] = []
    visible: list[str] = []
    given: list[tuple[Token, ...]] = []
    attachments: dict[str, str] = {}
    for name, notebook in notebooks_in(source):
        for index, cell in enumerate(notebook.cells):
            place = f"{name}, {cell_label(index, cell)}"
            parts += _cell_parts(cell, place)
            if cell.cell_type == "code":
                visible.append(_visible(cell, place))
                if role(cell) in {Role.SETUP, Role.LOCKED}:
                    given.append(code_tokens(cell.source))
            if role(cell) in {Role.MANUAL, Role.SOLUTION, Role.RUBRIC}:
                attachments |= dict.fromkeys(_attachments(cell), place)
    for name, text in _modules(source):
        parts += _regions(text, name, is_code=True)
        visible.append(cut(cut(text, SOLUTION, name), HIDDEN_TESTS, name))
    return Hidden(
        [line for part in parts if part.is_code for line in _code_lines(part)],
        [said for part in parts for said in _prose(part)],
        attachments,
        frozenset(name for text in visible for name in _fixed_names(text)),
        given,
    )


def _modules(source: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, data in sorted(source.items()):
        if name.endswith(".py"):
            yield name, data.decode("utf-8", "replace").replace("\r\n", "\n")


def _visible(cell: NotebookNode, place: str) -> str:
    """What students see of a code cell."""
    if role(cell) in {Role.SOLUTION, Role.MANUAL} and not regions(cell.source, SOLUTION, place):
        return ""
    return cut(cut(cell.source, SOLUTION, place), HIDDEN_TESTS, place)


def _cell_parts(cell: NotebookNode, place: str) -> Iterator[_Part]:
    kind = role(cell)
    is_code = cell.cell_type == "code"
    if kind is Role.RUBRIC:
        yield _Part("rubric", place, 1, cell.source, is_code=False)
    elif kind in {Role.SOLUTION, Role.MANUAL} and not regions(cell.source, SOLUTION, place):
        yield _Part("solution" if is_code else "model answer", place, 1, cell.source, is_code)
    yield from _regions(cell.source, place, is_code=is_code)


def _regions(text: str, place: str, *, is_code: bool) -> Iterator[_Part]:
    names = {SOLUTION: "solution" if is_code else "model answer", HIDDEN_TESTS: "hidden test", MARK_SCHEME: "rubric"}
    for marker, kind in names.items():
        for region in regions(text, marker, place):
            yield _Part(kind, place, region.first + 2, region.body, is_code)


def _code_lines(part: _Part) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """Each line, each statement of several lines, and any three lines in a row: too common alone, they may tell."""
    excused = {number for number, line in enumerate(part.text.split("\n"), start=1) if line.rstrip().endswith(GIVEN)}
    lines = list(lines_of_tokens(part.text))
    single = [tokens for tokens in lines if tokens[0].line == tokens[-1].line]
    together = [(*one, *two, *three) for one, two, three in zip(single, single[1:], single[2:], strict=False)]
    for tokens in (*lines, *together):
        if not excused & {token.line for token in tokens}:
            line = part.first + tokens[0].line - 1
            yield f"a {part.kind} line ({part.place}, line {line})", tokens


def _prose(part: _Part) -> Iterator[tuple[str, str]]:
    """Sentences: the whole of a text; of code, its comments and its strings."""
    if not part.is_code:
        yield f"a sentence of the {part.kind} ({part.place})", part.text
        return
    for text in _remarks(lex(part.text)):
        yield f"a comment or string of the {part.kind} ({part.place})", text


def _remarks(tokens: Iterable[Token]) -> Iterator[str]:
    comment: list[str] = []
    for token in tokens:
        if token.kind == "comment":
            comment.append(token.text.lstrip("# "))
        elif token.kind != "newline":
            yield "\n".join(comment)
            comment = []
            if token.kind == "string":
                yield token.text
    yield "\n".join(comment)


def _attachments(cell: NotebookNode) -> Iterator[str]:
    for bundle in cell.get("attachments", {}).values():
        yield from (data for data in bundle.values() if isinstance(data, str) and len(data) >= MIN_ATTACHMENT_CHARS)


def _fixed_names(text: str) -> Iterator[str]:
    """Names that code outside the solutions imports, defines, or writes in capitals."""
    yield from (name for name in definitions(text) if name.isupper())
    try:
        tree = ast.parse(plain_python(text))
    except (SyntaxError, ValueError):  # the code around a region need not parse without it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
