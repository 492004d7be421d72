"""nbgrader's database: made where there is none, opened where there is one, refused where it is of another nbgrader."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from autograder._exceptions import GradebookError
from autograder.gradebook.settings import DEFAULT_COURSE

__all__ = ["open_gradebook"]

SIGNS_OF_DAMAGE = ("not a database", "malformed")
DAMAGED = (
    "The file is damaged: put a copy of it in its place, or, where there is none, move it away, then run the command "
    "again. Automatic scores are made again from the reports; marks given by hand are only in that file."
)
HELD = (
    "Where another program holds it (formgrader, a second run), wait or close that, then run the command again: what "
    "is graded already is kept."
)


@contextmanager
def open_gradebook(url: str, course_id: str = DEFAULT_COURSE) -> Iterator[Session]:
    """A session on the database at ``url`` (any SQLAlchemy URL), committed as one transaction when the block ends.

    Where the block raises, nothing of it is kept. Raises GradebookError when the database cannot be opened, read or
    written, and when it was made by a version of nbgrader whose tables differ.
    """
    try:
        engine = create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise GradebookError(f"gradebook {_without_password(url)}: cannot be opened: {_reason(error)}") from error
    try:
        _prepare(engine, course_id)
        with Session(engine) as session, session.begin():
            yield session
    except SQLAlchemyError as error:
        reason = _reason(error)
        remedy = DAMAGED if any(sign in reason for sign in SIGNS_OF_DAMAGE) else HELD
        raise GradebookError(f"gradebook {_without_password(url)}: {reason}. {remedy}") from error
    finally:
        engine.dispose()


def _prepare(engine: Engine, course_id: str) -> None:
    """Make nbgrader's tables where there are none, and see to it that they are those of the nbgrader installed."""
    from nbgrader.api import Base, Course

    newest = _newest_revision()
    with engine.begin() as connection:
        if not inspect(connection).has_table("assignment"):
            Base.metadata.create_all(connection)
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
            connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:newest)"), {"newest": newest})
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if found != newest:
        raise GradebookError(
            f"gradebook {_without_password(engine.url)}: its tables are of revision {found}, the nbgrader installed "
            f"here needs {newest}. Run `nbgrader db upgrade` in the course folder (it keeps a copy), then grade again."
        )
    with Session(engine) as session, session.begin():
        if session.get(Course, course_id) is None:
            session.add(Course(id=course_id))


def _newest_revision() -> str:
    """The revision of the tables that the installed nbgrader makes.

    nbgrader asks a program ``alembic`` found by its bare name, which is not there while its virtual environment is
    not activated; alembic itself, imported, answers the same.
    """
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR

    head = ScriptDirectory(ALEMBIC_DIR).get_current_head()
    if head is None:
        raise GradebookError(f"nbgrader's migrations in {ALEMBIC_DIR} have no head: nbgrader is not installed whole.")
    return head


def _without_password(url: str | URL) -> str:
    """The database as a user names it."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return repr(url)


def _reason(error: Exception) -> str:
    """What the driver said, without SQLAlchemy's statement and links."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]
