"""The course: ``course.toml`` and the questions that stand in the source notebooks' grade cells."""

import tomllib
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from autograder._exceptions import CourseError
from autograder.notebooks import Role, grade_id, read_notebook, role

__all__ = ["Assignment", "Course", "Limits", "Question"]

COURSE_FILE = "course.toml"

Positive = Annotated[int, msgspec.Meta(ge=1)]
Processes = Annotated[int, msgspec.Meta(ge=8)]  # the zygote, its libraries' threads, and a fork are among them
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
AssignmentName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
PackageName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
NotebookName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*\.ipynb$")]
Due = Annotated[datetime, msgspec.Meta(tz=True)]


class Question(msgspec.Struct, frozen=True):
    """One grade cell. ``cell_index`` counts from 0 in ``notebook``; ``title`` is the heading that it stands under."""

    id: str
    points: float
    kind: Literal["auto", "manual"]
    cell_index: int
    title: str
    notebook: str = ""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one submission may use: ``[assignments.NAME.limits]``, each with its unit in its name."""

    call_seconds: Seconds = 10.0
    test_seconds: Seconds = 30.0
    submission_seconds: Seconds = 300.0
    cell_seconds: Seconds = 20.0
    memory_mb: Positive = 4096
    processes: Processes = 64
    scratch_mb: Positive = 64
    output_kb: Positive = 64


class QuestionLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one question may use where it is not what all may: ``[assignments.NAME.questions.ID]``."""

    call_seconds: Seconds | None = None
    test_seconds: Seconds | None = None


class Assignment(msgspec.Struct, frozen=True):
    """One assignment: its table in ``course.toml``, and where its parts lie below ``root``.

    ``package`` is the folder of the source that students fill in, where they write Python modules and no cells.
    """

    name: str
    title: str
    notebooks: tuple[str, ...]
    package: str | None
    group_size: int
    due: datetime | None
    limits: Limits
    question_limits: tuple[tuple[str, QuestionLimits], ...]
    root: Path

    def seconds(self, question: str) -> tuple[float, float]:
        """What a call and a test of ``question`` may take."""
        own = dict(self.question_limits).get(question, QuestionLimits())
        return own.call_seconds or self.limits.call_seconds, own.test_seconds or self.limits.test_seconds

    @property
    def source_dir(self) -> Path:
        """What the instructor writes."""
        return self.root / "source" / self.name

    @property
    def release_dir(self) -> Path:
        """What students get; generated."""
        return self.root / "release" / self.name

    @property
    def solutions_dir(self) -> Path:
        """The solved assignment; generated."""
        return self.root / "solutions" / self.name

    @property
    def tests_dir(self) -> Path:
        """The hidden suite."""
        return self.root / "tests" / self.name

    def questions(self) -> tuple[Question, ...]:
        """The grade cells of the source notebooks, in order; read again only when a notebook has changed.

        Raises ``CourseError`` for a notebook that is missing or unreadable, and for two questions of one id.
        """
        paths = tuple(self.source_dir / name for name in self.notebooks)
        for path in paths:
            if not path.is_file():
                raise CourseError(f"{path}: no such notebook, but {COURSE_FILE} names it for assignment {self.name!r}")
        return _questions(paths, tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in paths))

    @property
    def auto_points(self) -> float:
        """Points that the hidden suite gives."""
        return sum(question.points for question in self.questions() if question.kind == "auto")

    @property
    def max_points(self) -> float:
        """All points to be had, those a person gives included."""
        return sum(question.points for question in self.questions())


class _CourseTable(msgspec.Struct, forbid_unknown_fields=True):
    title: Text
    limits: Limits = Limits()


class _AssignmentTable(msgspec.Struct, forbid_unknown_fields=True):
    title: Text
    notebooks: Annotated[tuple[NotebookName, ...], msgspec.Meta(min_length=1)]
    package: PackageName | None = None
    group_size: Positive = 1
    due: Due | None = None
    limits: dict[str, Any] = {}
    questions: dict[str, QuestionLimits] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    course: dict[str, Any]
    assignments: dict[str, dict[str, Any]]


class Course(msgspec.Struct, frozen=True):
    """``course.toml``, read and checked."""

    root: Path
    title: str
    assignments: dict[str, Assignment]

    @classmethod
    def find(cls, start: Path | None = None) -> "Course":
        """The course that ``start`` (by default the working directory) lies in."""
        where = (start or Path.cwd()).resolve()
        for folder in (where, *where.parents):
            if (folder / COURSE_FILE).is_file():
                return cls.load(folder / COURSE_FILE)
        raise CourseError(f"no {COURSE_FILE} in {where} or above; run this in the course's folder")

    @classmethod
    def load(cls, path: Path) -> "Course":
        """Read ``path``; raises ``CourseError`` with file, line and key for whatever is wrong in it."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
            content = tomllib.loads(text)
        except OSError as error:
            raise CourseError(f"{path}: cannot be read ({error.strerror})") from error
        except ValueError as error:  # UnicodeDecodeError and TOMLDecodeError, which names the line itself
            raise CourseError(f"{path}: not TOML: {error}") from error
        table = _Checked(path, text)
        file = table.convert(content, _File, ())
        course = table.convert(file.course, _CourseTable, ("course",))
        assignments = {}
        for name, found in file.assignments.items():
            table.convert(name, AssignmentName, ("assignments", name))
            entry = table.convert(found, _AssignmentTable, ("assignments", name))
            own = msgspec.to_builtins(course.limits) | entry.limits
            assignments[name] = Assignment(
                name=name,
                title=entry.title,
                notebooks=entry.notebooks,
                package=entry.package,
                group_size=entry.group_size,
                due=entry.due,
                limits=table.convert(own, Limits, ("assignments", name, "limits")),
                question_limits=tuple(entry.questions.items()),
                root=path.resolve().parent,
            )
        return cls(path.resolve().parent, course.title, assignments)

    def assignment(self, name: str) -> Assignment:
        """The assignment called ``name``; raises ``CourseError`` naming those there are."""
        if name not in self.assignments:
            known = ", ".join(sorted(self.assignments)) or "none"
            raise CourseError(f"no assignment {name!r} in {self.root / COURSE_FILE}; there are: {known}")
        return self.assignments[name]


class _Checked:
    """Converts parts of one TOML file to structs; what does not fit is an error with file, line and key."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text = path, text

    def convert(self, content: object, kind: Any, key: tuple[str, ...]) -> Any:
        """``content``, which stands under ``key``, as a ``kind``."""
        try:
            return msgspec.convert(content, kind)
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$")
            inner = [part for part in where.rstrip("`").replace("[...]", "").split(".") if part]
            if what.startswith("Object contains unknown field"):
                inner.append(what.split("`")[1])
            full = (*key, *(part.partition("[")[0] for part in inner))
            place = f"{self._path}, line {_line_of(self._text, full)}"
            raise CourseError(f"{place}: {'.'.join(full) or 'the file'}: {what}") from error


def _line_of(text: str, key: tuple[str, ...]) -> int:
    """The line, from 1, of the statement that first brings ``key``, or the longest part of it that the file has.

    ``tomllib`` keeps no lines, so ever longer beginnings of the file are parsed until one holds the key.
    """
    lines = text.split("\n")
    for length in range(len(key), 0, -1):
        start = 1
        for end in range(1, len(lines) + 1):
            try:
                content = tomllib.loads("\n".join(lines[:end]))
            except tomllib.TOMLDecodeError:
                continue  # in the middle of a statement
            if _holds(content, key[:length]):
                return start
            start = end + 1
    return 1


def _holds(content: object, key: tuple[str, ...]) -> bool:
    for part in key:
        if not isinstance(content, dict) or part not in content:
            return False
        content = content[part]
    return True


@lru_cache(maxsize=64)
def _questions(paths: tuple[Path, ...], stamps: tuple[tuple[int, int], ...]) -> tuple[Question, ...]:  # noqa: ARG001 - the stamps are there for the cache
    questions: dict[str, Question] = {}
    for path in paths:
        title = ""
        for index, cell in enumerate(read_notebook(path).cells):
            title = _heading(cell.source) or title if cell.cell_type == "markdown" else title
            kind = {Role.AUTOGRADED: "auto", Role.MANUAL: "manual", Role.TASK: "manual"}.get(role(cell))
            if kind is None:
                continue
            name, points = grade_id(cell), cell.metadata.nbgrader.get("points", 0)
            where = f"{path}, cell {index + 1}"
            if name is None:
                raise CourseError(f"{where}: a grade cell without grade_id; give it one")
            if name in questions:
                raise CourseError(f"{where}: grade_id {name!r} is used twice; each question needs its own")
            if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points < float("inf"):
                raise CourseError(f"{where}: question {name!r} has points {points!r}; a number from 0 is needed")
            questions[name] = Question(name, float(points), kind, index, title, path.name)  # type: ignore[arg-type]
    return tuple(questions.values())


def _heading(markdown: str) -> str:
    """The text of the last heading in ``markdown``, empty where there is none."""
    headings = [line.lstrip("#").strip() for line in markdown.splitlines() if line.startswith("#")]
    return headings[-1] if headings else ""
