"""Judgments in lines: TREC's qrels, CSV, JSONL, Quepid's CSV and doccano's JSONL."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

from poolwise.collection._identifiers import decode
from poolwise.collection._judgments import Judgments
from poolwise.collection.files._readers import read_judgments
from poolwise.collection.files._sources import (
    MAX_RATIO,
    csv_rows,
    read_text,
    require_distinct_columns,
)
from poolwise.collection.files._writers import qrels_bytes
from poolwise.collection.formats._ratings import Rating, Ratings, grade_of, number
from poolwise.collection.formats._rows import FAILED, Rows, graded_by_machines, id_text
from poolwise.collection.formats._text_files import read_jsonl, read_text_table
from poolwise.errors import InputError

__all__ = [
    "read_csv",
    "read_doccano",
    "read_jsonl_ratings",
    "read_quepid_csv",
    "read_trec",
    "write_csv",
    "write_doccano",
    "write_jsonl_ratings",
    "write_quepid_csv",
    "write_trec",
]

_Known = TypeVar("_Known", str, float)
_JUDGES = ("judge", "assessor", "annotator", "user", "source")
_LABEL = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\b")
"""A label that is a grade, or begins with one, as in ``2 highly relevant``."""


def read_trec(path: str) -> Ratings:
    """Read qrels, and whatever else :func:`~poolwise.read_judgments` reads."""
    return Ratings.of(read_judgments(path))


def write_trec(ratings: Ratings, _index: str) -> str:
    """Write qrels: with strata NIST's five columns, with probabilities prels, else four columns."""
    rows = sorted(ratings.entries, key=lambda e: (e.topic.encode(), e.document.encode()))
    grades: dict[str, dict[str, float]] = {}
    for entry in rows:
        grades.setdefault(entry.topic, {})[entry.document] = entry.grade
    judgments = Judgments.from_dict(grades).with_sampling(
        stratum=_of_all("stratum", [entry.stratum or None for entry in rows], rows),
        probability=_of_all("probability", [entry.probability for entry in rows], rows),
    )
    return decode(qrels_bytes(judgments, ""))


def _of_all(what: str, values: list[_Known | None], rows: list[Rating]) -> list[_Known] | None:
    """Return a value for each row, or none where no row has one; refuse what only some have."""
    present = [value for value in values if value is not None]
    if len(present) in (0, len(rows)):
        return present or None
    lacking = rows[values.index(None)]
    raise InputError(
        f"topic {lacking.topic}, document {lacking.document}",
        f"in qrels of a sample every document must have a {what}, and others have one",
        remedy=f"add its {what}, or write to csv or jsonl",
    )


def read_csv(path: str) -> Ratings:
    """Read CSV with a header, or with the columns of qrels."""
    table = read_text_table(path, "judgments", max_ratio=MAX_RATIO, form=".csv")
    return _of_rows(table) if isinstance(table, Rows) else Ratings(())


def read_jsonl_ratings(path: str) -> Ratings:
    """Read a JSON object on each line, with fields such as ``qid``, ``docno`` and ``label``."""
    table = read_text_table(path, "judgments", max_ratio=MAX_RATIO, form=".jsonl")
    return _of_rows(table) if isinstance(table, Rows) else Ratings(())


def _of_rows(rows: Rows) -> Ratings:
    topics, documents = rows.ids("topic"), rows.ids("document")
    grades, failed = rows.column(rows.need("grade")), set(rows.failures())
    judges = _optional(rows, _JUDGES, len(topics))
    strata = _optional(rows, ("stratum",), len(topics))
    chances = _optional(rows, ("probability",), len(topics))
    ratings = Ratings(
        tuple(
            Rating(topic, document, grade_of(grade, f"{rows.where}:{line}"), judge, stratum, chance)
            for line, (topic, document, grade, judge, stratum, chance) in enumerate(
                zip(
                    topics,
                    documents,
                    grades,
                    [str(judge or "") for judge in judges],
                    [str(stratum or "") for stratum in strata],
                    [float(c) if c not in (None, "") else None for c in chances],
                    strict=True,
                ),
                start=rows.first_line,
            )
            if line - rows.first_line not in failed
        ),
        lost=graded_by_machines(rows),
    )
    return _losing_columns(
        ratings.losing(FAILED, len(failed)), rows.names, _used(rows), len(topics)
    )


def _used(rows: Rows) -> set[str | None]:
    """Return the columns that are read."""
    judge = next((name for name in _JUDGES if name in rows.names), None)
    return {*map(rows.find, ("topic", "document", "grade")), judge, "stratum", "probability"}


def _losing_columns(
    ratings: Ratings, names: Iterable[str], used: Collection[str | None], count: int
) -> Ratings:
    """Return the same, with every column counted as lost that nobody reads."""
    for name in dict.fromkeys(names):
        if name not in used:
            ratings = ratings.losing(f"column {name}", count)
    return ratings


def _optional(rows: Rows, names: Iterable[str], count: int) -> Iterable[Any]:
    column = next((name for name in names if name in rows.names), None)
    return rows.column(column) if column else [None] * count


def write_csv(ratings: Ratings, _index: str) -> str:
    """Write a header, and a line for each grade; columns of what nobody knows are left out."""
    names = ["topic", "document", "grade", *_known(ratings)]
    rows = ([*entry[:2], number(entry.grade), *_more(entry, names)] for entry in ratings.entries)
    return _delimited([names, *rows])


def write_jsonl_ratings(ratings: Ratings, _index: str) -> str:
    """Write an object on each line; fields of what nobody knows are left out."""
    names = ["topic", "document", "grade", *_known(ratings)]
    rows = ([*entry[:2], number(entry.grade), *_more(entry, names)] for entry in ratings.entries)
    records = (dict(zip(names, row, strict=True)) for row in rows)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _known(ratings: Ratings) -> list[str]:
    unknown = ("", None)
    return [
        name
        for name in ("judge", "stratum", "probability")
        if any(getattr(entry, name) not in unknown for entry in ratings.entries)
    ]


def _more(entry: Rating, names: list[str]) -> list[Any]:
    return [getattr(entry, name) for name in names[3:]]


def _delimited(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def read_quepid_csv(path: str) -> Ratings:
    """Read Quepid's CSV: query, docid and rating, or a column of ratings for each judge."""
    text = read_text(path).removeprefix("\ufeff")
    lines = [row for _, row in csv_rows(path, text)]
    names = [cell.strip().lower().replace(" ", "_") for cell in lines[0]] if lines else []
    places = [next((names.index(n) for n in synonyms if n in names), None) for synonyms in _QUEPID]
    if None in places[:2]:
        rule = "the header must name query and docid"
        remedy = "begin the file with the line query,docid,rating"
        raise InputError(path, rule, value=",".join(names), remedy=remedy)
    require_distinct_columns(f"{path}:1", names)
    query, document, rating = places
    raters = {rating: ""} if rating is not None else _raters(lines[0], (query, document))
    cells = [
        (row[query or 0], row[document or 0], row[place], judge, line)
        for line, row in enumerate(lines[1:], start=2)
        for place, judge in raters.items()
        if place < len(row)
    ]
    entries = tuple(
        Rating(topic, doc, grade_of(grade, f"{path}:{line}"), judge)
        for topic, doc, grade, judge, line in cells
        if grade.strip()
    )
    ratings = Ratings(entries).losing("pairs without a rating", len(cells) - len(entries))
    used = [names[place] for place in (query, document, *raters) if place is not None]
    return _losing_columns(ratings, names, used, len(lines) - 1)


_QUEPID = (("query", "query_text"), ("docid", "doc_id"), ("rating",))


def _raters(header: list[str], others: tuple[int | None, ...]) -> dict[int, str]:
    return {place: name.strip() for place, name in enumerate(header) if place not in others}


def write_quepid_csv(ratings: Ratings, _index: str) -> str:
    """Write query, docid and rating."""
    rows = ([entry.topic, entry.document, number(entry.grade)] for entry in ratings.entries)
    return _delimited([["query", "docid", "rating"], *rows])


def read_doccano(path: str) -> Ratings:
    """Read an export of doccano: the label is the grade; topic and document are fields of its own.

    These stand in the record itself, as doccano writes metadata today, or under ``meta``.
    """
    entries: list[Rating] = []
    unlabelled, fields = 0, Counter[str]()
    for line, record in read_jsonl(path, read_text(path).removeprefix("\ufeff")):
        where = f"{path}:{line}"
        labels = record.get("label", record.get("labels")) or []
        labels = labels if isinstance(labels, list) else [labels]
        topic, document = _pair(record, where)
        judge = str(record.get("username") or record.get("user") or "")
        entries += [Rating(topic, document, _grade_of_label(x, where), judge) for x in labels]
        unlabelled += not labels
        fields.update(name for name in record if name not in _OF_DOCCANO)
    ratings = Ratings(tuple(entries)).losing("records without a label", unlabelled)
    for name, count in fields.items():
        if Rows.of("", {name: ()}).find("topic") or Rows.of("", {name: ()}).find("document"):
            continue
        ratings = ratings.losing(f"field {name}", count)
    return ratings


_OF_DOCCANO = ("id", "text", "label", "labels", "username", "user", "meta", "metadata")
"""Fields that are read, and those that doccano makes itself."""


def _pair(record: Mapping[str, Any], where: str) -> tuple[str, str]:
    meta = record.get("meta", record.get("metadata"))
    fields = {**record, **(meta if isinstance(meta, Mapping) else {})}
    rows = Rows.of(where, {name: [value] for name, value in fields.items()})
    names = (rows.need("topic"), rows.need("document"))
    return id_text(fields[names[0]], where), id_text(fields[names[1]], where)


def _grade_of_label(label: Any, where: str) -> float:
    grade = _LABEL.match(str(label))
    if grade is None:
        rule = "a label must be a grade, or begin with one"
        remedy = "name the labels 0, 1, 2, or '2 highly relevant'"
        raise InputError(where, rule, value=label, remedy=remedy)
    return float(grade[1])


def write_doccano(ratings: Ratings, _index: str) -> str:
    """Write records with a text to show, a label, and the topic and document beside them."""
    records = (
        {
            "text": f"{ratings.texts.get(e.topic, e.topic)}\n{e.document}",
            "label": [str(number(e.grade))],
            "topic": e.topic,
            "document": e.document,
        }
        for e in ratings.entries
    )
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
