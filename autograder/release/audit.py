"""The leak audit: nothing that source/ or tests/ hide stands in what students get.

It learns what is hidden from source/ and tests/ (``hidden``), and reads every text of the release (``blocks``): code,
prose, comments, strings, metadata, attachments. Code is compared as tokens (``patterns``), sentences as words
(``prose``), files and figures byte for byte. Both trees are checked for what needs no secret to be seen (``hygiene``).
"""

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from autograder.course import Assignment
from autograder.release.blocks import Block, Finding, blocks, notebooks_in
from autograder.release.cells import cell_label
from autograder.release.files import Trees, source_files
from autograder.release.hidden import Hidden, hidden_in
from autograder.release.hygiene import answered_with_attachment, faults
from autograder.release.patterns import MIN_LIVE_WEIGHT, MIN_WEIGHT, Patterns
from autograder.release.prose import Prose
from autograder.release.tokens import Token, lex

__all__ = ["Finding", "audit"]

MAX_STRING_DEPTH = 3
"""Strings in strings in strings: JSON in metadata that holds a cell that holds a docstring."""

MIN_FILE_BYTES = 32
"""Smaller files are empty ``__init__.py`` and the like, equal by chance."""

_APOSTROPHE = re.compile(r"(?<=[A-Za-z])(?<!\b[bBfFrRuU])(?<!\b[bBfFrR]{2})'(?=[A-Za-z])")
_CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)


def audit(assignment: Assignment, trees: Trees) -> tuple[Finding, ...]:
    """Everything in ``trees`` that must not get out, sorted; empty when they may be written."""
    hidden = hidden_in({name: path.read_bytes() for name, path in source_files(assignment)})
    found = set(_named("release", assignment, _leaks(hidden, trees.release)))
    found |= set(_named("release", assignment, faults(trees.release, assignment.root)))
    found |= set(_named("release", assignment, answered_with_attachment(trees.release)))
    found |= set(_named("release", assignment, _suite_files(assignment.tests_dir, trees.release)))
    found |= set(_named("solutions", assignment, faults(trees.solutions, assignment.root)))
    return tuple(sorted(found))


def _named(kind: str, assignment: Assignment, findings: Iterable[Finding]) -> Iterator[Finding]:
    for found in findings:
        yield Finding(f"{kind}/{assignment.name}/{found.file}", found.cell, found.line, found.what)


def _leaks(hidden: Hidden, tree: Mapping[str, bytes]) -> Iterator[Finding]:
    patterns = Patterns(hidden.lines, hidden.vocabulary).without_those_in(hidden.given)
    prose = Prose(hidden.prose)
    for block in blocks(tree):
        yield from (block.finding(said.line, said.what) for said in prose.found_in(html.unescape(block.text)))
        yield from _code_leaks(patterns, block)
    for name, notebook in notebooks_in(tree):
        for index, cell in enumerate(notebook.cells):
            for bundle in cell.get("attachments", {}).values():
                for data in bundle.values():
                    if isinstance(data, str) and data in hidden.attachments:
                        what = f"the attachment of a hidden cell ({hidden.attachments[data]})"
                        yield Finding(name, cell_label(index, cell), 0, what)


def _code_leaks(patterns: Patterns, block: Block) -> Iterator[Finding]:
    seen = set()
    is_code = block.part == "code"
    text = html.unescape(block.text)
    for tokens, depth in _token_runs(text if is_code else _APOSTROPHE.sub(" ", text)):
        weight = MIN_LIVE_WEIGHT if is_code and depth == 0 else MIN_WEIGHT
        for match in patterns.matches(tokens, weight):
            if (match.line, match.pattern.what) not in seen:
                seen.add((match.line, match.pattern.what))
                yield block.finding(match.line, match.pattern.what + (", renamed" if match.renamed else ""))


def _token_runs(text: str, first: int = 1, depth: int = 0, step: int = 1) -> Iterator[tuple[list[Token], int]]:
    """Every way to read ``text`` as code: whole and line by line at depth 0, below it comments, strings, code spans.

    A quote that is an apostrophe swallows code when the text is read whole, so it is read in parts too. Lines count
    from ``first``, in steps of 0 where all of ``text`` stands in one line.
    """
    tokens = [token._replace(line=first + step * (token.line - 1)) for token in lex(text)]
    yield [token for token in tokens if token.kind not in {"comment", "newline"}], depth
    comments = [token._replace(text=token.text.lstrip("#")) for token in tokens if token.kind == "comment"]
    strings = [token for token in tokens if token.kind == "string"]
    inner = [(token.line, token.text, step * (token.rows > 1)) for token in (*comments, *strings)]
    if comments:
        yield [token for comment in comments for token in _relined(comment.text, comment.line)], depth + 1
    for number, line in enumerate(text.split("\n")):
        if "'" in line or '"' in line:
            yield list(_relined(line, first + step * number)), depth
    spans = _CODE_SPAN.finditer(text)
    inner += [(first + step * text.count("\n", 0, span.start(2)), span.group(2), step) for span in spans]
    if depth < MAX_STRING_DEPTH:
        for number, content, rows in inner:
            if len(content) < len(text):
                yield from _token_runs(_APOSTROPHE.sub(" ", content), number, depth + 1, rows)


def _relined(text: str, line: int) -> Iterator[Token]:
    return (token._replace(line=line) for token in lex(text) if token.kind not in {"comment", "newline"})


def _suite_files(tests: Path, tree: Mapping[str, bytes]) -> Iterator[Finding]:
    """Files of the hidden suite that are in ``tree``, by content whatever their name, and by a test's name."""
    paths = sorted(path for path in tests.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    digests = {_digest(path.read_bytes()): path for path in paths if path.stat().st_size >= MIN_FILE_BYTES}
    names = {path.name: path for path in paths if path.name.startswith("test_") or path.suffix == ".safetensors"}
    for name, data in tree.items():
        path = digests.get(_digest(data)) or names.get(name.rsplit("/", maxsplit=1)[-1])
        if path is not None:
            yield Finding(name, "", 0, f"is a file of the hidden suite ({path.relative_to(tests).as_posix()})")


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
