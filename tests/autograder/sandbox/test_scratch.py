"""The folders of a sandbox: counted while they are written to, and swept up after a run that was killed."""

import os
import tempfile
from pathlib import Path

import pytest

from autograder.sandbox.scratch import new_shared_folder, remove, written


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_lies_there_and_what_is_open_without_a_name_is_counted(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(bytes(8192))
    (tmp_path / "link").symlink_to("/usr")
    named = written(tmp_path, [])
    assert named.files == 3
    assert 8192 <= named.bytes < 32_768
    with tempfile.TemporaryFile(dir=tmp_path) as nameless:
        nameless.write(bytes(65_536))
        nameless.flush()
        both = written(tmp_path, [os.getpid()])
    assert both.files >= 4
    assert both.bytes - named.bytes >= 65_536


def test_a_folder_that_nobody_uses_any_more_is_removed_and_one_in_use_is_not(temporary: Path) -> None:
    used, lock = new_shared_folder()
    left, other = new_shared_folder()
    (left / "scratch").mkdir(mode=0)
    os.close(other)  # as the end of its process does
    new, third = new_shared_folder()
    assert sorted(temporary.iterdir()) == sorted([used, new])
    for folder, descriptor in ((used, lock), (new, third)):
        remove(folder)
        os.close(descriptor)


def test_a_link_in_the_place_of_such_a_folder_is_left_alone(temporary: Path) -> None:
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".alive").touch()
    (temporary / "autograder-x").symlink_to(elsewhere)
    folder, lock = new_shared_folder()
    assert (elsewhere / ".alive").exists()
    remove(folder)
    os.close(lock)
