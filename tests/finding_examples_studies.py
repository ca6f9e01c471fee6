"""A small instance of every finding of the studies and of the treatments, made quickly."""

from collections.abc import Callable
from functools import cache

import numpy as np

import poolwise as pw
from poolwise.results._finding import Finding
from poolwise.scores.treatments._bias import Adjustment, adjust_from_systems
from poolwise.scores.treatments._drawn_scores import ScoreDistribution, bootstrap
from poolwise.scores.treatments._estimates import Estimates, estimate_all

__all__ = ["EXAMPLES"]


@cache
def _made() -> pw.collection.Simulated:
    """Return six runs on eight topics, all of whose documents are judged in truth."""
    return pw.simulate(systems=6, topics=8, depth=20, rng=7)


@cache
def _evidence() -> pw.Evidence:
    return pw.align(_made().judgments, _made().runs)


def _table(measure: str = "AP") -> pw.ScoreTable:
    return pw.score(_evidence(), measure, bounds="none")


def _leave_out() -> pw.studies.LeaveOutStudy:
    return pw.studies.leave_out(
        _made().truth,
        _made().runs,
        ["P@5", "nDCG@5"],
        reduction=pw.studies.LeaveOut(depth=5),
        treatments=["nonrelevant", "condensed"],
    )


def _reliability() -> pw.studies.Reliability:
    reliability = pw.studies.leave_out(
        _made().truth,
        _made().runs,
        ["P@5"],
        reduction=pw.studies.LeaveOut(depth=5),
        treatments=[pw.scores.RelevanceModelTreatment(draws=20)],
    ).reliability
    assert reliability is not None
    return reliability


def _depths() -> pw.studies.DepthStudy:
    return pw.studies.depths(
        _made().truth,
        _made().runs,
        ["AP"],
        pool_depths=[5, 20],
        depths=[5, 20],
        forms=["given", "standardized"],
    )


def _movements() -> pw.studies.ByMeasure[pw.studies.ScoreMovement]:
    return pw.studies.movement(
        _made().truth, _made().runs, ["AP", "RR"], pool_depths=[3, 5], reference=20
    )


def _match() -> pw.studies.PersistenceMatch:
    return pw.studies.match_persistence(_evidence(), "AP", persistences=(0.5, 0.8, 0.95))


def _topic_matches() -> pw.studies.TopicMatches:
    return pw.studies.match_persistence_by_topic(_evidence(), "AP", persistences=(0.5, 0.8, 0.95))


def _repartitions() -> pw.studies.Repartitions:
    table = _table()
    first, second = table.select(topics=table.topics[:4]), table.select(topics=table.topics[4:])
    return pw.studies.repartition(first, second, partitions=20)


def _comparability() -> pw.studies.Comparability:
    table = _table()
    return pw.studies.comparability(
        table.select(topics=table.topics[:4]), table.select(topics=table.topics[4:])
    )


def _false_negatives() -> pw.studies.FalseNegatives:
    return pw.studies.false_negatives([_table()], samples=20, sure_alpha=0.1)


def _judged_pairs() -> pw.studies.JudgedPairs:
    pairs = pw.findings.baseline_pairs(_table())
    return pw.studies.judge_pairs(_evidence(), pairs, depth=5)


def _adjustment() -> Adjustment:
    pooled, unpooled = np.array([[0.5, 0.3], [0.4, 0.2]]), np.array([[0.4, 0.2], [0.4, 0.2]])
    return adjust_from_systems(pooled, unpooled, np.array([0.6, 0.2]))


EXAMPLES: dict[type[Finding], Callable[[], Finding]] = {
    pw.studies.RBPUncertainty: lambda: pw.studies.rbp_uncertainty(_evidence(), [0.5, 0.9]),
    Adjustment: _adjustment,
    Estimates: lambda: estimate_all(_evidence(), "P@5", treatments=["condensed", "exact"]),
    ScoreDistribution: lambda: bootstrap(_evidence(), "P@5", draws=20),
    pw.studies.ByMeasure: _movements,
    pw.studies.Comparability: _comparability,
    pw.studies.ComparabilityStudy: lambda: pw.studies.ComparabilityStudy.of(
        [_repartitions()], [_false_negatives()]
    ),
    pw.studies.DepthStudy: _depths,
    pw.studies.PoolDiscrimination: lambda: pw.studies.discriminate_pools(
        _made().truth, _made().runs, ["AP", "P@5"], pool_depths=[3, 20]
    ),
    pw.studies.FalseNegatives: _false_negatives,
    pw.studies.JudgedPairs: _judged_pairs,
    pw.studies.JudgingOrderStudy: lambda: pw.studies.replay_orders(
        _made().truth, _made().runs, orders=["depth", "blend"], counts=[5, 10]
    ),
    pw.studies.LeaveOutStudy: _leave_out,
    pw.studies.UnjudgedBands: lambda: pw.studies.estimate_by_unjudged(
        _made().judgments, _made().runs, "P@5", complete=_made().truth, treatments="condensed"
    ),
    pw.studies.GainModelFits: lambda: pw.studies.compare_gain_models(
        pw.align(_made().truth, _made().runs), depth=10
    ),
    pw.studies.BoundConvergence: lambda: pw.studies.converge_bounds(
        _made().truth,
        _made().runs,
        run="bm25-1",
        topic=_made().truth.topics[0],
        pool_depths=[5, 20],
    ),
    pw.studies.ErrorTests: lambda: _leave_out().error_tests(),
    pw.studies.Reliability: _reliability,
    pw.studies.PersistenceMatch: _match,
    pw.studies.PersistenceStudy: lambda: pw.studies.PersistenceStudy.of(
        [_match()], [_topic_matches()]
    ),
    pw.studies.Predictivity: lambda: pw.studies.predictivity(
        [_table("AP"), _table("RR")], partitions=20
    ),
    pw.studies.ReferenceStability: lambda: pw.studies.reference_stability(
        _table(), _table(), sizes=[2, 4], samples=20
    ),
    pw.studies.Repartitions: _repartitions,
    pw.studies.ScoreMovement: lambda: _movements()["AP"],
    pw.studies.SwapRates: lambda: pw.studies.swap_rates(_table(), draws=20),
    pw.studies.TopicMatches: _topic_matches,
}
"""Each class of findings, and what makes one of it."""
