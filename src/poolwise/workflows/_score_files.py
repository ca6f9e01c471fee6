"""Scores that someone else computed, from files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from poolwise.collection._identifiers import indices_of
from poolwise.errors import InputError, OptionError
from poolwise.evidence._meeting import (
    require_topics,
)
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
from poolwise.workflows._inputs import (
    Topics,
    as_topics,
)

__all__ = ["read_score_files"]


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
        of scores, which may each hold several measures and one run or more. Lists that score the
        same runs by the same measure have a table each.
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
    files = [read_score_list(path) for path in paths]
    lists = [file for file in files if isinstance(file, ScoreList)]
    matrices = [file for file in files if isinstance(file, ScoreText)]
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
        matrix_table(matrix, name, rows=rows) for matrix, name in zip(matrices, names, strict=True)
    )


def _chosen(tables: Sequence[ScoreTable], measures: Sequence[str]) -> tuple[ScoreTable, ...]:
    """Return the tables of these measures, all where none is named."""
    if not measures:
        return tuple(tables)
    by_measure = Evaluation.of(tables)
    wanted = dict.fromkeys(by_measure[name].measure for name in measures)
    return tuple(table for measure in wanted for table in tables if table.measure == measure)
