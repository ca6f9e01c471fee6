"""Lists of records: named tuples, dicts, and tuples in the order that TREC's files have."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

from poolwise.collection.shapes.rows import Rows, has_entries
from poolwise.errors import InputError

__all__ = ["are_records", "rows_of_records"]

_ORDERS = {
    "runs": {
        3: ("topic", "document", "score"),
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
        return has_entries(names)
    if not isinstance(first, tuple | list) or len(first) not in (3, 4, 6):
        return False
    return isinstance(first[4 if len(first) == 6 else -1], Real)


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
    if not names:
        other = next(k for k in _ORDERS if k != kind)
        rule = f"these must be {kind}, and they look like {other}"
        remedy = "pass the judgments first and the runs second"
        raise InputError(where, rule, value=items[0], remedy=remedy)
    for number, item in enumerate(items, start=1):
        if len(item) != len(names):
            rule = f"every record must have {len(names)} fields, as the first has"
            raise InputError(f"{where}:{number}", rule, value=item, remedy="complete the record")
    return Rows.of(where, dict(zip(names, map(list, zip(*items, strict=True)), strict=True)))


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
