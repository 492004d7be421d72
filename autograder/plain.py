"""What a student wrote, as text that no terminal, browser or reader is fooled by.

Names, messages and answers come from people the kit must not trust. Before any of it reaches a terminal, a page or a
notebook it passes here: terminal sequences are dropped; what is left of control characters, and the marks that turn
or hide text, are written out as their code points.
"""

import re
import unicodedata

__all__ = ["one_line", "plain"]

MESSAGE_CHARACTERS = 2_000
"""Longer texts are cut in their middle: the head says what it is, the tail often says what went wrong."""

TERMINAL_SEQUENCE = re.compile(
    r"""\x1b\[ [0-?]* [ -/]* [@-~]           # CSI: colours, cursor, erase
      | \x1b[\]PX^_] .*? (?:\x07|\x1b\\|\Z)   # OSC, DCS, SOS, PM, APC: titles, links, clipboard
      | \x1b [ -/]* [0-~]                     # everything else that starts with ESC
      | \x9b [0-?]* [ -/]* [@-~]              # CSI in one byte
    """,
    re.VERBOSE | re.DOTALL,
)
LINE_ENDS = re.compile(r"\r\n?|\x0b|\x0c|\x85|\u2028|\u2029")
TURNS_OR_HIDES = frozenset("\u061c\u180e\u200b\ufeff\u00ad") | {
    chr(point)
    for first, last in ((0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F))
    for point in range(first, last + 1)
}
STACKED_MARKS = 3
"""Combining marks that one character may carry: more is text that climbs over its neighbours."""


def plain(text: str, *, most: int = MESSAGE_CHARACTERS) -> str:
    """``text`` without terminal sequences, with control characters written out, cut to about ``most`` characters.

    Line feeds and tabs stay. Any string is accepted, lone surrogates too; the result can always be encoded.
    """
    if len(text) <= most:
        return _shown(text)
    # Only what can be kept is worked on: a message may be as large as the wire lets through.
    tail = most // 4
    head = most - tail
    kept = _shown(text[: 2 * head])[:head], _shown(text[-2 * tail :])[-tail:]
    return f"\n[{len(text) - most:,} characters left out]\n".join(kept)


def one_line(text: str, *, most: int = 120) -> str:
    """``plain`` text with every run of white space made one space: for a table's cell or a heading."""
    return _ended(" ".join(plain(text, most=4 * most).split()), most)


def _shown(text: str) -> str:
    text = LINE_ENDS.sub("\n", TERMINAL_SEQUENCE.sub("", text))
    return _without_stacks("".join(map(_visible, text)))


def _visible(character: str) -> str:
    """``character``, or its code point written out where it would act instead of showing."""
    if character in "\n\t":
        return character
    if character in TURNS_OR_HIDES or unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn"}:
        return f"\\u{ord(character):04x}"
    if unicodedata.category(character) == "Cf" and ord(character) > 0xE0000:  # invisible "tag" letters
        return f"\\u{ord(character):04x}"
    return character


def _without_stacks(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if marks <= STACKED_MARKS:
            kept.append(character)
    return "".join(kept)


def _ended(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
