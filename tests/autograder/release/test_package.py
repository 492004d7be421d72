"""A package as it is released: stubs inside regions, and outside them not a byte that is not the author's."""

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder._exceptions import LeakError, ReleaseError
from autograder.course import Assignment
from autograder.grading.reference import PackageReference
from autograder.release import check, release
from tests.autograder import tiny_package

STUB_LINES = ("# YOUR CODE HERE", "raise NotImplementedError()")
SUPPLIED = ("pack/__init__.py", "support/__init__.py", "support/tools.py", "main.py", "tensors/raw.bin")


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    return tiny_package.make_course(tmp_path)


def without(text: str, *, regions: bool) -> list[str]:
    """The lines of ``text`` outside its regions, or those that are no stub's."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if regions and "### BEGIN SOLUTION" in line:
            inside = True
        if not inside and (regions or line.strip() not in STUB_LINES):
            kept.append(line)
        if "### END SOLUTION" in line:
            inside = False
    return kept


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("module", ["words", "train", "answers"])
def test_outside_regions_a_module_stays_byte_for_byte(assignment: Assignment, module: str, line_end: str) -> None:
    path = assignment.source_dir / "pack" / f"{module}.py"
    source = path.read_text().replace("\n", line_end)
    path.write_bytes(source.encode())
    release(assignment)

    released = (assignment.release_dir / "pack" / f"{module}.py").read_bytes().decode()
    assert without(released, regions=False) == without(source, regions=True)
    assert released.count("# YOUR CODE HERE") == source.count("### BEGIN SOLUTION")


def test_a_function_that_would_return_a_silent_default_raises(assignment: Assignment) -> None:
    release(assignment)

    lines = (assignment.release_dir / "pack" / "words.py").read_text().splitlines()
    assert [line.strip() for line in lines[-4:]] == ["outcome = None", *STUB_LINES, "return outcome"]


def test_answers_keep_their_defaults_and_can_be_imported(assignment: Assignment) -> None:
    release(assignment)

    names: dict[str, object] = {}
    exec((assignment.release_dir / "pack" / "answers.py").read_text(), names)
    assert names["why"] == "\n\n**Your answer:**\n\n"
    assert (
        "    chosen = dict(rate=None)\n    # YOUR CODE HERE\n"
        in (assignment.release_dir / "pack" / "answers.py").read_text()
    )


@pytest.mark.parametrize("name", [*SUPPLIED, "tensors/expected.pt"])
def test_supplied_files_are_copied_as_they_stand(assignment: Assignment, name: str) -> None:
    release(assignment)

    for folder in (assignment.release_dir, assignment.solutions_dir):
        assert (folder / name).read_bytes() == (assignment.source_dir / name).read_bytes()


def test_the_solved_package_works_and_has_neither_stubs_nor_markers(assignment: Assignment) -> None:
    release(assignment)

    for path in (assignment.solutions_dir / "pack").iterdir():
        text = path.read_text()
        assert "SOLUTION" not in text
        assert "YOUR CODE HERE" not in text
    solved = PackageReference(assignment.solutions_dir)
    assert solved("pack.train").budget("a b c") == 3
    assert solved("pack.answers").hypers() == {"rate": 0.0625}


@pytest.fixture
def released_path(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    release(assignment)
    monkeypatch.syspath_prepend(str(assignment.release_dir))
    yield assignment.release_dir
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pack", "support")]:
        del sys.modules[name]


@pytest.mark.usefixtures("released_path")
def test_every_stub_parses_and_every_released_module_can_be_imported() -> None:
    for name in ("words", "train", "answers"):
        module = importlib.import_module(f"pack.{name}")
        assert ast.parse(Path(str(module.__file__)).read_text())
    with pytest.raises(NotImplementedError):
        importlib.import_module("pack.train").budget("one")


def test_the_same_source_gives_the_same_bytes(assignment: Assignment) -> None:
    release(assignment)
    first = {path: path.read_bytes() for path in assignment.release_dir.rglob("*") if path.is_file()}
    for path in assignment.source_dir.rglob("*"):
        path.touch()

    assert check(assignment) == []
    assert not release(assignment).changed
    assert first == {path: path.read_bytes() for path in assignment.release_dir.rglob("*") if path.is_file()}


def changed(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(source: Path) -> None:
        text = (source / name).read_text()
        assert old in text
        (source / name).write_text(text.replace(old, new, 1))

    return change


SEPARATED = 'separated = [word for word in text.replace(",", " ").split(" ") if word != ""]'
OUTCOME = "outcome = torch.addcmul(torch.full_like(x, float(STEP)), self.gain, x, value=1.0)"
RENAMED = "result = torch.addcmul(torch.full_like(z, float(STEP)), self.w, z, value=1.0)"
ALLOWED = "allowed = int(min(count(text), LIMIT, key=lambda number: float(number)))"
ANSWER = "because every separate word of a text is counted exactly once"
LEAKS = {
    "in a docstring": changed("pack/words.py", "How many words ``text`` has.", f"``{SEPARATED}``"),
    "as a comment": changed("pack/words.py", "# TODO of the student: the body", f"# {OUTCOME}"),
    "in the same module": changed("pack/words.py", "outcome = None", OUTCOME),
    "in the same module, renamed": changed("pack/words.py", "outcome = None", RENAMED),
    "in another module": changed("pack/train.py", "Uses words, and", f"See {RENAMED} and"),
    "in a supplied module": changed("support/tools.py", "LIMIT  =  4", f"LIMIT = 4\ndef f(text):\n    {ALLOWED}"),
    "in a supplied script": changed("main.py", "print(", f"# {ALLOWED}\nprint("),
    "in a notebook": changed("Part1.ipynb", "# Counting", f"Try `{ALLOWED}`."),
    "a model answer, as a comment": changed("pack/answers.py", "def hypers", f"# {ANSWER}\ndef hypers"),
    "a model answer, in a notebook": changed("Part1.ipynb", "Say why.", ANSWER),
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_no_solution_gets_out_by_another_way(assignment: Assignment, leak: Callable[[Path], object]) -> None:
    leak(assignment.source_dir)

    with pytest.raises(LeakError, match=r"of the solution|a solution line|of the model answer"):
        release(assignment)
    assert not assignment.release_dir.exists()


def test_a_file_of_the_suite_does_not_get_out_with_the_supplied_ones(assignment: Assignment) -> None:
    (assignment.source_dir / "support" / "help.py").write_text(tiny_package.SUITE)

    with pytest.raises(LeakError, match=r"release/pack/support/help\.py: is a file of the hidden suite"):
        release(assignment)


def test_a_stub_that_does_not_parse_is_not_released(assignment: Assignment) -> None:
    changed("pack/words.py", "    return len(separated)\n    ### END SOLUTION", "    ### END SOLUTION\n  return 1")(
        assignment.source_dir
    )

    with pytest.raises(LeakError, match=r"release/pack/pack/words\.py, line \d+: is not Python"):
        release(assignment)


def test_a_region_outside_the_package_is_refused(assignment: Assignment) -> None:
    (assignment.source_dir / "main.py").write_text("### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n")

    with pytest.raises(ReleaseError, match=r"source/pack/main\.py: a solution region outside the package 'pack'"):
        release(assignment)


def test_a_package_with_nothing_to_fill_in_is_refused(assignment: Assignment) -> None:
    for path in (assignment.source_dir / "pack").iterdir():
        path.unlink()

    with pytest.raises(ReleaseError, match=r"no module with a solution region, but course\.toml names it"):
        release(assignment)
