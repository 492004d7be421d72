"""What grading makes of a release before anybody sees it: the stubs score nothing, the solutions score full marks."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from autograder.course import Assignment
from autograder.grading.report import Outcome, Report
from autograder.submission import read_submission

__all__ = ["prove_by_grading"]


def prove_by_grading(assignment: Assignment) -> Callable[[Path, Path], Iterable[str]]:
    """The proof that ``release`` asks for; it says nothing where all is well."""

    def prove(release: Path, solutions: Path) -> Iterator[str]:
        from autograder.grading.run import Grader

        with Grader(assignment) as grader:
            stubs = grader.grade(read_submission(release, assignment, "release"))
            solved = grader.grade(read_submission(solutions, assignment, "solutions"))
        yield from _faults(stubs, solved)
        if stubs.points:
            won = [score.question for score in stubs.questions if score.points]
            yield f"the release as it stands scores {stubs.points:g} points (at {', '.join(won)}); it should score 0"
        for test in solved.tests:
            if test.outcome is not Outcome.PASSED:
                said = test.detail or test.message
                yield f"the solution does not pass {test.test} of {test.question}: {test.outcome.value}: {said}"

    return prove


def _faults(*reports: Report) -> Iterator[str]:
    for report in reports:
        if report.fault:
            yield f"the {report.student} cannot be graded: {report.fault}: {report.fault_message}"
