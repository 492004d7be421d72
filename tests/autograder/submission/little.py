"""A little course with one of everything that a submission is matched against; it needs no torch to run."""

import json
from pathlib import Path
from typing import Any

from autograder.course import Assignment, Course

COURSE = """\
[course]
title = "A little course"

[assignments.little]
title = "Means and spreads"
notebooks = ["little.ipynb"]
group_size = 2
"""

MEMBERS = """\
MEMBERS = [("Student name", "Student number")]
### BEGIN SOLUTION
MEMBERS = [("Model Answer", "0")]
### END SOLUTION
print(MEMBERS)
"""

IMPORTS = """\
import math

SCALE = 2
"""

DATA = """\
!wget https://example.org/numbers.txt
numbers = [float(line) for line in open("numbers.txt")]
"""

CLEAN = """\
def clean(values):
    \"\"\"The finite ones of ``values``.\"\"\"
    return [value for value in values if math.isfinite(value)]
"""

MEAN = """\
def mean(values):
    \"\"\"The mean of ``values``, a list.\"\"\"
    ### BEGIN SOLUTION
    total = sum(clean(values))
    return total / len(values)
    ### END SOLUTION
"""

TRACKER = """\
class Tracker:
    \"\"\"Keeps values and their running mean.\"\"\"

    def __init__(self, scale=SCALE):
        ### BEGIN SOLUTION
        self.scale = scale
        self.values = []
        ### END SOLUTION

    def add(self, value):
        \"\"\"Take in ``value``; return the mean so far, scaled.\"\"\"
        ### BEGIN SOLUTION
        self.values.append(value)
        return self.scale * mean(self.values)
        ### END SOLUTION
"""

SHOW = """\
def show(tracker):
    \"\"\"Print what ``tracker`` holds.\"\"\"
    print(len(tracker.values))
"""

TRAIN = """\
tracker = Tracker()
for number in numbers:
    tracker.add(number)
show(tracker)
"""

SPREAD = """\
def variance(values):
    \"\"\"The variance of ``values``.\"\"\"
    ### BEGIN SOLUTION
    centre = mean(values)
    return mean([(value - centre) ** 2 for value in values])
    ### END SOLUTION


def spread(values):
    \"\"\"The standard deviation of ``values``.\"\"\"
    ### BEGIN SOLUTION
    return math.sqrt(variance(values))
    ### END SOLUTION
"""

PLOT = """\
# Plot the numbers.
### BEGIN SOLUTION
print("*" * len(numbers))
### END SOLUTION
"""

Json = dict[str, Any]


def code(text: str, grade_id: str | None = None, *, tags: tuple[str, ...] = (), **flags: Any) -> Json:
    """A code cell, with nbgrader metadata where it has a grade id."""
    return _cell("code", text, grade_id, tags, flags) | {"execution_count": None, "outputs": []}


def markdown(text: str, grade_id: str | None = None, *, tags: tuple[str, ...] = (), **flags: Any) -> Json:
    """A markdown cell, with nbgrader metadata where it has a grade id."""
    return _cell("markdown", text, grade_id, tags, flags)


def _cell(kind: str, text: str, grade_id: str | None, tags: tuple[str, ...], flags: Json) -> Json:
    metadata: Json = {"tags": list(tags)} if tags else {}
    if grade_id is not None:
        basic = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
        metadata["nbgrader"] = basic | {"grade_id": grade_id, "cell_type": kind} | flags
    return {"cell_type": kind, "id": grade_id or f"id-{abs(hash(text))}", "metadata": metadata, "source": text}


def notebook(cells: list[Json]) -> Json:
    """A notebook of nbformat 4.5."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def source() -> Json:
    """The instructor's notebook."""
    setup = {"tags": ("grade-setup",), "locked": True}
    return notebook([
        markdown("# Means and spreads"),
        code(MEMBERS, "members", solution=True),
        code(IMPORTS, "imports", **setup),
        code(DATA, "data", locked=True),
        code(CLEAN, "clean", **setup),
        markdown("## Part 1: the mean\n\nWrite a mean."),
        code(MEAN, "mean-solution", solution=True),
        code("assert mean([1.0, 3.0]) == 2.0", "mean", grade=True, locked=True, points=2),
        markdown("It is the balance point.", "why-mean", grade=True, solution=True, points=1),
        markdown("1 for balance", tags=("rubric",)),
        markdown("## Part 2: a tracker\n\nAnd a class."),
        code(TRACKER, "Tracker-solution", solution=True),
        code("assert Tracker(1).add(3.0) == 3.0", "Tracker", grade=True, locked=True, points=4),
        code(SHOW, "show", **setup),
        code(TRAIN, "train", locked=True),
        code(PLOT, "plot", grade=True, solution=True, points=1),
        markdown("## Part 3: spreads\n\nTwo functions."),
        code(SPREAD, "spread-solution", solution=True),
        code("assert spread([1.0, 1.0]) == 0.0", "spread", grade=True, locked=True, points=3),
        markdown("How does it differ from the mean's?"),
        markdown("By its unit.", "why-spread", grade=True, solution=True, points=2),
        code("# Yours. Nothing here is marked."),
    ])  # fmt: skip


def solved(notebook: Json) -> Json:
    """``notebook`` as a student hands it in who wrote what the instructor did."""
    copied = json.loads(json.dumps(notebook))["cells"]
    cells = [cell for cell in copied if "rubric" not in cell["metadata"].get("tags", ())]
    for cell in cells:
        text = "".join(cell["source"])
        cell["source"] = "\n".join(line for line in text.split("\n") if " SOLUTION" not in line or "###" not in line)
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "members":
            cell["source"] = 'MEMBERS = [("Ada Lovelace", "1815"), ("Emmy Noether", "1882")]'
    return notebook | {"cells": cells}


def released(notebook: Json) -> Json:
    """``notebook`` as students get it."""
    cells = json.loads(json.dumps(notebook))["cells"]
    for cell in cells:
        meta = cell["metadata"].get("nbgrader", {})
        if meta.get("solution"):
            cell["source"] = _stub(cell["source"]) if cell["cell_type"] == "code" else "YOUR ANSWER HERE"
    return notebook | {"cells": [cell for cell in cells if "rubric" not in cell["metadata"].get("tags", ())]}


def _stub(text: str) -> str:
    while "### BEGIN SOLUTION" in text:
        before, _, rest = text.partition("### BEGIN SOLUTION\n")
        indent = before.rpartition("\n")[2]
        after = rest.partition("### END SOLUTION\n")[2]
        text = f"{before}# YOUR CODE HERE\n{indent}raise NotImplementedError()\n{after}"
    return text


def make_course(root: Path) -> Assignment:
    """Write the little course below ``root``."""
    (root / "course.toml").write_text(COURSE)
    folder = root / "source" / "little"
    folder.mkdir(parents=True)
    (folder / "little.ipynb").write_text(json.dumps(source()))
    return Course.load(root / "course.toml").assignment("little")
