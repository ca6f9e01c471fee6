"""Comparisons of runs, in one call."""

from collections.abc import Iterable, Sequence
from typing import Any

from poolwise.errors import require_choice, require_known
from poolwise.evidence.unknowns.universe import Universe
from poolwise.findings.comparison._compare import compare_evidence, compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.measures.measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import MEANS, log_scores, measure_for_mean
from poolwise.workflows.inputs import Topics, as_evidence, as_groups, options_of
from poolwise.workflows.scored_inputs import READING

__all__ = ["compare", "compare_by_measures", "compare_tables"]


def compare(
    judgments: Any,
    runs: Any,
    measure: Measure | str = "nDCG@10",
    *,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    **options: Any,
) -> Comparisons:
    """Compare runs, and say how sure each difference is over topics and over judgments.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read:
        paths, globs and folders, dicts, frames.
    measure
        What to score the runs by.
    baseline
        Compare every other run with this one, or with each of several; by default all pairs are
        compared.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    options
        ``universe``, ``universe_depth`` and ``grades``, as for :func:`~poolwise.evaluate`, those
        of :func:`~poolwise.read_runs` (``ties``, ``duplicates``…), ``mean="geometric"`` for
        geometric means over topics (U18 §2.1), and those of the comparison
        (``test``, ``correction``, ``alternative``, ``alpha``, ``interval``, ``draws``, ``prior``,
        ``resamples``, ``rng``, ``progress``), and what the relevance model is told of the
        judgments (``depth``, ``pooled``, ``groups``, ``adaptive``), as for
        :func:`~poolwise.estimate`.

    Returns
    -------
    Comparisons
        One comparison per pair: its p value, the corrected one, and how far the unjudged documents
        could move the difference.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> found = compare(made.judgments, made.runs, "nDCG@10", baseline="bm25-1", draws=0)
    >>> len(found), found.measure
    (3, nDCG@10)
    """
    (found,) = compare_by_measures(
        judgments, runs, [measure], baseline=baseline, topics=topics, **options
    )
    return found


def compare_by_measures(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    mean: str = "arithmetic",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    groups: Any = None,
    **options: Any,
) -> tuple[Comparisons, ...]:
    """Compare runs by several measures; the files are read once. See :func:`compare`.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    baseline
        Compare every other run with this one, or with each of several; by default all pairs are
        compared.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    mean : {"arithmetic", "geometric"}
        Whether to compare means of scores, or geometric ones, by the logarithms of scores.
    universe, universe_depth
        The unjudged documents that ranges are over, as for :func:`~poolwise.evaluate`.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    options
        Those of :func:`compare`.

    Returns
    -------
    tuple of Comparisons
        The comparisons by each measure, in the order of the measures.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> found = compare_by_measures(made.judgments, made.runs, ["P@5", "P@10"], draws=0)
    >>> [(one.measure, len(one)) for one in found]
    [(P@5, 6), (P@10, 6)]
    """
    reading = {name: options.pop(name) for name in READING if name in options}
    require_known(options, [*options_of(compare_evidence), *READING])
    evidence = as_evidence(judgments, runs, topics=topics, **reading)
    options["universe"] = Universe.of(universe, universe_depth)
    options["groups"] = as_groups(groups, evidence.systems)
    return tuple(
        compare_evidence(evidence, measure_for_mean(measure, mean), baselines=baseline, **options)
        for measure in measures
    )


def compare_tables(
    tables: Iterable[ScoreTable],
    *,
    baseline: str | Sequence[str] = (),
    mean: str = "arithmetic",
    **options: Any,
) -> tuple[Comparisons, ...]:
    """Compare systems by scores that someone else computed: nothing is known of the judgments.

    Parameters
    ----------
    tables
        Scores, one table per measure.
    baseline
        Compare every other system with this one, or with each of several; by default all pairs are
        compared.
    mean : {"arithmetic", "geometric"}
        Whether to compare means of scores, or geometric ones, by the logarithms of scores.
    options
        Those of :func:`~poolwise.compare_scores`.

    Returns
    -------
    tuple of Comparisons
        The comparisons by each table, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.3, 0.4], [0.2, 0.3, 0.1]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> (found,) = compare_tables([table], baseline="c")
    >>> [(one.a, one.b) for one in found]
    [('a', 'c'), ('b', 'c')]
    """
    require_choice("mean", mean, MEANS)
    given = map(log_scores, tables) if mean == "geometric" else tables
    return tuple(compare_scores(table, baselines=baseline, **options) for table in given)
