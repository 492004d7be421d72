"""For nbgrader's own commands and formgrader: they work in this folder as it stands.

The kit writes source/, release/, submitted/, autograded/, feedback/ and gradebook.db where nbgrader looks for them.
"""

from pathlib import Path

# The loader hands this in. The function to import is that of the running program, which under formgrader is Jupyter.
c = get_config()  # noqa: F821

COURSE = Path(__file__).parent.resolve()

c.CourseDirectory.root = str(COURSE)
c.CourseDirectory.db_url = f"sqlite:///{COURSE / 'gradebook.db'}"

c.ClearSolutions.begin_solution_delimeter = "BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "END SOLUTION"
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"
c.ClearHiddenTests.begin_test_delimeter = "BEGIN HIDDEN TESTS"
c.ClearHiddenTests.end_test_delimeter = "END HIDDEN TESTS"
