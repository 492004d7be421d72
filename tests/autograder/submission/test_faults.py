"""Whatever a student sends that cannot be graded has a name, a reason and a remedy."""

import json
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from autograder import SubmissionError
from autograder.course import Assignment
from autograder.notebooks import MAX_NOTEBOOK_BYTES
from autograder.submission import Submission, read_submission
from autograder.submission.cells import MAX_CELLS, MAX_CODE_CHARACTERS, MAX_MAGIC_LINES
from autograder.submission.records import FaultName
from tests.autograder.submission.little import Json, code, markdown, notebook, released, solved, source

NAME = "little.ipynb"
GOOD = json.dumps(solved(source())).encode()


def a_hole(folder: Path) -> None:
    """A file of 200 MB that takes no room on the disk."""
    with (folder / NAME).open("wb") as file:
        file.write(b"{")
        file.truncate(200_000_000)


def a_link(folder: Path) -> None:
    (folder.parent / "elsewhere.ipynb").write_bytes(GOOD)
    (folder / NAME).symlink_to(folder.parent / "elsewhere.ipynb")


def a_link_that_leads_nowhere(folder: Path) -> None:
    (folder / NAME).symlink_to("/no/such/notebook.ipynb")


def a_link_inside_the_folder(folder: Path) -> None:
    (folder / "final").write_bytes(GOOD)
    (folder / NAME).symlink_to("final")


def a_linked_folder_inside(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / NAME).write_bytes(GOOD)
    (folder / "work").symlink_to(outside)


def a_pipe(folder: Path) -> None:
    os.mkfifo(folder / NAME)


def a_socket(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket may not be long
        try:
            made.bind(NAME)
        finally:
            os.chdir(here)


def a_folder(folder: Path) -> None:
    (folder / NAME).mkdir()
    (folder / NAME / NAME).write_bytes(GOOD)


def an_archive(folder: Path) -> None:
    with zipfile.ZipFile(folder / NAME, "w") as archive:
        archive.writestr(NAME, GOOD)


def bytes_of(data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / NAME).write_bytes(data)

    return write


def two(name: str, data: bytes, other: str, other_data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for path, content in ((name, data), (other, other_data)):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)

    return write


def changed(change: Callable[[Json], None]) -> bytes:
    made = solved(source())
    change(made)
    return json.dumps(made).encode()


def only_a_checkpoint(folder: Path) -> None:
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "little-checkpoint.ipynb").write_bytes(GOOD)


def only_other_files(folder: Path) -> None:
    (folder / "answers.pdf").write_bytes(b"%PDF")
    (folder / "._little.ipynb").write_bytes(b"\0\5\26\7")


def of_another_assignment() -> Json:
    return notebook([
        code("import math", "imports", locked=True),
        code("def parse(text):\n    return text", "parse-solution", solution=True),
        code("assert parse", "parse", grade=True, locked=True, points=3),
    ])  # fmt: skip


OTHER = json.dumps(of_another_assignment()).encode()
SIMILAR = changed(lambda made: made["cells"].append(markdown("a second attempt")))
PROSE = json.dumps(notebook([markdown("Hello")])).encode()
LONG = notebook([code("a = 1")] * (MAX_CELLS + 1))
MUCH_CODE = [code("a = 1\n" * 15_000)] * (MAX_CODE_CHARACTERS // 80_000)

FAULTS: dict[str, tuple[Callable[[Path], None], FaultName, str]] = {
    "not json": (bytes_of(b"{'cells': []}"), "unreadable", "download the notebook again"),
    "cut off": (bytes_of(GOOD[:-100]), "unreadable", "cut off"),
    "json of another kind": (bytes_of(b"[1, 2]"), "unreadable", "not a notebook"),
    "cells no list": (bytes_of(b'{"nbformat": 4, "cells": {}}'), "unreadable", "list of cells"),
    "nested without end": (bytes_of(b"[" * 100_000), "unreadable", "nested"),
    "nested deep": (bytes_of(b'{"cells": ' + b"[" * 900 + b"]" * 900 + b"}"), "unreadable", "nested"),
    "a number of many digits": (bytes_of(b'{"cells": [' + b"9" * 10_000 + b"]}"), "unreadable", "by hand"),
    "an archive": (an_archive, "unreadable", "a zip archive"),
    "a web page": (bytes_of(b"<!doctype html><title>Sign in</title>"), "unreadable", "a web page"),
    "a pdf": (bytes_of(b"%PDF-1.7\n%\xe2\xe3"), "unreadable", "a PDF file"),
    "code": (bytes_of(b"import torch\n"), "unreadable", "Python code"),
    "a pipe": (a_pipe, "unreadable", "a pipe or a device"),
    "a socket": (a_socket, "unreadable", "a pipe or a device"),
    "nothing": (lambda _: None, "no-notebook", "holds no notebook, but nothing"),
    "other files": (only_other_files, "no-notebook", "but answers.pdf"),
    "only a checkpoint": (only_a_checkpoint, "no-notebook", "checkpoint copy"),
    "two attempts": (two("a.ipynb", GOOD, "b.ipynb", SIMILAR), "two-notebooks", "`a.ipynb` and `b.ipynb`"),
    "one named right and another": (two(NAME, GOOD, "b.ipynb", SIMILAR), "two-notebooks", f"as {NAME}"),
    "another assignment": (bytes_of(OTHER), "other-assignment", r"its cells are called parse and parse-solution"),
    "two of another": (two("a.ipynb", OTHER, "b.ipynb", OTHER + b" "), "other-assignment", "submit little.ipynb"),
    "prose alone": (bytes_of(PROSE), "other-assignment", "not the notebook"),
    "nbformat 3": (bytes_of(b'{"nbformat": 3, "worksheets": [{"cells": []}]}'), "old-format", "save it"),
    "nbformat 2": (bytes_of(b'{"nbformat": 2, "cells": []}'), "old-format", "nbformat 2"),
    "200 MB": (a_hole, "too-large", "clear the outputs"),
    "too many cells": (bytes_of(json.dumps(LONG).encode()), "too-large", "cells"),
    "too much code": (bytes_of(json.dumps(notebook(MUCH_CODE)).encode()), "too-large", "characters of code"),
    "too many magics": (
        bytes_of(changed(lambda made: made["cells"].append(code("!ls\n" * (MAX_MAGIC_LINES + 1))))),
        "too-large",
        "shell lines",
    ),
    "latin-1": (bytes_of(GOOD.replace(b"balance", b"\xe4quilibrium")), "not-utf8", "save it there"),
    "utf-16": (bytes_of(GOOD.decode().encode("utf-16")), "not-utf8", "save it there"),
    "an empty file": (bytes_of(b""), "empty", "empty file"),
    "white space": (bytes_of(b" \n\n"), "empty", "empty file"),
    "no cells": (bytes_of(json.dumps(notebook([])).encode()), "empty", "no cell with anything in it"),
    "empty cells": (bytes_of(json.dumps(notebook([code(""), markdown("  ")])).encode()), "empty", "no cell"),
    "a folder named like a notebook": (a_folder, "directory", "is a folder"),
    "a link": (a_link, "symlink", "links are not followed"),
    "a link that leads nowhere": (a_link_that_leads_nowhere, "symlink", "links are not followed"),
    "a link inside the folder": (a_link_inside_the_folder, "symlink", "links are not followed"),
    "a linked folder inside": (a_linked_folder_inside, "symlink", "work is a symbolic link"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_cannot_be_graded_is_a_named_fault(case: str, submitted: Path, little: Assignment) -> None:
    make, name, says = FAULTS[case]
    make(submitted)
    submission = read_submission(submitted, little)
    assert submission.fault is not None
    assert submission.fault.name == name
    assert says in submission.fault.message
    check_fault(submission)


def check_fault(submission: Submission) -> None:
    assert submission.fault is not None
    assert any(remedy in submission.fault.message for remedy in ("submit", "save", "take out"))
    assert "\n" not in submission.fault.message
    assert submission.cells == ()
    assert submission.missing == ("mean", "Tracker", "spread")
    assert submission.manual == {"why-mean": "", "plot": "", "why-spread": ""}
    assert (submission.assignment, submission.student) == ("little", "ada")


def test_every_name_of_a_fault_is_tried() -> None:
    of_packages = {"bad-archive", "encrypted", "no-package"}  # tried in test_package.py
    assert {name for _, name, _ in FAULTS.values()} == set(get_args(FaultName)) - of_packages


@pytest.mark.parametrize("case", FAULTS)
def test_a_notebook_given_by_its_path_has_the_same_fault(case: str, submitted: Path, little: Assignment) -> None:
    make, name, _ = FAULTS[case]
    make(submitted)
    if not os.path.lexists(submitted / NAME):
        with pytest.raises(SubmissionError, match="no such file"):
            read_submission(submitted / NAME, little)
    elif name != "two-notebooks":
        found = read_submission(submitted / NAME, little)
        assert found.fault is not None
        assert found.fault.name == name


def test_a_folder_named_like_a_notebook_given_by_its_path(submitted: Path, little: Assignment) -> None:
    a_folder(submitted)
    fault = read_submission(submitted / NAME, little).fault
    assert fault is not None
    assert fault.name == "directory"


@pytest.mark.parametrize("linked", ["ada", "ada/little"])
@pytest.mark.parametrize("given", ["", NAME])
def test_links_above_the_notebook_are_not_followed_either(
    linked: str, given: str, tmp_path: Path, little: Assignment
) -> None:
    real = tmp_path / "real" / "little"
    real.mkdir(parents=True)
    (real / NAME).write_bytes(GOOD)
    link = tmp_path / "submitted" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(real.parent if linked == "ada" else real)
    submission = read_submission(tmp_path / "submitted" / "ada" / "little" / given, little)
    assert submission.fault is not None
    assert submission.fault.name == "symlink"


def test_a_link_above_submitted_is_the_instructors_own(tmp_path: Path, little: Assignment) -> None:
    folder = tmp_path / "disk" / "submitted" / "ada" / "little"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(GOOD)
    (tmp_path / "course").symlink_to(tmp_path / "disk")
    assert read_submission(tmp_path / "course" / "submitted" / "ada" / "little", little).fault is None


def test_a_file_without_permission_is_unreadable(submitted: Path, little: Assignment, monkeypatch: Any) -> None:
    (submitted / NAME).write_bytes(GOOD)
    opened = os.open

    def refuse(path: Any, *arguments: Any, **keywords: Any) -> int:
        if path == NAME:
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **keywords)

    monkeypatch.setattr(os, "open", refuse)  # whoever runs the tests may be allowed everything
    fault = read_submission(submitted, little).fault
    assert fault is not None
    assert (fault.name, "Permission denied" in fault.message) == ("unreadable", True)


def test_a_path_that_does_not_exist_is_an_error_of_whoever_gave_it(tmp_path: Path, little: Assignment) -> None:
    with pytest.raises(SubmissionError, match="no such file or folder"):
        read_submission(tmp_path / "nobody", little)


def test_reading_stops_at_the_limit(submitted: Path, little: Assignment) -> None:
    (submitted / NAME).write_bytes(b" " * (MAX_NOTEBOOK_BYTES + 1))
    fault = read_submission(submitted, little).fault
    assert fault is not None
    assert fault.name == "too-large"


# -- which of several notebooks ---------------------------------------------------------------------------------------


SCRATCH = json.dumps(notebook([code("1 + 1")])).encode()
RELEASED = json.dumps(released(source())).encode()


@pytest.mark.parametrize(
    ("other", "data", "says"),
    [
        (".ipynb_checkpoints/little-checkpoint.ipynb", SIMILAR, "is Jupyter's own copy and was passed over"),
        ("other.ipynb", b"", "is not the notebook to grade and was passed over"),
        ("other.ipynb", b"{}", "is not the notebook to grade and was passed over"),
        ("hw1.ipynb", OTHER, "is not the notebook to grade and was passed over"),
        ("copy.ipynb", GOOD, "is not the notebook to grade and was passed over"),
        ("template.ipynb", RELEASED, "is not the notebook to grade and was passed over"),
        ("Untitled.ipynb", SCRATCH, "is not the notebook to grade and was passed over"),
    ],
    ids=["checkpoint", "empty", "no notebook", "other assignment", "identical copy", "release", "scratch"],
)
def test_a_second_notebook_that_cannot_be_meant_is_passed_over(
    other: str, data: bytes, says: str, submitted: Path, little: Assignment
) -> None:
    two(NAME, GOOD, other, data)(submitted)
    submission = read_submission(submitted, little)
    assert submission.fault is None
    assert submission.path == str(submitted / NAME)
    assert [repair.what for repair in submission.repairs] == [f"`{other}` {says}."]


def test_the_notebook_may_have_any_name_and_lie_deeper(submitted: Path, little: Assignment) -> None:
    (submitted / "handed in" / "x").mkdir(parents=True)
    (submitted / "handed in" / "x" / "Ada's (final) v2.IPYNB").write_bytes(GOOD)
    submission = read_submission(submitted, little)
    assert (submission.fault, submission.missing, submission.repairs) == (None, (), ())


def test_what_archives_and_editors_leave_is_not_looked_at(submitted: Path, little: Assignment) -> None:
    two(NAME, GOOD, "__MACOSX/little.ipynb", SIMILAR)(submitted)
    (submitted / ".virtual_documents").mkdir()
    (submitted / ".virtual_documents" / NAME).write_bytes(SIMILAR)
    assert read_submission(submitted, little).fault is None


def test_two_untouched_notebooks_are_one_submission_without_answers(submitted: Path, little: Assignment) -> None:
    two(NAME, RELEASED, "copy.ipynb", RELEASED + b"\n")(submitted)
    submission = read_submission(submitted, little)
    assert submission.fault is None
    assert submission.untouched == ("mean", "Tracker", "spread")


# -- whose it is ------------------------------------------------------------------------------------------------------


def test_the_student_is_the_folder_above_the_assignments(submitted: Path, little: Assignment) -> None:
    (submitted / NAME).write_bytes(GOOD)
    assert read_submission(submitted, little).student == "ada"
    assert read_submission(submitted / NAME, little).student == "ada"
    assert read_submission(submitted, little, "emmy").student == "emmy"


def test_elsewhere_the_student_is_the_folder(tmp_path: Path, little: Assignment) -> None:
    folder = tmp_path / "grace"
    folder.mkdir()
    (folder / NAME).write_bytes(GOOD)
    assert read_submission(folder, little).student == "grace"
    assert read_submission(folder / NAME, little).student == "grace"


def test_the_digest_is_that_of_the_file(submitted: Path, little: Assignment) -> None:
    import hashlib

    for data in (GOOD, OTHER, b"{"):
        (submitted / NAME).write_bytes(data)
        assert read_submission(submitted, little).sha256 == hashlib.sha256(data).hexdigest()
