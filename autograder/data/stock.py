"""What the data mirror has in stock: one folder with the data sets of the course, filled and checked by name."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import msgspec
from filelock import FileLock

from autograder._exceptions import DataError
from autograder._files import write_atomically
from autograder.data.distilbert import DISTILBERT
from autograder.data.fetch import Progress, fetch
from autograder.data.mnist import FACES, MNIST
from autograder.data.place import FileState, check_file
from autograder.data.reviews import REVIEWS
from autograder.data.sets import DataFile, DataSet
from autograder.data.shakespeare import SHAKESPEARE

__all__ = ["DATA_SETS", "Pulled", "State", "Status", "fill", "inspect", "known", "mirror", "pull", "status"]

DATA_SETS: Mapping[str, DataSet] = {
    data_set.name: data_set for data_set in (MNIST, SHAKESPEARE, REVIEWS, DISTILBERT, FACES)
}

SCHEMA_VERSION = 1


class State(StrEnum):
    """How much of a data set the mirror holds."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    ABSENT = "absent"
    CORRUPT = "corrupt"


class Status(msgspec.Struct, frozen=True):
    """One data set in the mirror; ``source`` says where its files came from, empty where there are none."""

    name: str
    title: str
    state: State
    source: str
    size_bytes: int
    path: Path


class Pulled(msgspec.Struct, frozen=True):
    """What a pull did: the files it fetched (none where all were there) and the status it left."""

    fetched: tuple[str, ...]
    status: Status


class _Provenance(msgspec.Struct, frozen=True):
    """The record beside the data: which source each file came from."""

    sources: dict[str, str]
    schema_version: int = SCHEMA_VERSION


def mirror() -> Path:
    """Return the mirror's folder: ``AUTOGRADER_DATA``, or ``~/.cache/autograder``; it need not exist yet."""
    return Path(os.environ.get("AUTOGRADER_DATA") or "~/.cache/autograder").expanduser().absolute()


def known(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, when all are known; raises DataError otherwise, before anything is fetched."""
    for name in names:
        if name not in DATA_SETS:
            raise DataError(f"no data set is called {name!r}; there are: {', '.join(DATA_SETS)}")
    return tuple(dict.fromkeys(names))


def pull(name: str, *, root: Path | None = None, progress: Progress = lambda *_: None) -> Pulled:
    """Make the mirror hold the whole of a data set; where it does already, no network is touched.

    Raises DataError for an unknown name, and when no source gives what is missing.
    """
    (name,) = known([name])
    return fill(DATA_SETS[name], root or mirror(), progress)


def status(*, root: Path | None = None) -> tuple[Status, ...]:
    """Say of every data set how much of it the mirror holds; every file is read and checked."""
    return tuple(inspect(data_set, root or mirror()) for data_set in DATA_SETS.values())


def inspect(data_set: DataSet, root: Path) -> Status:
    """Say how much of one data set the mirror ``root`` holds."""
    with _naming_the_mirror(root):
        states = [check_file(file, root) for file in data_set.files]
        present = [file.path for file in data_set.files if (root / file.path).exists()]
        origins = _all_provenance(data_set, root)
        return Status(
            name=data_set.name,
            title=data_set.title,
            state=_summary(states, begun=any(_incoming(data_set, root).glob("*.part"))),
            source=", ".join(dict.fromkeys(origins.get(path, "put there by hand") for path in present)),
            size_bytes=sum((root / path).stat().st_size for path in present),
            path=root / os.path.commonpath([Path(file.path).parent for file in data_set.files]),
        )


def _summary(states: list[FileState], *, begun: bool) -> State:
    if FileState.CORRUPT in states:
        return State.CORRUPT
    if FileState.ABSENT not in states:
        return State.COMPLETE
    return State.PARTIAL if FileState.WHOLE in states or begun else State.ABSENT


def fill(data_set: DataSet, root: Path, progress: Progress = lambda *_: None) -> Pulled:
    """Fetch the files of ``data_set`` that ``root`` lacks, or holds damaged, from the first source that gives them.

    Raises DataError, naming every source and why it failed, when some are still missing at the end.
    """
    before = inspect(data_set, root)
    if before.state is State.COMPLETE:
        return Pulled((), before)
    incoming = _incoming(data_set, root)
    with _naming_the_mirror(root):
        incoming.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{incoming}.lock"):  # two pulls at once would write into one file
            incoming.mkdir(exist_ok=True)
            fetched = _fetch_lacking(data_set, root, progress)
            shutil.rmtree(incoming)
    return Pulled(tuple(file.path for file in fetched), inspect(data_set, root))


def _fetch_lacking(data_set: DataSet, root: Path, progress: Progress) -> list[DataFile]:
    """Ask source after source for what is not there yet; return what has come."""
    lacking = _not_whole(data_set.files, root)
    wanted = lacking
    reasons = []
    for source in data_set.sources:
        try:
            if wanted:
                fetch(source, wanted, root, _incoming(data_set, root), progress)
        except DataError as error:
            reasons.append(f"{source.title}: {error}")
        finally:  # an interrupt too leaves files that have come, and the record should know from where
            still_wanted = _not_whole(wanted, root)
            _record(data_set, root, [file.path for file in wanted if file not in still_wanted], source.title)
            wanted = still_wanted
    if wanted:
        raise DataError(
            f"{data_set.name} is not complete in {root}: no source gave {', '.join(file.path for file in wanted)} "
            f"({' | '.join(reasons)}); try again on another network (what has come is kept), or put the files "
            "there by hand"
        )
    return lacking


def _not_whole(files: Iterable[DataFile], root: Path) -> list[DataFile]:
    return [file for file in files if check_file(file, root) is not FileState.WHOLE]


@contextmanager
def _naming_the_mirror(root: Path) -> Iterator[None]:
    """Turn what the file system refuses into a DataError that names the mirror."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the data mirror {root} cannot be used: {error.strerror or error}; "
            "free some space there, or set AUTOGRADER_DATA to another folder"
        ) from error


def _incoming(data_set: DataSet, root: Path) -> Path:
    return root / ".incoming" / data_set.name


def _provenance_path(data_set: DataSet, root: Path) -> Path:
    return root / ".sources" / f"{data_set.name}.json"


def _read_provenance(data_set: DataSet, root: Path) -> dict[str, str]:
    path = _provenance_path(data_set, root)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Provenance).sources
    except (FileNotFoundError, msgspec.DecodeError):
        return {}  # the record is a courtesy; the checksums are what counts


def _all_provenance(data_set: DataSet, root: Path) -> dict[str, str]:
    """Where files came from, whichever pull brought them: data sets may share files. Its own record counts first."""
    records = [_read_provenance(each, root) for each in DATA_SETS.values()]
    records.append(_read_provenance(data_set, root))
    return {path: source for record in records for path, source in record.items()}


def _record(data_set: DataSet, root: Path, arrived: list[str], title: str) -> None:
    if arrived:
        sources = _read_provenance(data_set, root) | dict.fromkeys(arrived, title)
        write_atomically(_provenance_path(data_set, root), msgspec.json.encode(_Provenance(sources)))
