"""Python tokens of any text, valid or not.

``tokenize`` refuses what does not parse, differently in each Python version, and the audit has to read prose, comments
and broken code too. This lexer never fails: what it does not know is an operator of one character.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Token", "code_tokens", "lex", "lines_of_tokens"]


class Token(NamedTuple):
    """``kind`` is one of comment, string, number, name, newline, op; ``line``, its first of ``rows``, counts from 1."""

    kind: str
    text: str
    line: int
    rows: int = 1


_TOKEN = re.compile(
    r"""
    (?P<comment> \#[^\n]* )
  | (?P<string>  (?:[rRbBuUfF]{0,2})
                 (?: \"{3} (?:\\.|[^\\])*? \"{3} | '{3} (?:\\.|[^\\])*? '{3}
                   | " (?:\\.|[^"\\\n])* " | ' (?:\\.|[^'\\\n])* ' ) )
  | (?P<number>  0[xXoObB][0-9A-Fa-f_]+ | (?: \d[\d_]*(?:\.[\d_]*)? | \.\d[\d_]* ) (?:[eE][+-]?\d+)? [jJ]? )
  | (?P<name>    [^\W\d]\w* )
  | (?P<newline> \n )
  | (?P<space>   [^\S\n]+ | \\\n )
  | (?P<op>      \*\*= | //= | >>= | <<= | \.\.\. | -> | := | \*\* | // | << | >> | [-+*/%@&|^=!<>]= | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\", "\n": ""}
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def lex(text: str) -> Iterator[Token]:
    """The tokens of ``text``; quotes and prefixes of strings, and the spelling of numbers, are made one."""
    line = 1
    for match in _TOKEN.finditer(text):
        kind, found = str(match.lastgroup), match.group()
        if kind == "string":
            yield Token(kind, _string_content(found), line, found.count("\n") + 1)
        elif kind == "number":
            yield Token(kind, _number(found), line)
        elif kind != "space":
            yield Token(kind, found, line)
        line += found.count("\n")


def _string_content(literal: str) -> str:
    body = literal.lstrip("rRbBuUfF")
    quotes = 3 if body[:3] in {'"' * 3, "'" * 3} else 1
    content = body[quotes:-quotes]
    if "r" in literal[: len(literal) - len(body)].lower():
        return content
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match.group(1), match.group()), content)


def _number(literal: str) -> str:
    try:
        return repr(float(literal.replace("_", "")))
    except ValueError:  # hexadecimal or complex: left as written
        return literal.lower()


def code_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of ``text`` that are code: no comments, no line ends."""
    return tuple(token for token in lex(text) if token.kind not in {"comment", "newline"})


def lines_of_tokens(text: str) -> Iterator[tuple[Token, ...]]:
    """The code tokens of each line of ``text``, then those of each statement that runs over several lines."""
    physical: list[Token] = []
    logical: list[Token] = []
    depth = 0
    for token in (*lex(text), Token("newline", "\n", 0)):
        if token.kind == "newline":
            if physical:
                yield tuple(physical)
            if depth == 0 and len(logical) > len(physical):
                yield tuple(logical)
            physical = []
            logical = [] if depth == 0 else logical
        elif token.kind != "comment":
            depth = max(0, depth + (token.text in _OPEN) - (token.text in _CLOSE)) if token.kind == "op" else depth
            physical.append(token)
            logical.append(token)
