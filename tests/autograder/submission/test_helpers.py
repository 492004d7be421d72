"""Which definitions of a student's own cells are run, and where."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from autograder.submission import Cell, Submission
from tests.autograder.submission.little import Json, code
from tests.autograder.submission.mangling import cell, insert, place

HandIn = Callable[[Json], Submission]


def with_answer(answered: Json, text: str, *own: str, after: bool = False) -> Json:
    """The good submission with another answer to ``mean``, and a student's own cells before or after its cell."""
    notebook: Json = json.loads(json.dumps(answered))
    cell(notebook, "mean-solution")["source"] = text
    insert(notebook, place(notebook, "mean-solution") + after, *map(code, own))
    return notebook


def own_cells(submission: Submission) -> list[Cell]:
    return [found for found in submission.cells if found.id.startswith("cell-")]


def taken(submission: Submission) -> str:
    return "\n".join(found.source for found in own_cells(submission))


def run(submission: Submission) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "cells"}
    for found in submission.cells:
        exec(found.source, names)
    return names


NEEDED = {
    "a function": "def helper():\n    return 3",
    "a class": "class helper:\n    def __init__(self):\n        pass",
    "a decorated function": "import functools\n@functools.lru_cache\ndef helper():\n    return 3",
    "a lambda": "helper = lambda: 3",
    "a partial": "from functools import partial\nhelper = partial(max, 1, 3)",
    "a bound constant": "THREE = 3\nhelper = lambda: THREE",
    "an import of its own": "from time import time as helper",
    "arithmetic": "import math\nA = -math.pi * 2 ** 3 % 5\nhelper = lambda: A",
    "containers": "T = {'a': [1, (2, 3)], 'b': {4}, **{}}\nhelper = lambda: T['a'][0]",
    "a comprehension": "S = [n * n for n in range(9) if n % 2]\nhelper = lambda: sum(S)",
    "an f-string": "N = f'{1 + 1:>3}'\nhelper = lambda: N.strip()",
    "a table filled in a loop": "T = {}\nfor n in range(3):\n    T[n] = n * n\nhelper = lambda: T[2]",
    "a list that is appended to": "T = []\nT.append(3)\nhelper = lambda: T[0]",
    "a call of an own function": "def build():\n    return [3]\nT = build()\nhelper = lambda: T[0]",
    "a call of a recursive function": "def f(n):\n    return n and f(n - 1)\nT = f(3)\nhelper = lambda: T",
    "a choice": "if True:\n    def helper():\n        return 3\nelse:\n    helper = None",
    "an optional import": "try:\n    import nosuch\nexcept ImportError:\n    nosuch = None\nhelper = lambda: nosuch",
    "a named tuple": "from collections import namedtuple\nP = namedtuple('P', 'a b')\nhelper = lambda: P(1, 2)",
    "a conditional value": "A = 1 if SCALE > 1 else 2\nhelper = lambda: A",
    "several names at once": "a, (b, *c) = 1, (2, 3, 4)\nhelper = lambda: c",
    "an annotated constant": "A: int = 3\nhelper = lambda: A",
    "two on one line": "A = 1; helper = lambda: A",
    "a method of text": "WORDS = 'a b c'.split()\nhelper = lambda: WORDS",
    "everything imported": "from math import *\ndef helper():\n    return floor(3.5)",
    "a base class": "class Base:\n    pass\nclass helper(Base):\n    pass",
    "an attribute set later": "def helper():\n    return helper.calls\nhelper.calls = 0",
}


@pytest.mark.parametrize("case", NEEDED)
@pytest.mark.parametrize("after", [False, True], ids=["above", "below"])
def test_what_an_answer_needs_is_run(case: str, after: bool, answered: Json, hand_in: HandIn) -> None:
    text = "def mean(values):\n    helper()\n    return 7"
    submission = hand_in(with_answer(answered, text, NEEDED[case], after=after))
    assert run(submission)["mean"]([1.0]) == 7
    assert any("taken over from cell" in repair.what for repair in submission.repairs)


LOUD = {
    "a training run": "helper = train_for_hours()",
    "a trained model": "model = Tracker()\nhelper = model.add(1.0)",
    "a file": "helper = open('numbers.txt').read()",
    "a download": "import urllib.request\nhelper = urllib.request.urlopen('https://example.org')",
    "a shell line": "helper = !ls",
    "a supplied function's result": "helper = clean(numbers)",
    "a function that trains": "def fit():\n    return show(numbers)\nhelper = fit()",
    "a function that reads": "def fit():\n    return open('numbers.txt')\nhelper = fit()",
    "a loop without end": "helper = 0\nwhile True:\n    helper = helper + 1",
    "a saved tensor": "import torch\nhelper = torch.load('model.pt')",
    "a data loader": "import torch\nhelper = torch.utils.data.DataLoader([])",
    "a context": "with open('numbers.txt') as file:\n    helper = 3",
}


@pytest.mark.parametrize("case", LOUD)
def test_what_does_more_than_define_is_not_run(case: str, answered: Json, hand_in: HandIn) -> None:
    submission = hand_in(with_answer(answered, "def mean(values):\n    return helper", LOUD[case]))
    assert "helper" not in taken(submission).replace("helper = 0", "")
    if case != "a loop without end":
        assert any("An answer needs `helper`" in repair.what for repair in submission.repairs)
    assert "while" not in taken(submission)


@pytest.mark.parametrize(
    "text",
    [
        "def unused():\n    return 3",
        "UNUSED = 3",
        "import os",
        "print('hello')",
        "total = sum(range(9))",
        "tracker = Tracker()\ntracker.add(3)\nshow(tracker)",
        "for epoch in range(100):\n    pass",
        "%matplotlib inline\n!nvidia-smi",
        "mean([1.0])",
        "values = [1, 2, 3]",
        "assert mean([1.0, 3.0]) == 2.0",
        "SyntaxError here",
    ],
)
def test_what_no_answer_needs_is_not_run(text: str, answered: Json, hand_in: HandIn) -> None:
    insert(answered, 6, code(text))
    answered["cells"].append(code(text))
    submission = hand_in(answered)
    assert own_cells(submission) == []
    assert submission.repairs == ()


def test_copies_of_supplied_cells_are_not_run(answered: Json, hand_in: HandIn) -> None:
    copies = [code(cell(answered, name)["source"]) for name in ("data", "train", "clean")]
    notebook = with_answer(answered, "def mean(values):\n    return numbers, tracker")
    notebook["cells"] += copies
    assert own_cells(hand_in(notebook)) == []


def test_the_helper_of_one_answer_may_stand_in_the_cell_of_another(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "spread-solution")["source"] += "\n\ndef helper():\n    return 3"
    cell(answered, "mean-solution")["source"] = "def mean(values):\n    return helper()"
    submission = hand_in(answered)
    assert run(submission)["mean"]([]) == 3
    assert own_cells(submission) == []


def test_the_version_before_the_answer_counts(answered: Json, hand_in: HandIn) -> None:
    notebook = with_answer(answered, "def mean(values):\n    return helper", "helper = 1", "helper = 2")
    notebook["cells"].append(code("helper = 3"))
    assert run(hand_in(notebook))["mean"]([]) == 2


def test_a_helper_runs_after_what_it_needs_at_once_and_before_what_needs_it_at_once(
    answered: Json, hand_in: HandIn
) -> None:
    notebook = with_answer(answered, "@twice\ndef mean(values):\n    return 2")
    wrapper = "def twice(function, factor=SCALE):\n    return lambda values: factor * function(values)"
    notebook["cells"].append(code(wrapper))
    submission = hand_in(notebook)
    assert run(submission)["mean"]([]) == 4
    order = [found.id for found in submission.cells]
    assert order.index("imports") < order.index(own_cells(submission)[0].id) < order.index("mean-solution")


def test_a_helper_keeps_its_place_among_the_cells(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "spread-solution")["source"] += "\n\nLIMIT = bound"
    insert(answered, place(answered, "spread-solution"), code("bound = Tracker"))
    submission = hand_in(answered)
    names = run(submission)
    assert names["LIMIT"] is names["Tracker"]


def test_supplied_names_are_not_redefined(answered: Json, hand_in: HandIn) -> None:
    answered["cells"].append(code("def clean(values):\n    return []\nSCALE = 100"))
    submission = hand_in(answered)
    assert run(submission)["mean"]([1.0, 3.0]) == 2.0
    sentences = [repair.what for repair in submission.repairs]
    assert any("`clean`" in sentence and "the supplied one was used" in sentence for sentence in sentences)


def test_a_helper_may_be_named_like_a_local_of_another_answer(answered: Json, hand_in: HandIn) -> None:
    answered["cells"].append(code("total = print('loud')"))  # mean has a local of that name
    assert own_cells(hand_in(answered)) == []


def test_ids_of_cells_are_unique(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "spread-solution")["source"] = "def spread(values):\n    return first() + second()"
    notebook = with_answer(answered, "@first\ndef mean(values):\n    return late(1)")
    notebook["cells"].append(
        code("def first(f=None):\n    return f\n\ndef second():\n    return 0\n\nlate = lambda n, base=Tracker: n")
    )
    submission = hand_in(notebook)
    assert len({found.id for found in submission.cells}) == len(submission.cells)
    assert run(submission)["mean"]([]) == 1
