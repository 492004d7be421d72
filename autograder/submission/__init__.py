"""One submission: read without trusting it, matched cell by cell to its source, repaired where it can be."""

from autograder.submission.reader import read_submission
from autograder.submission.records import Cell, Fault, PackageFile, Repair, Submission

__all__ = ["Cell", "Fault", "PackageFile", "Repair", "Submission", "read_submission"]
