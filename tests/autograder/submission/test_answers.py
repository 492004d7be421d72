"""Members and written answers."""

from collections.abc import Callable

import pytest

from autograder.submission import Submission
from tests.autograder.submission.little import Json, code, markdown, released, source
from tests.autograder.submission.mangling import cell, insert, place

HandIn = Callable[[Json], Submission]

ADA = (("Ada", "1815"),)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ('MEMBERS = [("Ada", "1815")]', ADA),
        ('MEMBERS = [("Ada", 1815)]', ADA),
        ('MEMBERS = [["Ada", "1815"]]', ADA),
        ('MEMBERS = (("Ada", "1815"),)', ADA),
        ('MEMBERS = ("Ada", "1815")', ADA),
        ('MEMBERS = {"Ada": "1815"}', ADA),
        ('MEMBERS: list = [(" Ada ", " 1815 ")]', ADA),
        ('MEMBERS = [("Ada", "1815"), ("Ada", "1815")]', ADA),
        ('MEMBERS = [("Ada", "1815"), ("Student name", "Student number"), ("", "")]', ADA),
        ('MEMBERS = [("Student name", "Student number")]\nMEMBERS = [("Ada", "1815")]', ADA),
        ('MEMBERS = [("Ada", "1815")]\n# YOUR CODE HERE\nraise NotImplementedError()', ADA),
        ('MEMBERS = [("Ada", "1815")]\nprint(MEMBERS)\n!ls', ADA),
        ('MEMBERS = [("Ada", "1815"), ("Emmy", "1882")]', (*ADA, ("Emmy", "1882"))),
        ('MEMBERS = [("Ada", "Student number")]', (("Ada", ""),)),
        ('MEMBERS = ["Ada", "Emmy", "Grace"]', (("Ada", ""), ("Emmy", ""), ("Grace", ""))),
        ('MEMBERS = [("Åsa 李", "1")]', (("Åsa 李", "1"),)),
        ('MEMBERS = [("Student name", "Student number")]', ()),
        ("MEMBERS = []", ()),
    ],
)
def test_members_are_read_as_literals(text: str, members: object, answered: Json, hand_in: HandIn) -> None:
    cell(answered, "members")["source"] = text
    assert hand_in(answered).members == members


@pytest.mark.parametrize(
    "text",
    [
        "MEMBERS = [(Ada, 1815)]",
        'MEMBERS = [("Ada", "1815")',
        "Ada, 1815",
        'MEMBERS = [(open("/etc/passwd").read(), "1")]',
        "MEMBERS = [[[[]]]]",
        "MEMBERS = 3",
        "MEMBERS = [None, ({}, [])]",
        "MEMBERS = " + "[" * 90 + "]" * 90,
        'MEMBERS = [("a" * 10**10, "1")]',
    ],
)
def test_members_that_cannot_be_read_are_said_to_be(text: str, answered: Json, hand_in: HandIn) -> None:
    cell(answered, "members")["source"] = text
    submission = hand_in(answered)
    assert submission.members == ()
    assert [repair.what.split(";")[0] for repair in submission.repairs] == ["The members could not be read"]


def test_endless_members_are_cut(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "members")["source"] = f"MEMBERS = {[(f'{n}' * 100, 'x' * 300) for n in range(100)]}"
    members = hand_in(answered).members
    assert len(members) == 20
    assert max(len(part) for member in members for part in member) == 200


def test_members_are_found_without_their_cell(answered: Json, hand_in: HandIn) -> None:
    answered["cells"] = [found for found in answered["cells"] if found is not cell(answered, "members")]
    answered["cells"].append(code('MEMBERS = [("Ada", "1815")]'))
    assert hand_in(answered).members == ADA


def test_the_members_cell_is_not_run(answered: Json, hand_in: HandIn) -> None:
    assert "members" not in [found.id for found in hand_in(answered).cells]


def test_written_answers_come_with_their_text(answered: Json, hand_in: HandIn) -> None:
    assert hand_in(answered).manual == {
        "why-mean": "It is the balance point.",
        "plot": '# Plot the numbers.\nprint("*" * len(numbers))',
        "why-spread": "By its unit.",
    }


def test_a_placeholder_left_above_an_answer_is_no_part_of_it(answered: Json, hand_in: HandIn) -> None:
    cell(answered, "why-mean")["source"] = "YOUR ANSWER HERE\n\nBecause."
    assert hand_in(answered).manual["why-mean"] == "Because."


def test_of_two_written_answers_the_last_counts(answered: Json, hand_in: HandIn) -> None:
    copied = {**cell(answered, "why-mean"), "source": "A better one.", "id": "other"}
    insert(answered, place(answered, "why-mean") + 1, copied)
    submission = hand_in(answered)
    assert submission.manual["why-mean"] == "A better one."
    assert any("is answered in cells 9 and 10" in repair.what for repair in submission.repairs)


def test_an_empty_copy_below_does_not_count(answered: Json, hand_in: HandIn) -> None:
    copied = {**cell(answered, "why-mean"), "source": "YOUR ANSWER HERE", "id": "other"}
    insert(answered, place(answered, "why-mean") + 1, copied)
    assert hand_in(answered).manual["why-mean"] == "It is the balance point."


def test_an_answer_without_its_cell_is_recognised_between_its_neighbours(answered: Json, hand_in: HandIn) -> None:
    index = place(answered, "why-spread")
    answered["cells"][index] = markdown("By its unit, I think.")
    insert(answered, index + 1, markdown("And by its scale."))
    assert hand_in(answered).manual["why-spread"] == "By its unit, I think.\n\nAnd by its scale."


def test_notes_elsewhere_are_no_answer(hand_in: HandIn) -> None:
    notebook = released(source())
    insert(notebook, 1, markdown("My notes."))
    assert hand_in(notebook).manual["why-mean"] == ""


def test_an_answer_in_code_without_metadata_is_recognised_by_its_place(answered: Json, hand_in: HandIn) -> None:
    found = cell(answered, "plot")
    found |= {"metadata": {}, "id": "y", "source": "plt.plot(numbers)"}
    assert hand_in(answered).manual["plot"] == "plt.plot(numbers)"
