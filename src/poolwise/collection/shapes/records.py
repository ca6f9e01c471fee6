"""Lists of records: named tuples, dicts, and tuples in the order that TREC's files have."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

from poolwise.collection.shapes.rows import Rows, has_entries
from poolwise.errors import InputError

__all__ = ["are_records", "by_topic", "rows_of_records"]

_ORDERS = {
    "runs": {
        3: ("topic", "document", "score"),
        4: ("topic", "document", "rank", "score"),
        6: ("topic", "Q0", "document", "rank", "score", "run"),
    },
    "judgments": {
        3: ("topic", "document", "grade"),
        4: ("topic", "iteration", "document", "grade"),
    },
}
"""What the fields of a tuple without names are, by their number."""


def are_records(items: Sequence[Any]) -> bool:
    """Say whether a list holds the entries of runs or judgments, and not runs one by one.

    Examples
    --------
    >>> are_records([("1", "a", 0.5)]), are_records([{"qid": "1", "docno": "a", "score": 1}])
    (True, True)
    >>> are_records(["a.run", "b.run"]), are_records([("a", 0.5), ("b", 0.25)])
    (False, False)
    """
    if not len(items):
        return False
    first = items[0]
    names = _names(first)
    if names:
        return has_entries(names) and not _holds_columns(first)
    if not isinstance(first, tuple | list) or len(first) not in (3, 4, 6):
        return False
    return isinstance(first[4 if len(first) == 6 else -1], Real)


def _holds_columns(item: Any) -> bool:
    """Say whether a dict holds the columns of a whole table, and is no record of one entry."""
    cells = item.values() if isinstance(item, Mapping) else ()
    return any(isinstance(cell, Mapping | list | tuple) or hasattr(cell, "ndim") for cell in cells)


def rows_of_records(items: Sequence[Any], where: str, kind: str) -> Rows:
    """Return records as rows; ``kind`` says what the fields of plain tuples are.

    Examples
    --------
    >>> rows = rows_of_records([("1", "a", 2), ("1", "b", 0)], "<list>", "judgments")
    >>> rows.column("document")
    ['a', 'b']
    """
    names = _names(items[0])
    if names:
        return Rows.of(where, {name: _attribute(items, name, where) for name in names})
    names = _ORDERS[kind].get(len(items[0]), ())
    if not names or (kind == "runs" and len(names) == 4 and _are_graded(items)):
        other = next(k for k in _ORDERS if k != kind)
        rule = f"these must be {kind}, and they look like {other}"
        remedy = "pass the judgments first and the runs second"
        raise InputError(where, rule, value=items[0], remedy=remedy)
    for number, item in enumerate(items, start=1):
        if len(item) != len(names):
            rule = f"every record must have {len(names)} fields, as the first has"
            raise InputError(f"{where}:{number}", rule, value=item, remedy="complete the record")
    return Rows.of(where, dict(zip(names, map(list, zip(*items, strict=True)), strict=True)))


def by_topic(items: Sequence[Any], where: str) -> dict[Any, Any] | None:
    """Return records that hold the list of a topic each as ``{topic: list}``; None of others.

    Examples
    --------
    >>> by_topic([{"query_id": "1", "query": "who?", "results": ["b", "a"]}], "<list>")
    {'1': ['b', 'a']}
    >>> by_topic([{"query_id": "1", "doc_id": "a", "score": 0.5}], "<list>")
    """
    if not all(isinstance(item, Mapping) for item in items) or not len(items):
        return None
    lists = [name for name, value in items[0].items() if isinstance(value, list | tuple | Mapping)]
    topic = Rows.of(where, dict.fromkeys(map(str, items[0]), ())).find("topic")
    if topic is None or topic in lists or len(lists) != 1:
        return None
    rows = {name: _attribute(items, name, where) for name in (topic, lists[0])}
    if len(set(rows[topic])) < len(items):
        rule = "a topic may have one list, and one of these has several"
        raise InputError(where, rule, remedy="put the documents of a topic into one list")
    return dict(zip(rows[topic], rows[lists[0]], strict=True))


def _are_graded(items: Sequence[Any]) -> bool:
    """Say whether tuples of four end in whole numbers, as those of judgments do."""
    with suppress(TypeError, ValueError):
        return all(float(item[-1]).is_integer() for item in items)
    return False


def _names(item: Any) -> tuple[str, ...]:
    """Return the names of a record's fields; none where they have none."""
    if isinstance(item, Mapping):
        return tuple(map(str, item))
    if is_dataclass(item):
        return tuple(field.name for field in fields(item))
    return tuple(getattr(item, "_fields", ()))


def _attribute(items: Sequence[Any], name: str, where: str) -> list[Any]:
    found = []
    for number, item in enumerate(items, start=1):
        try:
            found.append(item[name] if isinstance(item, Mapping) else getattr(item, name))
        except (KeyError, AttributeError, TypeError) as error:
            rule = f"every record must have the field {name!r}, as the first has"
            remedy = "complete the record"
            raise InputError(f"{where}:{number}", rule, value=item, remedy=remedy) from error
    return found
