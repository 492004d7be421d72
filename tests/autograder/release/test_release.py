"""release/ and solutions/ as they are written."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import CheckCellMetadata, IncludeHeaderFooter, InstantiateTests, SaveCells
from nbgrader.utils import compute_checksum, determine_grade
from nbgrader.validator import Validator

from autograder._exceptions import LeakError, NotebookError, ReleaseError
from autograder.course import Assignment, Course
from autograder.notebooks import Role, normal_form, read_notebook, role
from autograder.release import check, release

Edit = Callable[[Callable[[dict[str, NotebookNode]], None]], None]
Released = Callable[..., NotebookNode]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestStudents:
    def test_get_stubs_for_solutions(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert released("attend-solution").source == (
            'def attend(q, K, V):\n    """Scaled dot-product attention."""\n'
            "    # YOUR CODE HERE\n    raise NotImplementedError()\n"
        )

    def test_get_a_stub_for_a_solution_without_a_region(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert released("plot").source == "# YOUR CODE HERE\nraise NotImplementedError()"

    def test_get_an_empty_answer_for_a_model_answer(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert released("why").source == "YOUR ANSWER HERE"

    def test_get_visible_checks_without_hidden_tests(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert "(1, 2)" in released("attend").source
        assert "uneven" not in released("attend").source

    def test_get_no_rubric(self, assignment: Assignment) -> None:
        release(assignment)

        names = [cell.id for cell in read_notebook(assignment.release_dir / "lab.ipynb").cells]
        assert names == ["title", "setup", "attend-solution", "attend", "plot", "why", "play"]

    def test_get_no_figure_of_the_model_answer(self, assignment: Assignment, edit: Edit, released: Released) -> None:
        figure = {"figure.png": {"image/png": "iVBORw0KGgo" * 20}}
        edit(lambda cells: cells["why"].update(attachments=figure))
        release(assignment)

        assert "attachments" not in released("why")
        assert released("why", solved=True).attachments == figure

    def test_get_no_outputs(self, assignment: Assignment, edit: Edit, released: Released) -> None:
        output = nbformat.v4.new_output("stream", text="0.124")
        edit(lambda cells: cells["plot"].update(outputs=[output], execution_count=7))
        release(assignment)

        for solved in (False, True):
            assert released("plot", solved=solved).outputs == []
            assert released("plot", solved=solved).execution_count is None

    def test_cannot_delete_or_edit_what_is_locked(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert released("setup").metadata.editable is False
        assert released("attend").metadata.deletable is False
        assert "editable" not in released("attend-solution").metadata

    def test_get_superscripts_in_read_only_cells(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        assert released("title").source.endswith("x² and H₂O, read-only.")

    def test_get_what_nbgrader_accepts(self, assignment: Assignment) -> None:
        release(assignment)
        notebook = read_notebook(assignment.release_dir / "lab.ipynb")

        nbformat.validate(notebook)
        CheckCellMetadata().preprocess(notebook, {})
        for cell in notebook.cells:
            if role(cell) is not Role.FREE:
                assert cell.metadata.nbgrader.checksum == compute_checksum(cell)

    def test_can_run_nbgraders_own_validation(self, assignment: Assignment) -> None:
        release(assignment)
        found = Validator()._get_changed_cells(read_notebook(assignment.release_dir / "lab.ipynb"))
        solved = Validator()._get_changed_cells(read_notebook(assignment.solutions_dir / "lab.ipynb"))

        assert found == solved == []

    def test_cannot_read_a_mark_scheme(self, assignment: Assignment, edit: Edit, released: Released) -> None:
        scheme = "Explain.\n=== BEGIN MARK SCHEME ===\nOne point for a reason.\n=== END MARK SCHEME ==="
        edit(lambda cells: cells["play"].update(_task("task", scheme)))
        release(assignment)

        for solved in (False, True):
            assert released("play", solved=solved).source == "Explain."


def _task(name: str, text: str) -> NotebookNode:
    cell = nbformat.v4.new_markdown_cell(text, id="play")
    meta = {"grade": False, "solution": False, "locked": True, "task": True, "points": 1}
    cell.metadata["nbgrader"] = meta | {"grade_id": name, "schema_version": 3}
    cell["outputs"], cell["execution_count"] = None, None
    return cell


class TestSolutions:
    def test_hold_solutions_without_markers(self, assignment: Assignment, released: Released) -> None:
        release(assignment)

        text = released("attend-solution", solved=True).source
        assert "torch.einsum" in text
        assert "SOLUTION" not in text
        assert "YOUR CODE HERE" not in text

    def test_hold_model_answers_and_no_rubric(self, assignment: Assignment, released: Released) -> None:
        release(assignment)
        names = [cell.id for cell in read_notebook(assignment.solutions_dir / "lab.ipynb").cells]

        assert "mixing coefficients" in released("why", solved=True).source
        assert names == [cell.id for cell in read_notebook(assignment.release_dir / "lab.ipynb").cells]

    def test_hold_no_hidden_tests_since_they_are_published_too(
        self, assignment: Assignment, released: Released
    ) -> None:
        release(assignment)

        assert released("attend", solved=True).source == released("attend").source

    def test_read_as_a_submission_of_whoever_knows_everything(self, assignment: Assignment, released: Released) -> None:
        """A manual answer that still has the release's checksum gets 0 from nbgrader."""
        release(assignment)

        assert determine_grade(released("why")) == (0, 2)
        assert determine_grade(released("why", solved=True)) == (None, 2)


class TestFiles:
    def test_a_module_is_released_with_stubs(self, assignment: Assignment) -> None:
        module = assignment.source_dir / "pack" / "model.py"
        module.parent.mkdir()
        module.write_bytes(
            b"x = 1\r\n\r\ndef f():\r\n    ### BEGIN SOLUTION\r\n    return 7\r\n    ### END SOLUTION\r\n"
        )
        release(assignment)

        assert (assignment.release_dir / "pack" / "model.py").read_bytes() == (
            b"x = 1\r\n\r\ndef f():\r\n    # YOUR CODE HERE\r\n    raise NotImplementedError()\r\n"
        )
        assert (assignment.solutions_dir / "pack" / "model.py").read_bytes() == (
            b"x = 1\r\n\r\ndef f():\r\n    return 7\r\n"
        )

    def test_a_file_without_regions_is_copied_byte_for_byte(self, assignment: Assignment) -> None:
        data = bytes(range(256))
        (assignment.source_dir / "data.bin").write_bytes(data)
        (assignment.source_dir / "given.py").write_bytes(b"x = 1\r\n\n")
        release(assignment)

        for folder in (assignment.release_dir, assignment.solutions_dir):
            assert (folder / "data.bin").read_bytes() == data
            assert (folder / "given.py").read_bytes() == b"x = 1\r\n\n"

    def test_caches_and_hidden_files_stay_behind(self, assignment: Assignment) -> None:
        for name in (".ipynb_checkpoints/lab-checkpoint.ipynb", "__pycache__/a.pyc", ".env"):
            path = assignment.source_dir / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("secret")
        release(assignment)

        assert list(tree(assignment.release_dir)) == ["lab.ipynb"]

    def test_a_region_in_another_kind_of_file_is_refused(self, assignment: Assignment) -> None:
        (assignment.source_dir / "notes.md").write_text("### BEGIN SOLUTION\n42\n### END SOLUTION\n")

        with pytest.raises(ReleaseError, match=r"source/lab/notes\.md: a region in a file that is neither"):
            release(assignment)

    def test_a_module_that_is_not_utf8_is_refused(self, assignment: Assignment) -> None:
        (assignment.source_dir / "old.py").write_bytes(b"# caf\xe9\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n")

        with pytest.raises(ReleaseError, match=r"source/lab/old\.py: regions in a file that is not UTF-8"):
            release(assignment)

    def test_a_link_is_refused(self, assignment: Assignment) -> None:
        (assignment.source_dir / "passwd").symlink_to("/etc/passwd")

        with pytest.raises(ReleaseError, match="passwd is a symbolic link"):
            release(assignment)

    def test_a_notebook_that_course_toml_does_not_name_is_refused(self, assignment: Assignment) -> None:
        (assignment.source_dir / "scratch.ipynb").write_bytes((assignment.source_dir / "lab.ipynb").read_bytes())

        with pytest.raises(ReleaseError, match=r"source/lab/scratch\.ipynb is not among the notebooks"):
            release(assignment)

    def test_a_notebook_that_is_missing_is_named(self, assignment: Assignment) -> None:
        (assignment.source_dir / "lab.ipynb").unlink()

        with pytest.raises(ReleaseError, match=r"lab\.ipynb: no such notebook"):
            release(assignment)

    def test_a_notebook_that_cannot_be_read_is_named(self, assignment: Assignment) -> None:
        (assignment.source_dir / "lab.ipynb").write_text("{")

        with pytest.raises(NotebookError, match=r"lab\.ipynb is not JSON"):
            release(assignment)

    def test_a_missing_source_folder_is_named(self, assignment: Assignment) -> None:
        (assignment.source_dir / "lab.ipynb").unlink()
        assignment.source_dir.rmdir()

        with pytest.raises(ReleaseError, match="no such folder; assignment 'lab' has no source"):
            release(assignment)


class TestSourceFaults:
    def set_flag(self, name: str, **flags: object) -> Callable[[dict[str, NotebookNode]], None]:
        return lambda cells: cells[name].metadata.nbgrader.update(flags)

    def test_an_open_region_names_file_cell_and_line(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["attend-solution"].update(source="def f():\n    ### BEGIN SOLUTION\n    pass"))

        with pytest.raises(ReleaseError, match=r"source/lab/lab\.ipynb, cell 3 \(attend-solution\), line 2: BEGIN SOL"):
            release(assignment)

    def test_a_solution_in_a_cell_that_is_no_solution_is_refused(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["play"].update(source="### BEGIN SOLUTION\nx = 1\n### END SOLUTION"))

        with pytest.raises(ReleaseError, match=r"cell 8 \(play\): a solution region in a cell"):
            release(assignment)

    def test_hidden_tests_in_a_cell_without_points_are_refused(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["play"].update(source="### BEGIN HIDDEN TESTS\nx = 1\n### END HIDDEN TESTS"))

        with pytest.raises(ReleaseError, match=r"cell 8 \(play\): hidden tests in a cell"):
            release(assignment)

    def test_two_cells_of_one_grade_id_are_refused(self, assignment: Assignment, edit: Edit) -> None:
        edit(self.set_flag("plot", grade_id="attend"))

        with pytest.raises(ReleaseError, match=r"cell 5 \(attend\): grade_id 'attend' is taken by .*cell 4"):
            release(assignment)

    def test_a_rubric_that_nbgrader_knows_is_refused(self, assignment: Assignment, edit: Edit) -> None:
        edit(lambda cells: cells["why"].metadata.update(tags=["rubric"]))

        with pytest.raises(ReleaseError, match=r"cell 6 \(why\): tagged 'rubric' and known to nbgrader"):
            release(assignment)

    def test_setup_that_is_not_locked_is_refused(self, assignment: Assignment, edit: Edit) -> None:
        edit(self.set_flag("setup", locked=False))

        with pytest.raises(ReleaseError, match=r"cell 2 \(.*\): tagged 'grade-setup', but not a locked code cell"):
            release(assignment)

    def test_what_nbgrader_refuses_is_passed_on_with_the_file(self, assignment: Assignment, edit: Edit) -> None:
        edit(self.set_flag("why", grade=False))

        with pytest.raises(ReleaseError, match=r"source/lab/lab\.ipynb: nbgrader's CheckCellMetadata refuses it"):
            release(assignment)


class TestWriting:
    def test_the_result_says_what_there_is_and_what_is_new(self, assignment: Assignment) -> None:
        result = release(assignment)

        assert result.files == result.changed == ("release/lab/lab.ipynb", "solutions/lab/lab.ipynb")
        assert (result.questions, result.points) == (3, 7.0)
        assert release(assignment).changed == ()

    def test_what_source_no_longer_makes_goes(self, assignment: Assignment) -> None:
        extra = assignment.source_dir / "extra.txt"
        extra.write_text("given")
        release(assignment)
        extra.unlink()
        release(assignment)

        assert list(tree(assignment.release_dir)) == list(tree(assignment.solutions_dir)) == ["lab.ipynb"]

    def test_a_leak_leaves_everything_as_it_was(self, assignment: Assignment, edit: Edit) -> None:
        release(assignment)
        before = tree(assignment.root)
        edit(lambda cells: cells["play"].update(source="weights = torch.softmax(scores, dim=-1)  # a\n" * 2 + RENAMED))
        after = tree(assignment.root)

        with pytest.raises(LeakError, match="lab: not released"):
            release(assignment)
        assert tree(assignment.root) == after
        assert {name: data for name, data in before.items() if "source" not in name}.items() <= after.items()

    def test_a_folder_that_cannot_be_made_is_named(self, assignment: Assignment) -> None:
        (assignment.root / "release").write_text("in the way")

        with pytest.raises(ReleaseError, match=r"release/\.lab\.new: cannot be written \(Not a directory\)"):
            release(assignment)
        assert not assignment.solutions_dir.exists()

    def test_nothing_of_a_killed_run_is_in_the_way(self, assignment: Assignment) -> None:
        for name in (".lab.new", ".lab.old"):
            (assignment.release_dir.parent / name / "rest").mkdir(parents=True)
        release(assignment)

        assert [path.name for path in assignment.release_dir.parent.iterdir()] == ["lab"]

    def test_two_runs_give_the_same_bytes(self, assignment: Assignment) -> None:
        release(assignment)
        first = tree(assignment.root)
        for folder in (assignment.release_dir, assignment.solutions_dir):
            for path in folder.iterdir():
                path.unlink()
        release(assignment)

        assert tree(assignment.root) == first

    def test_no_hash_seed_changes_a_byte(self, assignment: Assignment) -> None:
        found = set()
        for seed in ("1", "2"):
            script = (
                "import sys; from pathlib import Path; from autograder.course import Course\n"
                "from autograder.release import release; release(Course.load(Path(sys.argv[1])).assignment('lab'))"
            )
            command = [sys.executable, "-c", script, str(assignment.root / "course.toml")]
            subprocess.run(
                command, check=True, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "HOME": "/nowhere/at"}
            )
            found.add(tuple(sorted(tree(assignment.root).items())))
            for folder in (assignment.release_dir, assignment.solutions_dir):
                (folder / "lab.ipynb").unlink()

        assert len(found) == 1


RENAMED = 's = torch.einsum("bd,bnd->bn", a, b) / math.sqrt(a.shape[-1])\n'
ROOT = Path(__file__).parents[3]


class TestCheck:
    def test_has_nothing_to_say_after_a_release(self, assignment: Assignment) -> None:
        release(assignment)

        assert check(assignment) == []

    def test_before_any_release_everything_is_missing(self, assignment: Assignment) -> None:
        assert check(assignment) == ["release/lab/lab.ipynb is missing", "solutions/lab/lab.ipynb is missing"]
        assert not assignment.release_dir.exists()

    def test_finds_one_changed_byte(self, assignment: Assignment) -> None:
        release(assignment)
        path = assignment.solutions_dir / "lab.ipynb"
        line = path.read_bytes().split(b"# Attention")[0].count(b"\n") + 1
        path.write_bytes(path.read_bytes().replace(b"# Attention", b"# attention"))

        assert check(assignment) == [f"solutions/lab/lab.ipynb differs from line {line}"]

    def test_finds_a_file_cut_short(self, assignment: Assignment) -> None:
        release(assignment)
        path = assignment.release_dir / "lab.ipynb"
        path.write_bytes(path.read_bytes()[:-1])

        assert check(assignment) == ["release/lab/lab.ipynb differs in length"]

    def test_finds_a_file_that_source_does_not_make(self, assignment: Assignment) -> None:
        release(assignment)
        (assignment.release_dir / "answers.txt").write_text("42")

        assert check(assignment) == ["release/lab/answers.txt is not made from source"]

    def test_finds_a_changed_source(self, assignment: Assignment, edit: Edit) -> None:
        release(assignment)
        edit(lambda cells: cells["title"].update(source="# Attention again"))

        assert len(check(assignment)) == 2

    def test_a_leak_is_found_here_too(self, assignment: Assignment, edit: Edit) -> None:
        release(assignment)
        edit(lambda cells: cells["play"].update(source=RENAMED))

        with pytest.raises(LeakError):
            check(assignment)


class TestTheCourseThatShips:
    @pytest.fixture
    def lab08(self) -> Assignment:
        return Course.find(Path(__file__)).assignment("lab08")

    def test_its_release_is_up_to_date(self, lab08: Assignment) -> None:
        assert check(lab08) == []

    def test_its_release_is_what_nbgrader_itself_would_make(self, lab08: Assignment) -> None:
        source = read_notebook(lab08.source_dir / "lab08.ipynb")
        source.cells = [cell for cell in source.cells if role(cell) is not Role.RUBRIC]
        needing_database = (IncludeHeaderFooter, InstantiateTests, SaveCells)
        for transform in GenerateAssignment(coursedir=CourseDirectory()).preprocessors:
            if transform not in needing_database:
                source, _ = transform().preprocess(source, {})

        assert normal_form(source) == read_notebook(lab08.release_dir / "lab08.ipynb")

    def test_its_release_holds_a_stub_for_each_solution(self, lab08: Assignment) -> None:
        for cell in read_notebook(lab08.release_dir / "lab08.ipynb").cells:
            if role(cell) is Role.SOLUTION:
                assert "# YOUR CODE HERE" in cell.source
