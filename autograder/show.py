"""What the terminal shows of grading: a bar while it goes on, a table of the class, one submission in full.

Everything that comes from a student is put in as plain text: neither rich's markup nor a terminal's sequences act.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.classwork import ClassResult
from autograder.doctor import Finding, State
from autograder.grading.report import Outcome, Report
from autograder.grading.summary import headline
from autograder.plain import one_line, plain

__all__ = ["class_table", "progress_bar", "show_class", "show_finding", "show_report"]

STATE_STYLES = {State.GOOD: "green", State.NOTE: "yellow", State.MISSING: "bold red"}


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on stderr; yields the function that moves it: student, how many are done, how many there are."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def move(student: str, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=Text(one_line(student, most=40)).markup)

        yield move


def class_table(result: ClassResult) -> Table:
    """A row a student: points, what happened, repairs; those whose earlier report still holds are marked."""
    table = Table("student", box=None, pad_edge=False, header_style="bold")
    table.add_column("points", justify="right")
    table.add_column("of", justify="right")
    table.add_column("what happened", overflow="fold")
    table.add_column("repairs", justify="right")
    for report in result.reports:
        said = headline(report) + (f"; {result.problems[report.student]}" if report.student in result.problems else "")
        kept = "" if report.student in result.ran else " (unchanged)"
        table.add_row(
            Text(one_line(report.student, most=40)),
            f"{report.points:.1f}",
            f"{report.max_points:g}",
            Text(one_line(said, most=300) + kept, style=_style(report)),
            str(len(report.repairs)) if report.repairs else "",
        )
    return table


def show_class(result: ClassResult, console: Console | None = None) -> None:
    """Print the class's table, and where everything lies."""
    console = console or Console(highlight=False)
    console.print(class_table(result))
    faults = sum(bool(report.fault) for report in result.reports)
    console.print(f"\n{len(result.reports)} submissions, {len(result.ran)} graded now, {faults} with a fault")
    root, name = result.folder.root, result.assignment
    places = {
        "reports": root / "results" / name,
        "feedback": root / "feedback",
        "autograded": root / "autograded",
        "gradebook": result.gradebook,
    }
    for what, where in places.items():
        console.print(Text(f"{what:<11}{where}"), soft_wrap=True)


def show_report(report: Report, console: Console | None = None) -> None:
    """Print one report: points by question, and every check that did not pass."""
    console = console or Console(highlight=False)
    console.print(
        Text(f"{one_line(report.student)}: {report.points:g} of {report.max_points:g} points; {headline(report)}")
    )
    if report.fault:
        console.print(Text(plain(f"{report.fault}: {report.fault_message}")))
        return
    for note in (*report.repairs, *report.cell_problems):
        console.print(Text(plain(f"{note.cell}: {note.what}" if note.cell else note.what)))
    for score in report.questions:
        console.print(Text(f"{score.question:<28}{score.points:>6.2f} / {score.max_points:g}", style="bold"))
        for test in report.tests:
            if test.question == score.question and test.outcome is not Outcome.PASSED:
                console.print(Text(f"  {test.outcome.value}: {one_line(test.check, most=200)}"))
                for line in plain(test.message).splitlines():
                    console.print(Text(f"    {line}"))


def _style(report: Report) -> str:
    if report.fault:
        return "red"
    return "green" if all(test.outcome is Outcome.PASSED for test in report.tests) else ""


def show_finding(finding: Finding, console: Console | None = None) -> None:
    """Print one line of the doctor's."""
    line = Text(f"{finding.state:<8}", STATE_STYLES[finding.state])
    (console or Console(soft_wrap=True, highlight=False)).print(
        line + Text(f"{finding.what:<10}{finding.sentence}", "")
    )
