"""Answers found, judged and put in order."""

import ast
import json
from collections.abc import Callable
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.submission import Submission
from tests.autograder.submission.little import Json, code, markdown, released, source
from tests.autograder.submission.mangling import broken, cell, insert, place

HandIn = Callable[[Json], Submission]


def texts(submission: Submission) -> dict[str, str]:
    return {found.id: found.source for found in submission.cells}


def sentences(submission: Submission) -> list[str]:
    return [repair.what for repair in submission.repairs]


def test_a_good_submission_is_run_in_the_sources_order_with_supplied_cells_from_the_source(
    answered: Json, hand_in: HandIn
) -> None:
    submission = hand_in(answered)
    kinds = [(found.id, found.kind, found.origin) for found in submission.cells]
    assert kinds == [
        ("imports", "setup", "source"),
        ("clean", "setup", "source"),
        ("mean-solution", "solution", "student"),
        ("Tracker-solution", "solution", "student"),
        ("show", "setup", "source"),
        ("spread-solution", "solution", "student"),
    ]
    assert (submission.repairs, submission.missing, submission.untouched) == ((), (), ())
    assert texts(submission)["mean-solution"] == cell(answered, "mean-solution")["source"]


def test_the_release_is_untouched(hand_in: HandIn) -> None:
    submission = hand_in(released(source()))
    assert submission.untouched == ("mean", "Tracker", "spread")
    assert (submission.missing, submission.repairs) == ((), ())
    assert submission.manual == {"why-mean": "", "plot": "", "why-spread": ""}
    assert submission.members == ()


def test_the_source_itself_is_solved(hand_in: HandIn) -> None:
    submission = hand_in(source())
    assert (submission.missing, submission.untouched, submission.repairs) == ((), (), ())


STUB = "def mean(values):\n    {}"


@pytest.mark.parametrize(
    "text",
    [
        STUB.format("raise NotImplementedError()"),
        STUB.format("raise NotImplementedError"),
        STUB.format("raise NotImplementedError('to do')"),
        STUB.format("# I do not know.\n    raise NotImplementedError()"),
        STUB.format("'''Another docstring.'''\n    raise NotImplementedError()"),
        STUB.format("'''The mean of ``values``, a list.'''"),
        "import math\n\n\n" + STUB.format("raise NotImplementedError()") + "\n\n\nprint('done')",
    ],
)
def test_an_answer_that_still_is_the_stub_is_untouched(text: str, answered: Json, hand_in: HandIn) -> None:
    cell(answered, "mean-solution")["source"] = text
    assert hand_in(answered).untouched == ("mean",)


@pytest.mark.parametrize(
    "text",
    [
        STUB.format("pass"),
        STUB.format("return None"),
        STUB.format("..."),
        STUB.format("total = 0\n    raise NotImplementedError()"),
        STUB.format("raise ValueError"),
        "mean = None",
        "mean = lambda values: 0",
        "from statistics import mean",
        "class mean:\n    pass",
        "average = sum\nmean = average",
        "print('mean')",
        "exec('def mean(values): return 0')",
        broken(STUB.format("return 1")),
        STUB.format("raise NotImplementedError()\n\ndef other(:"),
    ],
)
def test_an_answer_in_which_anything_was_written_is_not(text: str, answered: Json, hand_in: HandIn) -> None:
    cell(answered, "mean-solution")["source"] = text
    submission = hand_in(answered)
    assert "mean" not in submission.missing
    if "other(" not in text:
        assert submission.untouched == ()
    assert "mean-solution" in texts(submission)


def test_a_class_with_one_method_written_is_not_untouched(hand_in: HandIn) -> None:
    notebook = released(source())
    text = cell(notebook, "Tracker-solution")["source"]
    cell(notebook, "Tracker-solution")["source"] = text.replace("raise NotImplementedError()", "self.values = []", 1)
    assert "Tracker" not in hand_in(notebook).untouched


def test_one_of_two_functions_written_is_not_untouched(hand_in: HandIn) -> None:
    notebook = released(source())
    text = cell(notebook, "spread-solution")["source"]
    cell(notebook, "spread-solution")["source"] = text.replace("raise NotImplementedError()", "return 0.0", 1)
    assert "spread" not in hand_in(notebook).untouched


@pytest.mark.parametrize("remains", ["nothing", "an empty cell", "a comment's remains"])
def test_a_missing_answer_costs_itself_alone(remains: str, answered: Json, hand_in: HandIn) -> None:
    if remains == "nothing":
        del answered["cells"][place(answered, "mean-solution")]
    else:
        cell(answered, "mean-solution")["source"] = "" if remains == "an empty cell" else "\n  \n"
    submission = hand_in(answered)
    assert submission.missing == ("mean",)
    assert submission.untouched == ()
    kept = [found.id for found in submission.cells if found.kind == "solution"]
    assert kept == ["Tracker-solution", "spread-solution"]
    assert sentences(submission) == [
        "No cell of your notebook defines `mean`, so the question counts as not attempted."
    ]


def test_a_cell_with_a_syntax_error_goes_as_it_is(answered: Json, hand_in: HandIn) -> None:
    text = broken(cell(answered, "mean-solution")["source"])
    cell(answered, "mean-solution")["source"] = text
    submission = hand_in(answered)
    assert texts(submission)["mean-solution"] == text
    assert (submission.missing, submission.untouched, submission.fault) == ((), (), None)


def test_a_syntax_error_in_a_cell_without_metadata_is_found_by_the_name_before_it(
    answered: Json, hand_in: HandIn
) -> None:
    found = cell(answered, "mean-solution")
    found |= {"metadata": {}, "id": "x", "source": broken(found["source"])}
    assert "def mean(" in texts(hand_in(answered))["mean-solution"]


def test_a_syntax_error_in_one_of_two_merged_answers_costs_only_that_one(answered: Json, hand_in: HandIn) -> None:
    tracker = cell(answered, "Tracker-solution")["source"]
    cell(answered, "mean-solution")["source"] = f"{broken('def mean(values):')}\n\n{tracker}"
    del answered["cells"][place(answered, "Tracker-solution")]
    found = texts(hand_in(answered))
    ast.parse(found["Tracker-solution"])
    with pytest.raises(SyntaxError):
        ast.parse(found["mean-solution"])


def test_parts_of_one_answer_in_two_cells_are_put_together(answered: Json, hand_in: HandIn) -> None:
    text = cell(answered, "spread-solution")["source"]
    one, two = text.split("def spread")
    cell(answered, "spread-solution")["source"] = one
    insert(answered, place(answered, "spread-solution") + 1, code(f"def spread{two}"))
    submission = hand_in(answered)
    assert ast.dump(ast.parse(texts(submission)["spread-solution"])) == ast.dump(ast.parse(text))
    assert any("put together from cells" in sentence for sentence in sentences(submission))


def test_of_an_answer_in_two_cells_a_broken_part_costs_only_itself(answered: Json, hand_in: HandIn) -> None:
    one, two = cell(answered, "spread-solution")["source"].split("def spread")
    cell(answered, "spread-solution")["source"] = one
    insert(answered, place(answered, "spread-solution") + 1, code(broken(f"def spread{two}")))
    found = texts(hand_in(answered))
    ast.parse(found["spread-solution"])
    assert "def spread" in found["spread-solution-part-2"]


def test_an_answer_that_is_built_on_itself_is_kept_whole(answered: Json, hand_in: HandIn) -> None:
    text = f"{cell(answered, 'mean-solution')['source']}\n\nmean = staticmethod(mean).__func__\n"
    cell(answered, "mean-solution")["source"] = text
    insert(answered, place(answered, "mean-solution") + 1, code("mean = print(mean) or mean"))
    submission = hand_in(answered)
    assert texts(submission)["mean-solution"] == text
    assert submission.repairs == ()


@pytest.mark.parametrize(
    "text",
    [
        "def add(self, value):\n    return 'set below'\nTracker.add = add",
        "class Tracker(Tracker):\n    def add(self, value):\n        return 'set below'",
    ],
    ids=["a method set", "a class extended"],
)
def test_what_goes_on_from_an_answer_right_below_it_counts(text: str, answered: Json, hand_in: HandIn) -> None:
    insert(answered, place(answered, "Tracker-solution") + 1, code(text))
    names: dict[str, Any] = {}
    for found in hand_in(answered).cells:
        exec(found.source, names)
    assert names["Tracker"]().add(1) == "set below"


def test_what_goes_on_from_an_answer_far_below_it_does_not(answered: Json, hand_in: HandIn) -> None:
    answered["cells"].append(code("def add(self, value):\n    return 'late'\nTracker.add = add"))
    assert "late" not in "".join(texts(hand_in(answered)).values())


def test_a_stub_pasted_below_in_the_same_cell_is_dropped(answered: Json, hand_in: HandIn) -> None:
    text = cell(answered, "mean-solution")["source"]
    cell(answered, "mean-solution")["source"] = f"{text}\n\n\n{STUB.format('raise NotImplementedError()')}"
    submission = hand_in(answered)
    assert texts(submission)["mean-solution"].count("def mean") == 1
    assert submission.untouched == ()


def test_a_definition_of_another_answer_left_in_a_cell_does_not_count_there(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "spread-solution")["source"] += "\n\ndef mean(values):\n    return 'old'\n"
    found = texts(hand_in(answered))
    assert "'old'" not in "".join(found.values())
    assert "def spread" in found["spread-solution"]


def test_supplied_code_changed_inside_a_merged_cell_is_dropped_too(answered: Json, hand_in: HandIn) -> None:
    imports = cell(answered, "imports")["source"].replace("SCALE = 2", "SCALE = 5")
    clean = cell(answered, "clean")["source"]
    cell(answered, "mean-solution")["source"] = f"{imports}\n{clean}\n{cell(answered, 'mean-solution')['source']}"
    assert "SCALE" not in texts(hand_in(answered))["mean-solution"]


def test_an_answers_own_cell_may_redefine_what_is_supplied(answered: Json, hand_in: HandIn) -> None:
    text = f"def clean(values):\n    return values\n\n\n{cell(answered, 'mean-solution')['source']}"
    cell(answered, "mean-solution")["source"] = text
    assert texts(hand_in(answered))["mean-solution"] == text


def test_prose_that_names_an_answer_is_no_answer(answered: Json, hand_in: HandIn) -> None:
    insert(answered, 0, markdown("def mean(values): is where I began.\n\nclass Tracker comes next."))
    assert hand_in(answered).repairs == ()


def test_an_assignment_of_several_notebooks_is_refused_as_ours(
    little: Assignment, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import msgspec

    from autograder import SubmissionError
    from autograder.submission import read_submission

    several = msgspec.structs.replace(little, notebooks=("little.ipynb", "more.ipynb"))
    with pytest.raises(SubmissionError, match="exactly one"):
        read_submission(tmp_path_factory.mktemp("x"), several)


def test_repairs_name_the_cell_they_are_about(answered: Json, hand_in: HandIn) -> None:
    index = place(answered, "mean-solution")
    insert(answered, index, json.loads(json.dumps(answered["cells"][index])))
    (repair,) = hand_in(answered).repairs
    assert repair.cell == "mean-solution"
