"""Where the data come from: the official source where there is a network, a stand-in from the data mirror elsewhere.

The mirror is a folder, ``~/.cache/autograder`` or what the environment variable ``AUTOGRADER_DATA`` names, that
``autograder data pull NAME`` fills. With ``AUTOGRADER_OFFLINE=1`` the official sources are not tried.
"""

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from cs236781.download import download_data

SHAKESPEARE_URL = "https://github.com/cedricdeboom/character-level-rnn-datasets/raw/master/datasets/shakespeare.txt"
FACES_URL = "http://vis-www.cs.umass.edu/lfw/lfw-bush.zip"
DISTILBERT = "distilbert-base-uncased"
N_FACES = 530  # as many as there are pictures of the person
HUB_SECONDS = 5.0


class NoData(Exception):
    """Neither the official source nor the mirror has the data."""


def shakespeare(data_dir: str | Path) -> Path:
    """The complete works of Shakespeare as one text file."""
    return _first(
        "shakespeare",
        lambda: download_data(data_dir, SHAKESPEARE_URL, extract=False)[0],
        lambda folder: folder / "shakespeare.txt",
        "38 plays in another edition",
        ("shakespeare.txt",),
    )


def faces(data_dir: str | Path, url: str | None = None) -> Path:
    """A folder for ``ImageFolder`` with pictures of one person, or with those of the archive at ``url``."""
    if url is not None:
        return _pictures(data_dir, url)
    return _first(
        "faces",
        lambda: _pictures(data_dir, FACES_URL),
        lambda folder: _digits_as_images(folder, Path(data_dir) / "digits"),
        "handwritten digits as 64x64 RGB images",
        ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        folder="MNIST/raw",
    )


def _pictures(data_dir: str | Path, url: str) -> Path:
    """The pictures of an archive, below a folder whose subfolders are classes, however deep they lie in the archive."""
    folder = Path(data_dir) / "pictures" / (Path(urlparse(url).path).stem or "download") / "all"
    found = download_data(folder, url)[1]
    return found if any(child.is_dir() for child in found.iterdir()) else found.parent


def _digits_as_images(raw: Path, folder: Path) -> Path:
    """The first test digits of MNIST, read from its own files in ``raw``, as images in ``folder``, a class each."""
    import numpy as np
    from PIL import Image

    digits = np.frombuffer((raw / "t10k-images-idx3-ubyte").read_bytes(), np.uint8, offset=16).reshape(-1, 28, 28)
    labels = np.frombuffer((raw / "t10k-labels-idx1-ubyte").read_bytes(), np.uint8, offset=8)
    for number in range(N_FACES):
        path = folder / str(labels[number]) / f"{number:04d}.png"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(digits[number]).resize((64, 64), Image.Resampling.BILINEAR).convert("RGB").save(path)
    return folder


def reviews() -> Any:
    """Film reviews as a ``DatasetDict``: ``train`` and ``test``, with ``text`` and ``label`` (0 or 1)."""
    from datasets import load_dataset

    def official() -> Any:
        _ask_the_hub()
        return load_dataset("imdb")

    def stand_in(folder: Path) -> Any:
        files = {part: str(folder / f"{part}.jsonl") for part in ("train", "test")}
        return load_dataset("json", data_files=files)

    needs = ("train.jsonl", "test.jsonl")
    return _first("reviews", official, stand_in, "a smaller collection of the same reviews", needs)


def distilbert() -> str:
    """What ``from_pretrained`` has to be given: the model's name, or the folder of a stand-in."""

    def official() -> str:
        from transformers import AutoConfig

        _ask_the_hub()
        AutoConfig.from_pretrained(DISTILBERT)
        return DISTILBERT

    needs = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
    return _first("distilbert", official, str, "a smaller pretrained model with the same vocabulary", needs)


def _ask_the_hub() -> None:
    """Raise OSError at once where the hub cannot be reached: its own client tries six times, for half a minute."""
    url = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=HUB_SECONDS).close()
    except urllib.error.HTTPError as error:
        error.close()  # it is there, whatever it says to this


def _first(
    name: str,
    official: Callable[[], Any],
    stand_in: Callable[[Path], Any],
    what: str,
    needs: tuple[str, ...],
    folder: str | None = None,
) -> Any:
    """What ``official`` gives, or what ``stand_in`` makes of the mirror's ``folder``, where all that it needs is there.

    Raises ``NoData`` otherwise.
    """
    mirror = Path(os.environ.get("AUTOGRADER_DATA") or "~/.cache/autograder").expanduser() / (folder or name)
    reason = "AUTOGRADER_OFFLINE is set"
    if os.environ.get("AUTOGRADER_OFFLINE") != "1":
        try:
            found = official()
        except Exception as error:  # of the network, in as many kinds as there are libraries
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        else:
            print(f"{name}: the official source")
            return found
    if not all((mirror / file).is_file() for file in needs):
        raise NoData(
            f"{name}: the official source cannot be reached ({reason}), and there is no complete stand-in in {mirror}; "
            f"run `autograder data pull {name}`"
        )
    print(f"{name}: a stand-in, {what} ({mirror})")
    return stand_in(mirror)
