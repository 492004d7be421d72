"""hw3's data come from the official source or from the mirror, and it is said from which."""

import http.server
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from torchvision.datasets import ImageFolder

NAMES = ("shakespeare", "reviews", "distilbert", "faces")
MIRRORED = {
    "shakespeare": ("shakespeare/shakespeare.txt",),
    "reviews": ("reviews/train.jsonl", "reviews/test.jsonl"),
    "distilbert": ("distilbert/config.json", "distilbert/model.safetensors", "distilbert/vocab.txt"),
    "faces": ("MNIST/raw/t10k-images-idx3-ubyte", "MNIST/raw/t10k-labels-idx1-ubyte"),
}


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty mirror, and no official source."""
    monkeypatch.setenv("AUTOGRADER_DATA", str(tmp_path / "mirror"))
    monkeypatch.setenv("AUTOGRADER_OFFLINE", "1")
    return tmp_path / "mirror"


class NoFrontDoor(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing on the test's stderr."""


def ask(hw3: SimpleNamespace, name: str, data_dir: Path) -> object:
    function = getattr(hw3.support.sources, name)
    return function(data_dir) if name in ("shakespeare", "faces") else function()


@pytest.mark.parametrize("name", NAMES)
def test_without_any_source_the_command_that_helps_is_named(
    hw3: SimpleNamespace, mirror: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(hw3.support.sources.NoData, match=f"autograder data pull {name}"):
        ask(hw3, name, tmp_path / "data")


@pytest.mark.parametrize("name", NAMES)
def test_a_mirror_that_holds_part_of_it_is_none(hw3: SimpleNamespace, mirror: Path, tmp_path: Path, name: str) -> None:
    for path in MIRRORED[name]:
        (mirror / path).parent.mkdir(parents=True, exist_ok=True)
    for path in MIRRORED[name][1:]:
        (mirror / path).write_bytes(b"")
    with pytest.raises(hw3.support.sources.NoData, match=f"autograder data pull {name}"):
        ask(hw3, name, tmp_path / "data")


def test_the_official_source_is_preferred(
    hw3: SimpleNamespace,
    mirror: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for place in (mirror / "shakespeare", tmp_path / "server"):
        place.mkdir(parents=True)
        (place / "shakespeare.txt").write_text(place.name)
    monkeypatch.delenv("AUTOGRADER_OFFLINE")
    url = (tmp_path / "server" / "shakespeare.txt").as_uri()
    monkeypatch.setattr(hw3.support.sources, "SHAKESPEARE_URL", url)
    assert hw3.support.sources.shakespeare(tmp_path / "data").read_text() == "server"
    assert "shakespeare: the official source" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["reviews", "distilbert"])
def test_a_hub_that_cannot_be_reached_is_asked_once(
    hw3: SimpleNamespace, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The hub's client would try six times, waiting longer each time; nothing listens at port 9 here."""
    asked = []
    monkeypatch.delenv("AUTOGRADER_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("datasets.load_dataset", lambda *_, **__: asked.append("datasets"))
    monkeypatch.setattr("transformers.AutoConfig.from_pretrained", lambda *_, **__: asked.append("transformers"))
    with pytest.raises(hw3.support.sources.NoData, match="cannot be reached"):
        ask(hw3, name, tmp_path)
    assert asked == []


def test_a_hub_that_has_nothing_to_say_at_its_front_door_is_asked_for_the_model(
    hw3: SimpleNamespace, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a mirror of the hub does, which knows files only."""
    with http.server.HTTPServer(("127.0.0.1", 0), NoFrontDoor) as hub:
        threading.Thread(target=hub.handle_request, daemon=True).start()
        monkeypatch.delenv("AUTOGRADER_OFFLINE")
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server_port}")
        monkeypatch.setattr("transformers.AutoConfig.from_pretrained", lambda *_, **__: None)
        assert hw3.support.sources.distilbert() == "distilbert-base-uncased"


@pytest.mark.parametrize("inside", ["", "Somebody/", "album/Somebody/", "./album/Somebody/"])
def test_pictures_of_one_person_are_one_class_however_deep_they_lie(
    hw3: SimpleNamespace, tmp_path: Path, inside: str
) -> None:
    from PIL import Image

    picture = tmp_path / "1.png"
    Image.new("RGB", (8, 8)).save(picture)
    with zipfile.ZipFile(tmp_path / "somebody.zip", "w") as archive:
        archive.write(picture, f"{inside}1.png")
        archive.write(picture, f"{inside}2.png")
    root = hw3.support.sources.faces(tmp_path / "data", (tmp_path / "somebody.zip").as_uri())
    pictures = ImageFolder(str(root))
    assert (len(pictures), len(pictures.classes)) == (2, 1)
