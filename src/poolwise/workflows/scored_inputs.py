"""Scores by system and topic: computed from runs, or read from files of scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection._identifiers import indices_of
from poolwise.collection._reading import Reading
from poolwise.errors import InputError, OptionError
from poolwise.evidence._meeting import require_topics
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_matrix import (
    ScoreList,
    ScoreText,
    matrix_table,
    read_score_list,
    tables_of_lists,
)
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import Evaluation
from poolwise.words import counted
from poolwise.workflows.evaluation import evaluate
from poolwise.workflows.inputs import Topics, as_topics

__all__ = ["read_score_files", "score_runs"]


@recorded
def score_runs(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    topics: Topics = "judged",
    bounds: str = "none",
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> tuple[ScoreTable, ...]:
    """Return a score table for each measure. The options are those of ``evaluate``.

    Parameters
    ----------
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents.

    Returns
    -------
    tuple of ScoreTable
        The scores by run and topic, in the order of the measures.

    Examples
    --------
    >>> (table,) = score_runs({"1": {"a": 1}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}}, ["RR"])
    >>> table.systems, table.value.tolist()
    (('bm25',), [[0.5]])
    """
    return evaluate(
        judgments, runs, measures, topics=topics, bounds=bounds, progress=progress, reading=reading
    ).scores


@recorded
def read_score_files(
    paths: Sequence[str | Path],
    measures: Sequence[str] = (),
    *,
    rows: str = "topics",
    topics: Topics = "judged",
) -> tuple[ScoreTable, ...]:
    r"""Read files of scores: matrices, or lists such as ``trec_eval -q`` prints.

    Parameters
    ----------
    paths
        Matrices, one file per measure, with one row per topic and one column per system; or lists
        of scores, which may each hold several measures and one run or more.
    measures
        What matrices hold: one name for all, one each, or none, and then the files say it. Of
        lists, which measures to take; all by default.
    rows : {"topics", "systems"}
        What a row is.
    topics : {"judged", "common"}, iterable of str, or path
        All topics of the files, or only these: topics, or a file with one in each line.

    Returns
    -------
    tuple of ScoreTable
        The scores by system and topic, one table per measure.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ap.csv"
    ...     _ = path.write_text("topic,bm25,dense\n401,0.25,0.5\n402,0.75,1\n")
    ...     (table,) = read_score_files([path], ["AP"])
    >>> table.measure, table.systems, table.means().tolist()
    (AP, ('bm25', 'dense'), [0.5, 0.75])
    """
    chosen, tables = as_topics(topics), _read(paths, measures, rows=rows)
    return tables if isinstance(chosen, str) else tuple(_of_topics(t, chosen) for t in tables)


def _of_topics(table: ScoreTable, topics: tuple[str, ...]) -> ScoreTable:
    """Return these topics of a table, in its order."""
    places = sorted({*indices_of(topics, table.topics, what="topics").tolist()})
    kept = tuple(table.topics[place] for place in places)
    require_topics(kept, kept)
    return replace(table.select(topics=kept), provenance=replace(table.provenance, topic_rule=kept))


def _read(
    paths: Sequence[str | Path], measures: Sequence[str], *, rows: str
) -> tuple[ScoreTable, ...]:
    found = [read_score_list(path) for path in paths]
    lists = [one for one in found if isinstance(one, ScoreList)]
    matrices = [one for one in found if isinstance(one, ScoreText)]
    if lists and not matrices:
        return _chosen(tables_of_lists(lists), measures)
    if lists:
        raise InputError(
            lists[0].rows.where,
            "files of scores must be all lists or all matrices, and this one is a list",
            remedy="read the two kinds one after the other",
        )
    if len(measures) not in (0, 1, len(paths)):
        raise OptionError(
            f"measures: {counted(len(measures), 'name')} for {counted(len(paths), 'file')} of "
            "scores. Hint: give one name for all files, one for each, or none."
        )
    names = list(measures) * len(paths) if len(measures) == 1 else measures or [""] * len(paths)
    return tuple(
        matrix_table(one, name, rows=rows) for one, name in zip(matrices, names, strict=True)
    )


def _chosen(tables: Sequence[ScoreTable], measures: Sequence[str]) -> tuple[ScoreTable, ...]:
    """Return the tables of these measures, all where none is named."""
    by_measure = Evaluation.of(tables)
    return tuple(by_measure[name] for name in measures or by_measure)
