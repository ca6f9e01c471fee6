"""A dict from topics to their documents: graded, scored, in order, or as a set."""

from collections.abc import Collection, Mapping
from numbers import Real
from typing import Any

from poolwise.collection.files.memory import MemoryBytes, id_text, number_text
from poolwise.collection.shapes.records import are_records
from poolwise.collection.shapes.rows import Rows
from poolwise.errors import InputError
from poolwise.provenance._provenance import Notice

__all__ = ["holds_systems", "judged_topics", "ranked_topics"]

_Entries = list[tuple[str, str]]
"""Documents and their numbers, as text."""

_SETS = (set, frozenset)
_LISTS = (list, tuple)


def holds_systems(given: Mapping[Any, Any]) -> bool:
    """Say whether a dict is of systems, or of one system's topics.

    Examples
    --------
    >>> holds_systems({"bm25": {"1": {"a": 0.5}}}), holds_systems({"bm25": {"1": ["a", "b"]}})
    (True, True)
    >>> holds_systems({"1": {"a": 0.5}}), holds_systems({"1": ["a", "b"]})
    (False, False)
    """
    telling = (v for v in given.values() if not isinstance(v, Collection) or len(v))
    value: Any = next(telling, {})
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return isinstance(inner, Mapping | set | frozenset) or _is_list(inner)
    if _is_list(value):
        return are_records(value)
    return not isinstance(value, (*_SETS, Real)) and value is not None


def ranked_topics(topics: Mapping[Any, Any], where: str) -> MemoryBytes:
    r"""Return a system of ``{topic: …}``: documents with scores, or a list with the best first.

    The documents of a set have no order: they are tied, and counted as such.

    Examples
    --------
    >>> made = ranked_topics({"1": ["b", "a"]}, "<dict>")
    >>> bytes(next(iter(made))).replace(b"\x1f", b" ").split(b"\n")
    [b'1 b 0.0 0', b'1 a -1.0 1']
    """
    columns = _columns(topics, where, ranked=True)
    sets = sum(isinstance(documents, _SETS) for documents in topics.values())
    unordered = Notice("sets of documents without an order, all of them tied", sets)
    return MemoryBytes(where, columns, notices=(unordered,) if sets else ())


def judged_topics(topics: Mapping[Any, Any], where: str) -> MemoryBytes:
    """Return the judgments of ``{topic: …}``: documents with grades, or the relevant ones alone."""
    return MemoryBytes(where, _columns(topics, where, ranked=False))


def _columns(topics: Mapping[Any, Any], where: str, *, ranked: bool) -> list[list[str]]:
    entries = [
        (id_text(topic, where), document, number, str(i))
        for topic, documents in topics.items()
        for i, (document, number) in enumerate(_entries(documents, where, ranked=ranked))
    ]
    return [list(column) for column in zip(*entries, strict=True)][: 4 if ranked else 3]


def _entries(documents: Any, where: str, *, ranked: bool) -> _Entries:
    if isinstance(documents, Mapping):
        return [(id_text(d, where), number_text(value)) for d, value in documents.items()]
    if isinstance(documents, _SETS):
        return [(id_text(d, where), "0" if ranked else "1") for d in documents]
    if isinstance(documents, str) and not ranked:
        return [(id_text(documents, where), "1")]
    if not _is_list(documents):
        raise _no_documents(documents, where)
    return [_entry(item, i, where, ranked=ranked) for i, item in enumerate(documents)]


def _entry(item: Any, place: int, where: str, *, ranked: bool) -> tuple[str, str]:
    """Return a document of a list: with its number, or with one that its place gives it."""
    number: Any = -place if ranked else 1
    if isinstance(item, Mapping):
        rows = Rows.of(where, {name: [value] for name, value in item.items()})
        valued = rows.find("score" if ranked else "grade")
        return rows.ids("document")[0], number_text(item[valued] if valued else number)
    if isinstance(item, _LISTS):
        if len(item) != 2:
            raise _no_documents(item, where)
        item, number = item
    return id_text(item, where), number_text(number)


def _is_list(value: Any) -> bool:
    """Say whether a value is in order: a list, a tuple or an array."""
    return isinstance(value, _LISTS) or getattr(value, "ndim", 0) == 1


def _no_documents(value: Any, where: str) -> InputError:
    return InputError(
        where,
        "a topic must map documents to numbers, or list documents",
        value=value,
        remedy="pass {topic: {document: number}}, {topic: [document, …]} or, for runs, "
        "{system: {topic: …}}",
    )
