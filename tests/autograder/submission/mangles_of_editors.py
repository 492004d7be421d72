"""What editors do to a notebook: lost metadata, other ids, other formats, other layout."""

from tests.autograder.submission.little import Json, code, markdown
from tests.autograder.submission.mangling import (
    MANGLES,
    Change,
    Mangle,
    Targets,
    cell,
    everything,
    insert,
    mangle,
    strip,
    strip_everything,
)


@mangle(says="lost nbgrader's metadata")
def all_metadata_stripped_and_ids_regenerated(notebook: Json, targets: Targets) -> None:
    strip_everything(notebook)


@mangle(says="lost nbgrader's metadata")
def metadata_stripped_but_cell_ids_kept(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["metadata"] = {}


@mangle(says="lost nbgrader's metadata")
def ids_kept_in_metadata_as_colab_does(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["metadata"] = {"id": found.pop("id"), "executionInfo": {"status": "ok"}}
    notebook |= {"nbformat_minor": 0}


@mangle(says="was not found; its answer was recognised")
def metadata_stripped_from_answers_only(notebook: Json, targets: Targets) -> None:
    for name in (targets.answer, targets.other):
        strip(cell(notebook, name))


@mangle()
def metadata_stripped_from_supplied_cells_only(notebook: Json, targets: Targets) -> None:
    for name in (targets.setup, targets.check, targets.supplied):
        strip(cell(notebook, name))


@mangle(says="lost nbgrader's metadata")
def cells_without_any_metadata_key(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        del found["metadata"]


@mangle(says="lost nbgrader's metadata")
def metadata_null(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found |= {"metadata": None, "id": None}


@mangle(says="was not found; its answer was recognised")
def metadata_of_nbgrader_a_list(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer).update(metadata={"nbgrader": ["solution"]}, id="z")


@mangle()
def ids_regenerated(notebook: Json, targets: Targets) -> None:
    for number, found in enumerate(everything(notebook)):
        found["id"] = f"{number:08x}"


@mangle()
def ids_all_the_same(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["id"] = "same"


def _of_format(minor: int) -> Change:
    def apply(notebook: Json, targets: Targets) -> None:
        notebook["nbformat_minor"] = minor
        for found in everything(notebook):
            if minor < 5:
                del found["id"]

    return apply


MANGLES += [Mangle(f"nbformat_4_{minor}", _of_format(minor)) for minor in range(6)]


@mangle()
def a_later_nbformat_minor(notebook: Json, targets: Targets) -> None:
    notebook["nbformat_minor"] = 9


@mangle()
def sources_as_lists_of_lines(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["source"] = found["source"].splitlines(keepends=True)


@mangle()
def windows_line_ends(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["source"] = found["source"].replace("\n", "\r\n")


@mangle()
def written_by_vs_code(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["metadata"] |= {"vscode": {"languageId": "python"}}
    notebook["metadata"] |= {"language_info": {"name": "python"}, "orig_nbformat": 4}


@mangle()
def run_with_outputs(notebook: Json, targets: Targets) -> None:
    for number, found in enumerate(everything(notebook)):
        if found["cell_type"] == "code":
            found["execution_count"] = number
            found["outputs"] = [{"output_type": "stream", "name": "stderr", "text": ["warning: " * 1000]}]


@mangle()
def empty_cells_everywhere(notebook: Json, targets: Targets) -> None:
    notebook["cells"] = [part for found in everything(notebook) for part in (found, code(""), markdown("  \n"))]


@mangle()
def trailing_spaces_and_blank_lines(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        found["source"] = found["source"].replace("\n", "  \n") + "\n\n\n"


@mangle()
def comments_added_to_every_code_cell(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        if found["cell_type"] == "code":
            found["source"] = f"# understood\n{found['source']}\n# done"


@mangle()
def entries_that_are_no_cells(notebook: Json, targets: Targets) -> None:
    notebook["cells"] += [None, 3, "cell", [], {}]


@mangle()
def lone_surrogates_in_prose(notebook: Json, targets: Targets) -> None:
    insert(notebook, 0, markdown("\ud83d broken emoji"))


@mangle()
def fields_nobody_knows(notebook: Json, targets: Targets) -> None:
    notebook |= {"signature": "x", "worksheet": 1}
    for found in everything(notebook):
        found |= {"prompt_number": 3, "level": 2}
