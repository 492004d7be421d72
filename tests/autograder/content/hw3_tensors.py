"""Makes the expected values that hw3's notebooks of parts 1 and 2 show to students: ``python hw3_tensors.py``.

They come from plain loops over single numbers in double precision, which share nothing with the solutions. The weights
of the GRU are chosen so that it matters neither what a student calls them nor which way round they are kept: all
matrices are one symmetric matrix, all biases one vector.
"""

import math
from pathlib import Path

import torch
from torch import Tensor

TENSORS = Path(__file__).resolve().parents[3] / "source" / "hw3" / "test_tensors"
WIDTH, LAYERS = 6, 2
Vector = list[float]


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def product(vector: Vector, matrix: list[Vector]) -> Vector:
    columns = zip(*matrix, strict=True)
    return [sum(number * weight for number, weight in zip(vector, column, strict=True)) for column in columns]


def gru_step(x: Vector, h: Vector, matrix: list[Vector], bias: Vector) -> Vector:
    """The state after one step of one layer whose gates all have this matrix and this bias."""
    sums = [sum(terms) for terms in zip(product(x, matrix), product(h, matrix), bias, strict=True)]
    gate = [sigmoid(value) for value in sums]  # z and r have the same weights
    seen = [r * number for r, number in zip(gate, h, strict=True)]
    sums = [sum(terms) for terms in zip(product(x, matrix), product(seen, matrix), bias, strict=True)]
    candidate = [math.tanh(value) for value in sums]
    return [z * old + (1 - z) * new for z, old, new in zip(gate, h, candidate, strict=True)]


def gru(x: Tensor, hidden: Tensor, matrix: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Output (B, S, O) and last states (B, L, H) of the whole model, of input (B, S, I) and first states (B, L, H)."""
    weights, offset = matrix.tolist(), bias.tolist()
    outputs, last = [], []
    for sequence, first in zip(x.tolist(), hidden.tolist(), strict=True):
        states = list(first)
        written = []
        for step in sequence:
            below = step
            for layer, state in enumerate(states):
                below = states[layer] = gru_step(below, state, weights, offset)
            written.append([sum(terms) for terms in zip(product(below, weights), offset, strict=True)])
        outputs.append(written)
        last.append(states)
    return torch.tensor(outputs, dtype=torch.float64), torch.tensor(last, dtype=torch.float64)


def vae_terms(x: Tensor, xr: Tensor, mu: Tensor, log_sigma2: Tensor, x_sigma2: float) -> tuple[float, float]:
    """The data term and the divergence term, averaged over the batch."""
    pairs = zip(x.flatten(1).tolist(), xr.flatten(1).tolist(), strict=True)
    data = [sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) / (x_sigma2 * len(pair[0])) for pair in pairs]
    divergence = [
        sum(math.exp(s) + m**2 - 1 - s for m, s in zip(means, logs, strict=True))
        for means, logs in zip(mu.tolist(), log_sigma2.tolist(), strict=True)
    ]
    return sum(data) / len(data), sum(divergence) / len(divergence)


def part1() -> dict[str, Tensor]:
    """Input, first states, weights and what comes out."""
    torch.manual_seed(1)
    matrix = torch.randn(WIDTH, WIDTH)
    matrix = (matrix + matrix.T) / 2
    bias, x, hidden = torch.randn(WIDTH) / 2, torch.randn(2, 5, WIDTH), torch.randn(2, LAYERS, WIDTH)
    output, last = gru(x, hidden, matrix, bias)
    given = {"matrix": matrix, "bias": bias, "x": x, "hidden_state": hidden}
    return given | {"output": output.float(), "last_state": last.float()}


def part2() -> dict[str, Tensor]:
    """Images, reconstructions, distributions and both terms of the loss."""
    torch.manual_seed(2)
    x, xr = torch.randn(3, 2, 8, 8), torch.randn(3, 2, 8, 8)
    mu, log_sigma2, x_sigma2 = torch.randn(3, 5), torch.randn(3, 5), 0.3
    data, divergence = vae_terms(x, xr, mu, log_sigma2, x_sigma2)
    given = {"x": x, "xr": xr, "z_mu": mu, "z_log_sigma2": log_sigma2, "x_sigma2": torch.tensor(x_sigma2)}
    return given | {"data_loss": torch.tensor(data), "kldiv_loss": torch.tensor(divergence)}


if __name__ == "__main__":
    torch.save(part1(), TENSORS / "gru_expected.pt")
    torch.save(part2(), TENSORS / "vae_loss_expected.pt")
