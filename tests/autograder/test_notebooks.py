"""Reading what may be broken, writing one normal form, and telling cells apart."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder._exceptions import NotebookError
from autograder.notebooks import (
    Role,
    definitions,
    grade_id,
    normal_form,
    notebook_bytes,
    parse_notebook,
    plain_python,
    read_notebook,
    role,
    write_notebook,
)

JSON_KEYS = [
    "cells", "cell_type", "source", "metadata", "outputs", "execution_count", "attachments", "id", "tags", "nbgrader",
    "grade", "solution", "locked", "points", "schema_version", "grade_id", "nbformat", "worksheets", "language_info",
]  # fmt: skip


def cell(kind: str = "code", source: object = "x = 1", **more: object) -> dict[str, Any]:
    content: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    if kind == "code":
        content |= {"outputs": [], "execution_count": None}
    return content | more


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more).encode()


def graded(**flags: object) -> dict[str, Any]:
    meta = {"grade": False, "solution": False, "locked": False, "schema_version": 3, "grade_id": "q"}
    return {"nbgrader": meta | flags}


class TestFaults:
    @pytest.mark.parametrize(
        ("data", "fault"),
        [
            pytest.param(b"", "empty", id="no bytes"),
            pytest.param(b" \n\t", "empty", id="white space"),
            pytest.param(b"{", "not-json", id="cut off"),
            pytest.param(b"\xef\xbb\xbf", "not-json", id="nothing after a byte order mark"),
            pytest.param(b"[" * 100_000, "not-json", id="endless nesting"),
            pytest.param(b"[" * 500 + b"]" * 500, "not-json", id="deep nesting"),
            pytest.param(b'{"cells": ' + b"9" * 5000 + b"}", "not-json", id="a number too long to read"),
            pytest.param('{"cells": []}'.encode("utf-16"), "not-utf8", id="utf-16"),
            pytest.param(b'{"cells": ["caf\xe9"]}', "not-utf8", id="latin-1"),
            pytest.param(b"[]", "not-a-notebook", id="a list"),
            pytest.param(b"null", "not-a-notebook", id="null"),
            pytest.param(b"{}", "not-a-notebook", id="an empty object"),
            pytest.param(b'{"cells": 3, "nbformat": 4}', "not-a-notebook", id="cells that are no list"),
            pytest.param(b'{"nbformat": 4}', "not-a-notebook", id="no cells"),
            pytest.param(b'{"cells": [], "nbformat": 5}', "not-a-notebook", id="from the future"),
            pytest.param(b'{"worksheets": [{"cells": []}], "nbformat": 3}', "old-format", id="nbformat 3"),
            pytest.param(b'{"worksheets": []}', "old-format", id="nbformat 3 without its number"),
            pytest.param(b'{"cells": [], "nbformat": 2}', "old-format", id="nbformat 2"),
        ],
    )
    def test_each_is_named(self, tmp_path: Path, data: bytes, fault: str) -> None:
        path = tmp_path / "hand in.ipynb"
        path.write_bytes(data)

        with pytest.raises(NotebookError, match=r"hand in\.ipynb") as caught:
            read_notebook(path)
        assert caught.value.fault == fault

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(NotebookError, match="cannot be read") as caught:
            read_notebook(tmp_path / "lab.ipynb")
        assert caught.value.fault == "missing"

    def test_a_path_that_no_file_can_have_is_missing(self) -> None:
        with pytest.raises(NotebookError) as caught:
            read_notebook(Path("lab\0.ipynb"))
        assert caught.value.fault == "missing"

    def test_a_folder_named_like_a_notebook_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "lab.ipynb").mkdir()

        with pytest.raises(NotebookError) as caught:
            read_notebook(tmp_path / "lab.ipynb")
        assert caught.value.fault == "directory"

    def test_a_pipe_is_refused_and_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "lab.ipynb")

        with pytest.raises(NotebookError) as caught:
            read_notebook(tmp_path / "lab.ipynb")
        assert caught.value.fault == "not-a-notebook"

    def test_a_large_file_is_refused_before_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "lab.ipynb"
        with path.open("wb") as file:
            file.truncate(1 << 40)  # a terabyte of holes: reading it would not end

        with pytest.raises(NotebookError, match=r"1099511\.6 MB") as caught:
            read_notebook(path)
        assert caught.value.fault == "too-large"

    def test_the_bound_is_the_callers(self, tmp_path: Path) -> None:
        path = tmp_path / "lab.ipynb"
        path.write_bytes(notebook(cell()))

        assert read_notebook(path, max_bytes=path.stat().st_size)
        with pytest.raises(NotebookError) as caught:
            read_notebook(path, max_bytes=path.stat().st_size - 1)
        assert caught.value.fault == "too-large"


class TestTolerance:
    def parse(self, *cells: object, **more: object) -> nbformat.NotebookNode:
        found = parse_notebook(notebook(*cells, **more), "lab.ipynb")
        nbformat.validate(found)
        return found

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert parse_notebook(b"\xef\xbb\xbf" + notebook(cell()), "lab.ipynb").cells[0].source == "x = 1"

    @pytest.mark.parametrize("minor", range(6))
    def test_every_minor_version_comes_out_as_the_newest(self, minor: int) -> None:
        assert self.parse(cell(), nbformat_minor=minor).nbformat_minor == 5

    def test_a_cell_that_is_only_a_type_and_a_source_becomes_whole(self) -> None:
        [found] = self.parse({"cell_type": "code", "source": "1"}).cells

        assert (found.metadata, found.outputs, found.execution_count) == ({}, [], None)

    def test_source_in_lines_is_joined(self) -> None:
        assert self.parse(cell(source=["a = 1\n", "b = 2"])).cells[0].source == "a = 1\nb = 2"

    @pytest.mark.parametrize("source", [None, 3, {"a": 1}, [1, None]])
    def test_source_that_is_no_text_is_empty(self, source: object) -> None:
        assert self.parse(cell(source=source)).cells[0].source == ""

    @pytest.mark.parametrize("junk", [3, "text", None, [], {}])
    def test_what_is_no_cell_keeps_its_place(self, junk: object) -> None:
        assert [found.cell_type for found in self.parse(cell(), junk, cell()).cells] == ["code", "raw", "code"]

    @pytest.mark.parametrize("metadata", [None, 3, "text", []])
    def test_metadata_that_is_none_is_empty(self, metadata: object) -> None:
        found = self.parse(cell(metadata=metadata), metadata=metadata)

        assert (found.metadata, found.cells[0].metadata) == ({}, {})

    def test_spoilt_metadata_is_dropped_and_the_rest_kept(self) -> None:
        metadata = {"nbgrader": "yes", "tags": ["keep", 3, None], "mine": 1}
        [found] = self.parse(cell(metadata=metadata), metadata={"kernelspec": 3, "language_info": []}).cells

        assert found.metadata == {"tags": ["keep"], "mine": 1}

    @pytest.mark.parametrize("outputs", [None, 3, "text", ["text"], {}])
    def test_outputs_that_are_none_are_empty(self, outputs: object) -> None:
        assert self.parse(cell(outputs=outputs)).cells[0].outputs == []

    def test_missing_bad_and_double_ids_are_replaced_by_places(self) -> None:
        cells = [cell(id="a"), cell(id="a"), cell(), cell(id="no good"), cell(id=7), cell(id="cell-3")]

        assert [found.id for found in self.parse(*cells).cells] == [
            "a",
            "cell-2",
            "cell-3-2",
            "cell-4",
            "cell-5",
            "cell-3",
        ]

    def test_constants_that_json_does_not_have_are_read(self) -> None:
        data = notebook(cell(metadata={"lr": 0})).replace(b'"lr": 0', b'"lr": NaN, "top": Infinity')

        assert parse_notebook(data, "lab.ipynb").cells[0].metadata.top == float("inf")

    def test_half_a_character_is_replaced_so_that_it_can_be_written(self, tmp_path: Path) -> None:
        found = self.parse(cell(source="s = '\ud800'", metadata={"\ud800": "\udfff"}))
        write_notebook(found, tmp_path / "lab.ipynb")

        assert read_notebook(tmp_path / "lab.ipynb").cells[0].source == "s = '\N{REPLACEMENT CHARACTER}'"

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(JSON_KEYS) | st.text(), inner),
            max_leaves=20,
        )
    )
    def test_any_json_is_read_or_named(self, content: object) -> None:
        wrapped = {"cells": content} if not isinstance(content, dict) else content
        try:
            found = parse_notebook(json.dumps(wrapped).encode(), "lab.ipynb")
        except NotebookError as error:
            assert error.fault in {"not-json", "not-a-notebook", "old-format"}  # noqa: PT017 - most examples are no error
        else:
            [role(cell) for cell in found.cells]
            assert parse_notebook(notebook_bytes(found), "again").cells == normal_form(found).cells


class TestOldSchemas:
    def test_schema_0_becomes_3_as_nbgrader_does_it(self) -> None:
        old = {"grade": True, "grade_id": "q", "points": "2.5", "unknown": 1}
        [found] = parse_notebook(notebook(cell(metadata={"nbgrader": old})), "lab.ipynb").cells

        assert found.metadata.nbgrader == {
            "grade": True, "solution": False, "locked": False, "grade_id": "q", "points": 2.5, "schema_version": 3,
        }  # fmt: skip

    @pytest.mark.parametrize("version", [1, 2])
    def test_schemas_1_and_2_become_3(self, version: int) -> None:
        [found] = parse_notebook(notebook(cell(metadata=graded(solution=True, schema_version=version))), "lab").cells

        assert found.metadata.nbgrader.schema_version == 3
        assert role(found) is Role.SOLUTION

    def test_points_that_cannot_be_upgraded_cost_that_cells_metadata_only(self) -> None:
        bad = {"nbgrader": {"grade": True, "grade_id": "q", "points": "many"}}
        first, second = parse_notebook(notebook(cell(metadata=bad), cell(metadata=graded(grade=True))), "lab").cells

        assert (role(first), role(second)) == (Role.FREE, Role.AUTOGRADED)

    def test_metadata_that_nbgrader_emptied_counts_as_none(self) -> None:
        [found] = parse_notebook(notebook(cell(metadata={"nbgrader": {}})), "lab").cells

        assert found.metadata == {}


class TestNormalForm:
    def test_traces_of_a_session_go(self) -> None:
        metadata = {"executionInfo": {"user": {"displayName": "Ada"}}, "collapsed": True, "tags": ["a"]}
        output = {"output_type": "stream", "name": "stdout", "text": "hi"}
        used = cell(source="a\r\nb", metadata=metadata, outputs=[output], execution_count=3, id="a")
        info = {"name": "python", "version": "3.11.2"}
        found = normal_form(parse_notebook(notebook(used, metadata={"widgets": {}, "language_info": info}), "lab"))

        assert found.metadata == {"language_info": {"name": "python"}}
        assert found.cells[0] == cell(source="a\nb", metadata={"tags": ["a"]}, id="a")

    def test_what_went_in_is_left_as_it_was(self) -> None:
        found = parse_notebook(notebook(cell(execution_count=3, metadata={"collapsed": True})), "lab")
        before = copy.deepcopy(found)
        normal_form(found)

        assert found == before

    def test_the_order_of_keys_does_not_show(self) -> None:
        one = parse_notebook(notebook(cell(metadata={"a": 1, "b": {"c": 1, "d": 2}}, id="x")), "lab")
        two = parse_notebook(notebook(cell(id="x", metadata={"b": {"d": 2, "c": 1}, "a": 1})), "lab")

        assert notebook_bytes(one) == notebook_bytes(two)

    def test_a_file_ends_with_one_line_feed_and_reads_back(self, tmp_path: Path) -> None:
        found = parse_notebook(notebook(cell("markdown", "café ²"), cell()), "lab")
        write_notebook(found, tmp_path / "new" / "lab.ipynb")
        data = (tmp_path / "new" / "lab.ipynb").read_bytes()

        assert data.endswith(b"}\n")
        assert "café ²".encode() in data
        assert read_notebook(tmp_path / "new" / "lab.ipynb") == normal_form(found)

    def test_what_is_no_valid_notebook_is_not_written(self, tmp_path: Path) -> None:
        found = parse_notebook(notebook(cell(id="a"), cell(id="b")), "lab")
        found.cells[0].id = "not an id"

        with pytest.raises(NotebookError, match="not a valid notebook, so not written"):
            write_notebook(found, tmp_path / "lab.ipynb")
        assert list(tmp_path.iterdir()) == []

    @given(st.lists(st.tuples(st.sampled_from(["code", "markdown", "raw"]), st.text(), st.text(max_size=5))))
    def test_it_is_its_own_normal_form(self, cells: list[tuple[str, str, str]]) -> None:
        made = [cell(kind, source, id=name, metadata={source: name}) for kind, source, name in cells]
        once = normal_form(parse_notebook(notebook(*made), "lab"))

        assert normal_form(once) == once
        assert parse_notebook(notebook_bytes(once), "lab") == once


class TestRoles:
    @pytest.mark.parametrize(
        ("kind", "metadata", "expected"),
        [
            ("code", {}, Role.FREE),
            ("markdown", {"tags": ["rubric"]}, Role.RUBRIC),
            ("code", graded(locked=True), Role.LOCKED),
            ("markdown", graded(locked=True), Role.LOCKED),
            ("code", graded(locked=True) | {"tags": ["grade-setup"]}, Role.SETUP),
            ("markdown", graded(locked=True) | {"tags": ["grade-setup"]}, Role.LOCKED),
            ("code", {"tags": ["grade-setup"]}, Role.FREE),
            ("code", graded(solution=True), Role.SOLUTION),
            ("code", graded(grade=True, locked=True, points=1), Role.AUTOGRADED),
            ("markdown", graded(grade=True, solution=True, points=1), Role.MANUAL),
            ("markdown", graded(grade=True, solution=True, points=1) | {"tags": ["rubric"]}, Role.MANUAL),
            ("markdown", graded(task=True, points=1), Role.TASK),
            ("code", graded(), Role.FREE),
        ],
    )
    def test_each_cell_has_one(self, kind: str, metadata: dict[str, Any], expected: Role) -> None:
        assert role(parse_notebook(notebook(cell(kind, metadata=metadata)), "lab").cells[0]) is expected

    @pytest.mark.parametrize(
        ("metadata", "expected"),
        [({}, None), (graded(), "q"), (graded(grade_id=""), None), (graded(grade_id=3), None)],
        ids=["none", "text", "empty", "number"],
    )
    def test_a_grade_id_is_text_or_nothing(self, metadata: dict[str, Any], expected: str | None) -> None:
        assert grade_id(parse_notebook(notebook(cell(metadata=metadata)), "lab").cells[0]) == expected


class TestPlainPython:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("x = 1  # 100 % sure?", "x = 1  # 100 % sure?"),
            ("%matplotlib inline\nx = 1", "get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1\n"),
            ("!ls\n", "get_ipython().system('ls')\n"),
            ("torch.nn?", "get_ipython().run_line_magic('pinfo', 'torch.nn')\n"),
            ("files = !ls", "files = get_ipython().getoutput('ls')\n"),
            ("%%time\nx = 1\n", "get_ipython().run_cell_magic('time', '', 'x = 1\\n')\n"),
        ],
        ids=["python", "magic", "shell", "help", "captured shell", "cell magic"],
    )
    def test_ipythons_syntax_becomes_python(self, source: str, expected: str) -> None:
        assert plain_python(source) == expected

    @pytest.mark.parametrize(
        "source",
        [
            "def f(:\n    pass", "x = (", "'unclosed", "a\0b", "\ud800", "-" * 100_000 + "1", "1" + "+1" * 100_000,
            "if 1: pass\n" + "elif 1: pass\n" * 20_000, "x = %time 1\n" * 600, "\t  x\n y", '"""',
        ],
        ids=[
            "syntax", "open bracket", "open string", "null byte", "half a character", "unary chain", "sum",
            "elif chain", "six hundred magics", "indentation", "open docstring",
        ],
    )  # fmt: skip
    def test_what_is_not_python_never_raises(self, source: str) -> None:
        assert isinstance(plain_python(source), str)
        assert isinstance(definitions(source), frozenset)

    def test_a_syntax_error_stays_as_it_is(self) -> None:
        assert plain_python("def f(:\n    pass\n") == "def f(:\n    pass\n"

    def test_a_warning_in_a_students_string_is_not_ours(self) -> None:
        assert plain_python("s = '\\d'") == "s = '\\d'"

    def test_python_needs_no_ipython(self) -> None:
        """Reading stays quick: most cells are Python."""
        code = "import sys, autograder.notebooks as n; n.plain_python('x = 1'); sys.exit('IPython' in sys.modules)"

        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestDefinitions:
    @pytest.mark.parametrize(
        ("source", "names"),
        [
            ("def f(): x = 1", {"f"}),
            ("async def f(): pass\nclass A:\n    b = 1", {"f", "A"}),
            ("a = b = 1; c, (d, *e) = g", {"a", "b", "c", "d", "e"}),
            ("x.y = 1; z[0] = 2", set()),
            ("n: int = 3\nm: int\nk += 1", {"n", "k"}),
            ("import os.path, numpy as np\nfrom math import *", {"os", "np"}),
            ("from torch import nn as layers, optim", {"layers", "optim"}),
            ("if a:\n    b = 1\nelif c:\n    d = 1\nelse:\n    def e(): pass", {"b", "d", "e"}),
            ("for i in x:\n    j = 1\nwith f() as (g, h): k = 1", {"i", "j", "g", "h", "k"}),
            ("try:\n    a = 1\nexcept E as e:\n    b = 1\nfinally:\n    c = 1", {"a", "b", "c"}),
            ("match x:\n    case 1:\n        y = 2", {"y"}),
            ("%%time\nx = 1", set()),
            ("!ls\nx = 1", {"x"}),
            ("print(1)", set()),
            ("", set()),
        ],
    )  # fmt: skip
    def test_the_names_of_the_cells_own_scope(self, source: str, names: set[str]) -> None:
        assert definitions(source) == names

    def test_a_cell_that_does_not_parse_defines_what_it_seems_to(self) -> None:
        assert definitions("import torch\n\ndef attend(q, K:\n    inner = 1\n\nrate = 1e-3\nrate == 2\n") == {
            "attend",
            "rate",
        }

    @settings(max_examples=50)
    @given(
        st.lists(st.sampled_from("abcdefgh"), min_size=1), st.sampled_from(["{} = 1", "def {}(): pass", "import {}"])
    )
    def test_every_definition_is_found_wherever_it_stands(self, names: list[str], form: str) -> None:
        source = "\n".join(form.format(name) for name in names)

        assert definitions(source) == set(names)
        assert definitions("if True:\n" + indent(source, "    ")) == set(names)

    @given(st.text())
    def test_no_text_is_too_odd(self, source: str) -> None:
        assert isinstance(definitions(source), frozenset)
