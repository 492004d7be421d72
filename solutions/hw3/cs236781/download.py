"""Downloads, and archives that are unpacked without leaving their folder."""

import shutil
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import urlparse

SECONDS = 20


def download_data(out_path: str | Path, url: str, extract: bool = True, force: bool = False) -> tuple[Path, Path]:
    """Download a file into a folder, and unpack it there if it is an archive.

    :param out_path: the folder; it is made if there is none.
    :param url: where the file is.
    :param extract: whether a zip or tar archive is unpacked.
    :param force: whether a file that is there already is downloaded again.
    :return: the file, and the folder that its contents are in (``out_path``, where it was not unpacked).
    """
    folder = Path(out_path).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (Path(urlparse(url).path).name or "download")
    if force or not file.exists():
        print(f"downloading {url} ...")
        part = file.with_name(f"{file.name}.part")
        request = urllib.request.Request(url, headers={"User-Agent": "Mozilla/5.0"})
        with urllib.request.urlopen(request, timeout=SECONDS) as source, part.open("wb") as target:
            shutil.copyfileobj(source, target)
        part.replace(file)
    return file, _extracted(file, folder) if extract else folder


def _extracted(file: Path, folder: Path) -> Path:
    """Unpack ``file`` into ``folder``; returns the one folder that came out of it, or ``folder``."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            _refuse_ways_out(names, folder)
            archive.extractall(folder)
    elif tarfile.is_tarfile(file):
        with tarfile.open(file) as archive:
            names = archive.getnames()
            _refuse_ways_out(names, folder)
            archive.extractall(folder, filter="data")
    else:
        return folder
    tops = {Path(name).parts[0] for name in names if Path(name).parts}
    return folder / tops.pop() if len(tops) == 1 and (folder / next(iter(tops))).is_dir() else folder


def _refuse_ways_out(names: list[str], folder: Path) -> None:
    """Raise ValueError where the name of a member leads out of ``folder``."""
    root = folder.resolve()
    for name in names:
        if not (root / name).resolve().is_relative_to(root):
            raise ValueError(f"{name} would be written outside {folder}; the archive is not unpacked")
