"""Labels by people and machines, read from files, dicts and frames."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Author, Labels, join_labels
from poolwise.collection.files._readers import read_judgments
from poolwise.collection.files._sources import MAX_RATIO, read_text
from poolwise.collection.formats._catalogue import FORMATS, recognised
from poolwise.collection.formats._document_files import documents_of
from poolwise.collection.formats._json_formats import judgment_list
from poolwise.collection.formats._rows import Rows, as_frame, id_texts, is_path, rows_of_frame
from poolwise.collection.formats._text_files import (
    form_of,
    read_jsonl,
    read_text_table,
    read_whole_json,
)
from poolwise.collection.formats._topic_files import read_topic_texts
from poolwise.errors import InputError, OptionError
from poolwise.provenance._provenance import Notice, Source
from poolwise.provenance._recorded import recorded

__all__ = ["read_labels"]

Id = TypeVar("Id")

_COLUMNS = {
    "author": ("author", "judge", "assessor", "annotator", "user", "rater", "source"),
    "model": ("model", "model_name", "llm", "engine"),
    "prompt": ("prompt_id", "prompt_name", "prompt_type", "prompt"),
    "when": ("when", "time", "timestamp", "date", "judged_at", "created_at"),
    "probabilities": ("probabilities", "probs", "distribution"),
    "status": ("result_status", "status"),
    "query": ("query", "query_text", "question"),
    "passage": ("passage", "text", "passage_text", "document_text"),
    "kind": ("kind",),
}
"""What columns of labels are called, beside those of judgments."""

_MANY_PROMPTS = 50
"""A column with more prompts than this holds whole prompts, with query and passage in them."""
_LLM = "LLM_JUDGMENT"
"""What OpenSearch calls a list of judgments that a language model made."""


@recorded
def read_labels(
    *sources: str | Path | Mapping[str, Any] | Any,
    people: Sequence[str] = (),
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
) -> Labels:
    r"""Read labels: grades with whom they are from.

    Parameters
    ----------
    sources
        Files, plain or compressed: TREC qrels, which hold the labels of one author, named as the
        file; CSV, JSONL or Parquet with topic, document, and a grade or a list of probabilities,
        and perhaps who gave it (``judge``, ``assessor`` …), model, prompt and time; umbrela's
        JSONL; OpenSearch's ``judgmentRatings``; Quepid's CSV and books. Or dicts ``{author: {topic:
        {document: grade}}}``, frames, judgments, or labels.

    Returns
    -------
    Labels
        All labels on one table of documents; failed ones are missing, and columns that were not
        read are named in the notices.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"qid": "1", "docno": "a", "judgment": 2, "model": "gpt-4", "n": 1}\n'
    ...                    '{"qid": "1", "docno": "b", "judgment": "?", "model": "gpt-4"}\n')
    ...     file.flush()
    ...     labels = read_labels(file.name)
    >>> labels
    Labels(2 labels of 2 documents, 1 topic, by gpt-4; 1 failed)
    >>> print(*labels.notices, sep="\n")
    columns that were not read (n): 1
    labels that failed, taken as missing: 1
    """
    if not sources:
        raise OptionError("labels: at least one file is needed. Hint: name a file of labels.")
    labels = join_labels([_read(source, _Texts(texts, passages)) for source in sources])
    labels = labels.with_people(people) if people else labels
    labels = labels.with_scale(scale) if scale else labels
    lost = Notice("labels that failed, taken as missing", labels.failed)
    return replace(labels, notices=(*labels.notices, lost)) if lost.count else labels


class _Texts:
    """Ids by the texts of queries and passages, read where a file needs them."""

    def __init__(self, texts: Any, passages: Any) -> None:
        self._texts, self._passages = texts, passages

    def topics(self, queries: Sequence[Any], where: str) -> list[str]:
        """Return the topic of each query text."""
        if self._texts is None:
            rule = "labels have query texts and no topic ids, so that a file of topics is needed"
            raise InputError(where, rule, remedy="add --topic-texts FILE, or texts= in Python")
        source = self._texts
        texts = source if isinstance(source, Mapping) else read_topic_texts(source)
        ids_of_queries = _by_text(queries, texts.items(), "query", where)
        several = next(
            (q for q, ids in zip(queries, ids_of_queries, strict=True) if len(ids) > 1), None
        )
        if several is not None:
            rule = "every query must be the text of one id, and several ids have this one"
            remedy = "give the queries by their ids"
            raise InputError(where, rule, value=str(several)[:80], remedy=remedy)
        return [ids[0] for ids in ids_of_queries]

    def documents(self, passages: Sequence[Any], where: str) -> list[tuple[str, ...]]:
        """Return the documents of each passage: collections hold some texts more than once."""
        if self._passages is None:
            rule = "labels have passages and no document ids, so that a file of texts is needed"
            raise InputError(where, rule, remedy="add --passages FILE, or passages= in Python")
        source = self._passages
        if isinstance(source, Mapping):
            return _by_text(passages, source.items(), "passage", where)
        texts = ((document.id, document.shown) for document in documents_of(str(source)))
        return _by_text(passages, texts, "passage", where)


def _by_text(
    texts: Sequence[Any], named_texts: Iterable[tuple[str, str]], what: str, where: str
) -> list[tuple[str, ...]]:
    """Return the ids of each text; one that has none is refused."""
    wanted = [" ".join(str(text).split()) for text in texts]
    ids: dict[str, dict[str, None]] = {text: {} for text in wanted}
    for name, text in named_texts:
        plain = " ".join(text.split())
        if plain in ids:
            ids[plain][name] = None
    wrong = next((text for text in wanted if not ids[text]), None)
    if wrong is not None:
        rule = f"every {what} must be the text of an id, and no id has this one"
        remedy = "give topics and documents by their ids"
        raise InputError(where, rule, value=wrong[:80], remedy=remedy)
    return [tuple(ids[text]) for text in wanted]


def _read(source: Any, texts: _Texts) -> Labels:
    if isinstance(source, Labels):
        return source
    if isinstance(source, Judgments):
        return Labels.of(source, _stem(source.source.path))
    if isinstance(source, Mapping):
        if not all(isinstance(graded, Mapping) for graded in source.values()):
            raise InputError(
                "labels",
                "labels in memory are grades by topic and document, by the name of a set",
                value=source,
                remedy='use a path, or {"gpt-4": {"1": {"d1": 2}}}',
            )
        return join_labels([Labels.from_dict(str(n), graded) for n, graded in source.items()])
    if not is_path(source):
        frame = as_frame(source)
        if frame is None:
            raise OptionError(
                f"labels: cannot be read from {type(source).__name__}. Hint: give a path, a dict "
                "{author: {topic: {document: grade}}}, or a frame."
            )
        return _of_rows(rows_of_frame(frame), texts)
    return _of_file(str(source), texts)


def _of_file(path: str, texts: _Texts) -> Labels:
    form = form_of(path)
    if form == ".parquet":
        from poolwise.collection.formats._parquet import read_parquet  # noqa: PLC0415, late

        return _of_rows(read_parquet(path), texts)
    format_name = recognised(path)
    if format_name == "trec":
        return Labels.of(read_judgments(path), _stem(path))
    if format_name == "jsonl":
        return _of_rows(_jsonl(path), texts)
    if format_name == "csv":
        table = read_text_table(path, "judgments", max_ratio=MAX_RATIO, form=".csv")
        if isinstance(table, Rows):
            return _of_rows(table, texts)
    return _of_ratings(path, format_name, texts)


def _jsonl(path: str) -> Rows:
    """Return the fields of all objects as columns; None where an object lacks one."""
    records = [record for _, record in read_jsonl(path, read_text(path).removeprefix("\ufeff"))]
    names = dict.fromkeys(name for record in records for name in record)
    return Rows.of(path, {name: [record.get(name) for record in records] for name in names})


def _of_ratings(path: str, form: str, texts: _Texts) -> Labels:
    """Return what other tools' files hold; their queries stay ids unless texts are given."""
    ratings = FORMATS[form].read(path)
    _require_labels(len(ratings.entries), path)
    by_machine = form == "opensearch" and _says_machine(path)
    topics = [entry.topic for entry in ratings.entries]
    if FORMATS[form].by_text and texts._texts is not None:  # noqa: SLF001 -- of this module
        topics = texts.topics(topics, path)
    rows = [
        (topic, e.document, Author(e.judge or _stem(path), by_machine or not e.judge), e.grade)
        for topic, e in zip(topics, ratings.entries, strict=True)
    ]
    return Labels.from_rows(rows, sources=(_source(path),), notices=ratings.lost)


def _says_machine(path: str) -> bool:
    root = judgment_list(read_whole_json(path, read_text(path).removeprefix("\ufeff")))
    return isinstance(root, Mapping) and root.get("type") == _LLM


def _of_rows(rows: Rows, texts: _Texts) -> Labels:
    reader = _Found(rows)
    topics = reader.ids("topic", "query", texts.topics)
    _require_labels(len(topics), rows.where)
    of_passage = reader.ids("document", "passage", texts.documents)
    # A passage that several ids have is labelled under each of them.
    row = np.repeat(np.arange(len(of_passage)), [len(_several(ids)) for ids in of_passage])
    documents = [name for ids in of_passage for name in _several(ids)]
    grades, probabilities = reader.grades(len(topics))
    authors = reader.authors(len(topics))
    when = reader.cells("when")
    at = row.tolist()
    made = Labels.from_rows(
        [(topics[i], d, authors[i], float(grades[i])) for i, d in zip(at, documents, strict=True)],
        when=None if when is None else [str(when[i] or "") for i in at],
        probabilities=None if probabilities is None else probabilities[row],
        sources=(_source(rows.where),),
    )
    copies = Notice(_COPIES, len(documents) - len(of_passage))
    notices = (copies,) if copies.count else ()
    return replace(made, notices=(*reader.unread(), *notices, *made.notices))


_COPIES = "labels given again, to other ids with the text of the passage"


def _several(ids: str | tuple[str, ...]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else ids


class _Found:
    """The columns of a table of labels, each noted as read when it is asked for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._read: set[str] = set()

    def cells(self, role: str) -> Sequence[Any] | None:
        """Return a column by what it is for; None where there is none."""
        name = self._name(role)
        if name is None or name in self._read:
            return None
        self._read.add(name)
        return self._rows.column(name)

    def _name(self, role: str) -> str | None:
        small = {name.lower(): name for name in reversed(self._rows.names)}
        return next((small[name] for name in _COLUMNS[role] if name in small), None)

    def ids(
        self, role: str, by: str, find: Callable[[Sequence[Any], str], list[Id]]
    ) -> list[Id] | list[str]:
        """Return ids, by their own column or by the texts that stand for them."""
        name = self._rows.find(role)
        # "query" is what some call the topic's id, and umbrela the text of the query.
        has_texts = name is not None and name.lower() in _COLUMNS[by] and self._name("passage")
        if name is not None and not has_texts:
            self._read.add(name)
            ids = id_texts(self._rows.column(name), f"{self._rows.where} {name}")
            _require_ids(ids, f"{self._rows.where} {name}")
            return ids
        cells = self.cells(by)
        if cells is None:
            self._rows.need(role)  # says how the column could be called
        return find(cells or [], self._rows.where)

    def grades(self, count: int) -> tuple[Floats, Floats | None]:
        """Return grades, NaN for a label that failed, and their probabilities where there are."""
        listed = self.cells("probabilities")
        chances = None if listed is None else _chances(listed, self._rows.where)
        name = self._rows.find("grade")
        if name is None and chances is None:
            self._rows.need("grade")
        if name is not None:
            self._read.add(name)
            values = np.array([_grade(cell) for cell in self._rows.column(name)], np.float64)
        else:
            values = _most_probable(chances)  # type: ignore[arg-type] # one of the two is there
        status = self.cells("status")
        if status is not None:
            values = np.where([_has_failed(cell) for cell in status], np.nan, values)
        return values.reshape(count), chances

    def authors(self, count: int) -> list[Author]:
        """Return who gave each label: by name, or by model and prompt, or as the file is called."""
        kinds, names = self.cells("kind"), self.cells("author")
        models, prompts = self.cells("model"), self._prompts()
        nobody = _stem(self._rows.where)
        columns = [column or [""] * count for column in (names, models, prompts, kinds)]
        cells = ([str(cell or "") for cell in column] for column in columns)
        return [_author(*row, nobody=nobody) for row in zip(*cells, strict=True)]

    def _prompts(self) -> Sequence[Any] | None:
        name = self._name("prompt")
        if name is None or len({str(p) for p in self._rows.column(name)}) > _MANY_PROMPTS:
            return None
        return self.cells("prompt")

    def unread(self) -> tuple[Notice, ...]:
        """Name the columns that nothing was read from."""
        left = [name for name in self._rows.names if name not in self._read]
        said = f"columns that were not read ({', '.join(left)})"
        return (Notice(said, len(left)),) if left else ()


def _require_ids(ids: Sequence[str], where: str) -> None:
    """Raise for a label of nothing: a topic or a document without a name, or with NUL in it."""
    wrong = next((i for i, name in enumerate(ids) if not name or "\0" in name), None)
    if wrong is not None:
        rule = "an id must not be empty, and holds no NUL"
        raise InputError(where, rule, value=f"label {wrong + 1}", remedy="correct the line")


def _require_labels(count: int, where: str) -> None:
    if not count:
        raise InputError(where, "there must be at least one entry", remedy="check what is in it")


def _author(name: str, model: str, prompt: str, kind: str, *, nobody: str) -> Author:
    called = name or "/".join(part for part in (model, prompt) if part) or nobody
    machine = kind != "person" if kind else bool(model) or not name
    return Author(called, machine, model, prompt)


def _grade(cell: Any) -> float:
    """Return a grade; NaN for a cell that is none, which is how answers fail."""
    with suppress(TypeError, ValueError, OverflowError):
        grade = float(cell)
        return grade if math.isfinite(grade) and grade >= 0 else np.nan
    return np.nan


def _has_failed(status: Any) -> bool:
    return str(status).strip().lower() in ("0", "0.0", "false", "failed", "error")


def _chances(cells: Sequence[Any], where: str) -> Floats:
    """Return lists of probabilities as rows; NaN where a list is missing."""
    lists = [_listed(cell, f"{where}, label {i}") for i, cell in enumerate(cells, start=1)]
    size = max(map(len, lists), default=0)
    whole = [row if len(row) == size else [np.nan] * size for row in lists]
    table = np.array(whole, np.float64).reshape(len(lists), size)
    total = table.sum(axis=1)
    wrong = np.flatnonzero((table < 0).any(axis=1) | (np.abs(total - 1) > 0.01))
    if len(wrong):
        rule = "the probabilities of the grades must not be negative, and must sum to 1"
        raise InputError(
            f"{where}, label {wrong[0] + 1}",
            rule,
            value=", ".join(f"{p:g}" for p in table[wrong[0]]),
            remedy="give one probability for each grade from 0 up",
        )
    return table


def _listed(cell: Any, where: str) -> list[float]:
    """Return a list of probabilities, which may be written as a text; nothing for no list."""
    if isinstance(cell, str):
        cell = [part for part in cell.strip("[] ").replace(";", ",").split(",") if part.strip()]
    with suppress(TypeError, ValueError, OverflowError):
        if cell is None:
            return []
        if not isinstance(cell, Mapping) and not any(isinstance(part, bool) for part in cell):
            return [float(part) for part in cell]
    rule = "the probabilities of the grades must be a list of numbers"
    raise InputError(where, rule, value=cell, remedy="give one for each grade from 0 up")


def _most_probable(chances: Floats) -> Floats:
    complete = np.asarray(~np.isnan(chances).any(axis=1))
    filled = np.where(complete[:, None], chances, 0.0)
    return np.where(complete, filled.argmax(axis=1).astype(np.float64), np.nan)


def _source(where: str) -> Source:
    return Source.of_file(where) if Path(where).is_file() else Source(where)


def _stem(path: str) -> str:
    """Return what a set of labels is called that has the name of its file alone."""
    name = Path(path).name
    for ending in (".gz", ".xz", ".bz2", ".zst"):
        name = name.removesuffix(ending)
    stem, dot, ending = name.rpartition(".")
    endings = ("txt", "qrels", "qrel", "jsonl", "json", "csv", "tsv", "parquet")
    return stem if dot and ending in endings else name
