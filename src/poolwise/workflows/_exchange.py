"""Judgments and runs from and to other tools."""

import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from poolwise.collection._identifiers import encode
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import is_stored
from poolwise.collection.formats._catalogue import FORMATS, Format, recognised
from poolwise.collection.formats._ratings import Ratings
from poolwise.collection.formats._rows import BY_MACHINES
from poolwise.collection.formats._topic_files import read_topic_texts
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.provenance._provenance import Notice, Provenance, Source, add_notices
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, record_of
from poolwise.words import counted

__all__ = ["Converted", "JudgmentsAndRuns", "convert", "from_pyterrier"]


@finding
class Converted(Finding):
    r"""Judgments as text of a format.

    Attributes
    ----------
    text : str
        What to write into a file.
    source, target : str
        Keys of ``FORMATS``.
    grades, topics : int
        How many there are in the text.
    lost : tuple of Notice
        What was in the file and is not in the text, counted.

    Examples
    --------
    >>> Converted("7 0 d1 3\n", "quepid-csv", "trec", grades=1, topics=1, lost=())
    <Converted: 1 grade of 1 topic from quepid-csv to trec.>
    """

    text: str
    source: str
    target: str
    grades: int
    topics: int
    lost: tuple[Notice, ...]

    def columns(self) -> Columns:
        """Return one row: what was converted into what, how much was lost, and the text."""
        return {
            "source": [self.source],
            "target": [self.target],
            "grades": [self.grades],
            "topics": [self.topics],
            "lost": [sum(notice.count for notice in self.lost)],
            "text": [self.text],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the row without the text, which is a file."""
        return (record_of({name: c for name, c in self.columns().items() if name != "text"}),)

    def sentences(self) -> tuple[str, ...]:
        """Say what was converted, and what did not fit."""
        gone = "; ".join(f"{notice.what}: {notice.count:,}" for notice in self.lost)
        grades = f"{counted(self.grades, 'grade')} of {counted(self.topics, 'topic')}"
        return (
            f"{grades} from {self.source} to {self.target}.",
            f"Not kept: {gone}." if gone else "Nothing is lost.",
        )

    def content(self, path: str | Path) -> bytes:
        """Return the bytes of a file of this name: compressed if it ends in ``.gz``."""
        raw = encode(self.text)
        # No time in the header: the same judgments give the same bytes.
        return gzip.compress(raw, mtime=0) if str(path).endswith(".gz") else raw


@recorded
def convert(
    path: str | Path,
    target: str,
    *,
    source: str = "auto",
    texts: Mapping[str, str] | str | Path | None = None,
    conflicts: str = "error",
    index: str = "judgments",
    trust: bool = False,
) -> Converted:
    r"""Convert judgments from one format to another.

    Parameters
    ----------
    target : str
        A key of ``FORMATS``: what to write.
    source : str
        What the file is; told from its beginning by default.
    texts
        The text of each topic's query, as a dict or a file, for formats that know a query by its
        text alone. Without it a topic is called by its text there, and has its text for an id
        here.
    conflicts : {"error", "first", "last", "highest", "majority", "mean"}
        Which grade counts of several, for formats that hold one.
    index
        What the index, list or book is called, in formats that name one.
    trust
        Convert grades that a machine gave, too; the result says so.

    Returns
    -------
    Converted
        The text in the other format, and what it cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("query,docid,rating\nred dress,d1,3\n")
    ...     file.flush()
    ...     made = convert(file.name, "trec", texts={"7": "red dress"})
    >>> made.text
    '7 0 d1 3\n'
    >>> made.sentences()
    ('1 grade of 1 topic from quepid-csv to trec.', 'Nothing is lost.')
    """
    require_choice("target", target, FORMATS)
    require_choice("source", source, ["auto", *FORMATS])
    format_name = recognised(str(path)) if source == "auto" else source
    ratings = FORMATS[format_name].read(str(path))
    machines = _machines(ratings, str(path), trust=trust)
    if not ratings.entries:
        raise InputError(str(path), "there must be at least one grade", remedy="check the format")
    named = _with_names(ratings, FORMATS[format_name], FORMATS[target], _texts(texts), str(path))
    # Names first, so that conflicts are looked for among the topics that the file will have.
    fitting = _fitted(named, FORMATS[target], target, conflicts)
    return Converted(
        text=FORMATS[target].write(fitting, index),
        source=format_name,
        target=target,
        grades=len(fitting.entries),
        topics=len(fitting.topics),
        lost=add_notices(fitting.lost),
        provenance=Provenance(_source_of(str(path)), notices=machines).with_options(
            source=format_name, target=target, conflicts=conflicts, index=index
        ),
    )


def _machines(ratings: Ratings, path: str, *, trust: bool) -> tuple[Notice, ...]:
    """Return how many grades are a machine's; refuse them where nobody said to trust them."""
    machines = tuple(notice for notice in ratings.lost if notice.what.startswith(BY_MACHINES))
    if machines and not trust:
        raise InputError(
            path,
            "labels by machines are predictions, and no judgments",
            value=machines[0].what,
            remedy="use them as labels (poolwise agree, or estimate --labels), or say --trust "
            "(trust=True in Python)",
        )
    return machines


def _source_of(path: str) -> Source:
    return Source.of_file(path) if is_stored(path) else Source(path)


def _texts(texts: Any) -> dict[str, str]:
    if texts is None:
        return {}
    return dict(texts) if isinstance(texts, Mapping) else read_topic_texts(texts)


def _with_names(
    ratings: Ratings, source: Format, target: Format, texts: dict[str, str], path: str
) -> Ratings:
    """Call topics by their ids, or by their texts, as the target does."""
    if source.by_text and texts:
        ratings = ratings.called(_ids(ratings, texts, path))
        ratings = replace(ratings, texts=texts)
    all_texts = {**ratings.texts, **texts}
    if not target.by_text:
        return replace(ratings, texts=all_texts)
    if texts or ratings.texts:
        _require_texts(ratings, all_texts, path)
    return ratings.called({topic: all_texts.get(topic, topic) for topic in ratings.topics})


def _ids(ratings: Ratings, texts: dict[str, str], path: str) -> dict[str, str]:
    of_text = {text: topic for topic, text in texts.items()}
    if len(of_text) < len(texts):
        rule = "each topic must have a text of its own, to be found by it"
        raise InputError("topics", rule, remedy="remove the topics that are not meant")
    unknown = [query for query in ratings.topics if query not in of_text]
    if unknown:
        rule = f"every query must be among the topics, and {len(unknown):,} of them are not"
        remedy = "add it to the file of topics, or leave out the file to keep texts as ids"
        raise InputError(path, rule, value=unknown[0], remedy=remedy)
    return {query: of_text[query] for query in ratings.topics}


def _require_texts(ratings: Ratings, texts: Mapping[str, str], path: str) -> None:
    missing = [topic for topic in ratings.topics if topic not in texts]
    if missing:
        rule = f"every topic must have a text, and {len(missing):,} of them have none"
        remedy = "add it to the file of topics"
        raise InputError(path, rule, value=missing[0], remedy=remedy)


def _fitted(ratings: Ratings, target: Format, name: str, conflicts: str) -> Ratings:
    """Leave out what the format cannot hold, and count it."""
    # Before several grades become one: a document that was pooled and not judged has no say in it.
    if not target.negative:
        judged = (entry for entry in ratings.entries if entry.grade >= 0)
        ratings = ratings.without("documents that were pooled and not judged", judged)
    if not target.judges:
        ratings = ratings.one_each(conflicts)
    if not target.sampling:
        sampled = sum(bool(e.stratum) or e.probability is not None for e in ratings.entries)
        plain = (e._replace(stratum="", probability=None) for e in ratings.entries)
        ratings = replace(ratings, entries=tuple(plain)).losing("strata and probabilities", sampled)
    fraction = next((e for e in ratings.entries if e.grade != int(e.grade)), None)
    if fraction is not None and not target.fractions:
        raise InputError(
            f"topic {fraction.topic}, document {fraction.document}",
            f"{name} holds whole grades alone",
            value=f"{fraction.grade:g}",
            remedy="give whole grades, or write to another format",
        )
    return ratings


class JudgmentsAndRuns(NamedTuple):
    """What :func:`~poolwise.compare` and its like take, in their order."""

    judgments: Judgments
    runs: Runs


@recorded
def from_pyterrier(
    systems: Mapping[str, Any] | Sequence[Any],
    topics: Any,
    qrels: Any,
    *,
    names: Iterable[str] = (),
    reading: Reading = Reading(),
) -> JudgmentsAndRuns:
    """Take what ``pt.Experiment`` takes, and return judgments and runs.

    Parameters
    ----------
    systems
        Transformers, which are run on the topics, or the frames that they returned: a list as for
        ``pt.Experiment``, or a dict by name.
    topics
        The frame of topics; None is fine where no system has to be run.
    qrels
        The frame of judgments.
    names
        What the systems of a list are called; ``run1`` and so on by default.

    Returns
    -------
    JudgmentsAndRuns
        A tuple of both, as all functions of poolwise take them.

    Examples
    --------
    >>> import pandas as pd
    >>> bm25 = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    >>> judgments, runs = from_pyterrier([bm25], None, qrels, names=["bm25"])
    >>> runs.ranking("bm25", "1")
    ['b', 'a']
    """
    retrieved = {name: _retrieved(system, topics) for name, system in _named(systems, names)}
    return JudgmentsAndRuns(reading.judgments(qrels), reading.runs(retrieved))


def _named(
    systems: Mapping[str, Any] | Sequence[Any], names: Iterable[str]
) -> list[tuple[str, Any]]:
    if isinstance(systems, Mapping):
        return [*systems.items()]
    called = list(names) or [f"run{i + 1}" for i in range(len(systems))]
    if len(called) != len(systems):
        raise OptionError(
            f"names: {counted(len(called), 'name')} for {counted(len(systems), 'system')}. "
            "Hint: give each system a name, or none."
        )
    return [*zip(called, systems, strict=True)]


def _retrieved(system: Any, topics: Any) -> Any:
    """Run a transformer on the topics; a frame is what one returned."""
    if hasattr(system, "columns") or not hasattr(system, "transform"):
        return system
    return system(topics)
