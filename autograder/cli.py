"""The command ``autograder``: one function a verb, which parses, calls one function and prints.

What a verb needs is imported inside it, so that ``autograder --help`` answers at once.
"""

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from autograder._exceptions import AutograderError
from autograder.plain import plain

__all__ = ["app", "main"]

app = typer.Typer(
    name="autograder",
    help="Write an assignment once; release it, collect it, grade it in a sandbox.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a bug of ours shows Python's own traceback
    add_completion=False,
)
data = typer.Typer(help="Fill and check the data mirror.", no_args_is_help=True)
app.add_typer(data, name="data")


NAME = typer.Argument(help="The assignment, as course.toml names it.", show_default=False)
UNSAFE = typer.Option("--unsafe-no-sandbox", help="Grade without walls around students' code. Only for code you trust.")
SEED = typer.Option(
    help="Seed of the inputs that tests draw, as a report records it; fresh for each submission without."
)


def stop(number: int, _frame: object) -> None:
    """End at once, from the keyboard or by SIGTERM, but let what is open be closed."""
    what = "what is finished is kept, and the same command goes on from there"
    print(f"autograder: stopped by {signal.Signals(number).name}; {what}", file=sys.stderr)  # noqa: T201 - as below
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; an error of ours goes to stderr without a traceback, and the exit status is 2."""
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        app()
    except AutograderError as error:
        print(f"autograder: {plain(str(error))}", file=sys.stderr)  # noqa: T201 - the one place for it
        sys.exit(2)


@data.command("pull")
def data_pull(
    names: Annotated[list[str], typer.Argument(help="Data sets, such as mnist.", show_default=False)],
) -> None:
    """Fetch data sets into the mirror, or what is still missing of them, and verify every file."""
    from autograder.data import known, pull
    from autograder.data.show import progress_bars, show_pulled

    for name in known(names):
        with progress_bars() as progress:
            pulled = pull(name, progress=progress)
        show_pulled(pulled)


@data.command("status")
def data_status() -> None:
    """Say of every data set whether the mirror holds it, from which source, and where."""
    from autograder.data import status
    from autograder.data.show import show_status

    show_status(status())


@app.command()
def release(
    name: Annotated[str | None, typer.Argument(help="The assignment; all of them without.", show_default=False)] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 where something is out of date.")
    ] = False,
) -> None:
    """Make the student release and the solved branch from source, after the leak audit and a trial grading."""
    from autograder.course import Course
    from autograder.proof import prove_by_grading
    from autograder.release import check as find_outdated
    from autograder.release import release as make

    course = Course.find()
    outdated: list[str] = []
    for assignment in [course.assignment(name)] if name else course.assignments.values():
        prove = prove_by_grading(assignment)
        if check:
            outdated += find_outdated(assignment, prove)
            continue
        made = make(assignment, prove)
        typer.echo(f"{assignment.name}: {made.questions} questions, {made.points:g} points, {len(made.files)} files")
        for file in made.changed:
            typer.echo(f"  changed: {file}")
    for line in outdated:
        typer.echo(line)
    raise typer.Exit(1 if outdated else 0)


@app.command()
def grade(
    name: Annotated[str, NAME],
    path: Annotated[
        Path | None,
        typer.Argument(help="One notebook, folder or zip to grade; all of submitted/ without.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report of PATH as JSON.")] = False,
    regrade: Annotated[bool, typer.Option("--regrade", help="Grade again what has not changed since.")] = False,
    seed: Annotated[int | None, SEED] = None,
    unsafe: Annotated[bool, UNSAFE] = False,
) -> None:
    """Grade a class, or one submission, with the hidden suite; exit 1 where one could not be graded in full."""
    from autograder import classwork, show
    from autograder.class_folder import ClassFolder
    from autograder.course import Course
    from autograder.grading.batch import is_sound
    from autograder.grading.report import encode_report

    assignment = Course.find().assignment(name)
    if path is not None:
        report = classwork.grade_one(assignment, path, seed=seed, unsafe=unsafe)
        typer.echo(encode_report(report).decode()) if json else show.show_report(report)
        raise typer.Exit(1 if report.fault or not is_sound(report) else 0)
    with show.progress_bar() as progress:
        result = classwork.grade_class(
            assignment, ClassFolder(assignment.root), regrade=regrade, seed=seed, unsafe=unsafe, progress=progress
        )
    show.show_class(result)
    raise typer.Exit(result.exit_status)


@app.command()
def validate(
    notebook: Annotated[Path, typer.Argument(help="The notebook you are about to submit.", show_default=False)],
) -> None:
    """For students: what is still missing in a notebook; exit 1 where something is."""
    from autograder.validate import validate as look_through

    findings = look_through(notebook)
    for finding in findings:
        typer.echo(plain(f"{'missing' if finding.missing else 'note'}: {finding.where}: {finding.what}"))
    missing = sum(finding.missing for finding in findings)
    things = f"{missing} thing{'s' * (missing > 1)} to do before you submit"
    typer.echo(things if missing else "ready to submit")
    raise typer.Exit(1 if missing else 0)


@app.command()
def doctor() -> None:
    """Say what this machine has of what grading needs, above all of walls; exit 1 where something is missing."""
    from autograder.doctor import State, diagnose
    from autograder.show import show_finding

    missing = 0
    for finding in diagnose():
        show_finding(finding)
        missing += finding.state is State.MISSING
    things = f"{missing} thing{'s' * (missing > 1)} to put right before you grade"
    typer.echo(things if missing else "ready to grade")
    raise typer.Exit(1 if missing else 0)


@app.command()
def demo(
    workspace: Annotated[Path, typer.Argument(help="Folder for the sample class; an earlier one is replaced.")] = Path(
        "demo"
    ),
) -> None:
    """Grade a sample class of twelve, from perfect to hostile, and show what came of it."""
    from autograder import show
    from autograder.course import Course
    from autograder.demo import run_demo

    with show.progress_bar() as progress:
        result = run_demo(Course.find(), workspace, progress)
    show.show_class(result)
