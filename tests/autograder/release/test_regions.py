"""Regions between markers."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder._exceptions import ReleaseError
from autograder.release.regions import HIDDEN_TESTS, SOLUTION, cut, regions, stub, unwrap

FUNCTION = """\
def double(x):
    '''Twice x.'''
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
"""


class TestStubs:
    def test_a_functions_body_becomes_a_comment_and_a_raise(self) -> None:
        assert stub(FUNCTION, "lab") == (
            "def double(x):\n    '''Twice x.'''\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"
        )

    def test_between_brackets_only_the_comment_can_stand(self) -> None:
        text = "names = [\n    ### BEGIN SOLUTION\n    'Ada',\n    ### END SOLUTION\n]\n"

        assert stub(text, "lab") == "names = [\n    # YOUR CODE HERE\n]\n"

    def test_brackets_in_strings_and_comments_are_not_brackets(self) -> None:
        text = "s = '('  # [\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n"

        assert "raise" in stub(text, "lab")

    def test_a_region_without_code_takes_nothing_away_and_raises_nothing(self) -> None:
        text = "MEMBERS = []\n### BEGIN SOLUTION\n# none\n### END SOLUTION\n"

        assert stub(text, "lab") == "MEMBERS = []\n# YOUR CODE HERE\n"

    def test_line_ends_stay_what_they_were(self) -> None:
        assert stub("a = 0\r\n### BEGIN SOLUTION\r\nx = 1\r\n### END SOLUTION\r\nb = 0\r\n", "lab") == (
            "a = 0\r\n# YOUR CODE HERE\r\nraise NotImplementedError()\r\nb = 0\r\n"
        )

    def test_two_regions_are_two_stubs(self) -> None:
        assert stub(FUNCTION + FUNCTION, "lab").count("raise NotImplementedError()") == 2


class TestModules:
    """A module that cannot be imported costs every question in it."""

    def test_functions_and_methods_raise_when_called(self) -> None:
        text = "class A:\n" + "\n".join("    " + line for line in FUNCTION.splitlines())

        assert "        raise NotImplementedError()" in stub(text, "lab", module=True)

    def test_at_the_top_only_the_comment_stands(self) -> None:
        text = "import a\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n" + FUNCTION

        assert stub(text, "lab", module=True) == stub(text, "lab").replace("\nraise NotImplementedError()", "", 1)

    def test_in_a_class_that_has_something_else_only_the_comment_stands(self) -> None:
        text = "class A:\n    '''Doc.'''\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n"

        assert stub(text, "lab", module=True) == "class A:\n    '''Doc.'''\n    # YOUR CODE HERE\n"

    def test_where_a_block_would_be_empty_it_raises(self) -> None:
        text = "if True:\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n"

        assert stub(text, "lab", module=True).endswith("raise NotImplementedError()\n")

    def test_a_signature_over_several_lines_is_still_a_function(self) -> None:
        text = FUNCTION.replace("(x)", "(\n    x,\n) -> float")

        assert "    raise NotImplementedError()" in stub(text, "lab", module=True)


class TestUnwrapping:
    def test_solutions_stay_and_markers_go(self) -> None:
        assert unwrap(FUNCTION, SOLUTION, "lab") == "def double(x):\n    '''Twice x.'''\n    return 2 * x\n"

    def test_hidden_tests_go_with_their_markers(self) -> None:
        text = "assert a\n### BEGIN HIDDEN TESTS\nassert b\n### END HIDDEN TESTS\nassert c"

        assert cut(text, HIDDEN_TESTS, "lab") == "assert a\nassert c"


class TestFaults:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x\n### BEGIN SOLUTION\ny", "line 2: BEGIN SOLUTION is never ended"),
            ("### END SOLUTION", "line 1: END SOLUTION without a BEGIN SOLUTION"),
            (
                "### BEGIN SOLUTION\n\n### BEGIN SOLUTION\n### END SOLUTION",
                "line 3: BEGIN SOLUTION inside the region begun in line 1",
            ),
        ],
        ids=["never ended", "never begun", "nested"],
    )
    def test_a_region_that_is_none_is_named_with_its_line(self, text: str, message: str) -> None:
        with pytest.raises(ReleaseError, match=f"lab, {message}"):
            regions(text, SOLUTION, "lab")


LINES = st.lists(st.sampled_from(["x = 1", "", "def f():", "    return x", "'''", "[", "é²"]), max_size=8)


@given(LINES, LINES, LINES, st.booleans())
def test_what_stands_outside_a_region_is_never_changed(
    before: list[str], inside: list[str], after: list[str], module: bool
) -> None:
    text = "\n".join([*before, "### BEGIN SOLUTION", *inside, "### END SOLUTION", *after])
    result = stub(text, "lab", module=module).split("\n")

    assert result[: len(before)] == before
    assert result[len(result) - len(after) :] == after
    assert result[len(before) : len(result) - len(after)] in (
        ["# YOUR CODE HERE"],
        ["# YOUR CODE HERE", "raise NotImplementedError()"],
    )


@given(st.sampled_from(["x = 1", "def f():\n    return 1", "import os"]), st.booleans())
def test_a_stub_of_what_parses_parses(body: str, module: bool) -> None:
    indented = "\n".join(f"    {line}" for line in body.split("\n"))

    ast.parse(stub(f"def g():\n    ### BEGIN SOLUTION\n{indented}\n    ### END SOLUTION\n", "lab", module=module))
