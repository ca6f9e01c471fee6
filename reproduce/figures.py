"""Plots of the papers' figures, as SVG."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray


@contextmanager
def panels(path: Path, rows: int, columns: int, *, size: float = 3.4) -> Iterator[list[Axes]]:
    """Give a grid of axes, and write them to the path afterwards."""
    # No window, no dates, no random ids: the same numbers give the same file.
    with mpl.rc_context({"svg.hashsalt": "poolwise", "font.size": 8}):
        figure = Figure(figsize=(size * columns, 0.8 * size * rows), layout="constrained")
        yield list(figure.subplots(rows, columns, squeeze=False).flat)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None}, dpi=150)


def draw_boxes(
    ax: Axes,
    values: Sequence[NDArray[np.float64]],
    labels: Sequence[object],
    *,
    colour: str = "black",
    shift: float = 0.0,
) -> None:
    """Draw one box per array, side by side, without outliers."""
    at = np.arange(len(values))
    ax.boxplot(
        list(values),
        positions=(at + shift).tolist(),
        widths=0.35,
        sym="",
        manage_ticks=False,
        boxprops={"color": colour},
        medianprops={"color": colour},
    )
    ax.set_xticks(at.tolist(), [str(label) for label in labels])
