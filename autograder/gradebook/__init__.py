"""What was graded, in nbgrader's own database: its commands and its formgrader read and extend it."""

from autograder.gradebook.database import open_gradebook
from autograder.gradebook.scores import Entry, save_entries
from autograder.gradebook.settings import Settings, read_settings
from autograder.gradebook.structure import save_structure

__all__ = ["Entry", "Settings", "open_gradebook", "read_settings", "save_entries", "save_structure"]
