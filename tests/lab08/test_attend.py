"""Q3.1: scaled dot-product attention from one query to the columns of each strip."""

import ast
import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("attend")

FORBIDDEN = ("scaled_dot_product", "multi_head_attention", "MultiheadAttention")


def normal(generator: torch.Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=dtype)


def tensors(
    generator: torch.Generator,
    B: int = 5,
    N: int = 21,
    d_k: int = 64,
    d_v: int = 128,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Random q (B, d_k), K (B, N, d_k), V (B, N, d_v)."""
    return (
        normal(generator, B, d_k, dtype=dtype),
        normal(generator, B, N, d_k, dtype=dtype),
        normal(generator, B, N, d_v, dtype=dtype),
    )


def returned(result: Any) -> tuple[Tensor, Tensor]:
    """The two tensors that ``attend`` returned, in its order."""
    check_type(result, (tuple, list), "what `attend` returns")
    check(len(result) == 2, f"`attend` should return two things, context and weights; it returned {len(result)}")
    check_type(result[0], torch.Tensor, "the context")
    check_type(result[1], torch.Tensor, "the weights")
    return result[0], result[1]


def pair(result: Any, V: Tensor) -> tuple[Tensor, Tensor]:
    """Context and weights, told apart by their widths, so that a wrong order costs one test and not all."""
    first, second = returned(result)
    B, N, d_v = V.shape
    exchanged = d_v != N and (first.shape, second.shape) == ((B, N), (B, d_v))
    return (second, first) if exchanged else (first, second)


def chapter_example() -> tuple[Tensor, Tensor, Tensor]:
    q = torch.tensor([[1.2, 0.6]])
    K = torch.tensor([[[1.4, 0.9], [-1.1, 1.3], [-0.8, -1.4]]])
    V = torch.tensor([[[0.86, 0.20, 0.18], [0.22, 0.62, 0.28], [0.48, 0.30, 0.78]]])
    return q, K, V


@weight(2)
def test_weights_of_the_chapter_example(student: Any, reference: SimpleNamespace) -> None:
    """the weights of the chapter's example"""
    q, K, V = chapter_example()
    weights = pair(student.attend(q, K, V), V)[1]
    check_close(weights, reference.attend(q, K, V)[1], "the weights of the chapter's example")


@weight(2)
def test_context_of_the_chapter_example(student: Any, reference: SimpleNamespace) -> None:
    """the context of the chapter's example"""
    q, K, V = chapter_example()
    context = pair(student.attend(q, K, V), V)[0]
    check_close(context, reference.attend(q, K, V)[0], "the context of the chapter's example")


@weight(2)
def test_zero_query_weights_all_columns_alike(student: Any, torch_rng: torch.Generator) -> None:
    """a zero query gives every column the same weight"""
    _, K, V = tensors(torch_rng, B=3, N=8, d_k=6, d_v=5)
    context, weights = pair(student.attend(torch.zeros(3, 6), K, V), V)
    check_close(weights, torch.full((3, 8), 1 / 8), "the weights of a zero query")
    check_close(context, V.mean(1), "the context of a zero query")


@weight(3)
def test_shapes(student: Any, torch_rng: torch.Generator) -> None:
    """context has shape (B, d_v) and weights have shape (B, N), in the inputs' type"""
    context, weights = returned(student.attend(*tensors(torch_rng, B=4, N=7, d_k=6, d_v=9)))
    check_shape(context, (4, 9), "the context")
    check_shape(weights, (4, 7), "the weights")
    for name, value in (("context", context), ("weights", weights)):
        check(value.dtype == torch.float32, f"the {name} should be float32 for float32 inputs; found {value.dtype}")


@weight(3)
def test_weights_on_random_tensors(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """the weights on random tensors"""
    q, K, V = tensors(torch_rng)
    check_close(pair(student.attend(q, K, V), V)[1], reference.attend(q, K, V)[1], "the weights on random tensors")


@weight(3)
def test_context_on_random_tensors(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """the context on random tensors"""
    q, K, V = tensors(torch_rng)
    check_close(pair(student.attend(q, K, V), V)[0], reference.attend(q, K, V)[0], "the context on random tensors")


@weight(2)
def test_rows_of_weights_sum_to_one(student: Any, torch_rng: torch.Generator) -> None:
    """the weights of each row are positive and sum to one"""
    inputs = tensors(torch_rng, B=6, N=11, d_k=8, d_v=3)
    weights = pair(student.attend(*inputs), inputs[2])[1]
    check(bool((weights >= 0).all()), "some weights are negative")
    check_close(weights.sum(-1), torch.ones(6), "the sum of each row of weights")


@weight(2)
@pytest.mark.parametrize(("d_k", "d_v"), [(9, 2), (2, 9)], ids=["wide keys", "wide values"])
def test_scale_follows_the_width_of_the_keys(
    student: Any, reference: SimpleNamespace, torch_rng: torch.Generator, d_k: int, d_v: int
) -> None:
    """scores are scaled by the width of the keys, whatever the other sizes are"""
    q, K, V = tensors(torch_rng, B=3, N=5, d_k=d_k, d_v=d_v)
    check_close(
        pair(student.attend(q, K, V), V)[1], reference.attend(q, K, V)[1], f"the weights for d_k={d_k}, d_v={d_v}"
    )


@weight(1)
@pytest.mark.parametrize("size", [1e4, -1e4], ids=["all large", "all very negative"])
def test_large_scores_do_not_overflow(
    student: Any, reference: SimpleNamespace, torch_rng: torch.Generator, size: float
) -> None:
    """very large scores give finite weights and a finite context"""
    # No two columns score nearly alike, so that nothing but overflow decides.
    order = torch.stack([torch.randperm(6, generator=torch_rng) for _ in range(3)]) + 1.0
    q, K = torch.full((3, 4), abs(size)), (order * math.copysign(1.0, size)).unsqueeze(2).expand(3, 6, 4).contiguous()
    V = normal(torch_rng, 3, 6, 5)
    context, weights = pair(student.attend(q, K, V), V)
    check(bool(weights.isfinite().all()), "there are NaN or infinite weights when scores are large")
    check(bool(context.isfinite().all()), "there are NaN or infinite numbers in the context when scores are large")
    expected_context, expected_weights = reference.attend(q, K, V)
    check_close(weights, expected_weights, "the weights when scores are large")
    check_close(context, expected_context, "the context when scores are large")


@weight(1)
@pytest.mark.parametrize(("B", "N"), [(1, 6), (3, 1), (1, 1)], ids=["batch of one", "one column", "one of each"])
def test_smallest_sizes(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator, B: int, N: int) -> None:
    """a batch of one and a strip of one column work like any other"""
    q, K, V = tensors(torch_rng, B=B, N=N, d_k=4, d_v=5)
    context, weights = pair(student.attend(q, K, V), V)
    expected_context, expected_weights = reference.attend(q, K, V)
    check_close(weights, expected_weights, f"the weights for B={B}, N={N}")
    check_close(context, expected_context, f"the context for B={B}, N={N}")


@weight(1)
def test_float64(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """float64 in gives float64 out, to float64's precision"""
    q, K, V = tensors(torch_rng, B=2, N=6, d_k=4, d_v=5, dtype=torch.float64)
    context, weights = pair(student.attend(q, K, V), V)
    for name, value in (("context", context), ("weights", weights)):
        check(value.dtype == torch.float64, f"the {name} should be float64 for float64 inputs; found {value.dtype}")
    expected_context, expected_weights = reference.attend(q, K, V)
    check_close(weights, expected_weights, "the weights in float64")
    check_close(context, expected_context, "the context in float64")


@weight(1)
def test_inputs_stay_as_they_were(student: Any, torch_rng: torch.Generator) -> None:
    """q, K and V are left as they were"""
    changed = student.probe.changed("attend", *tensors(torch_rng, B=2, N=4, d_k=3, d_v=5))
    names = ", ".join("qKV"[i] for i in changed)
    check(not changed, f"`attend` changed its inputs in place: {names}")


@weight(2)
def test_gradients(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """gradients flow back to q, K and V"""
    inputs = tensors(torch_rng, B=2, N=4, d_k=3, d_v=5)
    directions = normal(torch_rng, 2, 5), normal(torch_rng, 2, 4)
    found = student.probe.gradients("attend", inputs, directions)
    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    outputs = reference.attend(*leaves)
    loss = sum((output * direction).sum() for output, direction in zip(outputs, directions, strict=True))
    expected = torch.autograd.grad(loss, leaves)
    for i, name in enumerate("qKV"):
        check(found[str(i)] is not None, f"no gradient reaches {name}")
        check_close(found[str(i)], expected[i], f"the gradient of {name}")


@weight(5)
def test_forbidden_function_is_not_called(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """`attend` works without `F.scaled_dot_product_attention`, which is not allowed"""
    inputs = tensors(torch_rng, B=2, N=4, d_k=3, d_v=5)
    check_close(pair(student.attend(*inputs), inputs[2])[1], reference.attend(*inputs)[1], "the weights")
    for function in student.probe.functions_called("attend", *inputs):
        check(not forbidden(function), f"`attend` calls {function}, which is not allowed")
    for name in names_used_by("attend", student.source("attend")):
        check(not forbidden(name), f"the code of `attend` uses {name}, which is not allowed")


def forbidden(name: str) -> bool:
    return any(word in name for word in FORBIDDEN)


def names_used_by(definition: str, source: str) -> set[str]:
    """Names and attributes in the code of ``definition`` and of what it uses from the same cell.

    The rest of the cell is left out: comparing with the forbidden function is allowed, and even advised.
    """
    parts: dict[str, list[ast.AST]] = {}
    for statement in ast.parse(source).body:
        for name in names_bound(statement):
            parts.setdefault(name, []).append(statement)
    used, new = set[str](), {definition}
    while new:
        used |= new
        nodes = [node for name in new for part in parts.get(name, []) for node in ast.walk(part)]
        new = {name for node in nodes for name in names_in(node)} - used
    return used


def names_bound(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
    return []


def names_in(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return [name]
    return []


@weight(1)
def test_inputs_may_be_views(student: Any, reference: SimpleNamespace, torch_rng: torch.Generator) -> None:
    """inputs that are views, not contiguous in memory, give the same result"""
    inputs = tensors(torch_rng, B=3, N=6, d_k=4, d_v=5)
    context, weights = pair(student.probe.attend_strided(*inputs), inputs[2])
    expected_context, expected_weights = reference.attend(*inputs)
    check_close(weights, expected_weights, "the weights for inputs that are views")
    check_close(context, expected_context, "the context for inputs that are views")


@weight(1)
def test_nothing_is_kept_between_calls(student: Any, torch_rng: torch.Generator) -> None:
    """a call gives the same result whatever was attended to before"""
    first, other = tensors(torch_rng, B=3, N=6, d_k=4, d_v=5), tensors(torch_rng, B=2, N=9, d_k=7, d_v=3)
    before = returned(student.attend(*first))
    returned(student.attend(*other))
    after = returned(student.attend(*first))
    check(all(map(torch.equal, before, after)), "the same inputs gave another result after a call with other inputs")


@weight(1)
def test_works_on_any_device(student: Any, torch_rng: torch.Generator) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    inputs = [tensor.to("meta") for tensor in tensors(torch_rng, B=2, N=4, d_k=3, d_v=5)]
    context, weights = pair(student.attend(*inputs), inputs[2])
    check(context.device.type == weights.device.type == "meta", "the results are not on the device of the inputs")


@weight(1)
def test_values_on_each_device(
    student: Any, reference: SimpleNamespace, torch_rng: torch.Generator, device: str
) -> None:
    """the same values on every device of this machine"""
    inputs = tensors(torch_rng, B=3, N=6, d_k=4, d_v=5)
    context, weights = pair(student.probe.on_device("attend", device, *inputs), inputs[2])
    expected_context, expected_weights = reference.attend(*inputs)
    check_close(weights, expected_weights, f"the weights on {device}")
    check_close(context, expected_context, f"the context on {device}")
