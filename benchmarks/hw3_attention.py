"""hw3's ``sliding_window_attention`` against the dense masked form: seconds for the values, on one core."""

import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
WINDOW, WIDTH = 128, 64
LENGTHS = (1024, 2048, 4096, 8192)
COMPARED = 4096
ROUNDS = 7

sys.path.insert(0, str(ROOT / "source" / "hw3"))

from hw3.transformer import banded_attention, sliding_window_attention  # noqa: E402 - it lies in the folder just added

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def dense(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Every score, then a mask."""
    position = torch.arange(q.shape[-2])
    outside = (position[:, None] - position).abs() > WINDOW // 2
    scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(outside, float("-inf"))
    return torch.softmax(scores, -1) @ v


FORMS: dict[str, Attention] = {
    "values only": lambda q, k, v: banded_attention(q, k, v, WINDOW, None)[0],
    "with the dense weights": lambda q, k, v: sliding_window_attention(q, k, v, WINDOW)[0],
    "dense, masked": dense,
}


def seconds(form: Attention, length: int) -> float:
    """Median seconds of one call."""
    q, k, v = (torch.randn(1, length, WIDTH) for _ in "qkv")
    form(q, k, v)  # warm
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        form(q, k, v)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def main() -> None:
    """Measure, print and write ``results/hw3_attention.json``."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 1000, WIDTH) for _ in "qkv")
    for name, form in FORMS.items():
        assert torch.allclose(form(q, k, v), dense(q, k, v), atol=1e-5), name
    found = {name: {length: seconds(form, length) for length in LENGTHS} for name, form in FORMS.items()}
    print(f"{'milliseconds at S =':<26}" + "".join(f"{length:>10}" for length in LENGTHS))
    for name, times in found.items():
        print(f"{name:<26}" + "".join(f"{1000 * times[length]:>10.1f}" for length in LENGTHS))
    values = found["values only"]
    faster = found["dense, masked"][COMPARED] / values[COMPARED]
    grows = values[LENGTHS[-1]] / values[LENGTHS[0]] / (LENGTHS[-1] / LENGTHS[0])
    print(f"at S={COMPARED}, w={WINDOW}: {faster:.1f} times faster for the values than the dense form (8 wanted)")
    print(f"from S={LENGTHS[0]} to {LENGTHS[-1]} the time grows {grows:.2f} times as fast as S (1 is linear)")
    RESULTS.mkdir(exist_ok=True)
    report = {"python": platform.python_version(), "torch": torch.__version__, "threads": 1, "seconds": found}
    (RESULTS / "hw3_attention.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
