"""The two commands: write release/ and solutions/, or say how they differ from what source gives."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from autograder._exceptions import LeakError, ReleaseError, StorageError
from autograder.course import Assignment
from autograder.release.audit import audit
from autograder.release.build import build
from autograder.release.files import Trees
from autograder.release.trees import differences, replace

__all__ = ["ReleaseResult", "check", "release"]


class ReleaseResult(msgspec.Struct, frozen=True):
    """What ``release`` did: every file of both trees, and those that were not there in this form before."""

    assignment: str
    files: tuple[str, ...]
    changed: tuple[str, ...]
    questions: int
    points: float


Proof = Callable[[Path, Path], Iterable[str]]


def release(assignment: Assignment, prove: Proof | None = None) -> ReleaseResult:
    """Write release/ and solutions/ of ``assignment``, whole, or not at all.

    ``prove`` is given both trees in a folder that is removed afterwards; what it says against them, a sentence each,
    stops the release as a leak does.

    Raises ``ReleaseError`` for a source that cannot be released and ``LeakError`` where something hidden would reach
    students; then both folders stay as they were.
    """
    trees = _audited(assignment, prove)
    changed = tuple(name for name, _ in _differences(assignment, trees))
    if changed:
        try:
            replace({assignment.release_dir: trees.release, assignment.solutions_dir: trees.solutions})
        except StorageError as error:
            raise ReleaseError(str(error)) from error
        except OSError as error:
            raise ReleaseError(f"{error.filename}: cannot be written ({error.strerror})") from error
    files = [*(f"release/{assignment.name}/{name}" for name in sorted(trees.release))]
    files += [f"solutions/{assignment.name}/{name}" for name in sorted(trees.solutions)]
    return ReleaseResult(
        assignment.name, tuple(files), changed, len(assignment.questions()), float(assignment.max_points)
    )


def check(assignment: Assignment, prove: Proof | None = None) -> list[str]:
    """How release/ and solutions/ differ from what source gives, a sentence a file; empty when they are up to date.

    Raises what ``release`` raises.
    """
    return [f"{name} {what}" for name, what in _differences(assignment, _audited(assignment, prove))]


def _audited(assignment: Assignment, prove: Proof | None) -> Trees:
    trees = build(assignment)
    findings = audit(assignment, trees)
    if findings:
        listed = "\n".join(f"  {finding}" for finding in findings)
        raise LeakError(f"{assignment.name}: not released, for students would see what is hidden:\n{listed}")
    if prove is not None:
        _prove(assignment, trees, prove)
    return trees


def _prove(assignment: Assignment, trees: Trees, prove: Proof) -> None:
    with TemporaryDirectory(prefix="autograder-release-") as folder:
        release, solutions = Path(folder, "release"), Path(folder, "solutions")
        replace({release: trees.release, solutions: trees.solutions})
        if objections := list(prove(release, solutions)):
            listed = "\n".join(f"  {objection}" for objection in objections)
            raise ReleaseError(f"{assignment.name}: not released, for grading does not find what it should:\n{listed}")


def _differences(assignment: Assignment, trees: Trees) -> list[tuple[str, str]]:
    return [
        (f"{kind}/{assignment.name}/{name}", what)
        for kind, folder, tree in (
            ("release", assignment.release_dir, trees.release),
            ("solutions", assignment.solutions_dir, trees.solutions),
        )
        for name, what in differences(folder, tree)
    ]
