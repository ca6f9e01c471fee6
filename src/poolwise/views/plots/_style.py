"""The one style of all plots: size, colours, and how rows and columns are named."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from poolwise.errors import MissingExtraError, OptionError, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "AHEAD",
    "BEHIND",
    "DASHES",
    "DOUBTFUL",
    "FEW",
    "GREY",
    "HOLDS",
    "INK",
    "LEVEL",
    "LIKELY",
    "MISSING",
    "ORDERED",
    "REVERSED",
    "TOPICS",
    "UNDEFINED",
    "UNJUDGED",
    "Frame",
    "draw_boxes",
    "draw_heat",
    "figure_of",
    "legend_below",
    "legend_of",
    "name_columns",
    "name_rows",
    "panel_grid",
    "rgb",
    "shades",
    "side_by_side",
]

WIDTH = 6.5
"""Inches: the text width of a page."""
TOPICS, UNJUDGED, INK, GREY = "#0072b2", "#f0b35a", "#1c2126", "#b9bdc1"
HOLDS, FEW, MISSING = "#00614a", "#74b3d8", "#8a6fb0"
AHEAD, BEHIND = "#5c7f2b", "#a2447c"
LIKELY, ORDERED, DOUBTFUL, REVERSED = "#4f9a80", "#a3cbbd", "#b8741a", "#b2312f"
LEVEL, UNDEFINED = "#dfe2e5", "#eceeef"
HEAT = ("#eef1f2", "#fbdfae", "#f3b65f", "#db8326", "#a9550c", "#612c00")
_ORDERED = ("#db8326", "#c23b75", "#5b5fc7", "#2b1a4f")
"""From the first to the last of lines that have an order; all are dark enough on white."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)))
"""Lines that may lie on each other are separated by these, too."""
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
_ROOMY, _TIGHT = 0.17, 0.095
"""Inches of a row: of a few, and of so many that a page does not hold them at their ease."""
_LARGEST, _SMALLEST = 8.0, 5.0
"""Points of type, for names with room and without."""


@dataclass(frozen=True)
class Frame:
    """What a caller asks of any plot.

    Attributes
    ----------
    title : str or None
        In place of the usual one; empty for none.
    size : tuple of two float, optional
        Width and height in inches; by default as large as its names need.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into, instead of those of a new figure.
    """

    title: str | None = None
    size: tuple[float, float] | None = None
    ax: "Axes | None" = None

    @contextmanager
    def axes(
        self, title: str, *, rows: int = 0, columns: int = 0, extra: float = 0.9
    ) -> Iterator["Axes"]:
        """Give axes in the one style, with room for so many named rows and columns."""
        shown = title.removesuffix(".") if self.title is None else self.title
        with _styled() as figure_class:
            axes = self.ax
            if axes is None:
                size = self.size or (_width(columns), _height(rows, extra))
                axes = figure_class(figsize=size, layout="constrained").subplots()
            elif not hasattr(axes, "set_title"):
                raise OptionError(
                    f"ax: must be Axes of matplotlib; got {shortened(repr(axes))}. Hint: leave it "
                    "out for a new figure."
                )
            axes.set_title(shown, wrap=True)  # long names leave little room for a sentence
            yield axes


@contextmanager
def _styled() -> Iterator[type["Figure"]]:
    """Give the class of figures, for as long as the one style holds."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- optional, and slow to import
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    with mpl.rc_context(STYLE):
        yield notebook_figure()


@cache
def notebook_figure() -> type["Figure"]:
    r"""Return figures that belong to no window and show themselves as the value of a cell.

    A class, made late since Matplotlib is optional; ``Figure`` itself is shown by no notebook
    without a magic command, and ``pyplot`` would change settings of the user.

    Examples
    --------
    >>> notebook_figure()()._repr_png_()[:4]
    b'\x89PNG'
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 -- optional

    class NotebookFigure(Figure):
        def _repr_png_(self) -> bytes:
            self.savefig(picture := BytesIO(), format="png", dpi=150)
            return picture.getvalue()

    return NotebookFigure


def _height(rows: int, extra: float) -> float:
    """Return inches: rows stand closer the more there are, and never so close as not to be read."""
    # Many rows share 7.6 inches, so that a figure fits on a page, until they would touch.
    row = max(_TIGHT, min(_ROOMY, 7.6 / max(rows, 1)))
    return max(2.6 if not rows else 2.0, extra + row * rows)


def _width(columns: int) -> float:
    """Return inches: the width of a page, or more for more columns than it can name."""
    # 1.6 inches are left for the names of rows and the scale beside them.
    return max(WIDTH, 1.6 + _TIGHT * columns)


def figure_of(axes: "Axes") -> "Figure":
    """Return the figure that axes are part of."""
    figure: Figure = axes.figure  # type: ignore[assignment] # not a subfigure: we made it
    return figure


def legend_below(axes: "Axes", frame: Frame) -> "Figure":
    """Return the figure, with a legend below it; below the axes where these are the caller's."""
    figure = figure_of(axes)
    if frame.ax is None:
        longest = max((len(label) for label in axes.get_legend_handles_labels()[1]), default=0)
        # A letter of this size is about 1/19 inch wide, and a sample of a line as wide as seven.
        columns = int(figure.get_size_inches()[0] * 19 / (longest + 7))
        figure.legend(loc="outside lower center", ncols=max(1, min(4, columns)), fontsize=7,
                      frameon=False)  # fmt: skip
    else:
        axes.legend(loc="best", fontsize=7)
    return figure


def legend_of(panel: "Axes", axes: "Axes", frame: Frame) -> "Figure":
    """Return the figure, with one legend for panels that all have the same lines."""
    figure, (handles, labels) = figure_of(axes), panel.get_legend_handles_labels()
    where: Any = {"loc": "outside lower center", "ncols": 4} if frame.ax is None else {}
    drawn = (figure if frame.ax is None else panel).legend(
        handles, labels, fontsize=7, frameon=False, **where
    )
    # Thousands of points are drawn small and faint, and one in a legend would not be seen.
    for handle in filter(None, drawn.legend_handles):
        handle.set(alpha=1, **({"markersize": 4} if hasattr(handle, "set_markersize") else {}))
    return figure


def name_rows(axes: "Axes", names: Sequence[str]) -> None:
    """Name the rows from top to bottom, in type that fits."""
    # 470 points: the 6.5 inches of a page; of columns, what the names of rows leave of it.
    axes.set_yticks(range(len(names)), names, fontsize=_type_size(len(names), 470))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def name_columns(axes: "Axes", names: Sequence[str]) -> None:
    """Name the columns, turned, in type that fits."""
    size = min(7.0, _type_size(len(names), 380))
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.tick_params(axis="x", length=0)


def _type_size(names: int, room: float) -> float:
    """Return points for so many names in this room, which grows where they would be too small."""
    return max(_SMALLEST, min(_LARGEST, room / max(names, 1)))


def draw_boxes(
    axes: "Axes",
    at: Any,
    numbers: Mapping[str, Any],
    *,
    colour: str,
    label: str,
    width: float = 0.6,
) -> None:
    """Draw a box from quarter to three quarters at each place, its median, and whiskers."""
    low, high = numbers["quarter"], numbers["three_quarters"]
    axes.vlines(at, numbers["lowest"], numbers["highest"], color=colour, lw=0.8)
    axes.bar(at, high - low, width, bottom=low, color=colour, alpha=0.6, label=label)
    axes.hlines(numbers["median"], at - width / 2, at + width / 2, color=INK, lw=1.2)


def draw_heat(axes: "Axes", values: Any, label: str) -> None:
    """Draw a matrix in six shades."""
    from matplotlib.colors import BoundaryNorm, ListedColormap  # noqa: PLC0415 -- optional

    limits = [0, 0.05, 0.25, 0.45, 0.65, 0.85, 1]
    shades, norm = ListedColormap(HEAT), BoundaryNorm(limits, len(HEAT))
    image = axes.imshow(values, cmap=shades, norm=norm, aspect="auto", interpolation="nearest")
    figure_of(axes).colorbar(image, ax=axes, label=label, shrink=0.7)


def shades(count: int) -> list[str]:
    """Return so many colours of lines in an order, from light to dark.

    Examples
    --------
    >>> len(shades(7)), shades(2)
    (7, ['#db8326', '#2b1a4f'])
    """
    from matplotlib.colors import LinearSegmentedColormap, to_hex  # noqa: PLC0415 -- optional

    scale = LinearSegmentedColormap.from_list("order", _ORDERED)
    return [to_hex(scale(i / max(count - 1, 1))) for i in range(count)]


def dashes(count: int) -> list[tuple[float, tuple[float, ...]]]:
    """Return so many line styles, with longer and longer gaps that show the line below.

    Examples
    --------
    >>> dashes(3)
    [(0, ()), (0, (6, 1.5)), (0, (6, 3.0))]
    """
    return [(0, (6, 1.5 * i) if i else ()) for i in range(count)]


def side_by_side(axes: "Axes", count: int) -> list["Axes"]:
    """Return panels beside each other within axes, or the axes themselves for one."""
    if count == 1:
        return [axes]
    # Insets, since a caller may hand over one axes, which a figure of subplots would not fit into.
    axes.axis("off")
    width = (1 - 0.12 * (count - 1)) / count
    return [axes.inset_axes((i * (width + 0.12), 0, width, 1)) for i in range(count)]


def panel_grid(axes: "Axes", count: int, *, across: int) -> list["Axes"]:
    """Return panels in rows within axes, from the upper left, with room for small titles."""
    axes.axis("off")
    down = -(-count // across)
    # Between panels and above the first row there is room for titles and the names of axes.
    width, height = (1 - 0.09 * (across - 1)) / across, (0.94 - 0.13 * (down - 1)) / down
    places = [(i % across, down - 1 - i // across) for i in range(count)]
    return [
        axes.inset_axes((x * (width + 0.09), y * (height + 0.13), width, height)) for x, y in places
    ]


def rgb(colour: str) -> tuple[float, float, float]:
    """Return the parts of a colour.

    Examples
    --------
    >>> rgb("#ff0033")
    (1.0, 0.0, 0.2)
    """
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
