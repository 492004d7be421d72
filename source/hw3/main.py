"""Runs notebooks, and makes the zip to hand in.

python main.py run-nb Part1_Sequence.ipynb ...            run notebooks, in place
python main.py prepare-submission --id ID [--id ID]       run all notebooks, and zip them with the package
python main.py prepare-submission --id ID --skip-run      zip them as they are
"""

import argparse
import sys
import zipfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "hw3"
NOTEBOOKS = tuple(
    HERE / f"{name}.ipynb"
    for name in ("Part0_Intro", "Part1_Sequence", "Part2_VAE", "Part3_Transformer", "Part4_FineTuning")
)
MODULES = tuple(
    PACKAGE / f"{name}.py" for name in ("__init__", "charnn", "autoencoder", "transformer", "training", "answers")
)
MOST_IDS = 2
STUB = "YOUR CODE HERE"


def run_notebook(path: Path) -> None:
    """Run a notebook from top to bottom and keep its outputs, also where a cell fails (CellExecutionError)."""
    print(f"running {path.name} ...", flush=True)
    notebook = nbformat.read(path, as_version=4)
    try:
        NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(path.parent)}}).execute()
    finally:
        nbformat.write(notebook, path)


def prepare_submission(ids: list[str], skip_run: bool) -> Path:
    """Make ``hw3-ID_ID.zip`` of package and notebooks. Raises SystemExit with a list where something is missing."""
    refuse_where(wrong_ids(ids) + missing_files())
    refuse_where(cells_not_run() if skip_run else cells_that_fail())
    archive = HERE / f"hw3-{'_'.join(ids)}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in [*NOTEBOOKS, *sorted(PACKAGE.rglob("*.py"))]:
            inside = path.relative_to(HERE)
            if not any(part.startswith(".") for part in inside.parts):
                target.write(path, inside.as_posix())
    print(f"{archive.name} is made")
    for path in MODULES:
        if STUB in path.read_text(encoding="utf-8"):
            print(f"  mind that {path.name} still says '{STUB}'")
    return archive


def refuse_where(problems: list[str]) -> None:
    """Raise SystemExit with the list, unless it is empty."""
    if problems:
        raise SystemExit("not ready to be handed in:\n" + "\n".join(f"  - {problem}" for problem in problems))


def wrong_ids(ids: list[str]) -> list[str]:
    """What is wrong with the ids, a sentence each: they are digits, and stand in the table of part 0."""
    problems = [f"{number!r} is no id: an id has digits only" for number in ids if not number.isdecimal()]
    if len(set(ids)) < len(ids) or len(ids) > MOST_IDS:
        problems.append(f"ids are those of one or two students, each once; {len(ids)} were given")
    if NOTEBOOKS[0].is_file():
        cells = nbformat.read(NOTEBOOKS[0], as_version=4).cells
        tables = [cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "members"]
        listed = {part.strip() for table in tables for part in table.split("|")}
        problems += [
            f"{number} is not in the table of {NOTEBOOKS[0].name}: write names and ids there"
            for number in ids
            if number.isdecimal() and number not in listed
        ]
    return problems


def missing_files() -> list[str]:
    """Which notebooks and modules are not here or cannot be read, a sentence each."""
    problems = []
    for path in (*NOTEBOOKS, *MODULES):
        name = path.relative_to(HERE).as_posix()
        if not path.is_file():
            problems.append(f"{name} is not here")
        elif path.suffix == ".py":
            try:
                compile(path.read_bytes(), name, "exec")
            except SyntaxError as error:
                problems.append(f"{name}, line {error.lineno}: {error.msg}")
    return problems


def cells_not_run() -> list[str]:
    """Which notebooks have code that never ran, a sentence each."""
    problems = []
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        count = sum(cell.cell_type == "code" and bool(cell.source) and not cell.execution_count for cell in cells)
        if count:
            problems.append(f"{path.name}: cells that never ran: {count}; run it, or leave out --skip-run")
    return problems


def cells_that_fail() -> list[str]:
    """Run all notebooks; which of them do not run to their ends, a sentence each."""
    problems = []
    for path in NOTEBOOKS:
        try:
            run_notebook(path)
        except CellExecutionError as error:
            problems.append(f"{path.name} does not run to its end: {error.ename}: {error.evalue}")
    return problems


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and do what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run-nb", help="run notebooks from top to bottom, in place")
    run.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    submit = commands.add_parser("prepare-submission", help="make the zip to hand in")
    submit.add_argument("--id", dest="ids", action="append", required=True, help="a student's id; once for each of you")
    submit.add_argument("--skip-run", action="store_true", help="take the notebooks as they are, without running them")
    options = parser.parse_args(arguments)
    if options.command == "run-nb":
        for path in options.notebooks:
            run_notebook(path)
    else:
        prepare_submission(options.ids, options.skip_run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
