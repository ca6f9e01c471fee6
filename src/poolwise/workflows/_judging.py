"""What to judge, and grades brought back: pools, lists, samples, merged judgments."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from numpy.random import Generator

from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._merged import Merged, merge_all
from poolwise.collection._pools import nominate, thin
from poolwise.collection._reading import Reading, require_order
from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import csv_rows, read_text
from poolwise.collection.files._writers import qrels_bytes
from poolwise.collection.formats._rows import Rows
from poolwise.collection.formats._texts import TextSource
from poolwise.errors import InputError, OptionError, PoolwiseError
from poolwise.evidence._ungraded import Universe
from poolwise.judging._goals import Goal
from poolwise.judging._lists import DocumentList, JudgingList, PoolToJudge, list_pool
from poolwise.judging._next import list_documents
from poolwise.judging._sampling import Design, DrawnSample, draw_sample
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, Notice, Source
from poolwise.provenance._recorded import recorded
from poolwise.words import named
from poolwise.workflows._inputs import Topics, as_collection, as_groups, as_texts, as_topics

__all__ = [
    "common_topics_file",
    "half_done_sheet",
    "judgments_so_far",
    "merge",
    "next",
    "pool",
    "pool_to_judge",
    "qrels_bytes",
    "sample",
    "sampled_judgments",
    "to_judge_bytes",
]

AnyList = TypeVar("AnyList", bound=DocumentList)


@recorded
def pool(
    judgments: Any,
    runs: Any,
    *,
    depth: int,
    leave_out: Iterable[str] = (),
    groups: Any = None,
    rate: float = 1.0,
    rng: int | Generator = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> Judgments:
    """Return the judgments of exactly the documents in the first ranks of the pooled runs.

    Parameters
    ----------
    depth
        Ranks of each run that are pooled.
    leave_out
        Runs, or groups of runs, that are not pooled.
    rate, rng
        Keep a random share of the judgments of each topic, and the seed to draw it by: see
        :func:`~poolwise.collection.thin`.

    Returns
    -------
    Judgments
        The judgments of the pooled documents; the others are taken away, and so are unjudged.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0}}, "dense": {"1": {"c": 3.0, "a": 2.0}}}
    >>> list(pool({"1": {"a": 1, "b": 0, "c": 2}}, runs, depth=1, leave_out=["dense"]))
    [('1', 'a', 1.0)]
    """
    nominations = nominate(*as_collection(judgments, runs, reading=reading))
    by_group = as_groups(groups, nominations.systems)
    pooled = nominations.depth_pool(
        depth, systems=_pooled(nominations.systems, leave_out, by_group)
    )
    return pooled if rate == 1 else thin(pooled, rate, rng=rng)


@recorded
def pool_to_judge(
    runs: Any,
    *,
    depth: int,
    leave_out: Iterable[str] = (),
    groups: Any = None,
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    reading: Reading = Reading(),
) -> PoolToJudge:
    """Return the documents in the first ranks of the pooled runs, which are to be judged.

    Parameters
    ----------
    depth, leave_out
        As for :func:`pool`.

    Returns
    -------
    PoolToJudge
        The documents by topic and id, so that their order tells no ranks.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0}}, "dense": {"1": {"c": 3.0, "a": 2.0}}}
    >>> pool_to_judge(runs, depth=1).document
    ('a', 'c')
    """
    retrieved = _runs_alone(runs, reading)
    pooled = _pooled(retrieved.systems, leave_out, as_groups(groups, retrieved.systems))
    return _with_texts(list_pool(retrieved.select(pooled), depth=depth), queries, documents)


def _with_texts(
    listed: AnyList, queries: TextSource | None, documents: TextSource | None
) -> AnyList:
    # what documents say, and what their topics ask
    texts = as_texts(queries, documents, topics=listed.topic, wanted=listed.document)
    return replace(listed, texts=texts)


def _runs_alone(sources: Any, reading: Reading) -> Runs:
    """Read runs, and say so where the first file holds judgments."""
    try:
        return reading.runs(sources)
    # Only now that reading has failed: to read a file twice takes twice as long.
    except InputError:
        first = sources[0] if isinstance(sources, list | tuple) and sources else sources
        if not _holds_judgments(first, reading):
            raise
    raise InputError(
        str(first),
        "a pool to judge is made of runs alone, and this file holds judgments",
        remedy=f"write poolwise pool RUNS --grades-from {first} (in Python: pool) for the "
        "judgments of the pool, or leave the file out for the documents to judge",
    )


def _holds_judgments(source: Any, reading: Reading) -> bool:
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return False
    try:
        return bool(len(reading.judgments(source)))
    except PoolwiseError:
        return False


def _pooled(systems: tuple[str, ...], leave_out: Iterable[str], groups: Groups | None) -> list[str]:
    """Return the runs that are not left out."""
    gone = {run for name in leave_out for run in _runs_of(name, systems, groups)}
    return [run for run in systems if run not in gone]


def _runs_of(name: str, systems: tuple[str, ...], groups: Groups | None) -> tuple[str, ...]:
    """Return the run of this name, or the runs of the group of this name."""
    if name in systems:
        return (name,)
    if groups is not None and name in groups.names:
        return groups.members(name)
    names = (*(groups.names if groups else ()), *systems)
    hint = "" if groups else ", or name a group and say which group each run is of"
    raise OptionError(
        f"leave_out: {name!r} is neither a run nor a group. Hint: use one of "
        f"{named(names, most=10)}{hint}."
    )


@recorded
def next(  # noqa: A001 -- the name of the command
    judgments: Any,
    runs: Any,
    goal: Goal | str = "relevant",
    *,
    topics: Topics | None = None,
    judged_topics: bool = False,
    budget: int = 100,
    batch: int | None = None,
    measure: Measure | str | None = None,
    method: str | None = None,
    depth: int | None = None,
    rel: float | None = None,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    rng: int = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> JudgingList:
    """List the documents to judge next for a goal, with reasons and what judging them will buy.

    Parameters
    ----------
    judgments
        An object, or whatever :func:`~poolwise.read_judgments` reads; an empty file, or None,
        where nothing is judged yet.
    goal
        ``relevant``, ``order``, ``residual``, ``even``, ``leaders``, ``pair:A,B``, ``run:A``,
        ``top:K`` or ``common:N``.
    topics : {"judged", "common"}, iterable of str, path, or None
        The judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line. By default all topics of the runs, judged or not.
    judged_topics
        The same as ``topics="judged"``.
    budget, batch
        How many documents can be judged, and how many of them to list now; by default all.
    measure, method
        What runs are scored by, and how documents are ordered; by default as the goal has it.
    depth
        How many ranks of each run are looked at; by default the cut-off of the measure where one
        is asked for or the goal is about an order, and 100.
    rel : float, optional
        The lowest grade that counts as relevant; by default that of the measure, and 1.

    Returns
    -------
    JudgingList
        The documents, the first one first, with reasons and what judging them will buy.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "ql": {"1": {"c": 2.0, "a": 1.0}}}
    >>> next(None, runs, budget=1).document
    ('a',)
    """
    if judged_topics and topics not in (None, "judged"):
        raise OptionError(
            f"topics: judged_topics is the same as topics='judged'; got topics={topics!r}. Hint: "
            "give one of them."
        )
    wanted = "judged" if judged_topics else topics
    kept = None if wanted is None else as_topics(wanted)
    judged = judgments_so_far(judgments, reading)
    retrieved = reading.runs(runs)
    if judged is not judgments:
        require_order(judged, retrieved)
    listed = list_documents(
        judged.with_grades(grades) if grades else judged,
        retrieved,
        goal,
        topics=kept,
        budget=budget,
        batch=batch,
        measure=measure,
        method=method,
        depth=depth,
        rel=rel,
        universe=Universe.of(universe, universe_depth),
        rng=rng,
    )
    return _with_texts(listed, queries, documents)


@recorded
def common_topics_file(listed: JudgingList) -> bytes:
    """Return the record of common topics that :func:`estimate` reads.

    Parameters
    ----------
    listed : JudgingList
        What :func:`next` listed for the goal ``common:N``.

    Returns
    -------
    bytes
        A table of run, topic, depth and seed, with tabs between its columns.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 2.0}, "2": {"b": 2.0}}}
    >>> print(common_topics_file(next(None, runs, "common:1")).decode().expandtabs(8))
    run     topic   depth   seed
    bm25    1       10      1
    """
    if listed.common is None:
        raise OptionError(
            f"save: common topics are those of the goal common:N; got the goal {listed.goal}. "
            "Hint: use the goal common:10."
        )
    return listed.common.to_bytes()


def judgments_so_far(source: Any, reading: Reading) -> Judgments:
    """Read judgments; an empty file holds none, and is no mistake here."""
    if source is None:
        return Judgments.from_dict({})
    is_path = isinstance(source, str | Path)
    # Elsewhere an empty file is a mistake, and the reader refuses it.
    if is_path and Path(source).is_file() and not Path(source).stat().st_size:
        return replace(Judgments.from_dict({}), source=Source.of_file(str(source)))
    sheet = half_done_sheet(source) if is_path and Path(source).is_file() else None
    return reading.judgments(source) if sheet is None else sheet


def half_done_sheet(path: str | Path) -> Judgments | None:
    """Read a sheet in which some documents have no grade yet; None where the file is another.

    An empty grade is not judged, and is counted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     print("topic,document,grade", "1,a,2", "1,b,", sep=chr(10), file=file, flush=True)
    ...     sheet = half_done_sheet(file.name)
    >>> sheet.to_dict(), [notice.count for notice in sheet.notices]
    ({'1': {'a': 2.0}}, [1])
    """
    name = str(path)
    if not name.lower().endswith(_SHEETS):
        return None
    text = read_text(path).removeprefix("\ufeff")
    # some spreadsheets write semicolons
    delimiter = max("\t;,", key=text.partition("\n")[0].count)
    (_, head), *rows = csv_rows(name, text, delimiter=delimiter) or [(1, [])]
    header = Rows.of(name, dict.fromkeys(head, ()))
    columns = [header.find(role) for role in ("topic", "document", "grade")]
    if None in columns:
        return None
    places = [head.index(str(column)) for column in columns]
    cells = [(line, [row[at].strip() if at < len(row) else "" for at in places])
             for line, row in rows]  # fmt: skip
    empty = [line for line, (_, _, grade) in cells if not grade]
    if not empty:
        return None  # the usual reader has every check
    grades: dict[str, dict[str, float]] = {topic: {} for _, (topic, _, _) in cells}
    for line, (topic, document, grade) in cells:
        if grade:
            grades[topic][document] = _grade(f"{name}:{line}", grade)
    left_out = Notice("documents without a grade yet, left out", len(empty), f"{name}:{empty[0]}")
    return replace(Judgments.from_dict(grades), source=Source.of_file(name), notices=(left_out,))


_SHEETS = (".tsv", ".csv", ".txt")


def _grade(where: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        rule = "a grade must be a number, or empty where a document is not judged yet"
        raise InputError(where, rule, value=text, remedy="correct the line") from error


@recorded
def merge(
    judgments: Any, *grades: Any, conflicts: str = "error", reading: Reading = Reading()
) -> Merged:
    """Merge new grades into judgments; nothing is overwritten unless a rule says so.

    Parameters
    ----------
    judgments
        An object, or whatever :func:`~poolwise.read_judgments` reads; an empty file, or None,
        where nothing is judged yet.
    grades
        What came in, of the same kinds, in the order of time.
    conflicts : {"error", "first", "last", "highest", "majority", "mean"}
        What becomes of a document with different grades.

    Returns
    -------
    Merged
        The judgments together, and how many grades are new, agree, and conflict.

    Examples
    --------
    >>> merged = merge({"1": {"a": 1}}, {"1": {"b": 0}}, {"1": {"a": 1}})
    >>> merged.judgments.to_dict(), merged.added, merged.agreeing
    ({'1': {'a': 1.0, 'b': 0.0}}, 1, 1)
    """
    sources = [judgments_so_far(source, reading) for source in (judgments, *grades)]
    return merge_all(sources, conflicts=conflicts)


@recorded
def sample(
    runs: Any, design: Design | str, *, rng: int = DEFAULT_SEED, reading: Reading = Reading()
) -> DrawnSample:
    """Draw a sample of the documents of runs, each with a chance that is known.

    Parameters
    ----------
    design
        ``depths:10=1,30=0.4,100=0.1`` for strata by best rank and their rates, or ``rbp:100`` for
        about 100 documents of each topic, with chances in proportion to summed RBP weights.

    Returns
    -------
    DrawnSample
        The documents that could have been drawn, which were, and the chance of each.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    >>> drawn = sample(runs, "depths:1=1,3=1")
    >>> drawn.drawn.tolist(), drawn.stratum.tolist()
    ([True, True, True], [1, 2, 2])
    """
    return draw_sample(reading.runs(runs), design, rng=rng)


@recorded
def sampled_judgments(
    drawn: DrawnSample, judgments: Any, *, reading: Reading = Reading()
) -> tuple[Judgments, int]:
    """Return a sample with the grades of judgments, and how many drawn documents have none there.

    Parameters
    ----------
    drawn : DrawnSample
        What :func:`sample` drew.

    Returns
    -------
    sampled : Judgments
        The grades with the chances of their documents, from which measures are estimated.
    ungraded : int
        How many of the documents drawn have no grade yet.

    Examples
    --------
    >>> drawn = sample({"bm25": {"1": {"a": 3.0, "b": 2.0}}}, "depths:2=1")
    >>> sampled, ungraded = sampled_judgments(drawn, {"1": {"a": 1}})
    >>> sampled.to_dict(), ungraded
    ({'1': {'a': 1.0, 'b': -1.0}}, 1)
    """
    judged = reading.judgments(judgments)
    return drawn.graded(judged), drawn.ungraded(judged)


@recorded
def to_judge_bytes(drawn: DrawnSample) -> bytes:
    """Return the documents drawn, to be judged, as a file of tab-separated columns.

    Parameters
    ----------
    drawn : DrawnSample
        What :func:`sample` drew.

    Returns
    -------
    bytes
        One line per document under a header, in the order of topics and ids.

    Examples
    --------
    >>> drawn = sample({"bm25": {"1": {"a": 3.0, "b": 2.0}}}, "depths:2=1")
    >>> print(to_judge_bytes(drawn).decode().expandtabs(12))
    topic       document    stratum     probability
    1           a           1           1.0
    1           b           1           1.0
    """
    head = "topic\tdocument\tstratum\tprobability\n"
    lines = (f"{t}\t{d}\t{stratum}\t{chance!r}\n" for t, d, stratum, chance in drawn.rows())
    # Bytes of ids that are no UTF-8 come out as they went in.
    return (head + "".join(lines)).encode("utf-8", "surrogateescape")
