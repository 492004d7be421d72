"""Cells moved, deleted, copied, and versions left behind."""

import json

from tests.autograder.submission.little import Json, code
from tests.autograder.submission.mangling import Targets, broken, cell, everything, insert, mangle, place, stub_of


@mangle(says="stand in another order")
def an_answer_moved_to_the_end(notebook: Json, targets: Targets) -> None:
    notebook["cells"].append(notebook["cells"].pop(place(notebook, targets.answer)))


@mangle(says="stand in another order")
def an_answer_moved_to_the_top(notebook: Json, targets: Targets) -> None:
    notebook["cells"].insert(0, notebook["cells"].pop(place(notebook, targets.other)))


@mangle(says="stand in another order")
def all_cells_in_reverse(notebook: Json, targets: Targets) -> None:
    notebook["cells"].reverse()


@mangle(says="is missing in your notebook; the original was used")
def a_setup_cell_deleted(notebook: Json, targets: Targets) -> None:
    del notebook["cells"][place(notebook, targets.setup)]


@mangle(says="are missing in your notebook; the originals were used")
def every_supplied_cell_deleted(notebook: Json, targets: Targets) -> None:
    mine = [found for found in everything(notebook) if not found["metadata"].get("nbgrader", {}).get("locked")]
    notebook["cells"] = mine


@mangle()
def prose_deleted(notebook: Json, targets: Targets) -> None:
    notebook["cells"] = [found for found in everything(notebook) if "nbgrader" in found["metadata"]]


@mangle(says=r"stands in cells \d+ and \d+; cell \d+ was graded")
def an_answer_copied(notebook: Json, targets: Targets) -> None:
    index = place(notebook, targets.answer)
    insert(notebook, index, json.loads(json.dumps(notebook["cells"][index])))


@mangle(says=r"stands in cells \d+ and \d+; cell \d+ was graded")
def a_copied_answer_whose_second_is_the_stub(notebook: Json, targets: Targets) -> None:
    index = place(notebook, targets.answer)
    copied = json.loads(json.dumps(notebook["cells"][index]))
    insert(notebook, index + 1, copied | {"source": stub_of(copied["source"])})


@mangle(says=r"stands in cells \d+ and \d+; cell \d+ was graded")
def a_copied_answer_whose_first_is_the_stub(notebook: Json, targets: Targets) -> None:
    index = place(notebook, targets.other)
    copied = json.loads(json.dumps(notebook["cells"][index]))
    insert(notebook, index, copied | {"source": stub_of(copied["source"])})


@mangle(says=r"stands in cells \d+ and \d+; cell \d+ was graded")
def a_copied_answer_whose_second_is_broken(notebook: Json, targets: Targets) -> None:
    index = place(notebook, targets.answer)
    copied = json.loads(json.dumps(notebook["cells"][index]))
    insert(notebook, index + 1, copied | {"source": broken(copied["source"])})


@mangle(says=r"stands in cells \d+, \d+ and \d+; cell \d+ was graded")
def an_answer_in_three_versions(notebook: Json, targets: Targets) -> None:
    index = place(notebook, targets.answer)
    copied = json.loads(json.dumps(notebook["cells"][index]))
    wrong = f"def {targets.name}(*arguments):\n    return 'an old version'"
    insert(notebook, index, copied | {"source": wrong}, copied | {"source": broken(copied["source"])})


@mangle(says=r"Of the versions of .* in cells \d+ and \d+, that in cell \d+ was graded")
def an_old_version_left_above(notebook: Json, targets: Targets) -> None:
    wrong = code(f"def {targets.name}(*arguments):\n    return 'an old version'")
    insert(notebook, place(notebook, targets.answer), wrong)


@mangle(says=r"Of the versions of .* in cells \d+ and \d+, that in cell \d+ was graded")
def an_experiment_left_at_the_end(notebook: Json, targets: Targets) -> None:
    notebook["cells"].append(code(f"def {targets.name}(*arguments):\n    return 'an experiment'"))


@mangle(says=r"taken from cell \d+, not from cell \d+")
def a_newer_version_right_below(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    insert(notebook, place(notebook, targets.answer) + 1, code(answer["source"]))
    answer["source"] = f"def {targets.name}(*arguments):\n    return 'an old version'"


@mangle(says=r"taken from cell \d+, not from cell \d+")
def an_answer_in_a_new_cell_below_its_stub(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    insert(notebook, place(notebook, targets.answer) + 1, code(answer["source"]))
    answer["source"] = stub_of(answer["source"])


@mangle(says=r"taken from cell \d+, not from cell \d+")
def an_answer_at_the_end_and_its_stub_in_place(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.other)
    notebook["cells"].append(code(answer["source"]))
    answer["source"] = stub_of(answer["source"])


@mangle(says=r"taken from cell \d+, not from cell \d+")
def an_answer_in_place_of_the_check(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    cell(notebook, targets.check)["source"] = answer["source"]
    answer["source"] = ""


@mangle(says="was recognised|taken from")
def two_answers_with_their_metadata_swapped(notebook: Json, targets: Targets) -> None:
    one, two = cell(notebook, targets.answer), cell(notebook, targets.other)
    one["source"], two["source"] = two["source"], one["source"]
