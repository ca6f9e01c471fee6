"""Plots of the papers' figures, as SVG."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@contextmanager
def panels(path: Path, rows: int, columns: int, *, size: float = 3.4) -> Iterator[list[Axes]]:
    """Give a grid of axes, and write them to the path afterwards."""
    # No window, no dates, no random ids: the same numbers give the same file.
    with mpl.rc_context({"svg.hashsalt": "poolwise", "font.size": 8}):
        figure = Figure(figsize=(size * columns, 0.8 * size * rows), layout="constrained")
        yield list(figure.subplots(rows, columns, squeeze=False).flat)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
