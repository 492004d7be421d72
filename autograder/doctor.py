"""What this machine has of what grading needs, found out by trying, in sentences."""

import importlib.metadata
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from autograder._exceptions import AutograderError, SandboxError
from autograder.course import COURSE_FILE, Course, Limits

__all__ = ["Finding", "State", "diagnose"]

MINIMUM_FREE_MB = 2_000
PACKAGES = (
    "autograder-kit", "torch", "torchvision", "numpy", "nbgrader", "pytest", "sandlock", "transformers", "datasets",
)  # fmt: skip


class State(StrEnum):
    """How one finding bears on grading."""

    GOOD = "good"
    NOTE = "note"
    MISSING = "missing"


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at. ``MISSING`` means that grading does not work, or is not safe, until it is there."""

    what: str
    state: State
    sentence: str


def diagnose() -> Iterator[Finding]:
    """Everything, one finding after the other; the sandbox is started, which takes a few seconds."""
    yield _system()
    yield _user()
    yield from _packages()
    yield _course()
    yield from _sandbox()
    yield _memory()
    yield _disk()
    yield _gpu()
    yield from _data()


def _system() -> Finding:
    container = Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
    where = f"{platform.system()} {os.uname().release} on {platform.machine()}, {os.cpu_count()} processors"
    return Finding("machine", State.GOOD, where + (", inside a container" if container else ""))


def _user() -> Finding:
    if os.geteuid() == 0:
        return Finding("user", State.NOTE, "You are root. The walls hold for root too, but grading does not need it.")
    return Finding("user", State.GOOD, "An ordinary user, which is all that grading needs.")


def _packages() -> Iterator[Finding]:
    found, absent = [f"Python {platform.python_version()}"], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    yield Finding("versions", State.GOOD, ", ".join(found))
    if absent:
        yield Finding("versions", State.MISSING, f"Not installed: {', '.join(absent)}; install the kit again.")


def _course() -> Finding:
    try:
        course = Course.find()
        for assignment in course.assignments.values():
            assignment.questions()
    except AutograderError as error:
        here = Path.cwd()
        there = any((folder / COURSE_FILE).exists() for folder in (here, *here.parents))
        return Finding("course", State.MISSING if there else State.NOTE, f"{error}.")
    return Finding("course", State.GOOD, f"{course.title}: {', '.join(course.assignments) or 'no assignments yet'}")


def _sandbox() -> Iterator[Finding]:
    from autograder.sandbox import jail
    from autograder.sandbox.supervisor import Supervisor
    from autograder.sandbox.walls import WALLS, breaches

    limits = Limits()
    try:
        held = jail.posture()
        with Supervisor(
            memory_mb=limits.memory_mb, processes=limits.processes, output_kb=limits.output_kb
        ) as supervisor:
            open_to = breaches(supervisor)
    except SandboxError as error:
        yield Finding("sandbox", State.MISSING, f"{error}.")
        return
    yield Finding("sandbox", State.GOOD, f"{held['sandbox']}, {held['files'].partition(':')[0]}")
    for name, could in WALLS.items():
        if name in open_to:
            yield Finding(name, State.MISSING, f"A submission can {could}.")
        else:
            yield Finding(name, State.GOOD, f"A submission cannot {could}.")


def _memory() -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    needed = Limits().memory_mb
    if total < needed:
        what = f"{total:,} MB, less than the {needed:,} MB that one submission may use; lower memory_mb in course.toml."
        return Finding("memory", State.NOTE, what)
    return Finding("memory", State.GOOD, f"{total:,} MB; one submission may use {needed:,} MB.")


def _disk() -> Finding:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free // 2**20
    if free < MINIMUM_FREE_MB:
        return Finding("disk", State.MISSING, f"Only {free:,} MB are free in {folder}; free some, or set TMPDIR.")
    return Finding("disk", State.GOOD, f"{free:,} MB are free in {folder}.")


def _gpu() -> Finding:
    import torch

    if not torch.cuda.is_available():
        return Finding("GPU", State.NOTE, "None; the tests that want one run on the CPU.")
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return Finding("GPU", State.GOOD, ", ".join(names))


def _data() -> Iterator[Finding]:
    from autograder.data import State as Stock
    from autograder.data import status

    for found in status():
        if found.state is Stock.COMPLETE:
            yield Finding("data", State.GOOD, f"{found.name}: complete in {found.path}.")
        elif found.state is Stock.CORRUPT:
            yield Finding("data", State.NOTE, f"{found.name}: damaged; run 'autograder data pull {found.name}'.")
        else:
            how = f"'autograder data pull {found.name}' fetches it"
            yield Finding("data", State.NOTE, f"{found.name}: {found.state}; {how}.")
