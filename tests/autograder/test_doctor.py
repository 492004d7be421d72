"""``autograder doctor`` says what is there and what is not, by trying it."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder._exceptions import SandboxUnavailable
from autograder.doctor import Finding, State, diagnose
from autograder.grading.run import Grader
from autograder.sandbox import jail
from autograder.sandbox.supervisor import Supervisor
from autograder.sandbox.walls import WALLS, breaches, check_walls
from tests.autograder import tiny


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Finding]]:
    """What it finds on this machine, in the folder of a tiny course, by what was looked at."""
    tiny.make_course(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTOGRADER_DATA", str(tmp_path / "mirror"))
    found: dict[str, list[Finding]] = {}
    for finding in diagnose():
        found.setdefault(finding.what, []).append(finding)
    return found


def test_a_machine_that_grades_has_every_wall_and_misses_nothing(findings: dict[str, list[Finding]]) -> None:
    assert not [each for found in findings.values() for each in found if each.state is State.MISSING]
    for wall, could in WALLS.items():
        assert [each.sentence for each in findings[wall]] == [f"A submission cannot {could}."]
    assert findings["course"][0].sentence == "Tiny course: tiny"
    assert {each.state for each in findings["data"]} == {State.NOTE}
    assert "autograder data pull mnist" in findings["data"][0].sentence


def test_walls_that_are_not_there_are_seen() -> None:
    with Supervisor(memory_mb=1000, processes=20, output_kb=4, unsafe=True) as open_to_all:
        assert breaches(open_to_all) == list(WALLS)
        with pytest.raises(SandboxUnavailable, match=r"a submission could read files .*; reach a network; .*--unsafe"):
            check_walls(open_to_all)


def test_grading_does_not_begin_where_a_wall_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assignment = tiny.make_course(tmp_path)
    start = jail.start
    monkeypatch.setattr(jail, "start", lambda *args, **keywords: start(*args, **(keywords | {"unsafe": True})))
    with pytest.raises(SandboxUnavailable, match="the sandbox does not hold on this machine"), Grader(assignment):
        pass
    with Grader(assignment, unsafe=True) as told_so_by_hand:
        assert told_so_by_hand.posture == {"sandbox": "none: switched off by hand (--unsafe-no-sandbox)"}


@pytest.mark.parametrize(
    ("course", "sentence", "verdict", "status"),
    [
        (None, "note    course    no course.toml in", "ready to grade", 0),
        ("[course]\ntitle = 5\n[assignments]\n", "course.toml, line 2: course.title", "1 thing to put right", 1),
    ],
    ids=["no course", "a broken course"],
)
def test_the_command_ends_with_a_verdict_and_a_status(
    tmp_path: Path, course: str | None, sentence: str, verdict: str, status: int
) -> None:
    if course is not None:
        (tmp_path / "course.toml").write_text(course)
    command = [sys.executable, "-m", "autograder", "doctor"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert sentence in done.stdout
    assert done.stdout.splitlines()[-1].startswith(verdict)
    assert (done.returncode, done.stderr) == (status, "")
