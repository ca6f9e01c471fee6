"""From evidence, or from files, to score tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection.files.readers import read_judgments, read_runs
from poolwise.collection.files.sources import find_files
from poolwise.collection.files.system_names import name_systems
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.errors import require_choice
from poolwise.evidence.alignment import BEYOND, Evidence, align
from poolwise.evidence.file_grading import FileGrader
from poolwise.evidence.topic_choice import TOPIC_RULES
from poolwise.measures.measure import Bounds, Measure
from poolwise.measures.names import measure_named, parse_measure
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.provenance import Notice, Provenance, add_notices
from poolwise.printout.tables import Table
from poolwise.scores.score_table import ScoreTable, tidy

__all__ = ["BOUNDS", "Evaluation", "evaluate", "join_systems", "score", "score_all"]

FILES_AT_ONCE = 16
"""How many run files are read together; twice as many are in memory at most."""

BOUNDS = {
    "exact": "over every grading of the run's own unjudged documents",
    "naive": "unjudged documents take the best grades left in the pool; the ideal stays (B23 §3.3)",
    "none": "no bounds",
}


@finding
class Evaluation(Finding, Mapping[str, ScoreTable]):
    """Score tables by canonical measure name, in the order asked for.

    Attributes
    ----------
    scores : tuple of ScoreTable
        One table per measure.
    beside : tuple of ScoreTable
        What a leaderboard shows in further columns, such as ``Judged@10``.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> evidence = align(Runs.from_rankings({"bm25": {"1": ["a", "x"]}}),
    ...                  Judgments.from_dict({"1": {"a": 1, "b": 1}}))
    >>> result = score_all(evidence, ["P@2", "map"])
    >>> list(result), result["AP"].value.tolist()
    (['P@2', 'AP'], [[0.5]])
    """

    scores: tuple[ScoreTable, ...]
    beside: tuple[ScoreTable, ...] = ()

    @classmethod
    def of(cls, scores: Iterable[ScoreTable], beside: Iterable[ScoreTable] = ()) -> "Evaluation":
        """Put score tables of the same runs together; the provenance is that of the first."""
        given = tuple(scores)
        return cls(given, tuple(beside), provenance=given[0].provenance)

    def __getitem__(self, name: str | Measure) -> ScoreTable:
        wanted = measure_named(name)
        for table in self.scores:
            if table.measure == wanted or str(table.measure) == name:
                return table
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (str(table.measure) for table in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def common_topics(self, rule: str = "common") -> "Evaluation":
        """Return the topics that every run answers."""
        require_choice("topics", rule, TOPIC_RULES)
        first = self.scores[0]
        kept = [first.topics[t] for t in np.flatnonzero(first.answered.all(axis=0)).tolist()]
        return Evaluation.of(table.select(topics=kept) for table in self.scores)

    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return one row per run, measure and topic; topic ``all`` is the mean over topics."""
        return tidy(self.scores, per_topic=per_topic)

    def tables(self, *, gauge: bool = False) -> tuple[Table, ...]:
        """Return a leaderboard for each measure."""
        return tuple(table.leaderboard(beside=self.beside, gauge=gauge) for table in self.scores)

    def sentences(self) -> tuple[str, ...]:
        """Say of each measure who is ahead."""
        return tuple(sentence for table in self.scores for sentence in table.sentences())


def evaluate(
    judgments: Judgments | str | Path | Any,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    measures: Iterable[Measure | str],
    *,
    topics: str = "judged",
    bounds: str = "exact",
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> Evaluation:
    """Score runs against judgments, from files or from memory.

    Run files are read, aligned and scored a few at a time, so that memory does not grow with
    their number.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs`
        read: paths, globs and folders, dicts, frames.
    measures
        Measures or their names.
    topics : {"judged", "common"}
        All judged topics, or those of them that every run answers.
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents: see ``BOUNDS``.
    progress
        Called with the number of runs scored, and of all runs.
    reading
        How run files are read: see :func:`~poolwise.read_runs`.

    Examples
    --------
    >>> result = evaluate(Judgments.from_dict({"1": {"a": 1, "b": 0}}),
    ...                   Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}}), ["RR", "P@2"])
    >>> result["P@2"].upper.tolist()
    [[0.5]]
    """
    wanted = [parse_measure(m) for m in measures]
    qrels = _judgments(judgments)
    parts = [
        score_all(batch, wanted, bounds=bounds)
        for batch in _batches(runs, qrels, reading, progress)
    ]
    joined = [
        _with_notices(join_systems(tables), qrels.notices)
        for tables in zip(*(p.scores for p in parts), strict=True)
    ]
    result = _named(joined) if _are_files(runs) else Evaluation.of(joined)
    return result if topics == "judged" else result.common_topics(topics)


def _judgments(source: Any) -> Judgments:
    return source if isinstance(source, Judgments) else read_judgments(source)


def _batches(
    runs: Any,
    judgments: Judgments,
    reading: dict[str, Any],
    progress: Callable[[int, int], None] | None,
) -> Iterator[Evidence]:
    """Yield the runs, aligned; what was odd in the judgments is not said of every batch."""
    if not _are_files(runs):
        retrieved = runs if isinstance(runs, Runs) else read_runs(runs, **reading)
        yield align(retrieved, replace(judgments, notices=()))
        return
    sources = [runs] if isinstance(runs, str | Path) else runs
    paths = [path for source in sources for path in find_files(source)]
    starts = range(0, len(paths), FILES_AT_ONCE)
    batches = [paths[start : start + FILES_AT_ONCE] for start in starts]
    graded = _graded(batches, FileGrader(judgments), reading)
    for start, batch in zip(starts, graded, strict=True):
        if progress:
            progress(start, len(paths))
        yield batch


def _graded(
    batches: Sequence[Sequence[str]], grader: FileGrader, reading: dict[str, Any]
) -> Iterator[Evidence]:
    """Read batches of files, each while the one before is scored."""
    if len(batches) < 2:
        yield from (grader.grade(paths, **reading) for paths in batches)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(grader.grade, batches[0], **reading)
        for paths in batches[1:]:
            batch = coming.result()
            coming = ahead.submit(grader.grade, paths, **reading)
            yield batch
        yield coming.result()


def _are_files(runs: Any) -> bool:
    several = runs if isinstance(runs, list | tuple) else [runs]
    return all(isinstance(run, str | Path) for run in several)


def _with_notices(table: ScoreTable, notices: tuple[Notice, ...]) -> ScoreTable:
    origin = table.provenance
    return replace(table, provenance=replace(origin, notices=notices + origin.notices))


def _named(tables: Iterable[ScoreTable]) -> Evaluation:
    """Name the systems over all batches, whose tags may clash."""
    unnamed = tuple(tables)
    paths = [source.path for source in unnamed[0].provenance.runs]
    systems = name_systems(unnamed[0].systems, paths)
    return Evaluation.of(replace(table, systems=systems) for table in unnamed)


def score(evidence: Evidence, measure: Measure | str, *, bounds: str = "exact") -> ScoreTable:
    """Score every run on every topic.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> table = score(evidence, "P@4")
    >>> table.value.item(), table.lower.item(), table.upper.item()
    (0.25, 0.25, 0.75)
    """
    return score_all(evidence, [measure], bounds=bounds).scores[0]


def score_all(
    evidence: Evidence, measures: Iterable[Measure | str], *, bounds: str = "exact"
) -> Evaluation:
    """Score every run on every topic by several measures.

    Works through the systems in batches, so that temporary arrays stay small whatever the number
    of runs.
    """
    require_choice("bounds", bounds, BOUNDS)
    wanted = [parse_measure(m) for m in measures]
    parts = [[_score_batch(part, m, bounds) for m in wanted] for part in evidence.batches()]
    return Evaluation.of(join_systems(tables) for tables in zip(*parts, strict=True))


def _score_batch(evidence: Evidence, measure: Measure, bounds: str) -> ScoreTable:
    value = measure.score(evidence)
    low, high = _bounds(evidence, measure, bounds, value)
    return ScoreTable(
        measure=measure,
        systems=evidence.systems,
        topics=evidence.topics,
        value=value,
        lower=low,
        upper=high,
        answered=(evidence.codes[:, :, :1] != BEYOND).any(axis=2),
        undefined=measure.undefined,
        provenance=evidence.provenance,
    )


def _bounds(evidence: Evidence, measure: Measure, kind: str, value: Floats) -> Bounds:
    if kind == "exact":
        return measure.bounds(evidence)
    if kind == "naive":
        return measure.naive_bounds(evidence)
    nothing = np.full(value.shape, np.nan)
    return Bounds(nothing, nothing)


def join_systems(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Put score tables of the same measure and topics one below the other."""
    return replace(
        tables[0],
        systems=tuple(name for table in tables for name in table.systems),
        value=np.concatenate([table.value for table in tables]),
        lower=np.concatenate([table.lower for table in tables]),
        upper=np.concatenate([table.upper for table in tables]),
        answered=np.concatenate([table.answered for table in tables]),
        provenance=_joined_provenance([table.provenance for table in tables]),
    )


def _joined_provenance(parts: Sequence[Provenance]) -> Provenance:
    """Put the runs of batches together, and add up what was odd in them."""
    distinct = list(dict.fromkeys(parts))
    return replace(
        parts[0],
        runs=tuple(source for part in distinct for source in part.runs),
        notices=add_notices(notice for part in distinct for notice in part.notices),
    )
