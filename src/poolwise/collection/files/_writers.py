"""Runs and judgments, written as TREC files."""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from poolwise.collection._identifiers import encode, indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import InputError
from poolwise.provenance._files import write_file
from poolwise.provenance._recorded import recorded

__all__ = ["qrels_bytes", "run_bytes", "write_judgments", "write_run"]


@recorded
def write_judgments(judgments: Judgments, path: str | Path) -> None:
    """Write TREC qrels, compressed if the path ends in ``.gz``.

    Sampled judgments are written as NIST's five columns, with the stratum, or as prels, with the
    probability, as they came. Judgments that were taken away are not written.

    Parameters
    ----------
    judgments : Judgments
        What to write.
    path : str or Path
        The file; one that is there already is replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_judgments(Judgments.from_dict({"1": {"b": 0.5, "a": 2}}), f"{folder}/qrels")
    ...     print(Path(f"{folder}/qrels").read_text(), end="")
    1 0 a 2
    1 0 b 0.5
    """
    write_file(path, qrels_bytes(judgments, path))


@recorded
def qrels_bytes(judgments: Judgments, path: str | Path) -> bytes:
    r"""Return what :func:`write_judgments` writes into a file of this name.

    Parameters
    ----------
    judgments : Judgments
        What to write.
    path : str or Path
        The name of the file, whose ending says whether it is compressed; nothing is written there.

    Returns
    -------
    bytes
        The content of the file.

    Examples
    --------
    >>> qrels_bytes(Judgments.from_dict({"1": {"a": 2}}), "qrels.txt")
    b'1 0 a 2\n'
    >>> qrels_bytes(Judgments.from_dict({"1": {"a": 2}}), "qrels.gz")[:2] == b"\x1f\x8b"
    True
    """
    return _as_file(path, (f"{line}\n" for line in _lines(judgments)))


def _lines(judgments: Judgments) -> Iterator[str]:
    entries = ((_topic(t), _id(d), _number(grade)) for t, d, grade in judgments)
    drawn, chance = _drawn(judgments), judgments.probability
    if not judgments.is_sample:
        yield from (f"{t} 0 {d} {g}" for t, d, g in entries)
    elif chance is None:
        yield from (f"{t} 0 {d} {c} {g}" for (t, d, g), c in zip(entries, drawn, strict=True))
    else:
        chances = map(_number, chance[judgments.judged].tolist())
        columns = zip(entries, drawn, chances, strict=True)
        yield from (f"{t} {d} {g} {c} {p}" for (t, d, g), c, p in columns)


def _drawn(judgments: Judgments) -> list[str]:
    """Return the stratum of each judgment, or the one method where there is none."""
    if judgments.stratum is None:
        return ["1"] * len(judgments)
    return [_id(str(stratum)) for stratum in judgments.stratum[judgments.judged]]


@recorded
def write_run(runs: Runs, system: str, path: str | Path) -> None:
    """Write one system's rankings as a TREC run, compressed if the path ends in ``.gz``.

    Scores are the numbers down to 1, so that the order stays under every tie rule.

    Parameters
    ----------
    runs : Runs
        The runs that hold the system.
    system : str
        The one to write; its name becomes the run tag.
    path : str or Path
        The file; one that is there already is replaced.

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
    write_file(path, run_bytes(runs, system, path))


def run_bytes(runs: Runs, system: str, path: str | Path) -> bytes:
    """Return what :func:`write_run` writes into a file of this name."""
    indices_of(system, runs.systems, what="system")
    lists = ((topic, runs.ranking(system, topic)) for topic in runs.topics)
    lines = (
        f"{_topic(topic)} Q0 {_id(document)} {rank} {len(ranking) + 1 - rank} {_id(system)}\n"
        for topic, ranking in lists
        for rank, document in enumerate(ranking, start=1)
    )
    return _as_file(path, lines)


def _as_file(path: str | Path, lines: Iterable[str]) -> bytes:
    text = encode("".join(lines))
    # Without the time of writing, the same input gives the same bytes.
    return gzip.compress(text, mtime=0) if str(path).endswith(".gz") else text


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
