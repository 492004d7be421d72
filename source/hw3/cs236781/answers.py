"""Shows a written answer in a notebook."""

from IPython.display import Markdown, display


def display_answer(answer: str) -> None:
    """Show ``answer``, Markdown with formulas in dollar signs."""
    display(Markdown(answer))
