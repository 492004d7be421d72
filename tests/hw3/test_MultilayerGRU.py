"""Part 1: a GRU of several layers, whose parameters a student may name and place as they like.

The role of each tensor is found from outside. Which layer a tensor belongs to shows when it is disturbed: the states of
that layer are the first to change. Within a layer every assignment of its tensors to the roles of the equations is
tried (three maps of the input, three of the state, each perhaps transposed), and one must fit; then, one bias at a
time, to which gate each bias belongs. So the equations are checked whatever the names, and in any order of the maps.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.grading.checks import check, check_close, check_shape, check_type
from autograder.grading.marks import question, weight

pytestmark = question("MultilayerGRU")

Normal = Callable[..., Tensor]
Weights = dict[str, Tensor]
FITS = 1e-4
GATES = ("z", "r", "g")


@dataclass
class Layer:
    """One layer of the equations: x_maps (3, I, H) and h_maps (3, H, H), for z, r and g; biases (3, H)."""

    x_maps: Tensor
    h_maps: Tensor
    biases: Tensor

    def states(self, x: Tensor, h: Tensor) -> Tensor:
        """The states (B, S, H) after each of the inputs x (B, S, I), from h (B, H) on."""
        found = []
        for x_t in x.unbind(1):
            h = step(x_t, h, self.x_maps, self.h_maps, self.biases)
            found.append(h)
        return torch.stack(found, 1)


def step(x: Tensor, h: Tensor, x_maps: Tensor, h_maps: Tensor, biases: Tensor) -> Tensor:
    """One step of the equations. Maps may have leading dimensions: (..., 3, I, H), (..., 3, H, H), (..., 3, H)."""

    def affine(gate: int, state: Tensor) -> Tensor:
        return x @ x_maps[..., gate, :, :] + state @ h_maps[..., gate, :, :] + biases[..., gate, None, :]

    z, r = torch.sigmoid(affine(0, h)), torch.sigmoid(affine(1, h))
    g = torch.tanh(affine(2, r * h))
    return z * h + (1 - z) * g


@dataclass
class Model:
    """A student's model whose tensors' roles are known."""

    remote: Any
    weights: Weights
    layers: list[Layer]
    head: Tensor  # (H, O)
    layer_names: list[list[str]] = field(default_factory=list)
    head_names: list[str] = field(default_factory=list)

    def outputs(self, x: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """What the equations give, without dropout and with a last bias of zero: (B, S, O) and (B, L, H)."""
        last = []
        for index, layer in enumerate(self.layers):
            x = layer.states(x, hidden[:, index])
            last.append(x[:, -1])
        return x @ self.head, torch.stack(last, 1)


# -- talking to the student's model -----------------------------------------------------------------------------------


def outputs(result: Any) -> tuple[Tensor, Tensor]:
    """Output and hidden state, when the model returned two tensors."""
    check_type(result, (tuple, list), "what the model returns")
    check(
        len(result) == 2, f"the model should return the output and the hidden state; it returned {len(result)} things"
    )
    check_type(result[0], torch.Tensor, "the output")
    check_type(result[1], torch.Tensor, "the hidden state")
    return result[0], result[1]


def make(charnn: Any, *sizes: int, dropout: float | None = None) -> Any:
    """A model in eval mode. ``sizes``: in_dim, h_dim, out_dim, n_layers."""
    model = charnn.MultilayerGRU(*sizes) if dropout is None else charnn.MultilayerGRU(*sizes, dropout=dropout)
    model.eval()
    return model


def is_matrix(shape: Sequence[int]) -> bool:
    """Whether a tensor of this shape maps one vector to another; a bias may well be a row."""
    return len(shape) == 2 and min(shape) > 1


def drawn(student: Any, model: Any, normal: Normal) -> Weights:
    """Fresh values for the model's matrices, and zeros for its vectors; loaded into it."""
    shapes: dict[str, tuple[int, ...]] = student.probe.parameter_shapes(model)
    weights = {
        name: normal(*shape) * 1.5 / max(shape) ** 0.5 if is_matrix(shape) else torch.zeros(shape)
        for name, shape in shapes.items()
    }
    student.probe.set_parameters(model, weights)
    return weights


# -- roles ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def recovered(charnn: Any, student: Any, normal: Normal) -> Callable[..., Model]:
    """``recovered(7, 5, 7, 2)``: a model with fresh weights, zero biases, and every matrix's role known."""

    def find(*sizes: int, dropout: float | None = None) -> Model:
        in_dim, h_dim, _, n_layers = sizes
        remote = make(charnn, *sizes, dropout=dropout)
        weights = drawn(student, remote, normal)
        first = student.probe.first_layer_changed(remote, normal(3, 2, in_dim), normal(3, n_layers, h_dim))
        names = [[name for name in weights if first[name] == layer] for layer in range(n_layers + 1)]
        x, hidden = normal(4, 3, in_dim), normal(4, n_layers, h_dim)
        target = outputs(remote(x, hidden))[1]
        check_shape(target, (4, n_layers, h_dim), "the hidden state")
        layers = []
        for index in range(n_layers):
            matrices = [weights[name] for name in names[index] if is_matrix(weights[name].shape)]
            layer = fitting(matrices, x, hidden[:, index], target[:, index])
            check(layer is not None, f"the states of layer {index + 1} do not follow the equations")
            assert layer is not None
            layers.append(layer)
            x = layer.states(x, hidden[:, index])
        heads = [weights[name] for name in names[n_layers] if is_matrix(weights[name].shape)]
        check(len(heads) == 1, "there should be one matrix between the last layer and the output")
        head = heads[0] if heads[0].shape == (h_dim, sizes[2]) and h_dim != sizes[2] else heads[0].T
        return Model(remote, weights, layers, head, names[:n_layers], names[n_layers])

    return find


def fitting(matrices: list[Tensor], x: Tensor, h: Tensor, target: Tensor) -> Layer | None:
    """The layer whose maps, taken from ``matrices`` in some order, lead from x (B, S, I) and h (B, H) to ``target``."""
    size = h.shape[1]
    for x_maps, h_maps in assignments(matrices, x.shape[2], size):
        state = h.expand(x_maps.shape[0], *h.shape)
        biases = torch.zeros(3, size)
        for x_t in x.unbind(1):
            state = step(x_t, state, x_maps, h_maps, biases)
        errors = (state - target).abs().flatten(1).amax(1)
        best = int(errors.argmin())
        if errors[best] < FITS:
            return Layer(x_maps[best], h_maps[best], biases)
    return None


def assignments(matrices: list[Tensor], in_dim: int, size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Every way to give the matrices their roles: candidates (C, 3, I, H) and (C, 3, H, H), for each orientation."""
    if len(matrices) != 6:
        return
    for x_turned, h_turned in itertools.product((True, False), repeat=2):
        ways = []
        for order in itertools.permutations(range(6)):
            x_shape, h_shape = ((size, in_dim) if x_turned else (in_dim, size)), (size, size)
            chosen = [matrices[i] for i in order]
            if all(m.shape == x_shape for m in chosen[:3]) and all(m.shape == h_shape for m in chosen[3:]):
                ways.append(order)
        if ways:
            x_maps = [torch.stack([m.T if x_turned else m for m in (matrices[i] for i in way[:3])]) for way in ways]
            h_maps = [torch.stack([m.T if h_turned else m for m in (matrices[i] for i in way[3:])]) for way in ways]
            yield torch.stack(x_maps), torch.stack(h_maps)


# -- shapes -----------------------------------------------------------------------------------------------------------


@weight(1)
@pytest.mark.parametrize(
    ("batch", "length"), [(3, 4), (1, 4), (3, 1), (1, 1)], ids=["batch", "batch of one", "one step", "one of one"]
)
def test_shapes(charnn: Any, normal: Normal, batch: int, length: int) -> None:
    """the output has shape (B, S, O) and the hidden state (B, L, H)"""
    output, hidden = outputs(make(charnn, 7, 5, 7, 3)(normal(batch, length, 7)))
    check_shape(output, (batch, length, 7), "the output")
    check_shape(hidden, (batch, 3, 5), "the hidden state")


@weight(1)
def test_output_of_another_width(charnn: Any, normal: Normal) -> None:
    """in_dim and out_dim may differ"""
    output, hidden = outputs(make(charnn, 4, 5, 3, 2)(normal(2, 3, 4)))
    check_shape(output, (2, 3, 3), "the output")
    check_shape(hidden, (2, 2, 5), "the hidden state")


@weight(1)
def test_number_of_parameter_tensors(charnn: Any, student: Any) -> None:
    """there are exactly 9 L + 2 parameter tensors, one bias a gate"""
    for layers in (1, 3):
        count = len(student.probe.parameter_shapes(make(charnn, 7, 5, 7, layers)))
        check(count == 9 * layers + 2, f"{layers} layers make {9 * layers + 2} parameter tensors; found {count}")


# -- the equations ----------------------------------------------------------------------------------------------------


@weight(1)
def test_without_weights_the_state_halves(charnn: Any, student: Any, normal: Normal) -> None:
    """with all parameters zero each step halves the state"""
    model, hidden = make(charnn, 7, 5, 7, 2), normal(3, 2, 5)
    shapes = student.probe.parameter_shapes(model)
    student.probe.set_parameters(model, {name: torch.zeros(shape) for name, shape in shapes.items()})
    check_close(outputs(model(normal(3, 4, 7), hidden))[1], hidden / 16, "the state after four steps without weights")


@weight(4)
def test_equations_of_one_layer(recovered: Callable[..., Model], normal: Normal) -> None:
    """z, r, g and the new state follow the equations"""
    model = recovered(7, 5, 7, 1)
    x, hidden = normal(3, 6, 7), normal(3, 1, 5)
    check_close(outputs(model.remote(x, hidden))[1], model.outputs(x, hidden)[1], "the hidden state")


@weight(4)
def test_equations_of_three_layers(recovered: Callable[..., Model], normal: Normal) -> None:
    """each layer reads the states of the one below"""
    model = recovered(7, 5, 7, 3)
    x, hidden = normal(2, 6, 7), normal(2, 3, 5)
    check_close(outputs(model.remote(x, hidden))[1], model.outputs(x, hidden)[1], "the hidden states")


@weight(3)
def test_output(recovered: Callable[..., Model], normal: Normal) -> None:
    """the output is an affine map of the last layer's states, at every step"""
    model = recovered(7, 5, 7, 2)
    x, hidden = normal(3, 6, 7), normal(3, 2, 5)
    check_close(outputs(model.remote(x, hidden))[0], model.outputs(x, hidden)[0], "the output")


@weight(3)
def test_biases(recovered: Callable[..., Model], student: Any, normal: Normal) -> None:
    """each gate has a bias, and so has the output"""
    model = recovered(7, 5, 7, 1)
    x, hidden = normal(3, 2, 7), normal(3, 1, 5)
    served = set()
    for name in [name for name in model.layer_names[0] if not is_matrix(model.weights[name].shape)]:
        bias = normal(5)
        student.probe.set_parameters(model.remote, {**model.weights, name: bias.view_as(model.weights[name])})
        found = outputs(model.remote(x, hidden))[1]
        served |= {gate for gate in range(3) if (with_bias(model, gate, bias, x, hidden) - found).abs().max() < FITS}
    missing = [GATES[gate] for gate in range(3) if gate not in served]
    check(not missing, f"no bias works as the equations say for {' and '.join(missing)}")
    biases = [name for name in model.head_names if not is_matrix(model.weights[name].shape)]
    check(len(biases) == 1, "the output should have one bias")
    bias = normal(7)
    student.probe.set_parameters(model.remote, {**model.weights, biases[0]: bias.view_as(model.weights[biases[0]])})
    expected = model.outputs(x, hidden)[0] + bias
    check_close(outputs(model.remote(x, hidden))[0], expected, "the output with a bias")


def with_bias(model: Model, gate: int, bias: Tensor, x: Tensor, hidden: Tensor) -> Tensor:
    """States (B, 1, H) of a model of one layer when ``gate`` has ``bias``."""
    layer = model.layers[0]
    biases = torch.zeros(3, len(bias)).index_fill(0, torch.tensor(gate), 1) * bias
    return Layer(layer.x_maps, layer.h_maps, biases).states(x, hidden[:, 0])[:, -1:]


# -- the state --------------------------------------------------------------------------------------------------------


@weight(2)
def test_without_a_state_it_starts_from_zeros(charnn: Any, student: Any, normal: Normal) -> None:
    """without a hidden state the model starts from zeros"""
    model, x = make(charnn, 7, 5, 7, 2), normal(3, 4, 7)
    drawn(student, model, normal)
    for found, expected, what in zip(
        outputs(model(x)), outputs(model(x, torch.zeros(3, 2, 5))), ("the output", "the hidden state"), strict=True
    ):
        check_close(found, expected, f"{what} without a hidden state")


@weight(2)
def test_a_state_carries_on(charnn: Any, student: Any, normal: Normal) -> None:
    """a sequence read in two parts, the state carried over, gives what it gives in one"""
    model, x = make(charnn, 7, 5, 7, 2), normal(3, 6, 7)
    drawn(student, model, normal)
    whole, last = outputs(model(x))
    first, between = outputs(model(x[:, :2].contiguous()))
    second, end = outputs(model(x[:, 2:].contiguous(), hidden_state=between))
    check_close(torch.cat([first, second], 1), whole, "the output of two parts")
    check_close(end, last, "the hidden state after two parts")


@weight(1)
def test_inputs_stay_as_they_were(charnn: Any, student: Any, normal: Normal) -> None:
    """input and hidden state are left as they were"""
    model = make(charnn, 7, 5, 7, 2)
    changed = student.probe.changed_by(model, normal(3, 4, 7), normal(3, 2, 5))
    check(
        not changed, f"the model changed {' and '.join(('its input', 'the hidden state')[i] for i in changed)} in place"
    )


@weight(1)
def test_sequences_do_not_mix(charnn: Any, student: Any, normal: Normal) -> None:
    """a sequence gets the same output whatever else is in the batch"""
    model, x = make(charnn, 7, 5, 7, 2), normal(3, 4, 7)
    drawn(student, model, normal)
    together, alone = outputs(model(x))[0], outputs(model(x[1:2].clone()))[0]
    check_close(together[1:2], alone, "the output of a sequence in a batch, against the sequence alone,")


# -- training ---------------------------------------------------------------------------------------------------------


@weight(2)
def test_gradients_flow_through_time(recovered: Callable[..., Model], student: Any, normal: Normal) -> None:
    """gradients of the last output reach the first input and the first state"""
    model = recovered(7, 5, 7, 2)
    x, hidden, direction = normal(2, 5, 7), normal(2, 2, 5), normal(2, 7)
    found = student.probe.gradients_of_last_output(model.remote, x, hidden, direction)
    leaves = x.clone().requires_grad_(), hidden.clone().requires_grad_()
    expected = torch.autograd.grad((model.outputs(*leaves)[0][:, -1] * direction).sum(), leaves)
    for value, wanted, what in zip(found, expected, ("the input", "the hidden state"), strict=True):
        check(value is not None, f"no gradient reaches {what}")
        check_close(value, wanted, f"the gradient of {what}", absolute=1e-4)


@weight(1)
def test_gradients_reach_every_parameter(charnn: Any, student: Any, normal: Normal) -> None:
    """every parameter gets a gradient"""
    without = student.probe.parameters_without_gradient(make(charnn, 7, 5, 7, 2), normal(2, 4, 7), normal(2, 2, 5))
    check(not without, f"no gradient reaches {', '.join(without)}")


@weight(1)
def test_dropout_is_off_by_default(charnn: Any, student: Any, normal: Normal) -> None:
    """without a dropout argument, train mode changes nothing"""
    model, x = make(charnn, 7, 5, 7, 2), normal(2, 4, 7)
    calm = outputs(model(x))[0]
    model.train()
    check_close(outputs(model(x))[0], calm, "the output in train mode without dropout")


@weight(1)
def test_eval_mode_drops_nothing(recovered: Callable[..., Model], normal: Normal) -> None:
    """in eval mode dropout changes nothing"""
    model = recovered(7, 5, 7, 2, dropout=0.5)
    x, hidden = normal(2, 4, 7), normal(2, 2, 5)
    check_close(outputs(model.remote(x, hidden))[0], model.outputs(x, hidden)[0], "the output in eval mode")


@weight(2)
def test_dropout_after_the_last_layer(recovered: Callable[..., Model], normal: Normal) -> None:
    """dropout acts on the last layer's states before the output layer"""
    model = recovered(4, 6, 4, 1, dropout=0.5)
    x, hidden = normal(40, 1, 4), normal(40, 1, 6)
    states = model.outputs(x, hidden)[1][:, 0]
    model.remote.train()
    found = outputs(model.remote(x, hidden))[0][:, 0]
    dropped = masked(states, 0.5)  # (64, 40, 6): every mask
    errors = (dropped @ model.head - found).abs().amax(2)  # (64, 40)
    check(bool((errors.amin(0) < 1e-3).all()), "the output is not one of states with some dropped and the rest scaled")
    kept = errors.argmin(0)
    check(bool((kept != kept[0]).any()), "in train mode nothing is dropped, or the same every time")


@weight(2)
def test_dropout_between_layers(recovered: Callable[..., Model], normal: Normal) -> None:
    """dropout acts on each layer's states before the next layer, and not on the state that is carried in time"""
    model = recovered(4, 6, 4, 2, dropout=0.5)
    x, hidden = normal(40, 1, 4), normal(40, 2, 6)
    below = model.outputs(x, hidden)[1][:, 0]
    model.remote.train()
    found = outputs(model.remote(x, hidden))[1]
    check_close(found[:, 0], below, "the first layer's state, which is carried in time, in train mode")
    upper = model.layers[1]
    above = step(masked(below, 0.5), hidden[:, 1], upper.x_maps, upper.h_maps, upper.biases)  # (64, 40, 6)
    errors = (above - found[:, 1]).abs().amax(2)
    check(
        bool((errors.amin(0) < 1e-3).all()),
        "the second layer does not read states with some dropped and the rest scaled",
    )
    kept = errors.argmin(0)
    check(bool((kept != kept[0]).any()), "in train mode nothing is dropped between layers, or the same every time")


def masked(states: Tensor, dropout: float) -> Tensor:
    """States (B, H) under each of the 2^H masks: (2^H, B, H)."""
    masks = torch.tensor(list(itertools.product((0.0, 1.0), repeat=states.shape[1])))
    return masks[:, None] * states / (1 - dropout)


# -- devices ----------------------------------------------------------------------------------------------------------


@weight(1)
def test_works_on_any_device(charnn: Any, student: Any, normal: Normal) -> None:
    """no tensor is made on a fixed device (tried on PyTorch's meta device)"""
    model = make(charnn, 7, 5, 7, 2)
    for given in ([normal(2, 3, 7)], [normal(2, 3, 7), normal(2, 2, 5)]):
        output, hidden = outputs(student.probe.on_device(model, "meta", given))
        check(output.device.type == hidden.device.type == "meta", "the results are not on the model's device")


@weight(1)
def test_values_on_each_device(recovered: Callable[..., Model], student: Any, normal: Normal, device: str) -> None:
    """the same values on every device of this machine"""
    model = recovered(7, 5, 7, 2)
    x, hidden = normal(2, 4, 7), normal(2, 2, 5)
    output, _ = outputs(student.probe.on_device(model.remote, device, [x, hidden]))
    check_close(output, model.outputs(x, hidden)[0], f"the output on {device}", absolute=1e-4)
