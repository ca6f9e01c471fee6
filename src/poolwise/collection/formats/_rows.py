"""Rows of frames, records, dicts and datasets, as columns of ids and numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from poolwise.collection._identifiers import encode
from poolwise.collection.files._sources import (
    is_address,
    refuse_if_elsewhere,
)
from poolwise.errors import InputError, MissingExtraError, OptionError, shortened
from poolwise.provenance._provenance import Notice, Source

__all__ = [
    "BY_MACHINES",
    "IRDS",
    "MemoryBytes",
    "Rows",
    "are_records",
    "arrow_of",
    "as_frame",
    "by_columns",
    "by_topic",
    "graded_by_machines",
    "has_entries",
    "id_text",
    "id_texts",
    "is_path",
    "judgments_in_rows",
    "load_dataset",
    "name_of",
    "number_text",
    "number_texts",
    "rows_of_frame",
    "rows_of_records",
    "runs_in_rows",
    "type_name",
    "unfolded",
]

_FIELD, _ENTRY = "\x1f", "\n"
_ID_REMEDY = "make ids strings before they are read, so that leading zeros survive"


class MemoryBytes(Iterable[memoryview]):
    """Entries of one system (or of the judgments) from a dict or a frame, as text.

    Fields end at a unit separator and entries at a newline, so ids may hold spaces.

    Parameters
    ----------
    path
        What messages call it: the file it is from, ``<dict>`` or ``<frame>``.
    columns
        Topics, documents, values and, for a run, ranks.
    system
        The system's name; empty where nothing says it.
    notices
        What was odd in it.
    first_line
        The number by which messages call the first entry.
    left_out
        Entries that do not count, by their places.
    """

    layout = "memory"

    def __init__(
        self,
        path: str,
        columns: Iterable[Iterable[str]],
        system: str = "",
        *,
        notices: tuple[Notice, ...] = (),
        first_line: int = 1,
        left_out: Sequence[int] = (),
    ) -> None:
        self.path, self.system, self.notices = path, system, notices
        self.source = Source.of_file(path) if Path(path).is_file() else Source(path)
        rows = [_FIELD.join(fields) for fields in zip(*columns, strict=True)]
        for row in left_out:
            rows[row] = ""  # an empty line, so that the others keep their numbers
        text = _ENTRY.join(rows)
        # Counted in the joined text, which is much faster than to look into every id.
        if text.count(_ENTRY) >= max(1, len(rows)):
            self._refuse(next(row for row in rows if _ENTRY in row))
        self._text = _ENTRY * (first_line - 1) + text  # the scanner counts blank lines, too

    @property
    def names_itself(self) -> bool:
        """Whether something says what the system is called: a name, or the file it is from."""
        return bool(self.system or self.source.stamp or is_address(self.path))

    def __iter__(self) -> Iterator[memoryview]:
        yield memoryview(encode(self._text))

    def _refuse(self, row: str) -> None:
        raise InputError(
            self.path,
            "an id must not hold a line break",
            value=row.replace(_FIELD, " "),
            remedy="rename the id",
        )


def id_text(value: Any, where: str) -> str:
    """Return an id as text; a number that is not whole is no id.

    Examples
    --------
    >>> id_text("007", "<dict>"), id_text(42, "<dict>")
    ('007', '42')
    >>> id_text(42.0, "<frame>")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: <frame>: an id must be a string or a whole number; got 42.0.
    Hint: make ids strings before they are read, so that leading zeros survive.
    """
    if isinstance(value, str):
        encode(value)  # says what is wrong with half a character
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        rule = "an id must be a string or a whole number"
        raise InputError(where, rule, value=value, remedy=_ID_REMEDY)
    return str(int(value))


def id_texts(values: Sequence[Any], where: str) -> list[str]:
    """Return ids as texts, a whole column of strings at once.

    Examples
    --------
    >>> id_texts(["007", "b"], "<frame>"), id_texts([7, "b"], "<frame>")
    (['007', 'b'], ['7', 'b'])
    """
    if set(map(type, values)) <= {str}:
        with suppress(UnicodeEncodeError):  # which one it is, the ids tell one by one
            "".join(values).encode("utf-8", "surrogateescape")
            return list(values)
    return [id_text(value, where) for value in values]


def number_texts(values: Sequence[Any]) -> list[str]:
    """Return numbers as texts, a whole column at once where all of it are numbers.

    Examples
    --------
    >>> number_texts([0.1, 2]), number_texts([0.1, None])
    (['0.1', '2.0'], ['0.1', 'None'])
    """
    with suppress(TypeError, ValueError, OverflowError):
        return [*map(repr, map(float, values))]
    return [*map(number_text, values)]


def number_text(value: Any) -> str:
    """Return a number as text that reads back the same; what is no number stays for the scanner.

    Examples
    --------
    >>> number_text(True), number_text(0.1), number_text(None)
    ('1.0', '0.1', 'None')
    """
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        return str(value)
    except OverflowError:
        return "inf"  # which the scanner refuses, with the place


_COLUMNS = {
    "topic": (
        *("qid", "query_id", "query-id", "topic", "topic_id", "q_id", "queryid", "topicid"),
        *("topic-id", "question_id", "query"),
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


FAILED = "labels that could not be read (result_status 0), left out as missing"
"""What is said of them."""
_STATUS = ("result_status", "parse_status", "parsed")
_FAILURE = ("0", "0.0", "false", "failed", "error", "none", "null", "")
"""What such a column says of an answer in which no label was found."""


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
        # Reversed, so that of names that differ in capitals the first column counts.
        by_small_name = {name.lower(): name for name in reversed(self.names)}
        columns = (by_small_name.get(name) for name in _COLUMNS[role])
        return next((name for name in columns if name is not None), None)

    def need(self, role: str) -> str:
        """Return the column that is there for this, or say how it could be called."""
        column = self.find(role)
        if column is None:
            raise InputError(
                self.where,
                f"there must be a column for the {role}",
                value=", ".join(self.names),
                remedy=_naming(role),
            )
        return column

    def failures(self) -> list[int]:
        """Return the rows whose label could not be read, by the column that says so.

        Whoever asked a language model for a label and could not read the answer has written some
        grade, mostly 0: it is no judgment.
        """
        status = next((name for name in self.names if name.lower() in _STATUS), None)
        if status is None:
            return []
        texts = [str(cell).strip().lower() for cell in self.column(status)]
        return [row for row, text in enumerate(texts) if text in _FAILURE]

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


def by_columns(mapping: Mapping[Any, Any], where: str) -> "Mapping[Any, Any] | Rows":
    """Return a dict of columns as rows, as frames write themselves; any other dict as it is.

    Examples
    --------
    >>> by_columns({"qid": ["1"], "docno": {"0": "a"}, "label": [2]}, "<dict>").column("docno")
    ['a']
    >>> by_columns({"1": {"a": 2}}, "<dict>")
    {'1': {'a': 2}}
    """
    columns = {str(name): _cells(column) for name, column in mapping.items()}
    if not has_entries(columns) or len(set(map(len, columns.values()))) > 1:
        return mapping
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
    # "score" may head a column of grades, as in BEIR's qrels; beside ranks it heads scores.
    if rows.find("rank") is not None and rows.find("grade") in ("score", None):
        raise InputError(
            rows.where,
            "these must be judgments, and they look like a run: there are ranks and no grades",
            value=", ".join(rows.names),
            remedy="pass the judgments first and the runs second",
        )
    failed = rows.failures()
    grades = list(rows.column(rows.need("grade")))
    for row in failed:
        grades[row] = 0  # whatever stands there is no grade, and is left out
    columns = [rows.ids("topic"), rows.ids("document"), number_texts(grades)]
    place = f"{rows.where}:{rows.first_line + failed[0]}" if failed else ""
    left_out = (Notice(FAILED, len(failed), place),) if failed else ()
    return MemoryBytes(
        rows.where,
        columns,
        first_line=rows.first_line,
        left_out=failed,
        notices=(*left_out, *graded_by_machines(rows)),
    )


BY_MACHINES = "labels by machines"
"""How the notice begins of grades that a machine gave."""
_MODELS = ("model", "model_name", "llm")


def graded_by_machines(rows: Rows) -> tuple[Notice, ...]:
    """Return which models gave grades, and how many, where a column says so."""
    column = next((name for name in rows.names if name.lower() in _MODELS), None)
    models = [str(cell) for cell in rows.column(column) if cell] if column else []
    if not models:
        return ()
    named = ", ".join(dict.fromkeys(models))
    return (Notice(f"{BY_MACHINES} ({named}) taken as judgments", len(models)),)


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
    # A pair could be a document with its score, so that two fields are no record.
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


_LISTS_OF_KIND = {
    "judgments": ("answer_session_ids", "relevant_ids", "relevant_docs", "gold_ids"),
    "runs": ("retrieval_results", "retrieved_ids", "ranked_items"),
}
"""What records with several lists call the one that counts, such as LongMemEval's."""


def by_topic(items: Sequence[Any], where: str, kind: str) -> dict[Any, Any] | None:
    """Return records that hold the list of a topic each as ``{topic: list}``; None of others.

    Examples
    --------
    >>> by_topic([{"query_id": "1", "query": "who?", "results": ["b", "a"]}], "<list>", "runs")
    {'1': ['b', 'a']}
    >>> by_topic([{"query_id": "1", "doc_id": "a", "score": 0.5}], "<list>", "runs")
    """
    if not all(isinstance(item, Mapping) for item in items) or not len(items):
        return None
    lists = [name for name, value in items[0].items() if isinstance(value, list | tuple | Mapping)]
    lists = [name for name in _LISTS_OF_KIND[kind] if name in lists][:1] or lists
    topic = Rows.of(where, dict.fromkeys(map(str, items[0]), ())).find("topic")
    if topic is None or topic in lists or len(lists) != 1:
        return None
    rows = {name: _attribute(items, name, where) for name in (topic, lists[0])}
    if len(set(id_texts(rows[topic], where))) < len(items):
        rule = "a topic may have one list, and one of these has several"
        raise InputError(where, rule, remedy="put the documents of a topic into one list")
    return dict(zip(rows[topic], map(_ranked_items, rows[lists[0]]), strict=True))


def _ranked_items(listed: Any) -> Any:
    """Return the documents of a list that a log keeps with what else it found of the topic."""
    is_log = isinstance(listed, Mapping) and "ranked_items" in listed
    return listed["ranked_items"] if is_log else listed


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
    values = []
    for number, item in enumerate(items, start=1):
        try:
            values.append(item[name] if isinstance(item, Mapping) else getattr(item, name))
        except (KeyError, AttributeError, TypeError) as error:
            rule = f"every record must have the field {name!r}, as the first has"
            remedy = "complete the record"
            raise InputError(f"{where}:{number}", rule, value=item, remedy=remedy) from error
    return values


IRDS = "irds:"
"""How the id of a dataset of ir_datasets begins."""

_LONGEST = 120
"""How much of what another library says is repeated: a failed download says pages."""

Shape = Mapping[Any, Any] | Rows | list[Any]
"""A dict, rows, or a list of sources."""

_ITERATORS = {"runs": "scoreddocs_iter", "judgments": "qrels_iter"}
"""What a dataset of ir_datasets is asked for."""


def is_path(source: Any) -> bool:
    """Say whether a source is a path, a glob or a folder, and no object or dataset.

    Examples
    --------
    >>> is_path("runs/*.gz"), is_path("irds:vaswani"), is_path({})
    (True, False, False)
    """
    return isinstance(source, Path) or (isinstance(source, str) and not source.startswith(IRDS))


def name_of(source: Any) -> str:
    """Return the name that an object has for itself, such as a ranx Run; empty without one."""
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and hasattr(source, "to_dict") else ""


def unfolded(source: Any, kind: str) -> Shape:
    """Return runs or judgments of any make as a dict, as rows, or as a list of sources.

    A dict stays as it is, unless it holds columns by name. Known by what they can do are: frames,
    lazy ones too, and streams of Arrow; datasets of Hugging Face and of ir_datasets; whatever has
    ``to_dict``, as ranx's Qrels and Run have; arrays; and what can be iterated over, as records or
    as sources one by one.

    Examples
    --------
    >>> unfolded(iter([("1", "a", 0.5)]), "runs").column("score")
    [0.5]
    """
    if isinstance(source, Mapping):
        return by_columns(source, "<dict>")
    if isinstance(source, str) and source.startswith(IRDS):
        return _dataset_rows(load_dataset(source), source, kind)
    # Frames come before to_dict, which frames of pandas and polars have, too.
    frame = as_frame(_tabular(source))
    if frame is not None:
        return rows_of_frame(frame)
    if hasattr(source, _ITERATORS[kind]):
        return _dataset_rows(source, _label(source), kind)
    if callable(getattr(source, "to_dict", None)) and not hasattr(source, "features"):
        made: Mapping[Any, Any] = source.to_dict()
        return made
    if isinstance(source, str | bytes | Path) or not isinstance(source, Iterable):
        raise _unreadable(source)
    if hasattr(source, "readline"):
        raise OptionError("source: an open file cannot be read. Hint: pass the path of the file.")
    return _listed(source, kind)


def _listed(source: Any, kind: str) -> Shape:
    # an array holds its rows as arrays, and one with named fields as tuples without the names
    fields = getattr(getattr(source, "dtype", None), "names", None)
    if fields:
        return Rows.of(_label(source), {name: source[name].tolist() for name in fields})
    items = list(source.tolist() if hasattr(source, "tolist") else source)
    if are_records(items):
        return rows_of_records(items, _label(source), kind)
    return by_topic(items, _label(source), kind) or items


def _label(source: Any) -> str:
    return f"<{type(source).__name__}>"


def _tabular(source: Any) -> Any:
    """Return what is a table in all but its class as one that frames are read by."""
    with_format: Callable[[str], Any] | None = getattr(source, "with_format", None)
    if with_format is not None and hasattr(source, "features") and hasattr(source, "__len__"):
        return with_format("arrow")[:]  # a Hugging Face dataset that is in memory
    if (whole := arrow_of(source)) is not None:
        return whole
    if indexed := _names_in_index(source):
        return source.reset_index(level=indexed)
    if type(source).__name__ in ("RecordBatch", "RecordBatchReader"):
        import pyarrow as pa  # noqa: PLC0415, late: who has a batch has pyarrow

        return pa.table(source)
    return source


def type_name(source: Any) -> tuple[str, str]:
    """Return the package that the type of an object is from, and what it is called there.

    Examples
    --------
    >>> type_name(Path("a"))[0], type_name(3)
    ('pathlib', ('builtins', 'int'))
    """
    return type(source).__module__.partition(".")[0], type(source).__name__


def _of_ray(source: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415 -- Ray has it
    import ray  # noqa: PLC0415 -- who has such a dataset has the package

    return pa.concat_tables(ray.get(source.to_arrow_refs()), promote_options="permissive")


_WHOLE: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("daft", "DataFrame"): lambda source: source.to_arrow(),
    ("ray", "Dataset"): _of_ray,
    ("ray", "MaterializedDataset"): _of_ray,
    ("pyarrow", "FileSystemDataset"): lambda source: source.to_table(),
    ("pyarrow", "InMemoryDataset"): lambda source: source.to_table(),
    ("pyarrow", "UnionDataset"): lambda source: source.to_table(),
}
"""Tables that narwhals does not know, by package and type, and what makes Arrow of them."""


def arrow_of(source: Any) -> Any | None:
    """Return the whole of an engine's table as Arrow; None for any other object."""
    make = _WHOLE.get(type_name(source))
    return None if make is None else make(source)


def _names_in_index(source: Any) -> list[Any]:
    """Return the columns of a pandas frame, or of a series, that are in its index alone."""
    if not hasattr(source, "reset_index"):
        return []
    columns = getattr(source, "columns", ())
    return [name for name in source.index.names if name is not None and name not in columns]


def load_dataset(source: str) -> Any:
    refuse_if_elsewhere(source)
    try:
        import ir_datasets  # noqa: PLC0415, late: only such an id needs it
    except ImportError as error:
        raise MissingExtraError("ir_datasets", "irds") from error
    try:
        return ir_datasets.load(source.removeprefix(IRDS))
    except KeyError as error:
        rule = "ir_datasets must know a dataset of this id"
        remedy = "look it up at ir-datasets.com; an id has parts, such as irds:vaswani"
        raise InputError(source, rule, remedy=remedy) from error


def _dataset_rows(dataset: Any, where: str, kind: str) -> Rows:
    iterate = getattr(dataset, _ITERATORS[kind], None)
    if iterate is None:
        rule = f"the dataset must hold {'judgments' if kind == 'judgments' else 'a run'}"
        raise InputError(where, rule, remedy="name a part of it that does, or a file")
    try:
        items = list(iterate())
    except Exception as error:  # a download can fail in many ways
        said = shortened((str(error).splitlines() or [""])[0], _LONGEST)
        rule = f"the data must be there or be downloadable: {said}"
        remedy = "download it as ir_datasets says, or name a file"
        raise InputError(where, rule, remedy=remedy) from error
    if not items:
        raise InputError(where, "there must be at least one entry", remedy="name another dataset")
    return rows_of_records(items, where, kind)


def _unreadable(source: Any) -> OptionError:
    kind = "None" if source is None else f"an object of the type {type(source).__name__}"
    return OptionError(
        f"source: {kind} cannot be read. Hint: pass a path, a glob, a folder, "
        "'-', a dict, a list of records, or a pandas, polars or Arrow frame."
    )


_FRAME = "<frame>"
"""What messages call a frame that is not from a file."""


def as_frame(source: Any) -> Any | None:
    """Return a narwhals frame, a lazy one collected; None if it is no frame that narwhals knows."""
    if isinstance(source, list | tuple):
        return None
    import narwhals as nw  # noqa: PLC0415, late: only frames need it

    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        rule = "the columns of a frame must have different names"
        raise InputError(_FRAME, rule, remedy="rename or drop one of them") from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def rows_of_frame(frame: Any, where: str = _FRAME) -> Rows:
    """Return a frame as rows; ``where`` is the file it is from."""
    names = tuple(map(str, frame.columns))
    return Rows(where, names, lambda name: frame[name].to_list())
