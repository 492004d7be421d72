"""What a hidden suite asserts with. A failure says in a student's words what was found, and never a reference value."""

from typing import Any

import numpy as np
import torch

__all__ = ["TOLERANCES", "CheckFailed", "check", "check_close", "check_floats", "check_shape", "check_type", "describe"]

# Bound on |actual - expected| <= absolute + relative * |expected|, by the less precise of the two types; but whoever
# answers in half precision where it was not expected is held to float32. Sums of a few hundred products in another
# order differ by some 1e-6 in float32; ten times that is still far below any real mistake.
TOLERANCES = {
    torch.float64: (1e-9, 1e-9),
    torch.float32: (2e-5, 2e-5),
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (2e-2, 2e-2),
}
HALF = (torch.float16, torch.bfloat16)


class CheckFailed(AssertionError):
    """A check that did not hold; ``str()`` is the sentence the student reads."""


def check(condition: object, sentence: str) -> None:
    """Fail with ``sentence`` unless ``condition`` holds."""
    if not condition:
        raise CheckFailed(sentence)


def check_type(value: object, expected: type | tuple[type, ...], what: str) -> None:
    """Fail unless ``value`` is an instance of ``expected``; a bool is no number."""
    types = expected if isinstance(expected, tuple) else (expected,)
    wrong_bool = isinstance(value, bool) and bool not in types
    if wrong_bool or not isinstance(value, types):
        wanted = " or ".join(_article(kind.__name__) for kind in types)
        raise CheckFailed(f"{what} should be {wanted}; it is {describe(value)}")


def check_shape(value: Any, shape: tuple[int, ...], what: str) -> None:
    """Fail unless ``value`` is a tensor or array of ``shape``."""
    check_type(value, (torch.Tensor, np.ndarray), what)
    if tuple(value.shape) != tuple(shape):
        raise CheckFailed(f"{what} should have shape {tuple(shape)}; its shape is {tuple(value.shape)}")


def check_floats(value: Any, what: str) -> None:
    """Fail unless ``value`` is a tensor of floating-point numbers, so that a test can go on to compute with it."""
    check_type(value, torch.Tensor, what)
    check(not value.is_meta, f"{what} holds no numbers: it is on the meta device")
    check(value.is_floating_point(), f"{what} should hold floating-point numbers; its type is {value.dtype}")


def check_close(
    actual: Any, expected: Any, what: str, *, absolute: float | None = None, relative: float | None = None
) -> None:
    """Fail unless ``actual`` has the shape of ``expected`` and equals it within the tolerance of their types.

    Tensors, arrays, numbers, and lists or tuples of numbers; nan equals nan. The sentence gives the size of the largest
    error, and no value.
    """
    found, wanted = _tensor(actual, what), _tensor(expected, what)
    check_shape(found, tuple(wanted.shape), what)
    types = (wanted.dtype, torch.float32 if found.dtype in HALF else found.dtype)
    least, part = max([TOLERANCES[dtype] for dtype in types if dtype in TOLERANCES], default=(0.0, 0.0))
    least, part = (least if absolute is None else absolute), (part if relative is None else relative)
    found, wanted = found.to(torch.float64), wanted.to(torch.float64)
    if torch.isnan(found).logical_and(~torch.isnan(wanted)).any():
        raise CheckFailed(f"{what} holds nan where a number is expected")
    same = (found == wanted) | (torch.isnan(found) & torch.isnan(wanted))
    error = torch.where(same, torch.zeros_like(wanted), (found - wanted).abs())
    if not bool((error <= least + part * wanted.abs().nan_to_num()).all()):
        wrong = int((error > least + part * wanted.abs().nan_to_num()).sum() + torch.isnan(error).sum())
        largest = float(error.nan_to_num(nan=float("inf")).max())
        count = f"{wrong} of {error.numel()} values are" if error.numel() > 1 else "the value is"
        raise CheckFailed(f"{what}: {count} off, by {largest:.3g} at the most")


def _tensor(value: Any, what: str) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        check(not value.is_meta, f"{what} holds no numbers: it is on the meta device")
        return value.detach().cpu()
    check_type(value, (torch.Tensor, np.ndarray, int, float, bool, list, tuple), what)
    try:
        return torch.as_tensor(np.asarray(value, dtype=None if isinstance(value, np.ndarray) else np.float64))
    except (TypeError, ValueError):
        raise CheckFailed(f"{what} should hold numbers only; it is {describe(value)}") from None


def describe(value: object) -> str:
    """What kind of thing ``value`` is, in a few words, and none of its contents."""
    if value is None:
        return "None"
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return f"{_article(type(value).__name__)} of shape {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict)):
        return f"{_article(type(value).__name__)} of {len(value)} items"
    return _article(getattr(value, "type_name", None) or type(value).__name__)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"
