"""A report page, read back: its sections, sentences, tables, and the data of its charts."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from poolwise.words import decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Block", "Chart", "Page", "Table", "read_page"]

VOID = {"meta", "link", "path", "rect", "input", "br"}
"""Elements that have no end."""


@dataclass
class Node:
    """An element, what it holds, and its text."""

    tag: str
    attributes: dict[str, str]
    children: "list[Node | str]" = field(default_factory=list)

    def walk(self) -> "Iterator[Node]":
        """Yield this element and all below it."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, tag: str, kind: str = "") -> "list[Node]":
        """Return the elements of a tag, and of a class."""
        return [n for n in self.walk() if n.tag == tag and kind in n.kinds | {""}]

    @property
    def kinds(self) -> set[str]:
        """The classes of the element."""
        return set(self.attributes.get("class", "").split())

    @property
    def text(self) -> str:
        """What a reader sees; data in scripts is not text."""
        parts = (c if isinstance(c, str) else c.text for c in self.children)
        return "" if self.tag == "script" else "".join(parts)

    @property
    def raw(self) -> str:
        """What stands in a script; what is compressed there, as the page has it once it starts."""
        held = "".join(c for c in self.children if isinstance(c, str))
        return decompressed(held) if "data-zlib" in self.attributes else held


@dataclass
class Table:
    """A table: its caption, its headings, its rows of text, the keys of cells, marked rows.

    ``axis`` has the ends of the axis above drawn bars, ``labels`` its marks, each with its place in
    percent; ``bars`` has for each row with any the start and the width of each kind of bar, in
    thousandths of the axis.
    """

    caption: str
    headings: list[str]
    rows: list[list[str]]
    keys: list[list[str | None]]
    marked: list[str]
    axis: list[float]
    labels: list[tuple[float, float]]
    bars: list[dict[str, tuple[float, float]]]

    def column(self, heading: str) -> list[str]:
        """Return the texts below a heading."""
        at = self.headings.index(heading)
        return [row[at] for row in self.rows]


@dataclass
class Chart:
    """A chart: its caption and its data."""

    caption: str
    notes: list[str]
    columns: dict[str, list[Any]]
    spec: dict[str, Any]


@dataclass
class Block:
    """What a section says, of one measure or of all."""

    paragraphs: list[str]
    notes: list[str]
    warnings: list[str]
    titles: list[str]
    tables: dict[str, Table]
    charts: dict[str, Chart]
    scores: dict[str, Any]
    documents: dict[str, Any]
    chosen: list[str]


@dataclass
class Page:
    """A page: its title and counts, and by section and measure what it says.

    What is not by measure stands under the empty name.
    """

    title: str
    counts: str
    measures: list[str]
    sections: dict[str, dict[str, Block]]
    questions: list[str]
    terms: dict[str, str]
    points: list[list[str]]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"<{self.open[-1].tag}> is closed by </{tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_page(text: str) -> Page:
    """Read a page; every element must be closed where it should be."""
    builder = _Builder()
    builder.feed(text)
    root = builder.root
    assert builder.open == [root]
    sections = {node.attributes["id"]: _section(node) for node in root.find("section")}
    terms = zip(root.find("dt"), root.find("dd"), strict=True)
    return Page(
        title=root.find("h1")[0].text,
        counts=root.find("p", "counts")[0].text,
        measures=[n.attributes["value"] for n in root.find("input") if "value" in n.attributes],
        sections=sections,
        questions=[node.text for node in root.find("h2")],
        terms={name.text: value.text for name, value in terms},
        points=[[point.text for point in listed.find("li")] for listed in root.find("ul")],
    )


def _section(node: Node) -> dict[str, Block]:
    blocks = {n.attributes["data-measure"]: _block(n) for n in node.find("div", "by-measure")}
    rest = Node("rest", {}, [c for c in node.children if not _is_block(c)])
    return blocks | {"": _block(rest)}


def _is_block(child: Node | str) -> bool:
    return isinstance(child, Node) and "by-measure" in child.kinds


def _block(node: Node) -> Block:
    inside = {
        id(below)
        for kind in ("figure", "table")
        for outer in node.find(kind)
        for below in outer.walk()
    }
    warned = [below for outer in node.find("div", "warning") for below in outer.find("p")]
    texts = [p for p in node.find("p") if id(p) not in inside and p not in warned]
    pickers = [n for n in node.find("div", "picker") if n.find("script")]
    listed = node.find("div", "documents")
    return Block(
        paragraphs=[p.text for p in texts if not p.kinds],
        notes=[p.text for p in texts if "how" in p.kinds],
        warnings=[p.text for p in warned],
        titles=[n.text for n in node.find("h3")],
        tables={n.attributes["data-name"]: _table(n) for n in node.find("div", "table")},
        charts={n.attributes["data-name"]: _chart(n) for n in node.find("figure")},
        scores=json.loads(pickers[0].find("script")[0].raw) if pickers else {},
        documents=json.loads(listed[0].find("script")[0].raw) if listed else {},
        chosen=[n.text for p in pickers for n in p.find("option") if "selected" in n.attributes],
    )


def _table(node: Node) -> Table:
    (body,) = node.find("tbody")
    rows = body.find("tr")
    cells = [row.find("td") for row in rows]
    axes = [n for head in node.find("th") for n in head.find("span", "axis")]
    return Table(
        caption=node.find("caption")[0].text,
        headings=[n.find("button")[0].text for n in node.find("th")],
        rows=[[cell.text for cell in row] for row in cells],
        keys=[[cell.attributes.get("data-key") for cell in row] for row in cells],
        marked=[row.attributes.get("class", "") for row in rows],
        axis=[float(n.attributes[f"data-{end}"]) for n in axes for end in ("low", "high")],
        labels=[
            (float(n.text), _place(n)) for axis in axes for n in axis.find("span") if not n.kinds
        ],
        bars=[_bars(drawn) for row in cells for cell in row for drawn in cell.find("svg")],
    )


def _place(label: Node) -> float:
    return float(label.attributes["style"].partition("left:")[2].partition("%")[0])


def _bars(drawn: Node) -> dict[str, tuple[float, float]]:
    return {
        n.attributes["class"]: (float(n.attributes["x"]), float(n.attributes["width"]))
        for n in drawn.find("rect")
    }


def _chart(node: Node) -> Chart:
    content = json.loads(node.find("script")[0].raw)
    return Chart(
        caption=node.find("figcaption")[0].text,
        notes=[p.text for p in node.find("p", "how")],
        columns={
            name: [c["levels"][i] for i in c["codes"]] if isinstance(c, dict) else c
            for name, c in content["data"].items()
        },
        spec=content["spec"],
    )
