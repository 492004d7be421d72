"""From source/ to release/ and solutions/: stubs, solved copies, and the audit that nothing hidden gets out."""

from autograder.release.audit import Finding
from autograder.release.make import ReleaseResult, check, release

__all__ = ["Finding", "ReleaseResult", "check", "release"]
