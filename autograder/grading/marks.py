"""Marks that a hidden suite puts on its tests.

``pytestmark = question("attend")`` names the grade cell whose points the module's tests share; ``@weight(3)`` is a
test's part of them, 1 without it.
"""

import pytest

__all__ = ["question", "weight"]


def question(identifier: str) -> pytest.MarkDecorator:
    """The tests belong to the grade cell ``identifier``."""
    return pytest.mark.question(identifier)


def weight(parts: float) -> pytest.MarkDecorator:
    """The test counts ``parts`` times as much as a test without this mark."""
    return pytest.mark.weight(parts)
