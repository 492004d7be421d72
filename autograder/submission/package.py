"""Reading a submission that is a package: the student's modules, and the notebooks beside them.

The student's modules are those that the source has solution regions in. Whatever else the source holds is supplied: it
is taken from there, and a student's changes to it do not count.
"""

import ast
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode

from autograder.course import Assignment
from autograder.notebooks import Role, grade_id, read_notebook, role
from autograder.submission.bundle import Bundle, read_bundle
from autograder.submission.files import trusted_base
from autograder.submission.names import parsed
from autograder.submission.notebooks_beside import Slot, members_in, notebooks_in, solution_cells, squeezed
from autograder.submission.records import PackageFile, Refused, Repair, Submission
from autograder.submission.sentences import quoted
from autograder.submission.template import MEMBERS, STUB_CODE, released_text

__all__ = ["notebooks_of", "read_package"]

REGION = b"BEGIN SOLUTION"
ANSWERS = "answers.py"
MAX_MODULES_BYTES = 3 * 2**20


@dataclass(frozen=True)
class PackageSource:
    """What the source of a package assignment has: its modules by path, and its notebooks' cells by grade id."""

    package: str
    written: dict[str, bytes] = field(repr=False)
    supplied: dict[str, bytes] = field(repr=False)
    slots: dict[str, Slot] = field(repr=False)  # by grade id
    supplied_cells: frozenset[str] = field(repr=False)  # texts of all cells that are not for answers
    members: str  # the members table as released


def read_package(path: Path, assignment: Assignment, student: str) -> Submission:
    """Read the package at ``path``, a folder or a zip. What a student sent never raises: it is a ``fault``."""
    source = package_source(assignment)
    digest = ""
    try:
        bundle = read_bundle(path, trusted_base(path))
        digest = bundle.sha256
        return _submission(path, bundle, assignment, source, student)
    except Refused as refused:
        missing = tuple(question.id for question in assignment.questions() if question.kind == "auto")
        manual = {question.id: "" for question in assignment.questions() if question.kind == "manual"}
        return Submission(
            assignment.name, student, str(path), digest, fault=refused.fault, missing=missing, manual=manual
        )


def _submission(path: Path, bundle: Bundle, assignment: Assignment, source: PackageSource, student: str) -> Submission:
    roots = _roots(bundle, source)
    if not roots:
        names = quoted(sorted(PurePosixPath(name).name for name in source.written))
        reason = f"{path.name} holds no module of the package {source.package} ({names}); submit the whole package"
        raise Refused("no-package", reason)
    root, *others = roots
    repairs = list(bundle.notes)
    too = "holds modules of the package too, and was passed over for"
    repairs += [Repair("", f"`{other}` {too} `{root}`.") for other in others]
    if PurePosixPath(root).name != source.package:
        where = f"the folder `{root}`" if root != "." else "the top of the submission"
        repairs.append(Repair("", f"The package was found in {where} instead of `{source.package}`."))
    files, notes = _files(bundle, root, source)
    notebooks, beside = notebooks_in(bundle, assignment, _top(root))
    cells, untouched, moved = solution_cells(notebooks, source.slots, source.supplied_cells)
    graded = {question.id for question in assignment.questions() if question.kind == "auto"}
    answers = next((file.data for file in files if file.path == f"{source.package}/{ANSWERS}"), b"")
    written = _strings(answers)
    default = _strings(source.written.get(f"{source.package}/{ANSWERS}", b""), released=True)
    return Submission(
        assignment=assignment.name,
        student=student,
        path=str(path),
        sha256=bundle.sha256 or hashlib.sha256(b"").hexdigest(),
        cells=tuple(cells),
        files=tuple(files),
        repairs=(*repairs, *notes, *beside, *moved),
        members=members_in(notebooks, source.members),
        missing=tuple(
            name
            for slot in source.slots
            if (name := slot.removesuffix("-solution")) in graded and slot not in {cell.id for cell in cells}
        ),
        untouched=untouched,
        manual={
            question.id: _answer(written.get(question.id, ""), default.get(question.id, ""))
            for question in assignment.questions()
            if question.kind == "manual"
        },
    )


# -- modules ----------------------------------------------------------------------------------------------------------


def _roots(bundle: Bundle, source: PackageSource) -> list[str]:
    """The folders that hold the package, best first: most of its modules, fewest stubs, the right name, least depth."""
    wanted = {PurePosixPath(name).name for name in source.written}
    counts: Counter[str] = Counter()
    stubs: Counter[str] = Counter()
    for name, data in bundle.files.items():
        where = PurePosixPath(name)
        if where.name in wanted:
            counts[str(where.parent)] += 1
            stubs[str(where.parent)] += data.count(STUB_CODE[1].encode())
    folders = sorted(
        counts,
        reverse=True,
        key=lambda folder: (
            counts[folder],
            -stubs[folder],
            PurePosixPath(folder).name == source.package,
            -len(PurePosixPath(folder).parts),
            folder,
        ),
    )
    return folders[:1] + [folder for folder in folders[1:] if counts[folder] > 1]


def _files(bundle: Bundle, root: str, source: PackageSource) -> tuple[list[PackageFile], list[Repair]]:
    """Everything that is imported: supplied modules, the student's, and helpers that lie beside those."""
    repairs: list[Repair] = []
    found = {name: PackageFile(name, data, "source") for name, data in source.supplied.items()}
    own = {
        f"{source.package}/{PurePosixPath(name).relative_to(root)}": _clean(data)
        for name, data in bundle.files.items()
        if name.endswith(".py") and PurePosixPath(name).is_relative_to(root)
    }
    for name in sorted(own.keys() - source.written.keys()):
        if name.lower() in source.written.keys() - own.keys():
            repairs.append(Repair(name.lower(), f"`{name}` was read as `{name.lower()}`."))
            own[name.lower()] = own.pop(name)
    top = _top(root)
    own |= _helpers_above(bundle, top, root, own.values())
    for name, data in source.supplied.items():
        theirs = own.get(name) or bundle.files.get(str(PurePosixPath(top, name)))
        if theirs is not None and _clean(theirs).split() != data.split():
            repairs.append(Repair(name, f"`{name}` is supplied, and was changed; the original was used."))
    left = MAX_MODULES_BYTES
    for name, data in sorted(own.items(), key=lambda item: item[0] not in source.written):
        if root == "." and name not in source.written:
            continue  # beside the package, not in it
        left -= len(data)
        if name not in found and left >= 0:
            found[name] = PackageFile(name, data, "student")
    repairs += [
        Repair(name, f"`{name}` was not handed in; what needs it scores nothing.")
        for name in source.written
        if name not in found
    ]
    return [found[name] for name in sorted(found)], repairs


def _top(root: str) -> str:
    """The folder that the package's own lies in."""
    return str(PurePosixPath(root).parent) if root != "." else "."


def _helpers_above(bundle: Bundle, top: str, root: str, modules: Iterable[bytes]) -> dict[str, bytes]:
    """Modules and packages of the student's own beside the package's folder, where one of its modules uses them."""
    used = {name.decode() for data in modules for name in re.findall(rb"(?m)^\s*(?:import|from)\s+(\w+)", data)}
    found = {}
    for name, data in bundle.files.items():
        path = PurePosixPath(name)
        if name.endswith(".py") and path.is_relative_to(top) and not path.is_relative_to(root) and root != ".":
            inner = path.relative_to(top)
            if inner.parts[0].removesuffix(".py") in used - sys.stdlib_module_names:
                found[str(inner)] = _clean(data)
    return found


def notebooks_of(bundle: Bundle, assignment: Assignment) -> dict[str, list[NotebookNode]]:
    """The cells of the notebooks that were graded, by name."""
    roots = _roots(bundle, package_source(assignment))
    return notebooks_in(bundle, assignment, _top(roots[0]) if roots else ".")[0]


def _clean(data: bytes) -> bytes:
    """Without what an editor adds: UTF-16, a byte-order mark, the line ends of Windows and of old Macs."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


# -- written answers --------------------------------------------------------------------------------------------------


def _strings(data: bytes, *, released: bool = False) -> dict[str, str]:
    """Names that a module binds to a string, by its text alone; of two bindings the last counts, or the first."""
    tree = parsed(data.decode("utf-8", "replace"))
    found: dict[str, str] = {}
    for node in tree.body if tree else []:
        if isinstance(node, ast.Assign) and isinstance(value := _literal(node.value), str):
            for target in node.targets:
                if isinstance(target, ast.Name) and not (released and target.id in found):
                    found[target.id] = value
    return found


def _literal(node: ast.expr) -> object:
    """The string that an expression of literals is: ``"..."``, ``"...".strip()``, ``dedent("...")``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _literal(node.func.value)
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _literal(node.args[0])
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return f"{_literal(node.left) or ''}{_literal(node.right) or ''}"
    return node.value if isinstance(node, ast.Constant) else None


def _answer(text: str, default: str) -> str:
    """What was written: empty where it is the text that was handed out."""
    return "" if text.split() == default.split() else text.strip()


# -- the source -------------------------------------------------------------------------------------------------------


def package_source(assignment: Assignment) -> PackageSource:
    """The source of ``assignment``, read again only when a file of it has changed."""
    paths = sorted(path for path in assignment.source_dir.rglob("*.py") if "__pycache__" not in path.parts)
    paths += [assignment.source_dir / name for name in assignment.notebooks]
    stamps = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths)
    return _read_source(assignment, stamps)


@lru_cache(maxsize=8)
def _read_source(assignment: Assignment, stamps: tuple[tuple[Path, int, int], ...]) -> PackageSource:
    assert assignment.package is not None
    modules = {
        path.relative_to(assignment.source_dir).as_posix(): path.read_bytes()
        for path, *_ in stamps
        if path.suffix == ".py"
    }
    written = {name for name, data in modules.items() if name.startswith(f"{assignment.package}/") and REGION in data}
    slots: dict[str, Slot] = {}
    supplied_cells: set[str] = set()
    members = ""
    for name in assignment.notebooks:
        waiting: Slot | None = None
        for cell in read_notebook(assignment.source_dir / name).cells:
            own = grade_id(cell)
            if own == MEMBERS:
                members = cell.source
            elif own is not None and role(cell) is Role.SOLUTION:
                waiting = slots[own] = Slot(name, released_text(cell), "")
            else:
                supplied_cells.add(squeezed(released_text(cell)))
                if waiting is not None and cell.cell_type == "code":
                    slots[next(reversed(slots))] = waiting._replace(below=squeezed(released_text(cell)))
                    waiting = None
    return PackageSource(
        assignment.package,
        {name: modules[name] for name in modules if name in written},
        {name: modules[name] for name in modules if name not in written},
        slots,
        frozenset(supplied_cells),
        members,
    )
