"""Files of the mirror: checking them, and putting them there so that nobody ever sees half of one."""

import hashlib
import tarfile
import tempfile
import zlib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from autograder._exceptions import DataError
from autograder.data.sets import DataFile

__all__ = ["FileState", "check_file", "is_whole", "place", "unpack"]

CHUNK_BYTES = 1 << 18
ARCHIVE_MEMBERS = 10_000
ARCHIVE_BYTES = 2 << 30  # unpacked, so that a small archive cannot keep the reader busy for hours


class Readable(Protocol):
    """Whatever gives bytes piece by piece: a file, an archive's member, a decompressor."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""
        ...


class FileState(StrEnum):
    """What stands where a file of the mirror should be."""

    WHOLE = "whole"
    ABSENT = "absent"
    CORRUPT = "corrupt"


def is_whole(path: Path, size_bytes: int, md5: str) -> bool:
    """Tell whether ``path`` is a file of that size with that MD5."""
    if not path.is_file() or path.stat().st_size != size_bytes:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest() == md5


def check_file(file: DataFile, root: Path) -> FileState:
    """Compare what stands in the mirror with what should."""
    path = root / file.path
    if not path.exists():
        return FileState.ABSENT
    return FileState.WHOLE if is_whole(path, file.size_bytes, file.md5) else FileState.CORRUPT


def place(stream: Readable, file: DataFile, root: Path) -> None:
    """Write ``stream`` to its place in the mirror, in one step and only if size and checksum are right.

    Raises DataError otherwise; what was there before stays.
    """
    target = root / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.md5(usedforsecurity=False)
    size = 0
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as out:
        temporary = Path(out.name)
        try:
            while size <= file.size_bytes and (chunk := stream.read(CHUNK_BYTES)):
                size += len(chunk)
                digest.update(chunk)
                out.write(chunk)
            out.flush()
            if size != file.size_bytes or digest.hexdigest() != file.md5:
                found = f"more than {file.size_bytes}" if size > file.size_bytes else f"{size}"
                raise DataError(
                    f"{target.name} is damaged: {found} bytes with MD5 {digest.hexdigest()}, "
                    f"expected {file.size_bytes} bytes with MD5 {file.md5}"
                )
            temporary.chmod(0o644)  # a temporary file is private; the mirror may be shared
            temporary.replace(target)
        except BaseException:  # whatever happened, an interrupt too: no half file stays behind
            temporary.unlink(missing_ok=True)
            raise


def unpack(archive: Path, members: Mapping[str, DataFile], root: Path) -> None:
    """Place the named members of a .tar.gz; every other name in it is passed over, whatever it says.

    Raises DataError when the archive cannot be read, is larger than any we know, or lacks a member.
    """
    missing = dict(members)
    unpacked_bytes = 0
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for count, entry in enumerate(tar, start=1):
                unpacked_bytes += entry.size
                if count > ARCHIVE_MEMBERS or unpacked_bytes > ARCHIVE_BYTES:
                    raise DataError(f"{archive.name} holds more than it should; it was not unpacked further")
                stream = tar.extractfile(entry) if entry.isreg() and entry.name in missing else None
                if stream is not None:
                    with stream:
                        place(stream, missing.pop(entry.name), root)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise DataError(f"{archive.name} cannot be read as an archive: {error}") from error
    if missing:
        raise DataError(f"{archive.name} does not hold {', '.join(missing)}")
