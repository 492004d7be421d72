"""Plots of images and of trainings."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from torch import Tensor
from torch.utils.data import Dataset

from cs236781.train_results import FitResult


def tensors_as_images(
    tensors: Sequence[Tensor],
    nrows: int = 1,
    figsize: tuple[float, float] = (8, 8),
    titles: Sequence[str] = (),
    **imshow: Any,
) -> tuple[Any, Any]:
    """Show images (C, H, W) or (H, W), with values of any range, side by side in ``nrows`` rows.

    :return: the figure, and its axes.
    """
    ncols = math.ceil(len(tensors) / nrows)
    fig, axes = plt.subplots(nrows, ncols, figsize=figsize, squeeze=False)
    for axis, tensor, title in itertools.zip_longest(axes.flat, tensors, titles[: len(tensors)]):
        axis.axis("off")
        if tensor is None:
            continue
        image = tensor.detach().cpu().float().numpy()
        if image.ndim == 3:
            image = image.transpose(1, 2, 0)  # (H, W, C)
        low, high = image.min(), image.max()
        axis.imshow((image - low) / max(high - low, 1e-8), **imshow)
        if title:
            axis.set_title(title)
    return fig, axes


def dataset_first_n(
    dataset: Dataset,
    n: int,
    show_classes: bool = False,
    class_labels: Sequence[str] | None = None,
    nrows: int = 1,
    **options: Any,
) -> tuple[Any, Any]:
    """Show the first ``n`` images of a data set of (image, class) pairs.

    :return: the figure, and its axes.
    """
    pairs = [dataset[i] for i in range(n)]
    titles = [str(class_labels[label] if class_labels else label) for _, label in pairs] if show_classes else []
    return tensors_as_images([image for image, _ in pairs], nrows=nrows, titles=titles, **options)


def plot_fit(fit_res: FitResult, fig: Any = None, log_loss: bool = False, legend: str | None = None) -> tuple[Any, Any]:
    """Plot a training: losses an iteration above, accuracies an epoch below; training on the left, test on the right.

    :param fig: a figure of an earlier call, to draw into.
    :param log_loss: whether losses are shown on a logarithmic scale.
    :return: the figure, and its axes (2, 2).
    """
    if fig is None:
        fig, _ = plt.subplots(2, 2, figsize=(16, 10), sharex="row", squeeze=False)
    axes = np.asarray(fig.axes).reshape(2, 2)
    for (row, measure), (column, part) in itertools.product(enumerate(("loss", "acc")), enumerate(("train", "test"))):
        axis = axes[row, column]
        values = getattr(fit_res, f"{part}_{measure}")
        axis.plot(np.arange(1, len(values) + 1), values, label=legend)
        axis.set_title(f"{part}_{measure}")
        axis.set_xlabel("iteration" if measure == "loss" else "epoch")
        axis.set_ylabel("loss" if measure == "loss" else "accuracy (%)")
        if log_loss and measure == "loss":
            axis.set_yscale("log")
        if legend:
            axis.legend()
        axis.grid(True)
    return fig, axes
