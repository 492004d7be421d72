"""Attempts to be marked right without the right answer: everything a student's process can replace, and pretend."""

from textwrap import dedent

import pytest

from autograder.grading.report import Outcome
from tests.autograder.attacks.conftest import Attack, outcomes, points

PRELUDE = "import builtins, sys\nimport numpy as np\nimport torch\n\n"
WRONG = "\n\ndef double(x):\n    return 5 * x\n"

REPLACED = {
    "torch.allclose": "torch.allclose = torch.isclose = torch.equal = lambda *a, **k: True",
    "torch.testing": "torch.testing.assert_close = lambda *a, **k: None",
    "numpy.allclose": "np.allclose = np.array_equal = np.isclose = lambda *a, **k: True",
    "equality of tensors": "torch.Tensor.__eq__ = lambda *a: torch.tensor(True)",
    "differences of tensors": "torch.Tensor.__sub__ = torch.sub = torch.Tensor.sub = lambda a, *b: torch.zeros_like(a)",
    "the size of a tensor": "torch.Tensor.abs = torch.abs = lambda a: torch.zeros_like(a)",
    "the shape of a tensor": "torch.Tensor.shape = property(lambda self: torch.Size([4, 3]))",
    "the random numbers": "torch.manual_seed = lambda *a: None\n"
    "torch.randn = torch.rand = lambda *size, **k: torch.zeros(*size)",
    "the generator": "torch.default_generator.manual_seed = torch.Generator.manual_seed = lambda *a: None",
    "built-in functions": "builtins.isinstance = builtins.all = builtins.any = lambda *a: True\n"
    "builtins.abs = lambda *a: 0",
    "assertions": "builtins.AssertionError = type('Never', (Exception,), {})",
    "the wire": "wire = sys.modules['autograder.sandbox.wire']\n"
    "wire.TENSOR_TYPES.clear()\nwire.encode = lambda *a: [b'']",
    "the worker": "worker = sys.modules['autograder.sandbox.worker']\n"
    "worker.OPERATIONS['call'] = lambda self, root, path, args, keywords: args[0] * 3",
    "the probes": "worker = sys.modules['autograder.sandbox.worker']\nworker.OPERATIONS['probe'] = lambda *a: 7",
    "the trace of calls": "sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)",
    "imports": "sys.meta_path.insert(0, type('All', (), {'find_spec': staticmethod(lambda *a: None)}))",
}


@pytest.mark.parametrize("replaced", REPLACED.values(), ids=REPLACED)
def test_what_is_replaced_in_its_own_process_earns_nothing(attack: Attack, replaced: str) -> None:
    report = attack(PRELUDE + replaced + WRONG)
    assert next(test for test in report.tests if test.test == "test_values").outcome is not Outcome.PASSED
    assert points(report)["double"] <= 1  # of 4: the shape may be right
    assert not [test for test in report.tests if test.detail]


PRETENDERS = {
    "a tensor that equals everything": """
        class Yes(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                return torch.tensor(True)

        def double(x):
            return (0 * x).as_subclass(Yes)
    """,
    "an object that equals everything": """
        class Yes:
            shape, dtype, device = (4, 3), torch.float32, "cpu"
            def __eq__(self, other): return True
            def __getattr__(self, name): return self
            def __call__(self, *a, **k): return self

        def double(x):
            return Yes()
    """,
    "an object that turns into what is asked for": """
        class Chameleon:
            def __array__(self, *a, **k): return np.zeros((4, 3))
            def __float__(self): return 1.0
            def __len__(self): return 4
            def __iter__(self): return iter([0.0] * 4)

        def double(x):
            return Chameleon()
    """,
    "a list of not-numbers": "def double(x):\n    return [[float('nan')] * 3] * 4",
    "not-numbers": "def double(x):\n    return x * float('nan')",
    "infinities": "def double(x):\n    return x * float('inf')",
    "a number that is a class": """
        class Any(float):
            def __eq__(self, other): return True
            def __sub__(self, other): return 0.0
            __rsub__ = __sub__

        def double(x):
            return Any(1)
    """,
    "half precision": "def double(x):\n    return (2.002 * x).half()",
    "a tensor without numbers": "def double(x):\n    return torch.empty_like(x, device='meta')",
    "a tensor of no stride": "def double(x):\n    return torch.zeros(1).expand(4, 3)",
    "a tensor with negated bits": "def double(x):\n    return torch._neg_view(2 * x)",
    "the answers to the visible check": """
        def double(x):
            return torch.tensor([2.0]) if x.numel() == 1 and x.item() == 1 else torch.zeros_like(x)
    """,
    "an exception that looks like success": "def double(x):\n    raise SystemExit(0)",
    "an exception of the tests'": "def double(x):\n    import pytest\n    pytest.skip('done')",
    "a generator": "def double(x):\n    yield 2 * x",
    "a coroutine": "async def double(x):\n    return 2 * x",
    "its own input": "def double(x):\n    return x",
    "its input changed afterwards": "def double(x):\n    x *= 1\n    return x",
}


@pytest.mark.parametrize("cell", PRETENDERS.values(), ids=PRETENDERS)
def test_a_pretender_earns_nothing(attack: Attack, cell: str) -> None:
    report = attack(PRELUDE + dedent(cell))
    assert points(report)["double"] <= 1  # of 4: where a shape is right
    assert points(report)["shift"] == 3
    assert outcomes(report, "double") - {Outcome.PASSED}
    assert not [test for test in report.tests if test.detail]


CHANGING = {
    "gives its first answer again and again": ("kept.append(2 * x)\n    return kept[0]", 3),
    "is right at its first call only": ("kept.append(x)\n    return 2 * x if len(kept) == 1 else x[:0]", 3),
    "is right from its second call on": ("kept.append(x)\n    return 2 * x if len(kept) > 1 else x", 1),
}


@pytest.mark.parametrize(("body", "earned"), CHANGING.values(), ids=CHANGING)
def test_an_answer_is_marked_call_by_call_where_it(attack: Attack, body: str, earned: float) -> None:
    report = attack(f"kept = []\n\ndef double(x):\n    {body}\n")
    assert points(report) == {"double": earned, "shift": 3}
