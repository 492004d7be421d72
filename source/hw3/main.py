"""Runs notebooks, and makes the zip to hand in.

python main.py run-nb Part1_Sequence.ipynb ...            run notebooks, in place
python main.py prepare-submission --id ID [--id ID]       run all notebooks, and zip them with the package
python main.py prepare-submission --id ID --skip-run      zip them as they are
"""

import argparse
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "hw3"
NOTEBOOKS = ("Part0_Intro", "Part1_Sequence", "Part2_VAE", "Part3_Transformer", "Part4_FineTuning")
MODULES = ("__init__", "charnn", "autoencoder", "transformer", "training", "answers")
STUB = "YOUR CODE HERE"


def run_notebook(path: Path) -> None:
    """Run a notebook from top to bottom and keep its outputs. Raises CellExecutionError at a cell that fails."""
    import nbformat
    from nbclient import NotebookClient

    print(f"running {path.name} ...", flush=True)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)


def missing(notebooks: Iterable[Path], *, run: bool) -> list[str]:
    """What is not ready to be handed in, a sentence each."""
    import nbformat

    found = [f"{path.name} is not here" for path in notebooks if not path.is_file()]
    for name in MODULES:
        path = PACKAGE / f"{name}.py"
        if not path.is_file():
            found.append(f"hw3/{name}.py is not here")
            continue
        try:
            compile(path.read_bytes(), str(path), "exec")
        except SyntaxError as error:
            found.append(f"hw3/{name}.py, line {error.lineno}: {error.msg}")
    for path in notebooks if run else []:
        if path.is_file():
            cells = nbformat.read(path, as_version=4).cells
            empty = [
                cell for cell in cells if cell.cell_type == "code" and cell.source and cell.execution_count is None
            ]
            if empty:
                found.append(f"{path.name} has {len(empty)} cells that never ran; run it, or leave out --skip-run")
    return found


def prepare_submission(ids: list[str], skip_run: bool) -> Path:
    """Make ``hw3-ID_ID.zip`` of package and notebooks. Raises SystemExit with a list where something is missing."""
    notebooks = [HERE / f"{name}.ipynb" for name in NOTEBOOKS]
    problems = [f"{number!r} is no id: digits only" for number in ids if not number.isdigit()]
    problems += missing(notebooks, run=skip_run)
    if problems:
        raise SystemExit("not ready:\n" + "\n".join(f"  {problem}" for problem in problems))
    if not skip_run:
        for path in notebooks:
            run_notebook(path)
    archive = HERE / f"hw3-{'_'.join(ids)}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in [*notebooks, *sorted(PACKAGE.rglob("*.py"))]:
            if not any(part.startswith((".", "__pycache__")) for part in path.relative_to(HERE).parts):
                target.write(path, path.relative_to(HERE).as_posix())
    stubs = sum(STUB in path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py"))
    print(f"{archive.name} is made" + (f"; {stubs} modules still say '{STUB}'" if stubs else ""))
    return archive


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and do what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run-nb", help="run notebooks from top to bottom, in place")
    run.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    submit = commands.add_parser("prepare-submission", help="make the zip to hand in")
    submit.add_argument(
        "--id", dest="ids", action="append", required=True, help="id of a student; once for each of you"
    )
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
