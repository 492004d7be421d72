"""Lines of code found again as tokens, whatever their spacing, and whatever their author's own names were renamed to.

**What may be renamed.** A name counts as the author's own unless Python, a library or the assignment fixes it:
keywords, builtins, what follows a dot (but not after ``self``), names of arguments in calls, and names that the visible
part of the source imports, defines or writes in capitals. The author's names match any names, one for one.

**What is worth finding.** ``return x`` is in every program. A line has a weight: 2 for each fixed name, 2 for a string
(more for a long one) and for a number above 2, 1 for a small number, an operator, a keyword, and the second and later
uses of an own name. With its own names unchanged, each counts 1 more. Below ``MIN_WEIGHT`` a line is not looked for; in
code that students run, where two programs may well have a line in common, it has to weigh ``MIN_LIVE_WEIGHT``. So has
what a line assigns or returns, which is looked for by itself.
"""

import builtins
import keyword
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autograder.release.tokens import Token

__all__ = ["MIN_LIVE_WEIGHT", "MIN_WEIGHT", "Match", "Pattern", "Patterns"]

MIN_WEIGHT = 8
"""What a line must weigh. ``weights = torch.softmax(scores, dim=-1)`` weighs 8, ``context = weights @ V`` 4."""

MIN_LIVE_WEIGHT = 16
"""The same in code: ``fig, axes = plt.subplots(1, 2, figsize=(11, 3.2))`` weighs 14."""

_OWN = "\N{MIDDLE DOT}"
_PUNCTUATION = frozenset("()[]{},:.;=")
_BUILTINS = frozenset(dir(builtins))
_SMALL_NUMBERS = frozenset({"0.0", "1.0", "2.0"})


class Pattern(NamedTuple):
    """One line looked for. ``shape`` has a dot for each own name, ``names`` those names in order.

    It counts as found with a weight of ``least`` or more.
    """

    what: str
    shape: tuple[str, ...]
    names: tuple[str, ...]
    anchor: int
    renamed_weight: int
    exact_weight: int
    least: int


class Match(NamedTuple):
    """``pattern`` begins at ``line`` of the text; ``renamed`` where its own names are not the same."""

    pattern: Pattern
    line: int
    renamed: bool


class Patterns:
    """Lines to look for, indexed by their most telling token so that a text is read once."""

    def __init__(self, lines: Iterable[tuple[str, Sequence[Token]]], vocabulary: frozenset[str]) -> None:
        self._vocabulary = vocabulary
        self._by_anchor: dict[str, list[Pattern]] = {}
        for what, tokens in lines:
            self._add(what, tokens, MIN_WEIGHT)
            self._add(what, _value(tokens), MIN_LIVE_WEIGHT)

    def without_those_in(self, texts: Iterable[Sequence[Token]]) -> "Patterns":
        """These patterns without the ones that stand in ``texts``: code given to students on purpose."""
        given = {match.pattern for text in texts for match in self.matches(text)}
        rest = Patterns((), self._vocabulary)
        for anchor, patterns in self._by_anchor.items():
            rest._by_anchor[anchor] = [pattern for pattern in patterns if pattern not in given]
        return rest

    def matches(self, tokens: Sequence[Token], weight: int = MIN_WEIGHT) -> Iterator[Match]:
        """Where the patterns of ``weight`` or more stand in ``tokens``, which may be any part of any text."""
        shape = list(_shape(tokens, self._vocabulary))
        for place, text in enumerate(shape):
            for pattern in self._by_anchor.get(text, ()):
                start = place - pattern.anchor
                end = start + len(pattern.shape)
                if start >= 0 and tuple(shape[start:end]) == pattern.shape:
                    found = [token.text for token in tokens[start:end]]
                    names = tuple(name for name, kind in zip(found, pattern.shape, strict=True) if kind == _OWN)
                    if _same_up_to_renaming(names, pattern.names):
                        renamed = names != pattern.names
                        found_weight = pattern.renamed_weight if renamed else pattern.exact_weight
                        if found_weight >= max(weight, pattern.least):
                            yield Match(pattern, tokens[start].line, renamed)

    def _add(self, what: str, tokens: Sequence[Token], least: int) -> None:
        shape = tuple(_shape(tokens, self._vocabulary))
        names = tuple(token.text for token, text in zip(tokens, shape, strict=True) if text == _OWN)
        weights = [_weight(token, text) for token, text in zip(tokens, shape, strict=True)]
        weight = sum(weights) + len(names) - len(set(names))
        if weight + len(set(names)) < least or not any(weights):
            return
        anchor = max(range(len(shape)), key=lambda place: (weights[place], len(shape[place])))
        pattern = Pattern(what, shape, names, anchor, weight, weight + len(set(names)), least)
        self._by_anchor.setdefault(shape[anchor], []).append(pattern)


def _value(tokens: Sequence[Token]) -> Sequence[Token]:
    """What a line assigns or returns; nothing where it does neither."""
    if tokens[0].text in {"return", "yield"}:
        return tokens[1:]
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == "op":
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == "=" and depth == 0:
                return tokens[place + 1 :]
    return ()


def _shape(tokens: Sequence[Token], vocabulary: frozenset[str]) -> Iterator[str]:
    """Each token's text, strings in quotes, own names as a dot."""
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == "op":
            depth = max(0, depth + (token.text in "([{") - (token.text in ")]}"))
        if token.kind == "string":
            yield "'" + token.text.replace("'", " ") + "'"  # an apostrophe may have been read as a space
        elif token.kind == "name" and not _fixed(tokens, place, depth, vocabulary):
            yield _OWN
        else:
            yield token.text


def _fixed(tokens: Sequence[Token], place: int, depth: int, vocabulary: frozenset[str]) -> bool:
    name = tokens[place].text
    before = tokens[place - 1].text if place else ""
    after = tokens[place + 1].text if place + 1 < len(tokens) else ""
    if before == ".":
        return place < 2 or tokens[place - 2].text != "self"
    argument = depth > 0 and after == "=" and before in {"(", ","}
    return argument or name in vocabulary or name in _BUILTINS or keyword.iskeyword(name) or name == "self"


def _weight(token: Token, shape: str) -> int:
    if shape == _OWN or token.text in _PUNCTUATION or token.text == "self":
        return 0
    if token.kind == "string":
        return 2 + min(len(token.text) // 8, 4)
    if token.kind == "number":
        return 1 if token.text in _SMALL_NUMBERS else 2
    return 2 if token.kind == "name" and not keyword.iskeyword(token.text) else 1


def _same_up_to_renaming(names: Sequence[str], others: Sequence[str]) -> bool:
    pairs = set(zip(names, others, strict=True))
    return len(pairs) == len(set(names)) == len(set(others))
