"""Attempts by what is handed in beside the answers, and by archives and notebooks that are not what they seem."""

import io
import json
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course import Assignment
from autograder.grading.report import Report
from autograder.grading.run import Grader
from autograder.submission import read_submission
from tests.autograder import tiny, tiny_package
from tests.autograder.attacks.conftest import findings, points

Files = dict[str, bytes]
FULL = {"count": 2, "Net": 4, "budget": 1, "freeze": 1}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return tiny_package.make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def solved(pack: Assignment) -> Files:
    """The right answer to the assignment with a package, file by file."""
    paths = [path for path in pack.source_dir.rglob("*") if path.is_file()]
    return {path.relative_to(pack.source_dir).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def package_grader(pack: Assignment) -> Iterator[Grader]:
    with Grader(pack, seed=7) as grader:
        yield grader


@pytest.fixture
def hand_in(package_grader: Grader, pack: Assignment, solved: Files, tmp_path: Path) -> Callable[[Any], Report]:
    """Grades files, or the bytes of an archive; then the right answer, which has to score what it always does."""

    def graded(files: Files | bytes) -> Report:
        reports = []
        for number, content in enumerate((files, solved)):
            path = tmp_path / f"pack-{number}.zip"
            path.write_bytes(content if isinstance(content, bytes) else zipped(content))
            reports.append(package_grader.grade(read_submission(path, pack, "mallory")))
        assert points(reports[1]) == FULL
        assert not reports[1].cell_problems
        return reports[0]

    return graded


def zipped(files: Files) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


EVIL = b"import pathlib\npathlib.Path('/tmp/left-by-mallory').write_text('x')\nraise SystemExit(0)\n"
ODD_NAMES = ("CON", "a\nb", "\u202egpj", "-rf", "$(id)", "%00", "ä" * 100)
BESIDE = {
    "a conftest": {"conftest.py": EVIL},
    "a conftest in the package": {"pack/conftest.py": EVIL},
    "a pytest.ini": {"pytest.ini": b"[pytest]\naddopts = --collect-only\n"},
    "a pyproject": {"pyproject.toml": b"[tool.pytest.ini_options]\naddopts = '-p evil'\n"},
    "a sitecustomize": {"sitecustomize.py": EVIL},
    "a usercustomize": {"usercustomize.py": EVIL},
    "a .pth file": {"evil.pth": b"import os; os._exit(0)\n"},
    "a package called torch": {"torch/__init__.py": EVIL},
    "a module called torch": {"torch.py": EVIL},
    "a module of the standard library's": {"random.py": EVIL, "json.py": EVIL, "abc.py": EVIL},
    "a package called autograder": {"autograder/__init__.py": EVIL, "autograder/sandbox/wire.py": EVIL},
    "a package called tests": {"tests/__init__.py": EVIL, "tests/pack/test_pack.py": EVIL},
    "tests of its own": {"test_pack.py": b"def test_count():\n    pass\n"},
    "probes of its own": {"probes.py": b"def step(ns):\n    return 2\n"},
    "a supplied file of its own": {"support/tools.py": b"LIMIT = 100\n"},
    "a compiled module": {"pack/__pycache__/words.cpython-311.pyc": b"\0" * 100},
    "a library": {"pack/words.cpython-311-x86_64-linux-gnu.so": b"\x7fELF" + bytes(100)},
    "a course file": {"course.toml": b"[course]\ntitle = 'mine'\n"},
    "a report": {"results/pack/mallory.json": b'{"points": 100}'},
    "results of nbgrader's": {"gradebook.db": b"SQLite format 3\0", "feedback/mallory/pack.html": b"<script>"},
    "names of every kind": dict.fromkeys((f"{name}/x.py" for name in ODD_NAMES), EVIL),
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_files_beside_a_right_answer_change_nothing(
    hand_in: Callable[[Any], Report], solved: Files, beside: Files
) -> None:
    assert points(hand_in(solved | beside)) == FULL
    assert not Path("/tmp/left-by-mallory").exists()


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_files_beside_a_wrong_answer_earn_nothing(
    hand_in: Callable[[Any], Report], solved: Files, beside: Files
) -> None:
    wrong = solved | {
        "pack/words.py": b"STEP = 2\n\n\ndef count(text):\n    return -1\n\n\ndef Net(size):\n    return None\n"
    }
    assert points(hand_in(wrong | beside))["count"] == 0
    assert not Path("/tmp/left-by-mallory").exists()


def bomb() -> bytes:
    """A zip of a gigabyte of zeros in a megabyte."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("pack/zeros.py", "w") as member:
        for _ in range(256):
            member.write(bytes(2**22))
    return data.getvalue()


def entry(name: str, mode: int, content: bytes) -> bytes:
    """A zip with one member of a kind that only Unix has."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, mode << 16
        archive.writestr(info, content)
    return data.getvalue()


def lying_about_its_size() -> bytes:
    """A zip whose directory says one byte where a hundred megabytes follow."""
    data = bytearray(zipped({"pack/words.py": bytes(10**8)}))
    data[data.index(b"PK\1\2") + 24 :][:4] = (1).to_bytes(4, "little")
    return bytes(data)


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "a bomb": bomb,
    "a zip in a zip in a zip": lambda: zipped({"a.zip": zipped({"b.zip": bomb()})}),
    "a hundred thousand files": lambda: zipped({f"pack/{number}.py": b"" for number in range(100_000)}),
    "a symbolic link": lambda: entry("pack/words.py", stat.S_IFLNK | 0o777, b"/etc/passwd"),
    "a device": lambda: entry("pack/words.py", stat.S_IFCHR | 0o666, b""),
    "a named pipe": lambda: entry("pack/words.py", stat.S_IFIFO | 0o666, b""),
    "a name that leads out": lambda: zipped({"../../../../tmp/left-by-mallory": b"x"}),
    "an absolute name": lambda: zipped({"/tmp/left-by-mallory": b"x"}),
    "a name with backslashes": lambda: zipped({"..\\..\\tmp\\left-by-mallory": b"x"}),
    "a name for a drive": lambda: zipped({"C:\\left-by-mallory": b"x"}),
    "a size that is a lie": lying_about_its_size,
    "nothing": lambda: b"",
    "half a zip": lambda: zipped({"pack/words.py": b"x = 1\n" * 1000})[:60],
    "a text that calls itself a zip": lambda: b"PK\3\4 and more",
}


@pytest.mark.parametrize("archive", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_holds(hand_in: Callable[[Any], Report], archive: Callable[[], bytes]) -> None:
    report = hand_in(archive())
    assert report.points == 0
    assert report.fault or report.repairs or all(test.message for test in report.tests)
    assert not Path("/tmp/left-by-mallory").exists()


def altered(change: Callable[[Any], object]) -> bytes:
    content = json.loads(nbformat.writes(tiny.notebook()))
    change(content)
    return json.dumps(content).encode()


def text_of(content: Any, text: Any) -> None:
    content["cells"][4]["source"] = text


MUCH = {"output_type": "stream", "name": "stdout", "text": "x" * 5 * 10**7}
ODD = {"nbgrader": {"grade_id": [{}], "points": "all"}}
NOTEBOOKS: dict[str, Callable[[], bytes]] = {
    "lists within lists": lambda: b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number of a million digits": lambda: b'{"nbformat": ' + b"9" * 10**6 + b', "cells": []}',
    "a number that is none": lambda: b'{"nbformat": NaN, "nbformat_minor": Infinity, "cells": []}',
    "not an object": lambda: b"[]",
    "bytes that are no text": lambda: b"\xff\xfe\x00" * 1000,
    "a hundred megabytes of spaces": lambda: b" " * 10**8,
    "a name that is there twice": lambda: b'{"cells": [], "cells": {}, "nbformat": 4, "nbformat_minor": 5}',
    "a hundred thousand cells": lambda: altered(lambda content: content["cells"].extend(content["cells"][:1] * 10**5)),
    "cells that are no objects": lambda: altered(lambda content: content["cells"].extend([None, 1, "x", [], True])),
    "metadata that is none": lambda: altered(lambda content: [cell.update(metadata=5) for cell in content["cells"]]),
    "a source that is a number": lambda: altered(lambda content: text_of(content, 7)),
    "a source of ten megabytes": lambda: altered(lambda content: text_of(content, "x = 1\n" * 1_700_000)),
    "a source of brackets": lambda: altered(lambda content: text_of(content, "(" * 100_000)),
    "a source of additions": lambda: altered(lambda content: text_of(content, "1" + "+1" * 100_000)),
    "a source with a null byte": lambda: altered(lambda content: text_of(content, "x = 1\0")),
    "a source of half characters": lambda: altered(lambda content: text_of(content, "x = '\ud800'")),
    "outputs of fifty megabytes": lambda: altered(lambda content: content["cells"][2].update(outputs=[MUCH])),
    "ids of every kind": lambda: altered(lambda content: [cell["metadata"].update(ODD) for cell in content["cells"]]),
    "points of its own": lambda: altered(
        lambda content: [cell["metadata"].setdefault("nbgrader", {}).update(points=10**9) for cell in content["cells"]]
    ),
    "a test of its own in place of the check": lambda: altered(
        lambda content: content["cells"][3].update(source="double = lambda x: 2 * x")
    ),
}


@pytest.mark.parametrize("content", NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_a_notebook_holds(
    grader: Grader, victim: Assignment, alone: dict[str, object], tmp_path: Path, content: Callable[[], bytes]
) -> None:
    path = tmp_path / "tiny.ipynb"
    path.write_bytes(content())
    report = grader.grade(read_submission(path, victim, "mallory"))
    assert 0 <= report.points <= report.max_points == 7
    nbformat.write(tiny.answer(tiny.notebook(), "double-solution", "def double(x):\n    return 3 * x"), path)
    honest = grader.grade(read_submission(path, victim, "ada"))
    assert findings(honest)["points"] == alone["points"]


FORBIDDEN = {
    "under another name": "from torch.nn.functional import scaled_dot_product_attention as plain\nONE = plain",
    "by getattr": "ONE = getattr(F, '_'.join(['scaled', 'dot', 'product', 'attention']))",
    "from a dictionary": "ONE = vars(F)['scaled_dot_' + 'product_attention']",
    "by the C binding": "ONE = getattr(torch._C._nn, 'scaled_dot_' + 'product_attention')",
    "as an operator": "ONE = getattr(torch.ops.aten, 'scaled_dot_' + 'product_attention').default",
    "as the operator within": "ONE = lambda q, K, V: getattr(torch.ops.aten, '_scaled_dot_'"
    " + 'product_attention_math')(q, K, V)[0]",
    "by eval": "ONE = eval('F.scaled_dot_' + 'product_attention')",
    "by a decorator": "import functools\nONE = functools.partial(getattr(F, 'scaled_dot_' + 'product_attention'))",
    "by the module for it": "ATTENTION = getattr(nn, 'Multihead' + 'Attention')\n"
    "def ONE(q, K, V):\n    ATTENTION(1, 1)(*torch.ones(3, 1, 1, 1))\n"
    "    return torch.softmax(q @ K.mT / q.shape[-1] ** 0.5, -1) @ V",
}


@pytest.fixture(scope="module")
def lab08() -> Iterator[Grader]:
    from autograder.course import Course

    with Grader(Course.find(Path(__file__)).assignment("lab08"), seed=7) as grader:
        yield grader


@pytest.mark.parametrize("one", FORBIDDEN.values(), ids=FORBIDDEN)
def test_the_forbidden_function_is_called(lab08: Grader, one: str) -> None:
    import msgspec

    cell = f"""{one}

def attend(q, K, V):
    context = ONE(q.unsqueeze(1), K, V).squeeze(1)
    weights = torch.softmax((K @ q.unsqueeze(2)).squeeze(2) / q.shape[1] ** 0.5, dim=1)
    return context, weights
"""
    solutions = read_submission(lab08.assignment.solutions_dir, lab08.assignment)
    cells = tuple(
        msgspec.structs.replace(each, source=cell) if each.id == "attend-solution" else each
        for each in solutions.cells
        if each.id == "attend-solution" or not each.id.endswith("-solution")
    )
    report = lab08.grade(msgspec.structs.replace(solutions, cells=cells))
    [caught] = [test for test in report.tests if test.test == "test_forbidden_function_is_not_called"]
    assert caught.outcome == "failed"
    assert "which is not allowed" in caught.message
