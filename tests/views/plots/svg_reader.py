"""A figure as it is drawn: marks, colours and positions, read back from its SVG.

Positions are told by the ticks that are drawn beside them, and not by the code that put them there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Mark", "Panel", "read_figure"]

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_BASELINE = 0.36
"""How far below the middle of a letter its baseline is, in sizes of its type."""


class Mark(NamedTuple):
    """A shape or a marker: its box in units of the picture, and its colours."""

    left: float
    top: float
    right: float
    bottom: float
    fill: str
    stroke: str
    is_marker: bool

    @property
    def colour(self) -> str:
        """What it is filled with; where it is not, the colour of its line."""
        return self.stroke if self.fill in ("", "none") else self.fill


class Tick(NamedTuple):
    """A label of an axis, and where it stands along it."""

    text: str
    at: float


@dataclass
class Panel:
    """The axes of a figure: what is drawn in them, and what their ticks say."""

    marks: list[Mark] = field(default_factory=list)
    across: list[Tick] = field(default_factory=list)
    down: list[Tick] = field(default_factory=list)
    texts: list[tuple[str, float, float]] = field(default_factory=list)
    legend: dict[str, str] = field(default_factory=dict)

    def of(self, colour: str, *, markers: bool = False) -> list[Mark]:
        """Return the marks of a colour that are drawn over the ground."""
        return [m for m in self.marks if m.colour == colour and m.is_marker == markers]

    def x(self, place: float, *, log: bool = False) -> float:
        """Return the number at a place, by the ticks below."""
        return _read(self.across, place, log=log)

    def y(self, place: float, *, log: bool = False) -> float:
        """Return the number at a height, by the ticks beside it."""
        return _read(self.down, place, log=log)

    def row(self, mark: Mark) -> str:
        """Return the name of the row that a mark is in."""
        middle = (mark.top + mark.bottom) / 2
        return min(self.down, key=lambda tick: abs(tick.at - middle)).text

    def column(self, mark: Mark) -> str:
        """Return the name of the column that a mark is in."""
        middle = (mark.left + mark.right) / 2
        return min(self.across, key=lambda tick: abs(tick.at - middle)).text


def _read(ticks: list[Tick], place: float, *, log: bool) -> float:
    """Return a number between those of ticks."""
    points = [(t.at, float(t.text.replace("−", "-").replace(",", ""))) for t in ticks if t.text]
    at, values = np.array(points).T
    slope, start = np.polyfit(at, np.log(values) if log else values, 1)
    number = start + slope * place
    return float(np.exp(number) if log else number)


def read_figure(figure: "Figure") -> list[Panel]:
    """Draw a figure, and read its panels back, in the order in which they were drawn."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(drawn := BytesIO(), format="svg")
    root = ET.fromstring(drawn.getvalue())  # noqa: S314 -- our own picture
    panels = [_panel(group) for group in _groups(root, "axes_")]
    for legend in _groups(root, "legend_"):
        for panel in panels:
            panel.legend.update(_legend(legend))
    return panels


def _groups(node: ET.Element, name: str) -> list[ET.Element]:
    return [g for g in node.iter(f"{_SVG}g") if g.get("id", "").startswith(name)]


def _panel(group: ET.Element) -> Panel:
    panel = Panel()
    for child in group:
        name = child.get("id", "")
        if name.startswith("matplotlib.axis_"):
            ticks = [*_ticks(child)]
            (panel.across if "xtick" in ET.tostring(child, "unicode") else panel.down).extend(ticks)
        elif name.startswith("text_"):
            panel.texts += [(_text(t), *_place(t)) for t in child.iter(f"{_SVG}text")]
        elif name.startswith(("patch_", "line2d_", "LineCollection_", "FillBetween", "Poly")):
            panel.marks += _marks(child)
    # The first of them is the ground.
    panel.marks = panel.marks[1:]
    return panel


def _ticks(axis: ET.Element) -> Iterator[Tick]:
    is_across = "xtick" in ET.tostring(axis, "unicode")
    for tick in (*_groups(axis, "xtick_"), *_groups(axis, "ytick_")):
        (text,) = [*tick.iter(f"{_SVG}text")][:1] or [None]
        if text is None:
            continue
        uses = [*tick.iter(f"{_SVG}use")]
        if uses:
            at = float(uses[0].get("x" if is_across else "y", "nan"))
        else:
            x, y = _place(text)
            size = float(re.findall(r"font(?:-size)?: ([\d.]+)px", text.get("style", ""))[0])
            # Names of columns are turned: their baseline stands to the right of their middle.
            at = (x if is_across else y) - _BASELINE * size
        yield Tick(_text(text), at)


def _text(text: ET.Element) -> str:
    return "".join(text.itertext()).strip()


def _place(text: ET.Element) -> tuple[float, float]:
    if text.get("x"):
        return float(text.get("x", "nan")), float(text.get("y", "nan"))
    x, y = re.findall(r"translate\(([-\d.]+) ([-\d.]+)\)", text.get("transform", ""))[0]
    return float(x), float(y)


def _style(node: ET.Element) -> dict[str, str]:
    pairs = (part.partition(":") for part in node.get("style", "").split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _marks(group: ET.Element) -> Iterator[Mark]:
    defined = {id(p) for d in group.iter(f"{_SVG}defs") for p in d.iter(f"{_SVG}path")}
    outlines = {p.get("id"): p for d in group.iter(f"{_SVG}defs") for p in d.iter(f"{_SVG}path")}
    for path in group.iter(f"{_SVG}path"):
        if id(path) not in defined:
            yield _mark(_points(path), _style(path), is_marker=False)
    for use in group.iter(f"{_SVG}use"):
        at = np.array([[float(use.get("x", 0)), float(use.get("y", 0))]])
        outline = outlines.get(use.get(_LINK, "#")[1:])
        shape = _points(outline) if outline is not None else np.zeros((1, 2))
        # A collection defines its shapes where they stand; a marker is put at its place.
        is_marker = bool(np.abs(shape).max() < 20)
        place = at if is_marker else at + shape
        yield _mark(place, _style(use), is_marker=is_marker)


def _points(path: ET.Element) -> np.ndarray:
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", path.get("d", ""))]
    return np.array(numbers).reshape(-1, 2)


def _mark(points: np.ndarray, style: dict[str, str], *, is_marker: bool) -> Mark:
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    colours = style.get("fill", ""), style.get("stroke", "")
    return Mark(*map(float, (left, top, right, bottom)), *colours, is_marker=is_marker)


def _legend(group: ET.Element) -> dict[str, str]:
    """Return the colour of the sample in front of each text: the last that was drawn before it."""
    legend, colour = {}, ""
    for child in group:
        name = child.get("id", "")
        texts = [*child.iter(f"{_SVG}text")]
        if texts:
            legend[_text(texts[0])] = colour
        elif name.startswith(("patch_", "line2d_", "LineCollection_", "FillBetween", "Poly")):
            colours = [mark.colour for mark in _marks(child)]
            colour = colours[-1] if colours else colour
    return legend
