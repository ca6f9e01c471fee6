"""Rows with named columns, whatever holds them, as runs and judgments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from poolwise.collection.files.memory import MemoryBytes, id_texts, number_texts
from poolwise.errors import InputError

__all__ = ["Rows", "by_columns", "has_entries", "judgments_in_rows", "runs_in_rows"]

_COLUMNS = {
    "topic": (
        *("qid", "query_id", "query-id", "topic", "topic_id", "q_id", "queryid", "topicid"),
        *("topic-id", "query"),
    ),
    "document": (
        *("docno", "doc_id", "corpus-id", "docid", "document", "document_id"),
        *("corpus_id", "passage_id", "pid", "did", "doc-id", "doc", "_id", "id"),
    ),
    "score": ("score", "_score", "similarity", "sim"),
    "grade": (
        *("label", "relevance", "rel", "grade", "rating", "judgment", "judgement", "gain"),
        "score",
    ),
    "rank": ("rank",),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "system": (
        *("run", "system", "tag", "run_id", "name", "run_name", "runid", "system_id"),
        *("run_tag", "model"),
    ),
}
"""By what a column is for, the names that people give it, in any capitals."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by name, each fetched when it is asked for.

    Attributes
    ----------
    where : str
        What messages call it: the file it is from, or ``<frame>``.
    names : tuple of str
        The names of the columns.
    column : callable
        Returns the values of a column.
    first_line : int
        The line of its file that the first row stands on.

    Examples
    --------
    >>> rows = Rows.of("<rows>", {"qid": ["1"], "docno": ["a"], "score": [0.5]})
    >>> rows.find("document"), rows.find("rank")
    ('docno', None)
    """

    where: str
    names: tuple[str, ...]
    column: Callable[[str], Sequence[Any]]
    first_line: int = 1

    @classmethod
    def of(cls, where: str, columns: Mapping[str, Sequence[Any]], *, first_line: int = 1) -> "Rows":
        """Make rows of columns that are there already."""
        return cls(where, tuple(columns), columns.__getitem__, first_line)

    def find(self, role: str) -> str | None:
        """Return the column that is there for this, None if there is none."""
        by_small_name = {name.lower(): name for name in reversed(self.names)}
        known = (by_small_name.get(name) for name in _COLUMNS[role])
        return next((name for name in known if name is not None), None)

    def need(self, role: str) -> str:
        """Return the column that is there for this, or say how it could be called."""
        found = self.find(role)
        if found is None:
            raise InputError(
                self.where,
                f"there must be a column for the {role}",
                value=", ".join(self.names),
                remedy=_naming(role),
            )
        return found

    def ids(self, role: str) -> list[str]:
        """Return a column of ids."""
        name = self.need(role)
        return id_texts(self.column(name), f"{self.where} {name}")

    def numbers(self, role: str) -> list[str]:
        """Return a column of numbers, as text that reads back the same."""
        return number_texts(self.column(self.need(role)))


def has_entries(names: Iterable[str]) -> bool:
    """Say whether columns of these names could be of runs or judgments: topic and document.

    Examples
    --------
    >>> has_entries(["query-id", "corpus-id", "score"]), has_entries(["401", "402"])
    (True, False)
    """
    rows = Rows.of("", dict.fromkeys(names, ()))
    return all(rows.find(role) is not None for role in ("topic", "document"))


def by_columns(given: Mapping[Any, Any], where: str) -> "Mapping[Any, Any] | Rows":
    """Return a dict of columns as rows, as frames write themselves; any other dict as it is.

    Examples
    --------
    >>> by_columns({"qid": ["1"], "docno": {"0": "a"}, "label": [2]}, "<dict>").column("docno")
    ['a']
    >>> by_columns({"1": {"a": 2}}, "<dict>")
    {'1': {'a': 2}}
    """
    columns = {str(name): _cells(column) for name, column in given.items()}
    if not has_entries(columns) or len(set(map(len, columns.values()))) > 1:
        return given
    return Rows.of(where, columns)


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column: a list, an array, or a dict by the number of the row."""
    if isinstance(column, Mapping):
        return [*column.values()]
    is_column = isinstance(column, list | tuple) or getattr(column, "ndim", 0) == 1
    return list(column) if is_column else []


def _naming(role: str) -> str:
    """Say what a column may be called."""
    names = f"call it {' or '.join([', '.join(_COLUMNS[role][:-1]), _COLUMNS[role][-1]])}"
    ordered = "; or give the ranks in a column rank, or lists {topic: [document, …]}"
    return names + ordered if role == "score" else names


def runs_in_rows(rows: Rows) -> list[MemoryBytes]:
    """Return the systems in order of appearance; one without a name where no column names it."""
    columns = _run_columns(rows)
    system = rows.find("system")
    if system is None:
        return [MemoryBytes(rows.where, columns, first_line=rows.first_line)]
    of_system: dict[str, list[int]] = {}
    for i, name in enumerate(rows.ids("system")):
        of_system.setdefault(name, []).append(i)
    return [
        MemoryBytes(rows.where, [map(column.__getitem__, picked) for column in columns], name)
        for name, picked in of_system.items()
    ]


def judgments_in_rows(rows: Rows) -> MemoryBytes:
    """Return the entries of judgments."""
    if rows.find("rank") is not None and rows.find("grade") in ("score", None):
        raise InputError(
            rows.where,
            "these must be judgments, and they look like a run: there are ranks and no grades",
            value=", ".join(rows.names),
            remedy="pass the judgments first and the runs second",
        )
    columns = [rows.ids("topic"), rows.ids("document"), rows.numbers("grade")]
    return MemoryBytes(rows.where, columns, first_line=rows.first_line)


def _run_columns(rows: Rows) -> list[list[str]]:
    ids = [rows.ids("topic"), rows.ids("document")]
    rank = rows.find("rank")
    ranks = [str(r) for r in rows.column(rank)] if rank else [*map(str, range(len(ids[0])))]
    if rows.find("score") is None and rank:
        return [*ids, [f"-{number}" for number in rows.numbers("rank")], ranks]  # it orders as well
    if rows.find("score") is None and rows.find("grade") is not None:
        raise InputError(
            rows.where,
            "these must be runs, and they look like judgments: there are grades and no scores",
            value=", ".join(rows.names),
            remedy="pass the judgments first and the runs second",
        )
    return [*ids, rows.numbers("score"), ranks]
