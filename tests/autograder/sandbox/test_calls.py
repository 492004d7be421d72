"""A suite calls a submission as if it were here; what it gets is data, or a hold on an object that is there."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from autograder._exceptions import SandboxError
from autograder.sandbox.faults import BadReply, NotAttempted, StudentError
from autograder.sandbox.remote import RemoteObject, Student
from autograder.sandbox.session import Session

Submit = Callable[..., Student]

NET = """
    import torch

    class Net(torch.nn.Module):
        size = 3

        def __init__(self, hidden=2):
            super().__init__()
            self.inner = torch.nn.Linear(self.size, hidden)

        def forward(self, x, loud=False):
            if loud:
                print("shape", tuple(x.shape))
            return self.inner(x)
    """


def test_a_function_is_called_with_tensors_and_gives_a_tensor(submit: Submit) -> None:
    student = submit("def double(x, by=2):\n    return by * x")
    assert torch.equal(student.double(torch.tensor([1.0, 2.0]), by=3), torch.tensor([3.0, 6.0]))


def test_containers_keep_their_types_and_numpy_stays_numpy(submit: Submit) -> None:
    student = submit(
        "import numpy as np\ndef f(x):\n    return (1, [x, None]), {'a': np.arange(2), 3: {4}}, 'text', 2.5"
    )
    (one, (x, none)), mapping, text, number = student.f(torch.ones(1))
    assert (one, none, text, number, mapping[3]) == (1, None, "text", 2.5, {4})
    assert isinstance(mapping["a"], np.ndarray)
    assert torch.equal(x, torch.ones(1))


def test_a_named_tuple_comes_back_as_a_tuple(submit: Submit) -> None:
    student = submit("from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f():\n    return P(1, 2)")
    assert student.f() == (1, 2)


def test_cells_share_their_names_in_order(submit: Submit) -> None:
    student = submit("base = 10", "def f(x):\n    return base + x", "base = 20")
    assert student.f(1) == 21


def test_a_module_stays_there_and_is_used_from_here(submit: Submit) -> None:
    student = submit(NET)
    net = student.Net(hidden=4)
    assert isinstance(net, RemoteObject)
    assert net.type_name == "Net"
    state = net.state_dict()
    x = torch.randn(5, 3)
    expected = x @ state["inner.weight"].T + state["inner.bias"]
    assert torch.allclose(net(x), expected, atol=1e-6)
    assert net.inner.out_features.value() == 4


def test_parameters_can_be_loaded_and_modes_switched(submit: Submit) -> None:
    net = submit(NET).Net()
    net.load_state_dict({"inner.weight": torch.ones(2, 3), "inner.bias": torch.zeros(2)})
    assert torch.equal(net(torch.ones(1, 3)), torch.full((1, 2), 3.0))
    net.eval()
    assert net.training.value() is False
    net.double()
    assert net(torch.ones(1, 3, dtype=torch.float64)).dtype == torch.float64


def test_objects_are_passed_back_at_any_depth(submit: Submit) -> None:
    student = submit(NET + "\n    def count(nets, extra):\n        return len(nets) + extra['net'].size")
    net = student.Net()
    assert student.count([net, net], {"net": net}) == 5


def test_a_function_of_the_student_is_an_argument(submit: Submit) -> None:
    student = submit("def double(x):\n    return 2 * x\n\ndef apply(f, x):\n    return f(x)")
    assert student.apply(student.double, 4) == 8


def test_globals_are_read_and_asked_for(submit: Submit) -> None:
    student = submit("VOCAB = 13")
    assert student.VOCAB.value() == 13
    assert student.has("VOCAB")
    assert not student.has("attend")


def test_what_a_call_prints_is_told_apart_from_what_it_returns(submit: Submit) -> None:
    student = submit(NET)
    text, result = student.printed(student.Net(), torch.ones(2, 3), loud=True)
    assert text == "shape (2, 3)\n"
    assert result.shape == (2, 2)
    assert student.printed(student.Net(), torch.ones(2, 3))[0] == ""


def test_endless_printing_is_cut_and_costs_nothing_else(submit: Submit) -> None:
    student = submit("def f():\n    for _ in range(10_000):\n        print('x' * 100)\n    return 5")
    text, result = student.printed(student.f)
    assert (len(text), result) == (4096, 5)


def test_a_probe_runs_beside_the_student_and_sees_the_real_objects(submit: Submit) -> None:
    probes = """
        def gradient_shapes(ns, net, x):
            net(x).sum().backward()
            return [tuple(p.grad.shape) for p in net.parameters()], ns["Net"].size
        """
    student = submit(NET, probes=probes)
    assert student.probe.gradient_shapes(student.Net(), torch.ones(4, 3)) == ([(2, 3), (2,)], 3)


def test_inputs_arrive_as_memory_of_their_own_that_may_be_changed(submit: Submit) -> None:
    student = submit("def f(x, y):\n    x += 1\n    y[0] = 5\n    return x.sum() + y[0]")
    x, y = torch.zeros(2), np.zeros(2)
    assert student.f(x, y) == 7
    assert x.sum() == 0
    assert y.sum() == 0


def test_magics_displays_and_wandb_are_met_with_stand_ins(submit: Submit) -> None:
    cell = """
        import wandb
        from tqdm.auto import tqdm
        get_ipython().run_line_magic("matplotlib", "inline")
        wandb.login()

        def f():
            run = wandb.init(project="cv-lab8", name="ritual", config={"lr": 1})
            for i in tqdm(range(3)):
                wandb.log({"train/loss": i})
            display(run)
            wandb.finish()
        """
    student = submit(cell, probes="def runs(ns):\n    import wandb\n    return wandb.runs")
    student.f()
    [run] = student.probe.runs()
    assert run["config"] == {"lr": 1}
    assert [log["train/loss"] for log in run["logs"]] == [0, 1, 2]
    assert run["finished"] is True


def test_loader_workers_are_left_out_and_the_batches_are_the_same(submit: Submit) -> None:
    cell = """
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        def batches():
            numbers = TensorDataset(torch.arange(6))
            loader = DataLoader(numbers, 2, num_workers=2, persistent_workers=True, prefetch_factor=4)
            return [batch.tolist() for [batch] in loader]
        """
    assert submit(cell).batches() == [[0, 1], [2, 3], [4, 5]]


def test_warnings_and_text_on_stderr_are_harmless(submit: Submit) -> None:
    student = submit(
        "import sys, warnings\ndef f():\n    warnings.warn('careful')\n    sys.stderr.write('x')\n    return 1"
    )
    assert student.f() == 1


def test_an_exception_names_its_type_its_text_and_the_line_of_the_cell(submit: Submit) -> None:
    student = submit("def inner(x):\n    return x.shape[7]", "def f(x):\n    return inner(x)")
    with pytest.raises(StudentError) as caught:
        student.f(torch.ones(1))
    assert caught.value.type_name == "IndexError"
    assert [(frame.cell, frame.line, frame.function) for frame in caught.value.frames] == [
        ("b", 2, "f"),
        ("a", 2, "inner"),
    ]
    assert "cell a, line 2: return x.shape[7]" in str(caught.value)


@pytest.mark.parametrize("leave", ["sys.exit()", "sys.exit(3)", "raise KeyboardInterrupt", "exit()"])
def test_leaving_the_interpreter_politely_is_an_error_of_that_call_only(submit: Submit, leave: str) -> None:
    student = submit(
        f"import sys\nfrom os import _exit\nexit = sys.exit\ndef f():\n    {leave}\ndef g():\n    return 1"
    )
    with pytest.raises(StudentError):
        student.f()
    assert student.g() == 1


def test_the_stub_and_a_missing_name_are_not_attempted(submit: Submit) -> None:
    student = submit("def f():\n    # YOUR CODE HERE\n    raise NotImplementedError()")
    with pytest.raises(NotAttempted, match="still the stub"):
        student.f()
    with pytest.raises(NotAttempted, match="'g' is not defined"):
        student.g()


def test_torchs_own_not_implemented_is_the_students_error(submit: Submit) -> None:
    student = submit("import torch\ndef f(x):\n    return x.to('cpu')")
    with pytest.raises(StudentError, match="NotImplementedError"):
        student.f(torch.ones(2, device="meta"))


@pytest.mark.parametrize(
    "value",
    ["[value]", "torch.zeros(1).expand(10**8)", "'x' * 10**7", "Strange()"],
    ids=["holds itself", "too large", "too long", "raises when read"],
)
def test_a_value_that_cannot_be_handed_over_is_a_fault_of_that_call_only(submit: Submit, value: str) -> None:
    student = submit(
        f"""
        import torch

        class Strange(list):
            def __iter__(self):
                raise ValueError("no")

        def f():
            value = []
            value.append(value)
            return {value}

        def g():
            return 1
        """
    )
    with pytest.raises(BadReply):
        student.f()
    assert student.g() == 1


def test_an_object_kept_from_an_earlier_worker_is_the_suites_mistake(new_session: Callable[..., Session]) -> None:
    session = new_session("import os\nclass A:\n    pass\ndef die():\n    os._exit(0)\ndef f(a):\n    return 1")
    session.begin_test(1, 30.0)
    student = Student(session, {})
    kept = student.A()
    session.close()
    session.begin_test(1, 30.0)
    with pytest.raises(SandboxError, match="worker that is gone"):
        student.f(kept)


def test_an_argument_that_is_not_data_is_the_suites_mistake(submit: Submit) -> None:
    student = submit("def f(x):\n    return 1")
    with pytest.raises(SandboxError, match="a object, which is not data"):
        student.f(object())


def test_every_test_draws_the_same_numbers_for_the_same_seed(new_session: Callable[..., Session]) -> None:
    session = new_session("import torch, random\nimport numpy as np\ndef f():\n    return float(torch.rand(1))")
    drawn = []
    for seed in (5, 6, 5):
        session.begin_test(seed, 30.0)
        drawn.append(Student(session, {}).f())
    assert drawn[0] == drawn[2] != drawn[1]


@pytest.mark.parametrize("ending", ["return os.getpid()", "raise ValueError", "sys.exit()"])
def test_a_child_that_a_function_forks_does_not_answer_in_its_place(submit: Submit, ending: str) -> None:
    student = submit(
        f"""
        import os, sys
        def forks():
            if os.fork() == 0:
                {ending}
            return "parent"
        def number(n):
            return n
        """
    )
    assert student.forks() == "parent"
    assert [student.number(n) for n in range(20)] == list(range(20))


@pytest.mark.parametrize("how", ["@torch.compile", "@torch.compile(dynamic=True)", "@torch.compile()"])
def test_a_compiled_function_computes_the_same(submit: Submit, how: str) -> None:
    student = submit(f"import torch\n{how}\ndef double(x):\n    return 2 * x\nnet = torch.compile(torch.nn.Identity())")
    assert torch.equal(student.double(torch.ones(3)), torch.full((3,), 2.0))
    assert torch.equal(student.net(torch.ones(2)), torch.ones(2))
