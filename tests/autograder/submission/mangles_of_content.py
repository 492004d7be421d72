"""Cells of another kind, lines that are no Python or not for grading, supplied code changed."""

import ast

from tests.autograder.submission.little import Json, code, markdown
from tests.autograder.submission.mangling import (
    Targets,
    cell,
    everything,
    grade_id,
    insert,
    mangle,
    place,
    strip,
    stub_of,
)


@mangle(says=r"Cell \d+ is a Markdown cell; its text was read as code")
def an_answer_turned_markdown(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer)["cell_type"] = "markdown"


@mangle(says=r"Cell \d+ is a raw cell; its text was read as code")
def an_answer_turned_raw(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.other)["cell_type"] = "raw"


@mangle(says=r"Cell \d+ is a Markdown cell; its text was read as code")
def an_answer_turned_markdown_with_fences(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    answer |= {"cell_type": "markdown", "source": f"```python\n{answer['source']}\n```\n"}


@mangle(says=r"Cell \d+ is a Markdown cell; its text was read as code")
def an_answer_turned_markdown_without_metadata(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    strip(answer)
    answer["cell_type"] = "markdown"


@mangle()
def prose_turned_code(notebook: Json, targets: Targets) -> None:
    for found in everything(notebook):
        if found["cell_type"] == "markdown":
            found |= {"cell_type": "code", "outputs": [], "execution_count": None}


@mangle()
def a_written_answer_turned_raw(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.written)["cell_type"] = "raw"


@mangle(says="recognised by its place")
def a_written_answer_in_a_new_cell_below_its_own(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.written)
    insert(notebook, place(notebook, targets.written) + 1, markdown(answer["source"]))
    answer["source"] = "YOUR ANSWER HERE"


@mangle(says="recognised by its place")
def a_written_answer_without_metadata(notebook: Json, targets: Targets) -> None:
    strip(cell(notebook, targets.written))


@mangle()
def magics_and_shell_lines_in_an_answer(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    answer["source"] = f"%matplotlib inline\n!pip install einops\n{answer['source']}\nfiles = !ls\n"


@mangle()
def a_question_mark_in_an_answer(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer)["source"] += f"\n{targets.name}?"


@mangle(says="`%%time` of cell")
def an_answer_under_a_cell_magic(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer)["source"] = f"%%time\n{cell(notebook, targets.answer)['source']}"


@mangle(says="need Google Colab were left out")
def colab_lines_in_an_answer(notebook: Json, targets: Targets) -> None:
    answer = cell(notebook, targets.answer)
    lines = 'from google.colab import drive\nimport google.colab as colab\ndrive.mount("/content/drive")'
    answer["source"] = f"{lines}\n\n\n{answer['source']}"


@mangle()
def colab_lines_in_a_cell_of_their_own(notebook: Json, targets: Targets) -> None:
    insert(notebook, 0, code("from google.colab import drive\ndrive.mount('/content/drive')"))


@mangle()
def prints_and_asserts_in_an_answer(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer)["source"] += f"\nprint({targets.name})\nassert {targets.name}"


@mangle(says="is not Python and was left out")
def scribbles_below_an_answer(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.answer)["source"] += "\n\n\ndef unfinished(:\n    pass\n"


@mangle()
def prose_in_a_code_cell(notebook: Json, targets: Targets) -> None:
    insert(notebook, 3, code("Here I tried something else: it's not working!"))


@mangle(says="is changed in your notebook; the original was used")
def a_setup_cell_changed(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.setup)["source"] += "\nprint('changed')"


@mangle(says="is changed in your notebook; the original was used")
def a_setup_function_replaced(notebook: Json, targets: Targets) -> None:
    setup = cell(notebook, targets.setup)
    name = next(node.name for node in ast.parse(setup["source"]).body if isinstance(node, ast.FunctionDef))
    setup["source"] += f"\n\n\ndef {name}(*arguments):\n    return 'forged'\n"


@mangle(says="is changed in your notebook; the original was used")
def a_check_emptied(notebook: Json, targets: Targets) -> None:
    cell(notebook, targets.check)["source"] = "pass"


@mangle()
def training_in_a_cell_of_its_own(notebook: Json, targets: Targets) -> None:
    training = "model = train_for_hours()\nfor epoch in range(10**9):\n    model.step()\nmodel.save('model.pt')"
    notebook["cells"].append(code(training))


@mangle(says=r"Of the versions of|each was graded from its own part|taken from")
def everything_pasted_again_below_an_earlier_attempt(notebook: Json, targets: Targets) -> None:
    answers = [found for found in everything(notebook) if (grade_id(found) or "").endswith("-solution")]
    pasted = code("\n\n\n".join(found["source"] for found in answers))
    for found in answers:
        found["source"] = stub_of(found["source"])
    notebook["cells"].append(pasted)
