"""Training throughput of hw3's ``MultilayerGRU`` against a plain loop: one linear map a gate and step, on one core.

Both do the same arithmetic, and at the size of the assignment the products of matrices alone fill most of the plain
loop's time. How long they take at the best rate of this core is measured too: no order of the same products can be
faster than that, so it bounds the ratio. The small size shows what is left when the calls weigh more than the products.
"""

import json
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
CHARACTERS = 78
ROUNDS = 5


class Size(NamedTuple):
    """Sequences in a batch, time steps, numbers in a state, layers."""

    batch: int
    steps: int
    state: int
    layers: int


SIZES = {"assignment": Size(128, 128, 256, 2), "small": Size(4, 128, 128, 2)}

sys.path.insert(0, str(ROOT / "source" / "hw3"))

from hw3.charnn import MultilayerGRU  # noqa: E402 - it lies in the folder just added


class PlainGRU(nn.Module):
    """The equations as they are read: six linear maps a step and layer."""

    def __init__(self, in_dim: int, h_dim: int, out_dim: int, n_layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for layer in range(n_layers):
            size = in_dim if layer == 0 else h_dim
            maps = {f"x{gate}": nn.Linear(size, h_dim, bias=False) for gate in "zrg"}
            maps |= {f"h{gate}": nn.Linear(h_dim, h_dim) for gate in "zrg"}
            self.layers.append(nn.ModuleDict(maps))
        self.output = nn.Linear(h_dim, out_dim)
        self.h_dim = h_dim

    def forward(self, x: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """(B, S, I), (B, L, H) -> (B, S, O), (B, L, H)."""
        if hidden is None:
            hidden = x.new_zeros(len(x), len(self.layers), self.h_dim)
        states = list(hidden.unbind(1))
        outputs = []
        for step in x.unbind(1):
            below = step
            for index, maps in enumerate(self.layers):
                h = states[index]
                z = torch.sigmoid(maps["xz"](below) + maps["hz"](h))
                r = torch.sigmoid(maps["xr"](below) + maps["hr"](h))
                g = torch.tanh(maps["xg"](below) + maps["hg"](r * h))
                below = states[index] = z * h + (1 - z) * g
            outputs.append(self.output(below))
        return torch.stack(outputs, 1), torch.stack(states, 1)


def copied(plain: PlainGRU, model: MultilayerGRU) -> None:
    """Give ``model`` the weights of ``plain``, so that both compute the same."""
    with torch.no_grad():
        for maps, x_maps, h_maps in zip(plain.layers, model.x_maps, model.h_maps, strict=True):
            for gate, x_map, h_map in zip("zrg", x_maps, h_maps, strict=True):
                x_map.load_state_dict(maps[f"x{gate}"].state_dict())
                h_map.load_state_dict(maps[f"h{gate}"].state_dict())
        model.output.load_state_dict(plain.output.state_dict())


def seconds_a_batch(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """One training batch: forward, loss, backward, a step of Adam, which is in both alike."""
    optimizer = torch.optim.Adam(model.parameters())
    start = time.perf_counter()
    scores, _ = model(x)
    nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten()).backward()
    optimizer.step()
    return time.perf_counter() - start


def least_seconds(size: Size) -> float:
    """What the products of one training batch take at this core's best rate for products of this kind."""
    inputs = CHARACTERS + (size.layers - 1) * size.state  # of all layers
    from_x, from_h = 3 * size.state * inputs, 3 * size.state * size.state * size.layers
    forward = from_x + from_h + size.state * CHARACTERS
    to_the_text = 3 * size.state * CHARACTERS  # no gradient is asked for there
    products = size.batch * size.steps * (3 * forward - to_the_text)
    left, right = torch.randn(512, 512), torch.randn(512, 512)
    seconds = []
    for _ in range(50):
        start = time.perf_counter()
        left @ right
        seconds.append(time.perf_counter() - start)
    return min(seconds) * products / 512**3


def measure(size: Size) -> dict[str, float]:
    """Median seconds a batch of both models, and the least that is possible."""
    torch.manual_seed(0)
    sizes = CHARACTERS, size.state, CHARACTERS, size.layers
    models = {"plain loop": PlainGRU(*sizes), "hw3": MultilayerGRU(*sizes)}
    copied(models["plain loop"], models["hw3"])
    y = torch.randint(CHARACTERS, (size.batch, size.steps))
    x = nn.functional.one_hot(torch.randint(CHARACTERS, y.shape), CHARACTERS).float()
    with torch.no_grad():
        difference = (models["plain loop"](x)[0] - models["hw3"](x)[0]).abs().max().item()
    assert difference < 1e-4, f"the two models compute different functions, by {difference:.1e}"
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for model in models.values():
        seconds_a_batch(model, x, y)  # warm
    for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine meets both
        for name, model in models.items():
            seconds[name].append(seconds_a_batch(model, x, y))
    found = {name: statistics.median(values) for name, values in seconds.items()}
    return found | {"products alone": least_seconds(size)}


def main() -> None:
    """Measure, print and write ``results/hw3_gru.json``."""
    torch.set_num_threads(1)
    report: dict[str, object] = {"python": platform.python_version(), "torch": torch.__version__, "threads": 1}
    for name, size in SIZES.items():
        seconds = measure(size)
        ratios = {other: seconds["plain loop"] / seconds[other] for other in ("hw3", "products alone")}
        print(f"{name}: B={size.batch}, S={size.steps}, h={size.state}, L={size.layers}")
        for what, value in seconds.items():
            print(f"  {what:<16}{value:8.3f} s a training batch")
        print(f"  {ratios['hw3']:.2f} times the plain loop's throughput; the bound is {ratios['products alone']:.2f}")
        report[name] = {"size": size._asdict(), "seconds": seconds, "times the plain loop's throughput": ratios}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "hw3_gru.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
