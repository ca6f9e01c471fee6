"""A chart of the page as Vega draws it: its marks with their colours and places, read back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import vl_convert

from poolwise.views.report._chart_style import Chart

__all__ = ["Item", "Scene", "draw_chart"]

_WIDTH = 600


class Item(NamedTuple):
    """A mark: its colour, its ends along both axes, and what is told where one points at it."""

    colour: str
    left: float
    right: float
    top: float
    bottom: float
    told: dict[str, str]
    shape: str
    size: float


@dataclass
class Scene:
    """The marks of a chart by layer, and the labels of its axes with their places."""

    layers: list[list[Item]] = field(default_factory=list)
    across: list[tuple[str, float]] = field(default_factory=list)
    down: list[tuple[str, float]] = field(default_factory=list)

    def x(self, place: float) -> float:
        """Return the number at a place, by the labels below."""
        return _read(self.across, place)

    def y(self, place: float) -> float:
        """Return the number at a height, by the labels beside it."""
        return _read(self.down, place)


def _read(labels: list[tuple[str, float]], place: float) -> float:
    values = [float(text.replace("−", "-").replace(",", "")) for text, _ in labels]
    slope, start = np.polyfit([at for _, at in labels], values, 1)
    return float(start + slope * place)


def draw_chart(chart: Chart) -> Scene:
    """Let Vega draw a chart, and read it back."""
    names = list(chart.columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*chart.columns.values(), strict=True)]
    spec = {**chart.spec, "data": {"values": rows}, "width": _WIDTH}
    scene = Scene()
    for mark in _marks(vl_convert.vegalite_to_scenegraph(spec)):
        role, items = mark.get("role"), mark.get("items", [])
        if role == "mark" and mark["marktype"] != "group":
            scene.layers.append([_item(item) for item in items])
        elif role == "axis-label" and items:
            is_across = len({item.get("y") for item in items}) == 1 and items[0].get("x", 0) >= 0
            labels = scene.across if is_across else scene.down
            key = "x" if is_across else "y"
            labels += [(str(item["text"]), float(item.get(key, 0))) for item in items]
    return scene


def _marks(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "marktype" in node:
            yield node
        for child in node.values():
            yield from _marks(child)
    elif isinstance(node, list):
        for child in node:
            yield from _marks(child)


def _item(raw: dict[str, Any]) -> Item:
    x, y = (float(raw.get(key, 0)) for key in "xy")
    x2 = float(raw.get("x2", x + raw.get("width", 0)))
    y2 = float(raw.get("y2", y + raw.get("height", 0)))
    said = (part.partition(": ") for part in raw.get("description", "").split("; "))
    colour = raw.get("fill") or raw.get("stroke") or ""
    ends = (min(x, x2), max(x, x2), min(y, y2), max(y, y2))
    description = {name: value for name, _, value in said}
    return Item(
        str(colour), *ends, description, str(raw.get("shape", "")), float(raw.get("size", 0))
    )
