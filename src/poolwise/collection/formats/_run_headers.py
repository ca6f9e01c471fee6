"""What the header of a run says of it: ir_metadata, as comments above the lines."""

from collections.abc import Iterator
from typing import Any

from poolwise.collection.files._sources import FileBytes

__all__ = ["known_metadata", "run_header"]

_START, _END = "ir_metadata.start", "ir_metadata.end"
_MOST = 1 << 16
"""Bytes at the beginning of a file in which a header ends, if it has one."""

_KNOWN = {
    "group": ("actor.team",),
    "baseline": ("research goal.evaluation.baseline",),
    "paper": ("research goal.publication.doi", "research goal.publication.dblp"),
}
"""What we call differently."""


def run_header(path: str) -> dict[str, Any]:
    """Return the ir_metadata of a run file by dotted names; empty where it has none.

    Its YAML is read as far as headers go: members by indentation, and lists of plain values.
    """
    lines = _header_lines(path)
    return _flat(list(lines)) if lines else {}


def known_metadata(header: dict[str, Any]) -> dict[str, Any]:
    """Return what a ledger has names of its own for.

    Examples
    --------
    >>> known_metadata({"actor.team": "webis", "method.automatic": "true"})
    {'group': 'webis', 'automatic': True}
    """
    metadata = {
        name: header[place]
        for name, places in _KNOWN.items()
        for place in places
        if place in header
    }
    metadata = {
        name: value if isinstance(value, str) else str(value[0]) for name, value in metadata.items()
    }
    automatic = str(header.get("method.automatic", "")).lower()
    return metadata | ({"automatic": automatic == "true"} if automatic in ("true", "false") else {})


def _header_lines(path: str) -> list[str]:
    """Return the lines of the header, without the signs that make them comments."""
    start = b""
    for part in FileBytes(path):
        start += bytes(part)
        if len(start) >= _MOST or (start and not start.lstrip().startswith(b"#")):
            break
    lines = start[:_MOST].decode("utf-8", "replace").splitlines()
    comments = [line[1:].removeprefix(" ") for line in lines if line.startswith("#")]
    stripped = [line.strip() for line in comments]
    if _START not in stripped or _END not in stripped:
        return []
    return comments[stripped.index(_START) + 1 : stripped.index(_END)]


def _flat(lines: list[str]) -> dict[str, Any]:
    """Return the members of nested lines by dotted names.

    Examples
    --------
    >>> _flat(["actor:", "  team: 'webis'", "  fields:", "    - 'IR'", "    - NLP"])
    {'actor.team': 'webis', 'actor.fields': ['IR', 'NLP']}
    """
    header: dict[str, Any] = {}
    above: list[tuple[int, str]] = []
    for indent, name, value in _members(lines):
        while above and above[-1][0] >= indent and name:
            above.pop()
        place = ".".join(part for _, part in above)
        if not name:
            header.setdefault(place, [])
            if isinstance(header[place], list):
                header[place].append(value)
        elif value:
            header[f"{place}.{name}" if place else name] = value
        else:
            above.append((indent, name))
    return header


def _members(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield how far each line is indented, its name, and its value; items of lists have no name."""
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        item = text.removeprefix("- ") if text.startswith("- ") else ""
        name, colon, value = (item or text).partition(":")
        if item and not (colon and (value.startswith(" ") or not value)):
            yield indent, "", _unquoted(item)
        else:
            yield indent + (2 if item else 0), name.strip(), _unquoted(value.strip())


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text
