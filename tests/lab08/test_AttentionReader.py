"""Q3.2: the reader that returns to the column states at every step.

So that no mistake in ColumnEncoder or attend costs marks here, the reader runs on two stand-ins (probes.py): an encoder
whose states are pixels of the image, and an ``attend`` that weights columns by nearness. What the reader should give
with them is worked out below from the equations of the handout. A reader that inlines correct scaled dot-product
attention passes all but the test that asks for the student's own ``attend``.

Long, because the equations stand here too: the modules of a suite cannot import one another.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import CheckFailed, check, check_close, check_floats, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("AttentionReader")

DEFAULT = {"hidden": 64, "emb": 32, "d_k": 64, "d_v": 128}
OTHER = {"hidden": 24, "emb": 10, "d_k": 12, "d_v": 20}
Weights = dict[str, dict[str, Tensor]]
Attend = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
Strips = Callable[..., Tensor]
Symbols = Callable[[int, int], Tensor]
MakeBench = Callable[..., "Bench"]


class Step(NamedTuple):
    """One step of a reader: logits (B, 13), state (B, hidden), weights (B, N)."""

    logits: Tensor
    state: Tensor
    weights: Tensor


class Equations:
    """The handout's equations in float64, on memory h (B, N, 128)."""

    def __init__(self, weights: Weights, attend: Attend) -> None:
        self.w = {role: {name: value.double() for name, value in part.items()} for role, part in weights.items()}
        self.attend = attend

    def step(self, y_prev: Tensor, s_prev: Tensor, h: Tensor) -> Step:
        q, K, V = s_prev @ self.w["W_Q"]["weight"].T, h @ self.w["W_K"]["weight"].T, h @ self.w["W_V"]["weight"].T
        context, weights = self.attend(q, K, V)
        state = self.cell(torch.cat([self.w["emb"]["weight"][y_prev], context], dim=1), s_prev)
        logits = torch.cat([state, context], dim=1) @ self.w["out"]["weight"].T + self.w["out"]["bias"]
        return Step(logits, state, weights)

    def cell(self, x: Tensor, s: Tensor) -> Tensor:
        """A GRU cell: reset gate, update gate, candidate, in this order of rows."""
        w = self.w["cell"]
        from_x = (x @ w["weight_ih"].T + w["bias_ih"]).chunk(3, dim=1)
        from_s = (s @ w["weight_hh"].T + w["bias_hh"]).chunk(3, dim=1)
        reset, update = torch.sigmoid(from_x[0] + from_s[0]), torch.sigmoid(from_x[1] + from_s[1])
        return (1 - update) * torch.tanh(from_x[2] + reset * from_s[2]) + update * s

    def forward(self, dec_in: Tensor, s0: Tensor, h: Tensor) -> Tensor:
        state, rows = s0, []
        for t in range(dec_in.shape[1]):
            found = self.step(dec_in[:, t], state, h)
            state = found.state
            rows.append(found.logits)
        return torch.stack(rows, dim=1)


class Bench:
    """One student's reader with known weights on the stand-ins, and the two sets of values that are right for it."""

    def __init__(
        self, student: Any, stand_ins: ModuleType, weights: Weights, attends: list[Attend], sizes: dict[str, int]
    ) -> None:
        self.probe, self.stand_ins, self.sizes = student.probe, stand_ins, sizes
        self.model, self.lost = student.probe.reader(weights, **sizes)
        self.weights, self.attends = weights, attends

    @property
    def right(self) -> list[Equations]:
        """The equations with each ``attend``; a bias that the reader lacks is zero, a part that it lacks a failure."""
        missing = sorted({name for name in self.lost if "." not in name})
        check(not missing, f"the reader has no part with the type and shape of: {', '.join(missing)}")
        present = {
            role: {name: value * (f"{role}.{name}" not in self.lost) for name, value in part.items()}
            for role, part in self.weights.items()
        }
        return [Equations(present, attend) for attend in self.attends]

    def states(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """h and s0 that the stand-in encoder gives, in float64."""
        hidden = self.sizes.get("hidden", 64)
        h, s0 = self.stand_ins.PixelEncoder(hidden)(images.double())
        return h, s0

    def encode(self, images: Tensor) -> tuple[Tensor, Any]:
        s0, kept = self.probe.encode(self.model, images)
        check_type(s0, Tensor, "the first thing that `encode` returns, s0,")
        return s0, kept

    def step(self, y_prev: Tensor, s_prev: Tensor, kept: Any) -> Step:
        return three(self.probe.step(self.model, y_prev, s_prev, kept))

    def forward(self, images: Tensor, dec_in: Tensor) -> Tensor:
        logits = self.probe.forward(self.model, images, dec_in)
        check_floats(logits, "what `forward` returns")
        return logits

    def check_forward(self, images: Tensor, dec_in: Tensor, what: str, found: Tensor | None = None) -> None:
        """The logits of ``forward`` are those of the equations, up to a constant for each position."""
        found = self.forward(images, dec_in) if found is None else found
        h, s0 = self.states(images)
        self.check_any(relative(found), [relative(right.forward(dec_in, s0, h)) for right in self.right], what)

    @staticmethod
    def check_any(found: Tensor, expected: list[Tensor], what: str) -> None:
        """``found`` is one of ``expected``; if not, the sentence is about the first."""
        for one in expected[1:]:
            try:
                return check_close(found, one.to(found.dtype), what)
            except CheckFailed:
                continue
        return check_close(found, expected[0].to(found.dtype), what)


def relative(logits: Tensor) -> Tensor:
    """Logits without the constant of each row, so that log-probabilities count as wrong in one test only."""
    return logits - logits.mean(-1, keepdim=True)


def three(result: Any) -> Step:
    check_type(result, (tuple, list), "what `step` returns")
    check(len(result) == 3, f"`step` should return three things: logits, state and weights; it returned {len(result)}")
    for name, value in zip(Step._fields, result, strict=True):
        check_floats(value, f"the {name} of `step`")
    return Step(*result)


def scaled_dot_product(q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax((K @ q.unsqueeze(2)).squeeze(2) / q.shape[1] ** 0.5, dim=1)
    return (weights.unsqueeze(1) @ V).squeeze(1), weights


def random_weights(generator: torch.Generator, hidden: int, emb: int, d_k: int, d_v: int) -> Weights:
    shapes = {
        "emb": {"weight": (13, emb)},
        "W_Q": {"weight": (d_k, hidden)},
        "W_K": {"weight": (d_k, 128)},
        "W_V": {"weight": (d_v, 128)},
        "cell": {
            "weight_ih": (3 * hidden, emb + d_v), "weight_hh": (3 * hidden, hidden),
            "bias_ih": (3 * hidden,), "bias_hh": (3 * hidden,),
        },
        "out": {"weight": (13, hidden + d_v), "bias": (13,)},
    }  # fmt: skip
    gain = {"W_Q": 3.0, "W_K": 3.0}  # attention that is neither uniform nor on one column
    return {
        role: {
            name: torch.randn(*shape, generator=generator) * gain.get(role, 1.0) / shape[-1] ** 0.5
            for name, shape in part.items()
        }
        for role, part in shapes.items()
    }


@pytest.fixture
def bench(student: Any, stand_ins: ModuleType, torch_rng: torch.Generator) -> MakeBench:
    """``bench(**sizes)``: the reader of these sizes (those not given are the default)."""
    attends = [stand_ins.nearness_attend, scaled_dot_product]

    def make(**sizes: int) -> Bench:
        return Bench(student, stand_ins, random_weights(torch_rng, **{**DEFAULT, **sizes}), attends, sizes)

    return make


@pytest.fixture
def symbols(torch_rng: torch.Generator) -> Callable[[int, int], Tensor]:
    """``symbols(B, T)``: decoder inputs, SOS first, then random digits, PAD at the end of the odd rows."""

    def draw(B: int, T: int) -> Tensor:
        dec_in = torch.randint(0, 10, (B, T), generator=torch_rng)
        dec_in[:, 0] = 10
        dec_in[1::2, T - 1 :] = 12
        return dec_in

    return draw


# -- the interface ----------------------------------------------------------------------------------------------------


@weight(1)
def test_encode_gives_the_first_state(bench: MakeBench, strips: Strips) -> None:
    """`encode` returns the encoder's s0 first, with shape (B, 64)"""
    b, images = bench(), strips(3)
    s0, _ = b.encode(images)
    check_shape(s0, (3, 64), "s0")
    check_close(s0, b.states(images)[1].float(), "s0")


@weight(2)
def test_shapes_of_a_step(bench: MakeBench, strips: Strips) -> None:
    """`step` returns logits (B, 13), state (B, 64) and weights (B, 21)"""
    b = bench()
    s0, kept = b.encode(strips(3))
    found = b.step(torch.tensor([10, 10, 10]), s0, kept)
    check_shape(found.logits, (3, 13), "the logits of `step`")
    check_shape(found.state, (3, 64), "the state of `step`")
    check_shape(found.weights, (3, 21), "the weights of `step`")


@weight(1)
def test_shape_of_forward(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """`forward` returns logits of shape (B, T, 13)"""
    check_shape(bench().forward(strips(3), symbols(3, 5)), (3, 5, 13), "the logits of `forward`")


@weight(2)
def test_parts(student: Any) -> None:
    """embedding, W_Q, W_K, W_V, GRU cell and output layer are there once each, with the right number of parameters"""
    roles = {"emb": 416, "W_Q": 4_096, "W_K": 8_192, "W_V": 16_384, "cell": 43_392, "out": 2_509}
    model, _ = student.probe.reader({})
    found = student.probe.reader_parts(model, list(roles))
    for role, count in roles.items():
        check(found[role], f"the reader has no part with the type and shape of {role}")
        check(len(found[role]) == 1, f"the reader has {len(found[role])} parts with the type and shape of {role}")
        check(found[role][0] == count, f"the number of parameters of {role} is not right: found {found[role][0]:,}")


@weight(1)
def test_parameters_in_all(student: Any) -> None:
    """the reader has 398,349 parameters in all, counting 323,360 for the encoder"""
    model, _ = student.probe.reader({})
    found = student.probe.reader_parts(model, [])["all"][0]
    check(found == 74_989, f"with an encoder of 323,360 parameters the reader has {323_360 + found:,} in all")


@weight(1)
@pytest.mark.parametrize("hidden", [64, 24])
def test_encoder(student: Any, hidden: int) -> None:
    """`encoder` is a ColumnEncoder of the reader's width"""
    model, _ = student.probe.reader({}, hidden=hidden)
    found = student.probe.encoder_given(model)
    check(found["is_encoder"], "the reader has no ColumnEncoder at the attribute `encoder`")
    check(found["hidden"] == hidden, f"for hidden={hidden} the encoder was made with another width")


# -- values -----------------------------------------------------------------------------------------------------------


@weight(3)
@pytest.mark.parametrize("part", Step._fields)
def test_one_step(bench: MakeBench, torch_rng: torch.Generator, strips: Strips, part: str) -> None:
    """one step of the decoder: query from the last state, context, new state, logits from state and context"""
    b, images = bench(), strips(3)
    y_prev, s_prev = torch.tensor([10, 3, 7]), torch.randn(3, 64, generator=torch_rng)
    found = b.step(y_prev, s_prev, b.encode(images)[1])
    expected = [right.step(y_prev, s_prev.double(), b.states(images)[0]) for right in b.right]
    view = relative if part == "logits" else torch.clone
    b.check_any(view(getattr(found, part)), [view(getattr(one, part)) for one in expected], f"the {part} of a step")


@weight(5)
def test_teacher_forcing(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """`forward` reads the given symbols one by one and gives the logits of each position"""
    bench().check_forward(strips(3), symbols(3, 5), "the logits of `forward`")


@weight(2)
def test_forward_agrees_with_steps(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """`forward` gives what `encode` and `step` give, position by position, in eval mode"""
    b, images, dec_in = bench(), strips(2), symbols(2, 4)
    together = b.forward(images, dec_in)
    state, kept = b.encode(images)
    for t in range(4):
        found = b.step(dec_in[:, t], state, kept)
        state = found.state
        check_shape(together, (2, 4, 13), "the logits of `forward`")
        what = f"the logits of `forward` at position {t}, against those of `step`,"
        check_close(relative(together[:, t]), relative(found.logits), what)


@weight(2)
def test_logits_are_not_log_probabilities(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """what `forward` returns are logits, straight from the output layer"""
    b, images, dec_in = bench(), strips(2), symbols(2, 3)
    found = b.forward(images, dec_in)
    total = found.exp().sum(-1)
    check(
        not torch.allclose(total, torch.ones_like(total), atol=1e-3),
        "`forward` returns (log-)probabilities, not logits",
    )
    sums = found.sum(-1)
    check(not torch.allclose(sums, torch.ones_like(sums), atol=1e-3), "`forward` returns probabilities, not logits")
    h, s0 = b.states(images)
    expected = [right.forward(dec_in, s0, h) for right in b.right]
    b.check_any(found, expected, "the logits of `forward`, each position's constant included,")


@weight(2)
def test_other_sizes(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """readers of other sizes follow the same equations"""
    bench(**OTHER).check_forward(strips(2), symbols(2, 4), "the logits of a reader of other sizes")


@weight(1)
def test_other_widths(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """strips of other widths, with another number of columns, are read alike"""
    b = bench()
    images, dec_in = strips(2, 224), symbols(2, 3)
    s0, kept = b.encode(images)
    check_shape(b.step(dec_in[:, 0], s0, kept).weights, (2, 14), "the weights for strips of 14 columns")
    b.check_forward(images, dec_in, "the logits for strips of 14 columns")


@weight(1)
def test_train_mode(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """in train mode the decoder follows the same equations"""
    b = bench()
    b.model.train()
    b.check_forward(strips(2), symbols(2, 3), "the logits in train mode")


# -- how it is computed -----------------------------------------------------------------------------------------------


@weight(3)
def test_own_attend_is_used(bench: MakeBench, torch_rng: torch.Generator, strips: Strips) -> None:
    """`step` uses the notebook's own `attend` (tried by putting another function in its place)"""
    b, images = bench(), strips(3)
    y_prev, s_prev = torch.tensor([10, 3, 7]), torch.randn(3, 64, generator=torch_rng)
    found = b.step(y_prev, s_prev, b.encode(images)[1])
    expected = b.right[0].step(y_prev, s_prev.double(), b.states(images)[0])
    close = found.weights.shape == expected.weights.shape and torch.allclose(
        found.weights.double(), expected.weights, atol=1e-4
    )
    check(close, "with another function in the place of `attend`, the weights of `step` are not the weights it gave")


@weight(3)
def test_keys_and_values_are_made_by_encode(bench: MakeBench, strips: Strips) -> None:
    """keys and values are computed once per strip, in `encode`, and not again in `step`"""
    b = bench(**OTHER)
    y_prev = torch.tensor([10, 4])
    s0, kept = b.encode(strips(2))
    without = three(b.probe.step_without_projections(b.model, y_prev, s0, kept, **OTHER))
    found = b.step(y_prev, s0, kept)
    for name, value, again in zip(Step._fields, found, without, strict=True):
        check_close(
            again,
            value,
            f"after `encode`, W_K and W_V should play no part in `step`, but the {name} changed with them:",
        )


@weight(1)
def test_cost_of_a_position(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """each further position of `forward` costs one step, and no new pass over the strip"""
    b, images = bench(), strips(1)
    short, long = (b.probe.forward_flops(b.model, images, symbols(1, T)) for T in (2, 6))
    projections = 2 * 21 * 128 * (64 + 128)  # W_K and W_V on 21 columns
    check(long > short, "`forward` does not grow with the number of positions")
    check(
        (long - short) / 4 < projections / 2,
        "each further position costs more than a step: is something done anew each time?",
    )


@weight(1)
def test_forward_encodes_once(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """`forward` runs the encoder once"""
    b = bench(**OTHER)
    runs = b.probe.encoder_runs(b.model, strips(2), symbols(2, 4))
    check(runs == 1, f"`forward` ran the encoder {runs} times for four positions")


# -- the rules of the lab ---------------------------------------------------------------------------------------------


@weight(1)
def test_batch_of_one(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """a batch of one strip, and a single position, work like any other"""
    b = bench(**OTHER)
    for T in (3, 1):
        b.check_forward(strips(1), symbols(1, T), "the logits for a batch of one")
    s0, kept = b.encode(strips(1))
    check_shape(b.step(torch.tensor([10]), s0, kept).weights, (1, 21), "the weights for a batch of one")


@weight(1)
def test_float64(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """a reader in float64 gives float64, to float64's precision"""
    b = bench(**OTHER)
    b.model.double()
    images, dec_in = strips(2, dtype=torch.float64), symbols(2, 3)
    found = b.forward(images, dec_in)
    check(found.dtype == torch.float64, f"the logits should be float64 when the reader is; found {found.dtype}")
    b.check_forward(images, dec_in, "the logits in float64", found)


@weight(1)
def test_nothing_is_kept_between_calls(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """strips encoded in between do not change what a step or `forward` gives"""
    b, dec_in = bench(**OTHER), symbols(2, 3)
    images, others = strips(2), strips(2)
    s0, kept = b.encode(images)
    before, before_forward = b.step(dec_in[:, 0], s0, kept), b.forward(images, dec_in)
    b.encode(others)
    b.forward(others, dec_in)
    after, after_forward = b.step(dec_in[:, 0], s0, kept), b.forward(images, dec_in)
    check(all(map(torch.equal, before, after)), "`step` with the same memory gave another result after other strips")
    check(
        torch.equal(before_forward, after_forward),
        "`forward` on the same strips gave another result after other strips",
    )


@weight(1)
def test_inputs_stay_as_they_were(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """images, symbols and states are left as they were"""
    b = bench(**OTHER)
    changed = b.probe.reader_changes(b.model, strips(2), symbols(2, 3))
    check(not changed, f"the reader changed its inputs in place: {', '.join(changed)}")


@weight(2)
def test_gradients(bench: MakeBench, strips: Strips, symbols: Symbols, torch_rng: torch.Generator) -> None:
    """gradients flow back to every parameter and through the encoder"""
    b = bench(**OTHER)
    direction = torch.randn(2, 4, 13, generator=torch_rng)
    found = b.probe.reader_gradients(b.model, strips(2), symbols(2, 4), direction)
    for name, size in found.items():
        what = "the encoder" if name == "images" else f"`{name}`"
        check(size is not None and size > 0, f"no gradient reaches {what}")


@weight(1)
def test_works_on_any_device(bench: MakeBench, strips: Strips, symbols: Symbols) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    b = bench(**OTHER)
    found = b.probe.forward_on(b.model, "meta", strips(2), symbols(2, 3))
    check_shape(found, (2, 3, 13), "the logits of `forward`")
    check(found.device.type == "meta", "the logits are not on the reader's device")


@weight(1)
def test_values_on_each_device(bench: MakeBench, strips: Strips, symbols: Symbols, device: str) -> None:
    """the same values on every device of this machine"""
    b, images, dec_in = bench(**OTHER), strips(2), symbols(2, 3)
    found = b.probe.forward_on(b.model, device, images, dec_in)
    check_type(found, Tensor, "what `forward` returns")
    b.check_forward(images, dec_in, f"the logits on {device}", found)
