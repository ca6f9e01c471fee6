"""Studies of collections that lie in files: an evaluation repeated under changed conditions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from poolwise.collection.listed_topics import listed_topics
from poolwise.collection.pools.nominations import nominate
from poolwise.errors import OptionError
from poolwise.findings.agreement.shared_significance import DiscriminationStudy, discriminate_all
from poolwise.measures.measure import Measure
from poolwise.printout.finding import Finding
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.standardization.factors import standardize
from poolwise.studies.by_measure import ByMeasure
from poolwise.studies.depth.depth_study import DepthStudy
from poolwise.studies.depth.discriminating_pools import PoolDiscrimination, discriminate_pools
from poolwise.studies.depth.growing_pools import PoolGrowth, pool_growth
from poolwise.studies.depth.pool_depths import depths
from poolwise.studies.depth.score_movement import ScoreMovement, movement
from poolwise.studies.estimates.judgment_reductions import (
    DepthPools,
    JudgmentReduction,
    LeaveOut,
    Thinning,
    WidthSamples,
)
from poolwise.studies.estimates.left_out_runs import LeaveOutStudy, leave_out
from poolwise.studies.judging.order_study import JudgingOrderStudy, replay_orders
from poolwise.studies.persistence.match import match_persistence
from poolwise.studies.persistence.persistence_study import PersistenceStudy
from poolwise.studies.persistence.residual_spread import RBPUncertainty, rbp_uncertainty
from poolwise.studies.persistence.topic_matches import match_persistence_by_topic
from poolwise.studies.topics.comparability_study import ComparabilityStudy
from poolwise.studies.topics.half_splits import Predictivity, predictivity, top_systems
from poolwise.studies.topics.missed_differences import false_negatives
from poolwise.studies.topics.order_swaps import SwapRates, swap_rates
from poolwise.studies.topics.two_collections import repartition
from poolwise.workflows.inputs import Topics, as_evidence, as_groups, as_judgments, as_runs

__all__ = [
    "PERSISTENCE_ROWS",
    "choose_reduction",
    "study_comparability",
    "study_depths",
    "study_discrimination",
    "study_discrimination_of_pools",
    "study_growth",
    "study_judging_orders",
    "study_leave_out",
    "study_movement",
    "study_persistence",
    "study_predictivity",
    "study_swaps",
    "study_uncertainty",
]

PERSISTENCE_ROWS = {
    "measures": "the match of each measure",
    "topics": "the match of each measure on each topic",
    "persistences": "every persistence that was tried",
}
"""What the rows of a study of persistence are."""


def study_judging_orders(
    judgments: Any,
    runs: Any,
    *,
    groups: Any = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> JudgingOrderStudy:
    """Replay orders of judging on complete judgments.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read;
        the judgments are taken to be complete.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.replay_orders`.

    Returns
    -------
    JudgingOrderStudy
        By order and count, what was found and how far the runs were ordered as in the end.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=3, depth=20, rng=1)
    >>> found = study_judging_orders(made.truth, made.runs, orders=["depth", "hedge"], counts=[10])
    >>> found.orders, found.relevant.shape
    (('depth', 'hedge'), (2, 1))
    """
    qrels, retrieved = _both(judgments, runs, reading)
    known = as_groups(groups, retrieved.systems)
    return replay_orders(qrels, retrieved, groups=known, **options)


def study_leave_out(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reduction: JudgmentReduction,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> LeaveOutStudy:
    """Take judgments away, estimate scores without them, and compare with the truth.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reduction : JudgmentReduction
        Which judgments to take away: see :func:`choose_reduction`.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.leave_out`.

    Returns
    -------
    LeaveOutStudy
        One row per measure, condition and treatment, and why treatments were refused.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_leave_out(made.truth, made.runs, ["P@10"],
    ...                         reduction=choose_reduction(depth=10, depths=[5]),
    ...                         treatments="condensed")
    >>> [(row.condition, row.treatment) for row in found.rows]
    [('pool depth 5', 'condensed')]
    """
    both = _both(judgments, runs, reading)
    return leave_out(*both, measures, reduction=reduction, **options)


def choose_reduction(
    *,
    depth: int,
    groups: Any = None,
    systems: Sequence[str] = (),
    rates: Sequence[float] = (),
    depths: Sequence[int] = (),
    widths: Sequence[int] = (),
    repeats: int = 10,
) -> JudgmentReduction:
    """Return which judgments to take away: those of runs left out, unless something else is said.

    ``systems`` are the runs, for groups by name.

    Parameters
    ----------
    depth : int
        Ranks of each run that were pooled.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    systems : sequence of str
        The runs.
    rates : sequence of float
        Keep these random shares of the judgments.
    depths : sequence of int
        Judge pools of these depths only.
    widths : sequence of int
        Pool so many runs or groups only.
    repeats : int
        How often each share or pool is drawn.

    Returns
    -------
    JudgmentReduction
        ``LeaveOut``, ``Thinning``, ``DepthPools`` or ``WidthSamples``.

    Examples
    --------
    >>> choose_reduction(depth=10, rates=[0.5])
    Thinning(rates=(0.5,), repeats=10)
    """
    if sum(map(bool, (rates, depths, widths))) > 1:
        raise OptionError(
            "rates, depths, widths: they exclude each other. Hint: give one of the three."
        )
    if rates:
        return Thinning(tuple(rates), repeats=repeats)
    if depths:
        return DepthPools(tuple(depths))
    by_group = as_groups(groups, systems)
    if widths:
        return WidthSamples(tuple(widths), depth=depth, repeats=repeats, groups=by_group)
    return LeaveOut(depth, groups=by_group)


def study_depths(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> DepthStudy:
    """Score and compare all runs on shallower pools, and down to fewer ranks.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names, whose cut-off the study sets.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.depths`.

    Returns
    -------
    DepthStudy
        Scores and p values of every setting, and how alike the settings order the runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_depths(made.truth, made.runs, ["nDCG"], pool_depths=[50], depths=[5, 50])
    >>> [one.measure for one in found.settings]
    [nDCG@5, nDCG@50]
    """
    return depths(*_both(judgments, runs, reading), measures, **options)


def study_movement(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> ByMeasure[ScoreMovement]:
    """Score runs on shallow pools and on a deep one, and say how far each score moved.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.movement`.

    Returns
    -------
    ByMeasure of ScoreMovement
        For each measure the scores on all pools, which are found by the measure or its name.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_movement(made.truth, made.runs, ["P@10"], pool_depths=[5], reference=50)
    >>> moved = found["P@10"].final - found["P@10"].scores[0]
    >>> bool((moved >= 0).all())  # more judgments never lower a precision
    True
    """
    return movement(*_both(judgments, runs, reading), measures, **options)


def study_growth(
    judgments: Any,
    runs: Any,
    *,
    pool_depths: Sequence[int],
    reading: dict[str, Any] | None = None,
) -> PoolGrowth:
    """Say how many documents, and relevant ones, pools of these depths hold.

    Parameters
    ----------
    judgments, runs
        Files, folders, dicts, frames or objects.
    pool_depths
        How many ranks of each run are pooled, ascending.
    reading
        How files are read: see :func:`~poolwise.read_runs`.

    Returns
    -------
    PoolGrowth
        One row per depth (U18 fig. 4, G16 fig. 3).

    Examples
    --------
    >>> from poolwise.collection.simulation import simulate
    >>> made = simulate(systems=4, topics=10, depth=30, rng=1)
    >>> found = study_growth(made.truth, made.runs, pool_depths=[5, 20])
    >>> judged = dict(zip(found.columns()["depth"], found.columns()["judged"]))
    >>> judged[5] < judged[20]
    True
    """
    return pool_growth(nominate(*_both(judgments, runs, reading)), pool_depths)


def study_persistence(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    rows: str = "measures",
    topics: Topics = "judged",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> Finding:
    """Find the RBP that orders runs as each measure does; ``rows`` as in ``PERSISTENCE_ROWS``.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    rows : {"measures", "topics", "persistences"}
        What the rows of the result are.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    workers : int, optional
        How many processes share the topics.
    progress
        Called with the number of topics done, and of all.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.match_persistence`.

    Returns
    -------
    Finding
        The best persistence of each measure, also by topic, or all that were tried.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> tried = [0.5, 0.8, 0.95]
    >>> found = study_persistence(made.judgments, made.runs, ["RR", "AP"], persistences=tried)
    >>> found.columns()["p"]
    [0.5, 0.8]
    """
    evidence = as_evidence(judgments, runs, topics=topics, **(reading or {}))
    wanted = list(measures)
    matches = [match_persistence(evidence, measure, **options) for measure in wanted]
    if rows == "persistences":
        return ByMeasure.of(matches)
    by_topic = [
        match_persistence_by_topic(evidence, measure, **options, workers=workers, progress=progress)
        for measure in wanted
    ]
    return ByMeasure.of(by_topic) if rows == "topics" else PersistenceStudy.of(matches, by_topic)


def study_uncertainty(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> RBPUncertainty:
    """Say how large RBP and its residual are at several persistences (U18 fig. 1).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.rbp_uncertainty`.

    Returns
    -------
    RBPUncertainty
        The scores and residuals of all runs on all topics.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=5, depth=50, rng=3)
    >>> found = study_uncertainty(made.judgments, made.runs, persistences=[0.5, 0.95])
    >>> shallow, deep = found.columns()["residual_mean"]
    >>> shallow < deep
    True
    """
    return rbp_uncertainty(
        as_evidence(judgments, runs, topics=topics, **(reading or {})), **options
    )


def study_predictivity(
    tables: Iterable[ScoreTable], *, top: float = 1.0, **options: Any
) -> Predictivity:
    """Say how well measures predict the order of systems on other topics.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure.
    top : float
        Leave out systems that are not in this share of the best under any measure.
    options
        Those of :func:`~poolwise.studies.predictivity`.

    Returns
    -------
    Predictivity
        Kendall's τ between halves of the topics, of every measure with every measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP", "RR"])
    >>> found = study_predictivity(tables, top=0.75, rng=1, partitions=50)
    >>> found.measures, found.systems < 10
    ((AP, RR), True)
    """
    return predictivity(_best(tables, top), **options)


def study_swaps(
    tables: Iterable[ScoreTable], *, top: float = 1.0, **options: Any
) -> ByMeasure[SwapRates]:
    """Say how often two systems change places on other topics, for each measure.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure.
    top : float
        Leave out systems that are not in this share of the best under any measure.
    options
        Those of :func:`~poolwise.studies.swap_rates`.

    Returns
    -------
    ByMeasure of SwapRates
        Comparisons and swaps by size of the difference, for each measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> found = study_swaps(tables, rng=1, draws=50)
    >>> found["AP"].topics, found["AP"].draws
    (10, 50)
    """
    return ByMeasure.of([swap_rates(table, **options) for table in _best(tables, top)])


def study_discrimination(tables: Iterable[ScoreTable], **options: Any) -> DiscriminationStudy:
    """Count the pairs of systems that each measure finds significantly different.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of the same systems, one table per measure; the first is the reference.
    options
        Those of :func:`~poolwise.findings.discriminate_all`.

    Returns
    -------
    DiscriminationStudy
        The share of pairs that each measure separates, and how far it agrees with the first.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP", "RR"])
    >>> by_ap, by_rr = study_discrimination(tables).columns()["power"]
    >>> by_ap > by_rr
    True
    """
    return discriminate_all(list(tables), **options)


def study_discrimination_of_pools(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reference: Any = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> PoolDiscrimination:
    """Test all pairs of systems on several pools, and compare each pool with the last one.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reference
        Other judgments to compare with; by default the deepest of the pools.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.discriminate_pools`.

    Returns
    -------
    PoolDiscrimination
        Which pairs each pool finds different, by measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=50, rng=3)
    >>> found = study_discrimination_of_pools(made.truth, made.runs, ["AP"], pool_depths=[5, 50])
    >>> found.pools
    ('depth 5', 'depth 50')
    """
    other = None if reference is None else as_judgments(reference, **(reading or {}))
    both = _both(judgments, runs, reading)
    return discriminate_pools(*both, measures, reference=other, **options)


def study_comparability(
    tables: Iterable[ScoreTable],
    *,
    second: Topics = (),
    missed: bool = False,
    partitions: int = 1000,
    alpha: float = 0.05,
    rng: int = 1,
) -> ComparabilityStudy:
    """Compare the scores of the same systems on two sets of topics, raw and standardized.

    Parameters
    ----------
    tables
        Scores, one table per measure.
    second
        Topics that make up the second collection, or a file with one in each line; by default
        topics are split at random.
    missed
        Also count how often a difference that is surely there is missed.
    partitions, alpha, rng
        How many random partitions, at which significance level, and the seed.

    Returns
    -------
    ComparabilityStudy
        κ and the share of false positives by measure, raw and standardized.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> found = study_comparability(tables, partitions=50)
    >>> found.columns()["measure"]
    ['AP', 'sAP']
    """
    forms = [(table, standardize(table)) for table in tables]
    topics = listed_topics(second)
    found = [
        repartition(*_split(table, topics), rng=rng, partitions=partitions, alpha=alpha)
        for pair in forms
        for table in pair
    ]
    rates = [false_negatives(pair, rng=rng, alpha=alpha) for pair in forms if missed]
    return ComparabilityStudy.of(found, rates)


def _split(table: ScoreTable, second: Sequence[str]) -> tuple[ScoreTable, ScoreTable | None]:
    if not second:
        return table, None
    first = [topic for topic in table.topics if topic not in second]
    return table.select(topics=first), table.select(topics=second)


def _best(tables: Iterable[ScoreTable], share: float) -> list[ScoreTable]:
    """Leave out systems that are not in this share of the best under any measure."""
    given = list(tables)
    kept = top_systems(given, share=share)
    return [table.select(kept) for table in given]


def _both(judgments: Any, runs: Any, reading: dict[str, Any] | None) -> tuple[Any, Any]:
    how = reading or {}
    return as_judgments(judgments, **how), as_runs(runs, **how)
