"""A source notebook as it is shown when the assignment is over: solutions in, graded cells kept, no rubrics."""

from nbformat import NotebookNode

from autograder.notebooks import normal_form
from autograder.release.cells import cell_label, without_rubrics
from autograder.release.regions import HIDDEN_TESTS, MARK_SCHEME, SOLUTION, cut, unwrap

__all__ = ["solved_notebook"]


def solved_notebook(notebook: NotebookNode, student: NotebookNode, name: str) -> NotebookNode:
    """The solved copy of ``notebook``, whose release is ``student``.

    Cells take the release's metadata, so that it reads as a submission by whoever knows all answers: nbgrader sees by
    the checksums that they were filled in. Markers go, and hidden tests too: solutions are published one day.
    """
    places = {cell.id: index for index, cell in enumerate(notebook.cells)}
    result = without_rubrics(normal_form(notebook))
    for cell, released in zip(result.cells, student.cells, strict=True):
        where = f"{name}, {cell_label(places[cell.id], cell)}"
        for kind in (HIDDEN_TESTS, MARK_SCHEME):
            cell.source = cut(cell.source, kind, where)
        cell.source = unwrap(cell.source, SOLUTION, where)
        cell.metadata = released.metadata
    return normal_form(result)
