"""Part 3: the encoder as a whole. A mixture of what it is given takes the attention's place."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_type
from autograder.grading.marks import question, weight

pytestmark = question("Encoder")

Pair = tuple[Any, torch.nn.Module]
VOCABULARY, LONGEST = 30, 16


@pytest.fixture
def pair(transformer: Any, student: Any, mixing: ModuleType, torch_rng: torch.Generator) -> Callable[..., Pair]:
    """``pair(layers)``: the student's encoder and the reference, with the same weights, in eval mode.

    A student's ``EncoderLayer`` is another question: in both, the layers' ``forward`` is a sum of its parts.
    """

    def make(layers: int = 2) -> Pair:
        sizes = (VOCABULARY, 8, 2, layers, 10, LONGEST, 4)
        mine = mixing.Encoder(*sizes).eval()
        for parameter in mine.parameters():
            parameter.data.normal_(0.1, 0.5, generator=torch_rng)
        theirs = transformer.Encoder(*sizes)
        lost = student.probe.load(theirs, mine.state_dict())
        check(not lost, f"supplied parts were changed: {', '.join(lost)}")
        theirs.eval()
        return theirs, mine

    return make


@pytest.fixture(autouse=True)
def plain_layers(mixing: ModuleType, stand_ins: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference's layers compute the same sum as the student's do here."""
    monkeypatch.setattr(mixing.EncoderLayer, "forward", stand_ins.summing_layer)


def sentences(torch_rng: torch.Generator, *lengths: int, size: int = 12) -> tuple[Tensor, Tensor]:
    """Tokens (B, S), 0 where there is padding, and the mask."""
    mask = torch.stack([(torch.arange(size) < length).float() for length in lengths])
    tokens = torch.randint(1, VOCABULARY, mask.shape, generator=torch_rng)
    return tokens * mask.long(), mask


def logits(student: Any, encoder: Any, tokens: Tensor, mask: Tensor) -> Tensor:
    """One a sentence, (B,)."""
    found = student.probe.encoded_with_stand_ins(encoder, tokens, mask)
    check_type(found, torch.Tensor, "what `forward` returns")
    allowed = {(len(tokens),), (len(tokens), 1)}
    check(tuple(found.shape) in allowed, f"one logit a sentence: (B,) or (B, 1); the shape is {tuple(found.shape)}")
    return found.reshape(-1)  # type: ignore[no-any-return]


@weight(1)
@pytest.mark.parametrize("batch", [3, 1], ids=["batch", "batch of one"])
def test_shape(pair: Callable[..., Pair], student: Any, torch_rng: torch.Generator, batch: int) -> None:
    """one logit a sentence, (B,) or (B, 1)"""
    logits(student, pair()[0], *sentences(torch_rng, *[12, 7, 4][:batch]))


@weight(4)
@pytest.mark.parametrize("layers", [1, 3], ids=["one layer", "three layers"])
def test_values(pair: Callable[..., Pair], student: Any, torch_rng: torch.Generator, layers: int) -> None:
    """embedding, positions, all layers, and the classifier on position 0"""
    theirs, mine = pair(layers)
    given = sentences(torch_rng, 12, 7, 4)
    check_close(logits(student, theirs, *given), mine(*given).detach().reshape(-1), "the logits", absolute=1e-4)


@weight(1)
def test_shorter_sentences(pair: Callable[..., Pair], student: Any, torch_rng: torch.Generator) -> None:
    """sentences shorter than the longest allowed work, and so do those of just that length"""
    theirs, mine = pair()
    for size in (1, 5, LONGEST):
        given = sentences(torch_rng, size, size, size=size)
        found = logits(student, theirs, *given)
        check_close(
            found, mine(*given).detach().reshape(-1), f"the logits of sentences of length {size}", absolute=1e-4
        )


@weight(1)
def test_predict(pair: Callable[..., Pair], student: Any, torch_rng: torch.Generator) -> None:
    """predict gives 1 where the logit is above 0, and 0 where it is below"""
    theirs, mine = pair()
    given = sentences(torch_rng, 12, 7, 4, 9, 11, 3)
    found = student.probe.predicted_with_stand_ins(theirs, *given)
    check_type(found, torch.Tensor, "what `predict` returns")
    check_close(found.reshape(-1).float(), (mine(*given).detach().reshape(-1) > 0).float(), "the predictions")


@weight(1)
def test_dropout(pair: Callable[..., Pair], student: Any, torch_rng: torch.Generator) -> None:
    """in train mode features of the embedding are dropped"""
    theirs, _ = pair()
    given = sentences(torch_rng, 12, 12, 12, 12)
    calm = [logits(student, theirs, *given) for _ in range(2)]
    check_close(calm[0], calm[1], "the logits of a second call in eval mode")
    theirs.train()
    moved = [logits(student, theirs, *given) for _ in range(2)]
    check(not torch.equal(moved[0], moved[1]), "in train mode nothing is dropped")
