"""The project as a whole: what it promises in its files, and the shape that its modules keep."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from typer.main import get_command

import autograder
from autograder import _exceptions, course
from autograder.cli import app

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "autograder"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text()


def requirements(*extras: str) -> dict[str, Requirement]:
    lines = PROJECT["dependencies"] + [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    return {canonicalize_name(requirement.name): requirement for requirement in map(Requirement, lines)}


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


class TestDependencies:
    def test_everything_asked_for_has_a_tested_version(self) -> None:
        pins = constraints()
        for name, requirement in requirements("dev", "cluster").items():
            assert name in pins
            assert requirement.specifier.contains(pins[name]), requirement

    def test_conda_users_get_what_pip_users_get(self) -> None:
        environment = yaml.safe_load((ROOT / "environment.yml").read_text())
        [pip] = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
        options = [line for line in pip if line.startswith("-")]
        listed = {canonicalize_name(r.name): r for r in (Requirement(line) for line in pip if line not in options)}
        asked, pins = requirements("dev"), constraints()

        assert options == ["-c constraints.txt", "-e .[dev]"]
        assert {name: str(r.specifier) for name, r in listed.items()} == {name: f"=={pins[name]}" for name in asked}
        assert {name: r.marker for name, r in listed.items()} == {name: r.marker for name, r in asked.items()}

    def test_conda_users_get_a_python_that_we_accept(self) -> None:
        environment = yaml.safe_load((ROOT / "environment.yml").read_text())
        [python] = [entry for entry in environment["dependencies"] if str(entry).startswith("python=")]
        assert SpecifierSet(PROJECT["requires-python"]).contains(python.removeprefix("python="))

    def test_whatever_the_kit_imports_it_asks_for(self) -> None:
        declared = set(requirements())
        providers = importlib.metadata.packages_distributions()
        for name, path in modules().items():
            for imported in {target.partition(".")[0] for target in raw_imports(path)}:
                if imported not in sys.stdlib_module_names and imported != "autograder":
                    owners = {canonicalize_name(owner) for owner in providers[imported]}
                    assert owners & declared, f"{name} imports {imported}, which pyproject.toml does not ask for"


def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every verb of the command line, as typed, with its command."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*words, name))
        else:
            yield " ".join(("autograder", *words, name)), command


class TestCommands:
    @pytest.mark.parametrize(
        ("typed", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands(get_command(app))]
    )
    def test_it_stands_in_the_readme_and_every_part_of_it_has_help(self, typed: str, command: Any) -> None:
        assert f"`{typed}" in README
        assert command.help
        for parameter in command.params:
            assert parameter.help, f"{typed} {parameter.name} has no help"

    def test_the_readme_names_no_other(self) -> None:
        known = {typed for typed, _ in commands(get_command(app))}
        for typed in re.findall(r"`(autograder [^`]+)`", README):
            words = typed.split()
            assert {" ".join(words[:2]), " ".join(words[:3])} & known, typed

    def test_starting_it_loads_nothing_heavy(self) -> None:
        code = "import autograder.cli, sys; print(*{name.partition('.')[0] for name in sys.modules})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        heavy = {"torch", "numpy", "nbgrader", "nbformat", "nbconvert", "IPython", "pytest", "sqlalchemy", "wandb"}
        assert not heavy & set(done.stdout.split())

    def test_every_goal_of_make_stands_in_the_readme(self) -> None:
        goals = re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
        assert {"demo", "test", "lint", "release", "bench"} <= set(goals)
        for goal in set(goals) - {"help"}:
            assert f"`make {goal}" in README


def course_keys() -> list[str]:
    tables = (course._CourseTable, course._AssignmentTable, course.Limits)
    return [field.encode_name for table in tables for field in msgspec.structs.fields(table)]


@pytest.mark.parametrize("key", sorted(set(course_keys())))
def test_every_key_of_course_toml_is_documented(key: str) -> None:
    reference = README.partition("## course.toml")[2].partition("\n## ")[0]
    assert f"`{key}`" in reference


@cache
def modules() -> dict[str, Path]:
    """Every module of the kit by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def raw_imports(path: Path) -> tuple[str, ...]:
    """Everything that a module imports, at its top or inside a function, but not for its annotations only."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            node.body = []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


@cache
def imports() -> dict[str, frozenset[str]]:
    """The kit's modules that each of its modules imports."""
    known = modules()
    return {
        name: frozenset(
            target if target in known else target.rpartition(".")[0]
            for target in raw_imports(path)
            if target.startswith("autograder.")
        )
        for name, path in known.items()
    }


def reached_from(start: str) -> dict[str, tuple[str, ...]]:
    """Every module that importing ``start`` leads to, with the chain that leads there."""
    chains = {start: (start,)}
    queue = [start]
    for name in queue:
        for target in imports()[name]:
            if target not in chains:
                chains[target] = (*chains[name], target)
                queue.append(target)
    return chains


TOP = ("cli", "__main__", "show")
MIDDLE = (
    "release", "intake", "validate", "grading", "feedback", "exports", "records", "classwork", "proof", "demo",
    "doctor",
)  # fmt: skip
LOWER = ("submission", "gradebook", "course", "notebooks", "skeleton", "autograded")
GROUND = ("class_folder", "data", "sandbox", "plain", "harmless")
RECORDS = ("autograder.grading.report",)
"""What grading found is read by what stands below grading; it imports nothing but the ground."""


def floor(name: str) -> int:
    """How high a module stands in the building of design: 0 for the ground."""
    part = name.split(".")[1] if "." in name else "_"
    if name in RECORDS or (part.startswith("_") and part != "__main__"):
        return 0
    for height, parts in enumerate((GROUND, LOWER, MIDDLE, TOP)):
        if part in parts:
            return height
    pytest.fail(f"{name} has no floor: list it in this file")


class TestModules:
    @pytest.mark.parametrize("name", [name for name, path in modules().items() if path.name == "__init__.py"])
    def test_a_package_only_re_exports_and_says_what(self, name: str) -> None:
        body = ast.parse(modules()[name].read_text()).body
        exported: list[str] = []
        imported = []
        for position, node in enumerate(body):
            match node:
                case ast.Expr(value=ast.Constant(value=str())) if position == 0:
                    pass
                case ast.ImportFrom(names=names):
                    imported += [alias.asname or alias.name for alias in names]
                case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(target=ast.Name(id="__all__")):
                    assert node.value is not None
                    exported = ast.literal_eval(node.value)
                case _:
                    pytest.fail(f"{name}, line {node.lineno}: a package's __init__ holds imports and __all__ only")
        assert sorted(exported) == sorted(imported)

    def test_there_is_no_import_cycle(self) -> None:
        for name in modules():
            for target in imports()[name]:
                back = reached_from(target)
                assert name not in back, f"cycle: {' -> '.join((name, *back[name]))}"

    def test_imports_run_downwards(self) -> None:
        for name, targets in imports().items():
            for target in targets:
                assert floor(target) <= floor(name), f"{name} imports {target}, which stands above it"

    def test_nothing_imports_the_command_line(self) -> None:
        assert [name for name, targets in imports().items() if "autograder.cli" in targets] == ["autograder.__main__"]

    @pytest.mark.parametrize("part", ["worker", "zygote", "wire"])
    def test_the_untrusted_side_imports_nothing_of_the_trusted_one(self, part: str) -> None:
        trusted = {f"autograder.sandbox.{name}" for name in ("remote", "session", "supervisor")}
        for target, chain in reached_from(f"autograder.sandbox.{part}").items():
            assert target == "autograder._exceptions" or target.startswith("autograder.sandbox"), " -> ".join(chain)
            assert target not in trusted, " -> ".join(chain)

    def test_a_module_over_400_lines_says_why(self) -> None:
        for name, path in modules().items():
            text = path.read_text()
            if text.count("\n") > 400:
                assert "lines" in (ast.get_docstring(ast.parse(text)) or ""), f"{name} is long and does not say why"

    def test_every_error_is_drawn_in_the_tree_and_exported(self) -> None:
        errors = {name for name, value in vars(_exceptions).items() if isinstance(value, type)}
        assert errors == set(_exceptions.__all__) == set(autograder.__all__)
        for name in errors:
            assert f"{name} " in f"{_exceptions.__doc__}".replace("\n", " \n")


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Every file that git has or would take, and its text."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file():
            yield name, path.read_bytes().decode("utf-8", errors="replace")


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    home = re.compile(r"/(?:home|Users)/\w|/root/\w|[A-Z]:\\Users\\\w")
    found = [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in tracked_texts()
        if not name.startswith("tests/")  # they write such paths on purpose, to see them found
        for number, line in enumerate(text.splitlines(), start=1)
        if home.search(line)
    ]
    assert not found
