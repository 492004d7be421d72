"""The modules and notebooks of a submission that comes as a folder or a zip: a name and bytes each, in memory only.

Nothing is extracted, so no name of an archive's member can lead anywhere.
"""

import hashlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from autograder.notebooks import MAX_NOTEBOOK_BYTES
from autograder.submission.files import is_hidden, read_bytes
from autograder.submission.records import Refused, Repair

__all__ = ["Bundle", "read_bundle"]

MAX_ARCHIVE_BYTES = 200 * 2**20
MAX_TOTAL_BYTES = 200 * 2**20
MAX_FILES = 5_000
MAX_DEPTH = 8
LIMITS = {".py": 2**20, ".ipynb": MAX_NOTEBOOK_BYTES}
"""The kinds of files that are read, with the most bytes that each may have."""

ARCHIVES = {
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
}
ENCRYPTED = 0x1


class Bundle(NamedTuple):
    """``files`` by their path in the submission, forward slashes throughout; ``notes`` on what was passed over."""

    files: dict[str, bytes]
    notes: list[Repair]
    sha256: str


def read_bundle(path: Path, base: Path) -> Bundle:
    """Read the zip or the folder at ``path``, a folder that holds nothing but a zip as that zip.

    Links are not followed below ``base``. Raises ``Refused``.
    """
    if not path.is_dir() or path.is_symlink():
        return _archive(read_bytes(path, base, MAX_ARCHIVE_BYTES), path.name)
    files, archives, notes = _folder(path, base)
    if files or len(archives) != 1:
        if len(archives) > 1 and not files:
            raise Refused("bad-archive", f"{path.name} holds {len(archives)} archives; submit one")
        return Bundle(files, notes, _digest(files))
    return _archive(read_bytes(archives[0], base, MAX_ARCHIVE_BYTES), archives[0].name)


def _digest(files: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(name.encode("utf-8", "replace") + b"\0" + hashlib.sha256(data).digest())
    return digest.hexdigest()


# -- a folder ---------------------------------------------------------------------------------------------------------


def _folder(folder: Path, base: Path) -> tuple[dict[str, bytes], list[Path], list[Repair]]:
    files: dict[str, bytes] = {}
    archives: list[Path] = []
    notes: list[Repair] = []
    left = MAX_TOTAL_BYTES
    for path in _paths(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() in (".zip", ".rar", ".7z", ".gz", ".tgz", ".tar"):
            archives.append(path)
        elif path.suffix.lower() in LIMITS:
            try:
                files[name] = read_bytes(path, base, LIMITS[path.suffix.lower()])
            except Refused as refused:
                notes.append(Repair(name, f"`{name}` was passed over: {refused}."))
                continue
            left -= len(files[name])
            if left < 0:
                raise Refused(
                    "too-large", f"{folder.name} holds more than {MAX_TOTAL_BYTES >> 20} MB of code and notebooks"
                )
    return files, archives, notes


def _paths(folder: Path) -> Iterator[Path]:
    """Everything in ``folder`` that is no folder, by depth and name; hidden folders and links are not gone into."""
    count = 0
    for here, folders, names in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not is_hidden(name)) if depth < MAX_DEPTH else []
        for name in sorted(names):
            count += 1
            if count > MAX_FILES:
                return
            if not is_hidden(name):
                yield Path(here, name)


# -- a zip ------------------------------------------------------------------------------------------------------------


def _archive(data: bytes, name: str, *, outermost: bool = True) -> Bundle:
    if not data:
        raise Refused("empty", f"{name} is empty; make the archive again and submit it")
    for start, kind in ARCHIVES.items():
        if data.startswith(start):
            raise Refused(
                "bad-archive", f"{name} is {kind}; submit a zip, as `python main.py prepare-submission` makes"
            )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files, notes = _members(archive, name)
            if not files and outermost and (inner := _only_zip(archive)) is not None:
                data_inside, note = inner
                files, inside, _ = _archive(data_inside, name, outermost=False)
                notes += [note, *inside]
    except Refused:
        raise
    except Exception as error:  # zipfile raises half a dozen kinds on bytes that are no zip
        reason = f"{name} is no zip that can be read ({type(error).__name__}); make the archive again and submit it"
        raise Refused("bad-archive", reason) from error
    return Bundle(files, notes, hashlib.sha256(data).hexdigest())


def _only_zip(archive: zipfile.ZipFile) -> tuple[bytes, Repair] | None:
    """The one archive that another holds, and the note on it; None where it holds none, or several."""
    found = [member for member in archive.infolist()[:MAX_FILES] if member.filename.lower().endswith(".zip")]
    found = [member for member in found if not any(is_hidden(part) for part in PurePosixPath(member.filename).parts)]
    if len(found) != 1 or (data := _read(archive, found[0], MAX_ARCHIVE_BYTES)) is None:
        return None
    name = PurePosixPath(found[0].filename.replace("\\", "/")).name
    return data, Repair(name, f"`{name}` lay in another archive, and was read from there.")


def _members(archive: zipfile.ZipFile, name: str) -> tuple[dict[str, bytes], list[Repair]]:
    files: dict[str, bytes] = {}
    notes: list[Repair] = []
    left = MAX_TOTAL_BYTES
    for member in archive.infolist()[:MAX_FILES]:
        where = PurePosixPath(member.filename.replace("\\", "/"))
        limit = LIMITS.get(where.suffix.lower())
        if member.is_dir() or limit is None or any(is_hidden(part) for part in where.parts if part != ".."):
            continue
        if member.flag_bits & ENCRYPTED:
            raise Refused("encrypted", f"{name} is protected by a password; make the archive without one")
        reason = _odd(member, where)
        if not reason:
            data = _read(archive, member, min(limit, left))
            reason = "it is damaged, or larger than is allowed" if data is None else ""
        if reason:
            notes.append(Repair(str(where), f"`{where}` was passed over: {reason}."))
        else:
            assert data is not None
            files[str(where)] = data  # of members with one name the last counts, as when it is unpacked
            left -= len(data)
    return files, notes


def _odd(member: zipfile.ZipInfo, where: PurePosixPath) -> str:
    """Why a member is not taken by its name or kind; empty where it is."""
    if ".." in where.parts or where.is_absolute() or re.match("[A-Za-z]:", str(where)):
        return "its name leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link, and links are not followed"
    return ""


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes | None:
    """The member's bytes; None where they cannot be read or are more than ``limit``, whatever its header says."""
    try:
        with archive.open(member) as file:
            data = file.read(limit + 1)
    except Exception:  # noqa: BLE001 - zipfile, zlib and the codecs raise many kinds; each means a damaged member
        return None
    return data if len(data) <= limit else None
