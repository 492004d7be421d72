"""Sentences found again as words, whatever their case, punctuation and line breaks.

A sentence of ``MIN_WORDS`` to ``RUN_WORDS`` words has to be there whole; of a longer one, any ``RUN_WORDS`` words in a
row. A shorter sentence is not looked for: answers and questions share such phrases. A paraphrase is not found.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["MIN_WORDS", "RUN_WORDS", "Prose", "Said"]

MIN_WORDS = 7
RUN_WORDS = 12

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?;:](?=\s)|\n\s*(?:\n|[-*+#|>]|\d+[.)])")


class Said(NamedTuple):
    """A sentence of the secret called ``what`` begins at ``line`` of the text."""

    what: str
    line: int


class Prose:
    """Sentences to look for."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._runs: dict[tuple[str, ...], str] = {}
        for what, text in texts:
            for sentence in _SENTENCE_END.split(text):
                words = tuple(word.casefold() for word in _WORD.findall(sentence))
                if len(words) >= MIN_WORDS:
                    length = min(len(words), RUN_WORDS)
                    for start in range(len(words) - length + 1):
                        self._runs.setdefault(words[start : start + length], what)
        self._lengths = sorted({len(run) for run in self._runs})

    def found_in(self, text: str) -> Iterator[Said]:
        """The sentences that stand in ``text``, each line of a secret once."""
        found = [(match.group().casefold(), match.start()) for match in _WORD.finditer(text)]
        words = [word for word, _ in found]
        seen = set()
        for start in range(len(words)):
            for length in self._lengths:
                what = self._runs.get(tuple(words[start : start + length]))
                if what is not None and what not in seen:
                    seen.add(what)
                    yield Said(what, text.count("\n", 0, found[start][1]) + 1)
