"""Cells merged and split, and helpers that stand elsewhere."""

import ast
import json

from tests.autograder.submission.little import Json, code
from tests.autograder.submission.mangling import (
    Targets,
    cell,
    everything,
    grade_id,
    insert,
    mangle,
    place,
    strip_everything,
)


def use_helper(notebook: Json, targets: Targets) -> None:
    """Let the answer call a helper function that stands above it in the same cell, and a constant."""
    answer = cell(notebook, targets.answer)
    helper, user = helper_and_user(answer["source"], targets.name)
    answer["source"] = f"{helper}\n\n\n{user}"


def helper_and_user(text: str, name: str) -> tuple[str, str]:
    """A helper that does what function ``name`` of ``text`` does, and a ``name`` that calls it and uses a constant."""
    definition = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name)
    arguments = ", ".join(argument.arg for argument in definition.args.args)
    helper = text.replace(f"def {name}(", f"def {name}_helper(")
    return helper, f"def {name}({arguments}):\n    return [{name}_helper({arguments})][:UNIT][0]\n"


def _merge(notebook: Json, names: list[str], keep: str | None) -> None:
    """Join cells ``names`` where the first of them stands, with the metadata of ``keep``."""
    cells = [cell(notebook, name) for name in names]
    text = "\n\n".join(found["source"] for found in cells)
    merged = code(text) if keep is None else cell(notebook, keep) | {"source": text}
    at = place(notebook, names[0])
    notebook["cells"] = [found for found in everything(notebook) if found not in cells]
    insert(notebook, at, merged)


@mangle(says=r"Cell \d+ holds .* and .*; each was graded from its own part")
def two_answers_merged_into_the_first(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.answer, targets.other], keep=targets.answer)


@mangle(says=r"Cell \d+ holds .* and .*; each was graded from its own part")
def two_answers_merged_into_the_second(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.answer, targets.other], keep=targets.other)


@mangle(says=r"Cell \d+ holds .* and .*; each was graded from its own part")
def two_answers_merged_without_metadata(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.answer, targets.other], keep=None)


@mangle(says="also holds supplied code")
def an_answer_merged_with_its_check(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.answer, targets.check], keep=targets.answer)


@mangle(says="also holds supplied code")
def a_setup_cell_merged_with_an_answer(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.setup, targets.answer], keep=targets.setup)


@mangle(says="also holds supplied code")
def an_answer_merged_with_training(notebook: Json, targets: Targets) -> None:
    _merge(notebook, [targets.answer, targets.supplied], keep=targets.answer)


@mangle(says="each was graded from its own part")
def all_code_in_one_cell(notebook: Json, targets: Targets) -> None:
    names = [str(grade_id(found)) for found in everything(notebook) if found["cell_type"] == "code" and grade_id(found)]
    names = [name for name in names if "display" not in name and "plot" not in name and name != "members"]
    _merge(notebook, names, keep=None)


@mangle(says=r"were taken over from cell \d+", before=use_helper)
def a_helper_in_a_cell_above(notebook: Json, targets: Targets) -> None:
    helper, user = helper_and_user(cell(notebook, targets.answer)["source"], targets.name)
    cell(notebook, targets.answer)["source"] = user
    insert(notebook, place(notebook, targets.answer), code(f"UNIT = 2 - 1\n\n\n{helper}"))


@mangle(says=r"was taken over from cell \d+", before=use_helper)
def a_helper_in_a_cell_below_and_a_constant_at_the_top(notebook: Json, targets: Targets) -> None:
    helper, user = helper_and_user(cell(notebook, targets.answer)["source"], targets.name)
    cell(notebook, targets.answer)["source"] = user
    insert(notebook, place(notebook, targets.answer) + 1, code(helper))
    insert(notebook, 0, code("UNIT = 1"))


@mangle(says=r"were taken over from cell \d+", before=use_helper)
def helpers_added_to_a_supplied_cell(notebook: Json, targets: Targets) -> None:
    helper, user = helper_and_user(cell(notebook, targets.answer)["source"], targets.name)
    cell(notebook, targets.answer)["source"] = user
    cell(notebook, targets.setup)["source"] += f"\n\n\nUNIT = 1\n\n\n{helper}"


@mangle(says=r"were taken over from cell \d+", before=use_helper)
def helpers_in_a_display_cell(notebook: Json, targets: Targets) -> None:
    helper, user = helper_and_user(cell(notebook, targets.answer)["source"], targets.name)
    cell(notebook, targets.answer)["source"] = user
    cell(notebook, targets.display)["source"] += f"\n\n\nUNIT = 1\n\n\n{helper}"


@mangle(says="lost nbgrader's metadata", before=use_helper)
def helpers_and_no_metadata(notebook: Json, targets: Targets) -> None:
    a_helper_in_a_cell_above(notebook, targets)
    strip_everything(notebook)


@mangle(says=r"were taken over from cell \d+", before=use_helper)
def a_helper_left_behind_in_the_old_version(notebook: Json, targets: Targets) -> None:
    helper, user = helper_and_user(cell(notebook, targets.answer)["source"], targets.name)
    index = place(notebook, targets.answer)
    answer = notebook["cells"][index]
    wrong = f"def {targets.name}(*arguments):\n    return 'an old version'"
    answer["source"] = f"UNIT = 1\n\n\n{helper}\n\n\n{wrong}"
    insert(notebook, index + 1, json.loads(json.dumps(answer)) | {"source": user})


def _cut(notebook: Json, name: str, line: int, *, keep_metadata: bool) -> None:
    """Split cell ``name`` before ``line`` of its text, from 0."""
    answer = cell(notebook, name)
    lines = answer["source"].split("\n")
    rest = json.loads(json.dumps(answer)) if keep_metadata else code("")
    answer["source"], rest["source"] = "\n".join(lines[:line]), "\n".join(lines[line:])
    insert(notebook, place(notebook, name) + 1, rest | {"id": "rest"})


def _last(notebook: Json, name: str) -> int:
    """The line, from 0, of the last statement, or method, in the last definition of cell ``name``."""
    return ast.parse(cell(notebook, name)["source"]).body[-1].body[-1].lineno - 1  # type: ignore[attr-defined]


SPLIT = r"Cells \d+ and \d+ were read as one cell that had been split"


@mangle(says=SPLIT)
def a_function_split_before_its_last_statement(notebook: Json, targets: Targets) -> None:
    _cut(notebook, targets.answer, _last(notebook, targets.answer), keep_metadata=False)


@mangle(says=SPLIT)
def a_function_split_with_its_metadata_copied(notebook: Json, targets: Targets) -> None:
    _cut(notebook, targets.answer, _last(notebook, targets.answer), keep_metadata=True)


@mangle(says=SPLIT)
def a_function_split_after_its_first_line(notebook: Json, targets: Targets) -> None:
    _cut(notebook, targets.answer, 1, keep_metadata=False)


@mangle(says=SPLIT)
def a_class_split_before_its_last_method(notebook: Json, targets: Targets) -> None:
    _cut(notebook, targets.other, _last(notebook, targets.other), keep_metadata=True)


@mangle(says=SPLIT)
def a_class_split_and_its_second_part_without_metadata(notebook: Json, targets: Targets) -> None:
    _cut(notebook, targets.other, _last(notebook, targets.other), keep_metadata=False)


@mangle()
def lines_of_an_answer_tried_out_below_it(notebook: Json, targets: Targets) -> None:
    insert(notebook, place(notebook, targets.answer) + 1, code("    values = [1.0, 2.0]\n    print(values)"))
