"""Small things about cells that several transforms need."""

from nbformat import NotebookNode

from autograder.notebooks import Role, grade_id, role

__all__ = ["cell_label", "without_rubrics"]


def cell_label(index: int, cell: NotebookNode) -> str:
    """How messages name a cell: its place from 1, and its id."""
    return f"cell {index + 1} ({grade_id(cell) or cell.id})"


def without_rubrics(notebook: NotebookNode) -> NotebookNode:
    """``notebook`` with its rubric cells taken out, in place."""
    notebook.cells = [cell for cell in notebook.cells if role(cell) is not Role.RUBRIC]
    return notebook
