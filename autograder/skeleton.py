"""A source notebook as nbgrader records it on release: stubs for solutions, graded cells locked, with checksums.

What students submit is laid over it: whatever it locks comes from here and not from them.
"""

from pathlib import Path

from nbformat import NotebookNode

from autograder.course import Assignment
from autograder.notebooks import Role, read_notebook, role

__all__ = ["skeleton", "skeletons"]


def skeletons(assignment: Assignment) -> dict[str, NotebookNode]:
    """The skeleton of each notebook of ``assignment``, by nbgrader's id of it: its file name without the ending."""
    return {Path(name).stem: skeleton(assignment.source_dir / name) for name in assignment.notebooks}


def skeleton(path: Path) -> NotebookNode:
    """The notebook at ``path`` after nbgrader's own transforms, in their order, without the rubrics.

    Raises NotebookError when it cannot be read.
    """
    from nbgrader.preprocessors import ClearOutput, ClearSolutions, ComputeChecksums, LockCells

    notebook = read_notebook(path)
    notebook.cells = [cell for cell in notebook.cells if role(cell) is not Role.RUBRIC]
    for transform in (LockCells, ClearSolutions, ClearOutput, ComputeChecksums):
        notebook, _ = transform().preprocess(notebook, {})
    return notebook
