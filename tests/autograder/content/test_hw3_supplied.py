"""What hw3 supplies works as it says: plots, downloads that stay in their folder, written answers on show."""

import io
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest
import torch
from IPython.display import Markdown
from torch.utils.data import TensorDataset


@pytest.fixture(autouse=True)
def headless() -> None:
    plt.switch_backend("agg")


def zipped(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, members: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Where files are downloaded from: file URLs lead here."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


def test_a_file_is_downloaded_once(hw3: SimpleNamespace, tmp_path: Path, elsewhere: Path) -> None:
    source = elsewhere / "works.txt"
    source.write_text("first")
    download = hw3.support.download.download_data
    file, folder = download(tmp_path / "data", source.as_uri())
    source.write_text("second")
    assert (file, folder) == (tmp_path / "data" / "works.txt", tmp_path / "data")
    assert download(tmp_path / "data", source.as_uri())[0].read_text() == "first"
    assert download(tmp_path / "data", source.as_uri(), force=True)[0].read_text() == "second"


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_of_one_folder_gives_that_folder(
    hw3: SimpleNamespace, tmp_path: Path, elsewhere: Path, pack: object
) -> None:
    archive = pack(elsewhere / "faces.bin", {"faces/one/1.txt": "a", "faces/one/2.txt": "b"})  # type: ignore[operator]
    _, folder = hw3.support.download.download_data(tmp_path / "data", archive.as_uri())
    assert folder == tmp_path / "data" / "faces"
    assert (folder / "one" / "2.txt").read_text() == "b"


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("name", ["../out.txt", "/tmp/../out.txt", "in/../../out.txt"])
def test_an_archive_that_leads_out_of_the_folder_is_refused_whole(
    hw3: SimpleNamespace, tmp_path: Path, elsewhere: Path, pack: object, name: str
) -> None:
    archive = pack(elsewhere / "bad.bin", {"good.txt": "a", name: "b"})  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"out\.txt would be written outside"):
        hw3.support.download.download_data(tmp_path / "data", archive.as_uri())
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["bad.bin"]


def test_a_fit_is_drawn_as_losses_above_accuracies(hw3: SimpleNamespace) -> None:
    result = hw3.support.train_results.FitResult(2, [4.0, 3.0, 2.0], [10.0, 20.0], [3.0, 1.0], [15.0, 30.0])
    fig, axes = hw3.support.plot.plot_fit(result, legend="one")
    assert hw3.support.plot.plot_fit(result, fig=fig, log_loss=True, legend="two")[0] is fig
    assert [axis.get_title() for axis in axes.flat] == ["train_loss", "test_loss", "train_acc", "test_acc"]
    assert [len(axis.lines[0].get_xdata()) for axis in axes.flat] == [3, 2, 2, 2]
    assert [axis.get_yscale() for axis in axes.flat] == ["log", "log", "linear", "linear"]
    assert [text.get_text() for text in axes[0, 0].get_legend().get_texts()] == ["one", "two"]
    plt.close(fig)


def test_images_are_shown_in_rows_and_empty_places_stay_empty(hw3: SimpleNamespace) -> None:
    images = [torch.rand(3, 4, 4), torch.rand(4, 4), torch.zeros(3, 4, 4)]
    fig, axes = hw3.support.plot.tensors_as_images(images, nrows=2)
    assert axes.shape == (2, 2)
    assert [len(axis.images) for axis in axes.flat] == [1, 1, 1, 0]
    plt.close(fig)


def test_the_first_images_of_a_data_set_have_their_classes_as_titles(hw3: SimpleNamespace) -> None:
    pairs = TensorDataset(torch.rand(5, 3, 4, 4), torch.tensor([1, 0, 1, 1, 0]))
    fig, axes = hw3.support.plot.dataset_first_n(pairs, 3, show_classes=True, class_labels=["no", "yes"])
    assert [axis.get_title() for axis in axes.flat] == ["yes", "no", "yes"]
    plt.close(fig)


def test_an_answer_is_shown_as_markdown(hw3: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Markdown] = []
    monkeypatch.setattr(hw3.support.answers, "display", shown.append)
    hw3.support.answers.display_answer("**so** $x$")
    assert [(type(output), output.data) for output in shown] == [(Markdown, "**so** $x$")]


def test_results_are_plain_tuples_by_name(hw3: SimpleNamespace) -> None:
    kinds = hw3.support.train_results
    assert kinds.BatchResult._fields == ("loss", "num_correct")
    assert kinds.EpochResult._fields == ("losses", "accuracy")
    assert kinds.FitResult._fields == ("num_epochs", "train_loss", "train_acc", "test_loss", "test_acc")
