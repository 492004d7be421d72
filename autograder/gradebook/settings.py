"""Where the gradebook lies and what its course is called: as ``nbgrader_config.py`` says, so that both agree."""

from pathlib import Path

import msgspec

from autograder._exceptions import GradebookError

__all__ = ["DEFAULT_COURSE", "Settings", "read_settings"]

CONFIG_FILE = "nbgrader_config.py"
DEFAULT_COURSE = "default_course"
"""nbgrader's own name for the course where nobody named it."""


class Settings(msgspec.Struct, frozen=True):
    """``url`` is any SQLAlchemy URL."""

    url: str
    course_id: str = DEFAULT_COURSE


def read_settings(root: Path) -> Settings:
    """The settings of the course in ``root``; nbgrader's defaults where its configuration is silent or absent.

    Raises GradebookError when ``nbgrader_config.py`` does not run.
    """
    from sqlalchemy.engine import URL
    from traitlets.config.loader import PyFileConfigLoader

    course = {}
    if (root / CONFIG_FILE).is_file():
        try:
            course = PyFileConfigLoader(CONFIG_FILE, path=str(root)).load_config().get("CourseDirectory", {})
        except Exception as error:  # the instructor's own program may raise anything
            raise GradebookError(
                f"{root / CONFIG_FILE}: {type(error).__name__}: {error}; nbgrader needs it too"
            ) from error
    default = URL.create("sqlite", database=str(root / "gradebook.db")).render_as_string(hide_password=False)
    return Settings(str(course.get("db_url", default)), str(course.get("course_id", DEFAULT_COURSE)))
