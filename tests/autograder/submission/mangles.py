"""Everything that notebooks are mangled by in the tests: importing a module registers its mangles."""

from tests.autograder.submission import mangles_of_content, mangles_of_cuts, mangles_of_editors, mangles_of_order
from tests.autograder.submission.mangling import MANGLES, Mangle, Targets, strip_everything

__all__ = [
    "MANGLES",
    "Mangle",
    "Targets",
    "mangles_of_content",
    "mangles_of_cuts",
    "mangles_of_editors",
    "mangles_of_order",
    "strip_everything",
]
