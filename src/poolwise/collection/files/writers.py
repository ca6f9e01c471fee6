"""Runs and judgments, written as TREC files."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from poolwise.collection.identifiers import encode
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.errors import InputError

__all__ = ["write_judgments", "write_run"]


def write_judgments(judgments: Judgments, path: str | Path) -> None:
    """Write TREC qrels, compressed if the path ends in ``.gz``.

    Judgments that were taken away are not written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_judgments(Judgments.from_dict({"1": {"b": 0.5, "a": 2}}), f"{folder}/qrels")
    ...     print(Path(f"{folder}/qrels").read_text(), end="")
    1 0 a 2
    1 0 b 0.5
    """
    _write(path, (f"{_topic(t)} 0 {_id(d)} {_number(grade)}\n" for t, d, grade in judgments))


def write_run(runs: Runs, system: str, path: str | Path) -> None:
    """Write one system's rankings as a TREC run, compressed if the path ends in ``.gz``.

    Scores are the numbers down to 1, so that the order stays under every tie rule.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = Runs.from_rankings({"bm25": {"1": ["b", "a"]}})
    ...     write_run(runs, "bm25", f"{folder}/bm25.run")
    ...     print(Path(f"{folder}/bm25.run").read_text(), end="")
    1 Q0 b 1 2 bm25
    1 Q0 a 2 1 bm25
    """
    lists = ((topic, runs.ranking(system, topic)) for topic in runs.topics)
    lines = (
        f"{_topic(topic)} Q0 {_id(document)} {rank} {len(ranking) + 1 - rank} {_id(system)}\n"
        for topic, ranking in lists
        for rank, document in enumerate(ranking, start=1)
    )
    _write(path, lines)


def _write(path: str | Path, lines: Iterable[str]) -> None:
    text = encode("".join(lines))
    # Without the time of writing, the same input gives the same bytes.
    compressed = gzip.compress(text, mtime=0) if str(path).endswith(".gz") else text
    Path(path).write_bytes(compressed)


def _number(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(grade)


def _id(text: str) -> str:
    """Return the id, if it can stand in a file of fields and lines."""
    raw = encode(text)
    if raw.split() != [raw] or b"\0" in raw:
        raise InputError(
            repr(text),
            "an id must have no white space to be written",
            remedy="rename it, or use to_frame",
        )
    return text


def _topic(text: str) -> str:
    if text.startswith("#"):
        rule = "a topic must not begin as a comment does, to be written"
        raise InputError(repr(text), rule, remedy="rename it, or use to_frame")
    return _id(text)
