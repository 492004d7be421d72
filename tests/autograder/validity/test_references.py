"""The trusted solution agrees with implementations that share no code with it: NumPy in float64, and PyTorch's own."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.course import Assignment
from autograder.grading.reference import load_reference

Array = np.ndarray


@pytest.fixture(scope="module")
def reference(lab08: Assignment) -> SimpleNamespace:
    return load_reference(lab08)


@pytest.fixture
def draw() -> torch.Generator:
    return torch.Generator().manual_seed(7)


def normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def weights_of(module: nn.Module) -> dict[str, Array]:
    return {name: value.detach().numpy() for name, value in module.state_dict().items()}


# -- by hand, in NumPy ------------------------------------------------------------------------------------------------


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q: Array, K: Array, V: Array) -> tuple[Array, Array]:
    """Strip by strip, column by column: q (B, d_k), K (B, N, d_k), V (B, N, d_v)."""
    contexts, weights = [], []
    for query, keys, values in zip(q, K, V, strict=True):
        weights.append(softmax(np.array([key @ query for key in keys]) / len(query) ** 0.5))
        contexts.append(sum(weight * value for weight, value in zip(weights[-1], values, strict=True)))
    return np.stack(contexts), np.stack(weights)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def gru_cell(x: Array, s: Array, w_x: Array, w_s: Array, b_x: Array, b_s: Array) -> Array:
    x_r, x_z, x_n = np.split(x @ w_x.T + b_x, 3, axis=-1)
    s_r, s_z, s_n = np.split(s @ w_s.T + b_s, 3, axis=-1)
    reset, update = sigmoid(x_r + s_r), sigmoid(x_z + s_z)
    return (1 - update) * np.tanh(x_n + reset * s_n) + update * s


def conv_block(x: Array, w: dict[str, Array], prefix: str) -> Array:
    """x (B, c_in, h, w): convolution, batch norm in eval mode, ReLU, max-pool."""
    windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3))
    x = np.einsum("bchwij,ocij->bohw", windows, w[f"{prefix}.0.weight"])
    mean, variance = w[f"{prefix}.1.running_mean"], w[f"{prefix}.1.running_var"]
    scale = w[f"{prefix}.1.weight"] / np.sqrt(variance + 1e-5)
    x = (x - mean[:, None, None]) * scale[:, None, None] + w[f"{prefix}.1.bias"][:, None, None]
    B, C, height, width = x.shape
    x = np.maximum(x, 0)[:, :, : height // 2 * 2, : width // 2 * 2]
    return x.reshape(B, C, height // 2, 2, width // 2, 2).max(axis=(3, 5))


def encoder(images: Array, w: dict[str, Array]) -> tuple[Array, Array]:
    """Memory (B, N, 2 units) and s0 (B, hidden)."""
    for block in range(4):
        images = conv_block(images, w, f"cnn.{block}")
    columns = [images[:, :, 0, j] for j in range(images.shape[3])]
    units = w["bigru.weight_hh_l0"].shape[1]
    halves = []
    for suffix, order in (("", columns), ("_reverse", columns[::-1])):
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        state, states = np.zeros((len(images), units)), []
        for column in order:
            state = gru_cell(column, state, *[w[f"bigru.{name}{suffix}"] for name in names])
            states.append(state)
        halves.append(states)
    forward, backward = halves[0], halves[1][::-1]
    memory = np.stack([np.concatenate(pair, axis=1) for pair in zip(forward, backward, strict=True)], axis=1)
    ends = np.concatenate([forward[-1], backward[0]], axis=1)
    return memory, np.tanh(ends @ w["init.weight"].T + w["init.bias"])


def role(w: dict[str, Array], shape: tuple[int, ...]) -> Array:
    """The one weight of this shape outside the encoder."""
    (found,) = [value for name, value in w.items() if value.shape == shape and not name.startswith("encoder.")]
    return found


# -- the tests --------------------------------------------------------------------------------------------------------


def test_attend_agrees_with_numpy(reference: SimpleNamespace, draw: torch.Generator) -> None:
    q, K, V = normal(draw, 4, 6), normal(draw, 4, 9, 6), normal(draw, 4, 9, 5)
    expected = attention(q.numpy(), K.numpy(), V.numpy())
    for found, wanted in zip(reference.attend(q, K, V), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_attend_agrees_with_scaled_dot_product_attention(reference: SimpleNamespace, draw: torch.Generator) -> None:
    q, K, V = normal(draw, 5, 64), normal(draw, 5, 21, 64), normal(draw, 5, 21, 128)
    expected = F.scaled_dot_product_attention(q.unsqueeze(1), K, V).squeeze(1)
    torch.testing.assert_close(reference.attend(q, K, V)[0], expected)


def test_attend_agrees_with_multihead_attention(reference: SimpleNamespace, draw: torch.Generator) -> None:
    """One head whose projections change nothing; it gives the weights as well."""
    q, K, V = normal(draw, 3, 8), normal(draw, 3, 7, 8), normal(draw, 3, 7, 8)
    head = nn.MultiheadAttention(8, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        head.in_proj_weight.copy_(torch.eye(8).repeat(3, 1))
        head.out_proj.weight.copy_(torch.eye(8))
        expected, expected_weights = head(q.unsqueeze(1), K, V)
    context, weights = reference.attend(q, K, V)
    torch.testing.assert_close(context, expected.squeeze(1))
    torch.testing.assert_close(weights, expected_weights.squeeze(1))


@pytest.mark.parametrize("width", [64, 100])
def test_column_encoder_agrees_with_numpy(reference: SimpleNamespace, draw: torch.Generator, width: int) -> None:
    module = reference.ColumnEncoder(hidden=10, units=6).double()
    with torch.no_grad():
        module(normal(draw, 4, 1, 28, width))  # moves the running statistics off 0 and 1
        images = normal(draw, 2, 1, 28, width)
        found = module.eval()(images)
    for value, expected in zip(found, encoder(images.numpy(), weights_of(module)), strict=True):
        np.testing.assert_allclose(value.numpy(), expected, rtol=1e-9, atol=1e-12)


def test_attention_reader_agrees_with_numpy(reference: SimpleNamespace, draw: torch.Generator) -> None:
    hidden, emb, d_k, d_v = 10, 7, 5, 9
    module = reference.AttentionReader(hidden, emb, d_k, d_v).double().eval()
    images, dec_in = normal(draw, 2, 1, 28, 80), torch.randint(0, 13, (2, 4), generator=draw)
    w = weights_of(module)
    parts = {name.removeprefix("encoder."): value for name, value in w.items() if name.startswith("encoder.")}
    h, state = encoder(images.numpy(), parts)
    K, V = h @ role(w, (d_k, 128)).T, h @ role(w, (d_v, 128)).T
    cell = next(part for part in module.modules() if isinstance(part, nn.GRUCell))
    cell_weights = [p.detach().numpy() for p in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)]
    out = next(part for part in module.modules() if isinstance(part, nn.Linear) and part.out_features == 13)
    expected = []
    for y_prev in dec_in.numpy().T:
        context, _ = attention(state @ role(w, (d_k, hidden)).T, K, V)
        state = gru_cell(np.concatenate([role(w, (13, emb))[y_prev], context], axis=1), state, *cell_weights)
        seen = np.concatenate([state, context], axis=1)
        expected.append(seen @ out.weight.detach().numpy().T + out.bias.detach().numpy())
    found = module(images, dec_in).detach().numpy()
    np.testing.assert_allclose(found, np.stack(expected, axis=1), rtol=1e-9, atol=1e-12)


def test_parameters_of_the_reference_are_those_of_the_handout(reference: SimpleNamespace) -> None:
    def count(module: Any) -> int:
        return sum(p.numel() for p in module.parameters())

    encoder_ = reference.ColumnEncoder()
    assert [count(part) for part in (encoder_.cnn, encoder_.bigru, encoder_.init)] == [240_608, 74_496, 8_256]
    assert count(reference.AttentionReader()) == 398_349
    assert count(reference.FixedReader()) == 343_437


def test_edit_distance_agrees_with_its_recursive_definition(reference: SimpleNamespace) -> None:
    def distance(a: list[int], b: list[int]) -> int:
        if not a or not b:
            return len(a) + len(b)
        return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))

    rng = np.random.default_rng(3)
    for _ in range(40):
        a, b = (rng.integers(0, 3, rng.integers(0, 6)).tolist() for _ in range(2))
        assert reference.edit_distance(a, b) == distance(a, b)


def test_masked_loss_is_the_mean_over_what_is_no_padding(reference: SimpleNamespace, draw: torch.Generator) -> None:
    logits = normal(draw, 3, 4, 13)
    tgt = torch.tensor([[1, 11, 12, 12], [2, 3, 11, 12], [4, 5, 6, 11]])
    probabilities = softmax(logits.numpy())
    terms = [-np.log(probabilities[row, t, y]) for row in range(3) for t, y in enumerate(tgt[row].tolist()) if y != 12]
    assert reference.masked_loss(logits, tgt).item() == pytest.approx(np.mean(terms), rel=1e-12)
