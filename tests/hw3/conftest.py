"""Fixtures that only the hw3 suites need."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor


@pytest.fixture(scope="session")
def stand_ins() -> ModuleType:
    """The probes' module on the trusted side: what its stand-ins give is computed here, not believed."""
    spec = importlib.util.spec_from_file_location("hw3_stand_ins", Path(__file__).with_name("probes.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
def answers(student: Any) -> Any:
    """The student's ``hw3.answers``."""
    return student("hw3.answers")


@pytest.fixture
def normal(torch_rng: torch.Generator) -> Callable[..., Tensor]:
    """``normal(2, 3)``: standard normal numbers of this shape."""

    def draw(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(*shape, generator=torch_rng, dtype=torch.float64).to(dtype)

    return draw
