"""A package is read from whatever students send it in: zips with everything in them, folders, repositories."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course import Assignment, Course
from autograder.submission import Submission, read_submission

ROOT = Path(__file__).resolve().parents[3]
SOLVED = {
    path.relative_to(ROOT / "solutions/hw3").as_posix(): path.read_bytes()
    for path in sorted((ROOT / "solutions/hw3").rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
}
MODULES = ("charnn", "autoencoder", "transformer", "training", "answers")
Files = dict[str, bytes]
Read = Callable[[Files], Submission]


@pytest.fixture(scope="module")
def hw3() -> Assignment:
    return Course.load(ROOT / "course.toml").assignment("hw3")


def zipped(files: Files) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


@pytest.fixture
def read(hw3: Assignment, tmp_path: Path) -> Read:
    """Reads a zip of these files."""

    def read(files: Files) -> Submission:
        path = tmp_path / "submitted" / "ada_bob" / "hw3" / "hw3-1_2.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zipped(files))
        return read_submission(path, hw3)

    return read


def written(submission: Submission) -> Files:
    return {file.path: file.data for file in submission.files if file.origin == "student"}


def said(submission: Submission) -> str:
    return "\n".join(repair.what for repair in submission.repairs)


def is_whole(submission: Submission) -> bool:
    """Every module is the one that was handed in, and both cells of part 4 were found."""
    assert submission.fault is None, submission.fault
    assert written(submission) == {f"hw3/{name}.py": SOLVED[f"hw3/{name}.py"] for name in MODULES}
    assert [cell.id for cell in submission.cells] == ["method_1-solution", "method_2-solution"]
    assert not submission.missing
    return True


# -- layouts ----------------------------------------------------------------------------------------------------------


def under(folder: str) -> Files:
    return {f"{folder}/{name}": data for name, data in SOLVED.items()}


LITTER = {
    "hw3/__pycache__/charnn.cpython-311.pyc": b"\0\1",
    "hw3/.ipynb_checkpoints/charnn-checkpoint.py": b"old",
    ".ipynb_checkpoints/Part1_Sequence-checkpoint.ipynb": b"{}",
    ".DS_Store": b"\0",
    "__MACOSX/hw3/._charnn.py": b"\0\5\26\7",
    "checkpoints/rnn.pt": b"\x80\2",
    "results.pkl": b"\x80\4.",
    ".git/config": b"[core]",
}
LAYOUTS: dict[str, Files] = {
    "as it is made": SOLVED,
    "one level too deep": under("hw3-1_2"),
    "two levels too deep": under("home/hw3-1_2"),
    "with litter": SOLVED | LITTER,
    "a renamed package": {name.replace("hw3/", "hw3 (1)/", 1): data for name, data in SOLVED.items()},
    "backslashes": {name.replace("/", "\\"): data for name, data in SOLVED.items()},
    "Windows line ends": {
        name: data.replace(b"\n", b"\r\n") if name.endswith(".py") else data for name, data in SOLVED.items()
    },
    "a byte-order mark": {
        name: b"\xef\xbb\xbf" + data if name.endswith(".py") else data for name, data in SOLVED.items()
    },
    "no supplied files": {name: data for name, data in SOLVED.items() if name.startswith(("hw3/", "Part"))},
    "notebooks in a folder of their own": {
        f"notebooks/{name}" if name.endswith(".ipynb") else name: data for name, data in SOLVED.items()
    },
    "an old copy of the package beside it": SOLVED | {"old/hw3/charnn.py": b"x = 1"},
}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS)
def test_a_zip_is_read_however_it_was_packed(read: Read, files: Files) -> None:
    assert is_whole(read(files))


@pytest.mark.parametrize("layout", ["as it is made", "one level too deep", "with litter"])
def test_a_folder_or_a_repository_is_read_like_a_zip(hw3: Assignment, tmp_path: Path, layout: str) -> None:
    for name, data in LAYOUTS[layout].items():
        path = tmp_path / "ada" / "hw3" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert is_whole(read_submission(tmp_path / "ada" / "hw3", hw3))


def test_a_folder_that_holds_a_zip_is_that_zip(hw3: Assignment, tmp_path: Path) -> None:
    folder = tmp_path / "submitted" / "ada_bob" / "hw3"
    folder.mkdir(parents=True)
    (folder / "hw3-1_2.zip").write_bytes(zipped(SOLVED))
    (folder / "timestamp.txt").write_text("2027-01-01 12:00:00 UTC")
    submission = read_submission(folder, hw3)
    assert is_whole(submission)
    assert submission.student == "ada_bob"


def test_a_package_at_the_top_of_the_zip_is_found_by_its_modules(read: Read) -> None:
    files = {name.removeprefix("hw3/"): data for name, data in SOLVED.items() if "cs236781" not in name}
    submission = read(files)
    assert is_whole(submission)
    assert "found in the top of the submission instead of `hw3`" in said(submission)


def test_the_same_files_have_the_same_digest_in_any_order(hw3: Assignment, tmp_path: Path) -> None:
    digests = set()
    for number, order in enumerate((list(SOLVED), list(reversed(SOLVED)))):
        for name in order:
            path = tmp_path / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(SOLVED[name])
        digests.add(read_submission(tmp_path / str(number), hw3).sha256)
    assert len(digests) == 1


# -- what does not count ----------------------------------------------------------------------------------------------


def test_a_zip_in_a_zip_is_read(read: Read) -> None:
    submission = read({"hand-in/hw3.zip": zipped(SOLVED), "__MACOSX/._hw3.zip": b"x"})
    assert is_whole(submission)
    assert "`hw3.zip` lay in another archive, and was read from there." in said(submission)


def test_modules_in_utf_16_or_in_capitals_are_read(read: Read) -> None:
    text = SOLVED["hw3/charnn.py"].decode()
    assert is_whole(read(SOLVED | {"hw3/charnn.py": text.encode("utf-16")}))
    renamed = {name.replace("charnn.py", "CharNN.py"): data for name, data in SOLVED.items()}
    submission = read(renamed)
    assert is_whole(submission)
    assert "`hw3/CharNN.py` was read as `hw3/charnn.py`." in said(submission)


RELEASED = {
    path.relative_to(ROOT / "release/hw3").as_posix(): path.read_bytes()
    for path in sorted((ROOT / "release/hw3").rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
}


@pytest.mark.parametrize(("stub", "work"), [("hw3-1", "hw3-1 (1)"), ("starter", "project/sub/deep"), ("z", "a")])
def test_of_two_copies_the_one_that_was_worked_on_is_read_whole_and_the_other_is_named(
    read: Read, stub: str, work: str
) -> None:
    copies = {f"{stub}/{name}": data for name, data in RELEASED.items()}
    submission = read(copies | {f"{work}/{name}": data for name, data in SOLVED.items()})
    assert is_whole(submission)
    assert not submission.untouched
    assert f"`{stub}/hw3` holds modules of the package too, and was passed over for `{work}/hw3`." in said(submission)


def test_helper_modules_beside_the_package_are_taken_along_where_they_are_used(read: Read) -> None:
    used = b"import my_utils\nfrom common.maths import half\n" + SOLVED["hw3/charnn.py"]
    beside = {"my_utils.py": b"x = 1", "common/maths.py": b"half = 0.5", "scratch.py": b"y = 2", "json.py": b"z = 3"}
    found = written(read(SOLVED | beside | {"hw3/charnn.py": used}))
    assert {name for name in found if not name.startswith("hw3/")} == {"my_utils.py", "common/maths.py"}


def stripped(name: str, *extra: str) -> bytes:
    """The notebook without any metadata, with cells of the student's own in front."""
    notebook = nbformat.reads(SOLVED[name].decode(), as_version=4)
    notebook.cells[:0] = [nbformat.v4.new_code_cell(text) for text in extra]
    for cell in notebook.cells:
        cell.metadata = {}
    return nbformat.writes(notebook).encode()


def test_cells_that_have_lost_their_names_are_found_above_their_checks(read: Read) -> None:
    submission = read(SOLVED | {"Part4_FineTuning.ipynb": stripped("Part4_FineTuning.ipynb")})
    assert is_whole(submission)
    assert [cell.source for cell in submission.cells] == [cell.source for cell in read(SOLVED).cells]
    assert said(submission).count("The cell has lost its name") == 2


def test_definitions_in_other_cells_of_the_notebook_are_read_and_nothing_else_of_them(read: Read) -> None:
    extra = "RATE = 5e-4\nfit = train()\ndef freeze(part):\n    return part\nprint('done')"
    submission = read(SOLVED | {"Part4_FineTuning.ipynb": stripped("Part4_FineTuning.ipynb", extra)})
    [helper] = [cell for cell in submission.cells if cell.id.startswith("cell-")]
    assert helper.source == "RATE = 0.0005\n\ndef freeze(part):\n    return part"


def test_supplied_files_come_from_the_source_and_changes_are_told(read: Read) -> None:
    submission = read(SOLVED | {"cs236781/plot.py": b"raise SystemExit", "hw3/__init__.py": b"raise SystemExit"})
    supplied = {file.path: file.data for file in submission.files if file.origin == "source"}
    assert b"SystemExit" not in supplied["cs236781/plot.py"] + supplied["hw3/__init__.py"]
    assert "`cs236781/plot.py` is supplied, and was changed; the original was used." in said(submission)
    assert "`hw3/__init__.py` is supplied" in said(submission)


def test_supplied_files_that_were_left_alone_are_not_mentioned(read: Read) -> None:
    assert not read(SOLVED).repairs


def test_a_helper_module_beside_the_others_is_taken_along(read: Read) -> None:
    assert written(read(SOLVED | {"hw3/helpers.py": b"x = 1\n"}))["hw3/helpers.py"] == b"x = 1\n"


def test_a_missing_module_is_told_and_the_others_are_there(read: Read) -> None:
    submission = read({name: data for name, data in SOLVED.items() if name != "hw3/training.py"})
    assert "`hw3/training.py` was not handed in" in said(submission)
    assert set(written(submission)) == {f"hw3/{name}.py" for name in MODULES if name != "training"}


def test_a_module_that_is_no_python_is_left_as_it_is(read: Read) -> None:
    assert written(read(SOLVED | {"hw3/training.py": b"def f(:\n"}))["hw3/training.py"] == b"def f(:\n"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]"], ids=["empty", "not JSON", "not UTF-8", "no notebook"])
def test_an_unreadable_notebook_costs_its_own_cells(read: Read, data: bytes) -> None:
    submission = read(SOLVED | {"Part4_FineTuning.ipynb": data})
    assert submission.fault is None
    assert submission.missing == ("method_1", "method_2")
    assert "`Part4_FineTuning.ipynb` cannot be read" in said(submission)


# -- archives that are none -------------------------------------------------------------------------------------------

BROKEN = {
    "empty": (b"", "empty"),
    "no zip": (b"PK\3\4 and then nothing", "bad-archive"),
    "a text": (b"here is our homework", "bad-archive"),
    "RAR": (b"Rar!\x1a\x07\x00", "bad-archive"),
    "7-Zip": (b"7z\xbc\xaf\x27\x1c", "bad-archive"),
    "a gzip": (b"\x1f\x8b\x08\0", "bad-archive"),
    "nothing of ours": (zipped({"essay.py": b"x = 1"}), "no-package"),
    "half a zip": (zipped(SOLVED)[:5000], "bad-archive"),
    "a zip in a zip in a zip": (zipped({"a.zip": zipped({"b.zip": zipped(SOLVED)})}), "no-package"),
    "two zips in a zip": (zipped({"a.zip": zipped(SOLVED), "b.zip": zipped(SOLVED)}), "no-package"),
}


@pytest.mark.parametrize(("data", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_broken_archive_is_a_named_fault(hw3: Assignment, tmp_path: Path, data: bytes, fault: str) -> None:
    path = tmp_path / "hw3-1.zip"
    path.write_bytes(data)
    submission = read_submission(path, hw3)
    assert submission.fault is not None
    assert submission.fault.name == fault
    assert not submission.files
    assert len(submission.missing) == 26


def test_an_encrypted_archive_is_a_named_fault(hw3: Assignment, tmp_path: Path) -> None:
    data = bytearray(zipped({"hw3/charnn.py": b"x = 1"}))
    for start, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(start) + offset] |= 1  # the flag in the member's own header, and in the directory's
    path = tmp_path / "hw3-1.zip"
    path.write_bytes(data)
    fault = read_submission(path, hw3).fault
    assert fault is not None
    assert fault.name == "encrypted"


@pytest.mark.parametrize("name", ["../hw3/charnn.py", "/etc/charnn.py", "C:/hw3/charnn.py", "hw3/../../charnn.py"])
def test_a_name_that_leads_out_of_the_archive_is_passed_over(read: Read, name: str) -> None:
    submission = read({name: b"evil", **SOLVED})
    assert is_whole(submission)
    assert "leads out of the archive" in said(submission)


def test_a_bomb_is_passed_over(read: Read) -> None:
    submission = read(SOLVED | {"hw3/zeros.py": b"#" * (50 * 2**20)})
    assert is_whole(submission)
    assert "`hw3/zeros.py` was passed over" in said(submission)


def test_links_are_not_followed(hw3: Assignment, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("of_the_grader = 1")
    for name, data in SOLVED.items():
        path = tmp_path / "ada" / "hw3" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "ada" / "hw3" / "hw3" / "stolen.py").symlink_to(secret)
    (tmp_path / "ada" / "hw3" / "hw3" / "folder").symlink_to(tmp_path)
    submission = read_submission(tmp_path / "ada" / "hw3", hw3)
    assert is_whole(submission)
    assert not any(b"of_the_grader" in file.data for file in submission.files)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 2000))
def test_any_bytes_give_a_submission(tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int) -> None:
    assignment = Course.load(ROOT / "course.toml").assignment("hw3")
    data = bytearray(zipped({name: SOLVED[name] for name in ("hw3/charnn.py", "Part0_Intro.ipynb")}))
    data[-at : -at + len(noise) or None] = noise
    for content in (noise, bytes(data)):
        path = tmp_path_factory.mktemp("noise") / "hw3.zip"
        path.write_bytes(content)
        assert isinstance(read_submission(path, assignment), Submission)


# -- what a person reads ----------------------------------------------------------------------------------------------


def test_written_answers_are_read_without_running_the_module(read: Read) -> None:
    text = (
        b'import os\nfrom textwrap import dedent\nos._exit(1)\npart1_q1 = r"""\nBecause $x$.\n"""\n'
        b'part1_q2 = ("It is " "long.")\npart1_q3 = dedent("""\n  Short.\n""").strip()\npart1_q4 = 1 / 0\n'
    )
    manual = read(SOLVED | {"hw3/answers.py": text}).manual
    assert manual["part1_q1"] == "Because $x$."
    assert manual["part1_q2"] == "It is long."
    assert manual["part1_q3"] == "Short."
    assert manual["part1_q4"] == manual["part2_q1"] == ""


def test_an_answer_that_is_as_it_was_handed_out_is_none(read: Read) -> None:
    released = (ROOT / "release/hw3/hw3/answers.py").read_bytes()
    assert set(read(SOLVED | {"hw3/answers.py": released}).manual.values()) == {""}
    assert all(read(SOLVED).manual.values())


def test_the_members_are_those_of_the_table(read: Read) -> None:
    notebook = nbformat.reads(SOLVED["Part0_Intro.ipynb"].decode(), 4)
    assert read(SOLVED).members == ()
    for cell in notebook.cells:
        cell.source = cell.source.replace("| Name 1 | Id 1 |", "| Ada  | 123456789 |").replace(
            "| Name 2 | Id 2 |", "| Bob | |"
        )
    changed = nbformat.writes(notebook).encode()
    assert read(SOLVED | {"Part0_Intro.ipynb": changed}).members == (("Ada", "123456789"), ("Bob", ""))


def test_a_cell_that_is_still_the_stub_is_untouched(read: Read) -> None:
    released = (ROOT / "release/hw3/Part4_FineTuning.ipynb").read_bytes()
    assert read(SOLVED | {"Part4_FineTuning.ipynb": released}).untouched == ("method_1", "method_2")
