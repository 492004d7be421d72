"""Fixtures that only the hw3 suites need."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_type


@pytest.fixture
def charnn(student: Any) -> Any:
    """The student's ``hw3.charnn``."""
    return student("hw3.charnn")


@pytest.fixture
def autoencoder(student: Any) -> Any:
    """The student's ``hw3.autoencoder``."""
    return student("hw3.autoencoder")


@pytest.fixture
def transformer(student: Any) -> Any:
    """The student's ``hw3.transformer``."""
    return student("hw3.transformer")


@pytest.fixture
def mixing(reference: Any, stand_ins: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The reference's ``hw3.transformer`` with ``mixing_attention`` in the attention's place."""
    module: ModuleType = reference("hw3.transformer")
    monkeypatch.setattr(module, "sliding_window_attention", stand_ins.mixing_attention)
    return module


@pytest.fixture
def answers(student: Any) -> Any:
    """The student's ``hw3.answers``."""
    return student("hw3.answers")


@pytest.fixture
def hyperparams(answers: Any) -> Callable[[str, set[str]], dict[str, Any]]:
    """``hyperparams("part1_rnn_hyperparams", keys)``: what this function returns, once it is known to have the keys."""

    def checked(function: str, keys: set[str]) -> dict[str, Any]:
        found: dict[str, Any] = getattr(answers, function)()
        check_type(found, dict, f"what `{function}` returns")
        missing = sorted(keys - set(found))
        check(not missing, f"these keys are missing: {', '.join(missing)}")
        return found

    return checked


@pytest.fixture
def normal(torch_rng: torch.Generator) -> Callable[..., Tensor]:
    """``normal(2, 3)``: standard normal numbers of this shape."""

    def draw(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(*shape, generator=torch_rng, dtype=torch.float64).to(dtype)

    return draw
