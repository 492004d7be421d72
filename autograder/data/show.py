"""What the terminal shows of the data"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn
from rich.table import Table

from autograder.data.fetch import Progress as Move
from autograder.data.stock import Pulled, State, Status

__all__ = ["progress_bars", "show_pulled", "show_status"]

_COLOURS = {
    State.COMPLETE: "green",
    State.PARTIAL: "yellow",
    State.ABSENT: "dim",
    State.CORRUPT: "red",
}


@contextmanager
def progress_bars() -> Iterator[Move]:
    """Show a bar for each thing that is being fetched; yields the function that moves them."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    tasks: dict[str, TaskID] = {}
    bars = Progress(*columns, console=Console(stderr=True))

    def move(what: str, done: int, total: int | None) -> None:
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total)
            bars.start()
        bars.update(tasks[what], completed=done, total=total)

    try:
        yield move
    finally:
        if tasks:  # with nothing to show, not even an empty line
            bars.stop()


def show_pulled(pulled: Pulled) -> None:
    """Say what a pull fetched, from where, and where it lies."""
    status = pulled.status
    what = f"fetched {len(pulled.fetched)} files from {status.source}" if pulled.fetched else "already complete"
    Console(soft_wrap=True, highlight=False).print(f"{status.name}: {what}; every checksum holds ({status.path})")


def show_status(statuses: Iterable[Status]) -> None:
    """Print one row for each data set."""
    table = Table("data set", "state", "size", "source", box=None, pad_edge=False)
    table.add_column("path", overflow="fold")  # a path is there to be copied whole
    for status in statuses:
        state = f"[{_COLOURS[status.state]}]{status.state}[/]"
        table.add_row(status.name, state, decimal(status.size_bytes), status.source or "-", str(status.path))
    Console(soft_wrap=True, highlight=False).print(table)
