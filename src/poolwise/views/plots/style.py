"""The one style of all plots: size, colours, and how rows and columns are named."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from poolwise.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BEHIND",
    "FEW",
    "GREY",
    "HOLDS",
    "INK",
    "TOPICS",
    "UNJUDGED",
    "draw_heat",
    "figure_of",
    "height_of",
    "legend_below",
    "name_columns",
    "name_rows",
    "new_axes",
    "rgb",
]

WIDTH = 6.5
"""Inches: the text width of a page."""
TOPICS, UNJUDGED, INK, GREY = "#0072b2", "#f0b35a", "#1c2126", "#b9bdc1"
HOLDS, FEW, BEHIND = "#00614a", "#74b3d8", "#c2611f"
HEAT = ("#eef1f2", "#fbdfae", "#f3b65f", "#db8326", "#a9550c", "#612c00")
STYLE: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "legend.frameon": False,
}


@contextmanager
def new_axes(height: float, title: str) -> Iterator["Axes"]:
    """Give the axes of a new figure in the one style."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- optional, and slow to import
        from matplotlib.figure import Figure  # noqa: PLC0415 -- as above
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    with mpl.rc_context(STYLE):
        axes = Figure(figsize=(WIDTH, height), layout="constrained").subplots()
        axes.set_title(title)
        yield axes


def figure_of(axes: "Axes") -> "Figure":
    """Return the figure that axes are part of."""
    figure: Figure = axes.figure  # type: ignore[assignment] # not a subfigure: we made it
    return figure


def legend_below(axes: "Axes") -> "Figure":
    """Return the figure, with a legend below it."""
    figure = figure_of(axes)
    figure.legend(loc="outside lower center", ncols=4, fontsize=7, frameon=False)
    return figure


def name_rows(axes: "Axes", names: "list[str] | tuple[str, ...]") -> None:
    """Name the rows from top to bottom, in type that fits."""
    axes.set_yticks(range(len(names)), names, fontsize=min(8, 420 / max(len(names), 1)))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def height_of(rows: int) -> float:
    """Return inches for so many rows, within a page."""
    return float(np.clip(0.9 + 0.17 * rows, 2.0, 8.5))


def draw_heat(axes: "Axes", values: Any, label: str) -> None:
    """Draw a matrix in six shades."""
    from matplotlib.colors import BoundaryNorm, ListedColormap  # noqa: PLC0415 -- optional

    limits = [0, 0.05, 0.25, 0.45, 0.65, 0.85, 1]
    shades, norm = ListedColormap(HEAT), BoundaryNorm(limits, len(HEAT))
    image = axes.imshow(values, cmap=shades, norm=norm, aspect="auto", interpolation="nearest")
    figure_of(axes).colorbar(image, ax=axes, label=label, shrink=0.7)


def name_columns(axes: "Axes", names: list[str]) -> None:
    """Name the columns, turned, in type that fits."""
    size = min(7, 500 / max(len(names), 1))
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.tick_params(axis="x", length=0)


def rgb(colour: str) -> tuple[float, ...]:
    """Return the parts of a colour.

    Examples
    --------
    >>> rgb("#ff0033")
    (1.0, 0.0, 0.2)
    """
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
