"""A tiny course with a package, for the kit's own tests: modules that import each other, supplied files, a notebook."""

import shutil
from pathlib import Path

import nbformat
import torch
from nbformat import NotebookNode

from autograder.course import Assignment, Course
from tests.autograder.tiny import code, markdown

COURSE = """\
[course]
title = "Tiny course"

[assignments.pack]
title = "Counting"
notebooks = ["Part1.ipynb"]
package = "pack"

[assignments.pack.limits]
call_seconds = 2.0
cell_seconds = 3.0
test_seconds = 6.0
memory_mb = 3000
"""

WORDS = '''\
"""Words   of a text."""  # spacing, quotes and comments out here are the author's

import torch

STEP = 2


def count(text):
    """How many words ``text`` has."""
    ### BEGIN SOLUTION
    separated = [word for word in text.replace(",", " ").split(" ") if word != ""]
    return len(separated)
    ### END SOLUTION


class Net(torch.nn.Module):
    """Adds ``STEP`` to the doubled input, times a weight."""

    def __init__(self,  size = 3):
        super().__init__()
        ### BEGIN SOLUTION
        self.gain = torch.nn.Parameter(torch.full((size,), 2.0))
        ### END SOLUTION

    def forward(self, x):
        # TODO of the student: the body
        outcome = None
        ### BEGIN SOLUTION
        outcome = torch.addcmul(torch.full_like(x, float(STEP)), self.gain, x, value=1.0)
        ### END SOLUTION
        return outcome
'''

TRAIN = '''\
"""Uses words, and what is supplied."""

from support.tools import LIMIT

from .words import count


def budget(text):
    """The number of words, at most the supplied limit."""
    ### BEGIN SOLUTION
    allowed = int(min(count(text), LIMIT, key=lambda number: float(number)))
    return allowed
    ### END SOLUTION
'''

ANSWERS = '''\
def hypers():
    """The rate to train with."""
    chosen = dict(rate=None)
    ### BEGIN SOLUTION
    chosen["rate"] = 0.0625
    ### END SOLUTION
    return chosen


why = r"""

**Your answer:**

"""
### BEGIN SOLUTION
why = r"""Because every separate word of a text is counted exactly once."""
### END SOLUTION
'''

FILES = {
    "pack/__init__.py": '"""The student\'s package."""\n',
    "pack/words.py": WORDS,
    "pack/train.py": TRAIN,
    "pack/answers.py": ANSWERS,
    "support/__init__.py": "",
    "support/tools.py": '"""Supplied."""\n\nLIMIT  =  4\n',
    "main.py": "print( 'hand in' )\n",
    "tensors/raw.bin": "\0\1\2",
}

SUITE = '''\
import torch

from autograder.grading.checks import check, check_close
from autograder.grading.marks import question


@question("count")
def test_count(student, reference):
    """Words are counted."""
    text = "one two  three"
    check(student("pack.words").count(text) == reference("pack.words").count(text), "the number is wrong")


@question("Net")
def test_net(student, reference, torch_rng):
    """The net adds the step to what it weighs."""
    x = torch.randn(5, 3, generator=torch_rng)
    net = student("pack.words").Net(3)
    check_close(net(x), reference("pack.words").Net(3)(x), "Net(3)(x)")


@question("Net")
def test_step(student):
    """A probe imports the module itself."""
    check(student.probe.step() == 2, "the step is not added")


@question("budget")
def test_budget(student):
    """No more words than the limit."""
    check(student("pack.train").budget("a b c d e f") == 4, "more words than the limit")


@question("freeze")
def test_freeze(student):
    """The frozen part is frozen."""
    source = student.source("freeze")
    check("requires_grad" in source and "count" not in source, "nothing is frozen")
'''

PROBES = """\
import torch


def step(ns):
    from pack.words import Net

    return Net(1)(torch.zeros(1)).item()
"""


def notebook() -> NotebookNode:
    """The source notebook: a check for each function, a solution cell, a question that is answered in the package."""
    freeze = "### BEGIN SOLUTION\nfor weight in model.parameters():\n    weight.requires_grad = False\n### END SOLUTION"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [
        nbformat.v4.new_markdown_cell("# Counting", id="title"),
        code("from pack.words import count, Net", "imports", locked=True),
        code("assert count('one') == 1", "count", grade=True, locked=True, points=2),
        code("assert Net(3) is not None", "Net", grade=True, locked=True, points=4),
        code("assert budget('one') == 1", "budget", grade=True, locked=True, points=1),
        code(freeze, "freeze-solution", solution=True),
        code("assert model is not None", "freeze", grade=True, locked=True, points=1),
        markdown("## Why?\n\nSay why.", "why", task=True, locked=True, points=2),
        code("display_answer(pack.answers.why)", "why-answer", locked=True),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def make_course(root: Path) -> Assignment:
    """Write the course below ``root``; returns its assignment."""
    (root / "course.toml").write_text(COURSE)
    source, tests = root / "source" / "pack", root / "tests" / "pack"
    for name, text in FILES.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    torch.save({"expected": torch.arange(3)}, source / "tensors" / "expected.pt")
    nbformat.write(notebook(), source / "Part1.ipynb")
    tests.mkdir(parents=True)
    (tests / "probes.py").write_text(PROBES)
    (tests / "test_pack.py").write_text(SUITE)
    return Course.load(root / "course.toml").assignment("pack")


def hand_in(assignment: Assignment, folder: Path, **changed: str | None) -> Path:
    """The solved package as a student would hand it in, with modules ``changed`` by name; None leaves one out."""
    shutil.copytree(assignment.source_dir, folder)
    for name, text in changed.items():
        path = folder / "pack" / f"{name}.py"
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    return folder
