"""A small instance of every finding of methods that the papers describe, made quickly."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import poolwise as pw
from poolwise.results._finding import Finding

__all__ = ["PAPER_EXAMPLES"]

NAMES = ["<script>alert('&')</script>", *(f"s{i}" for i in range(7))]
"""Eight systems, one with a name that must not reach a page as it is."""


@cache
def _made() -> pw.collection.Simulated:
    """Return six runs on eight topics, all of whose documents are judged in truth."""
    return pw.simulate(systems=6, topics=8, depth=20, rng=7)


@cache
def _table(measure: str = "AP") -> pw.ScoreTable:
    scores = np.random.default_rng(len(measure)).beta(1, 3, (8, 20))
    topics = [str(t) for t in range(20)]
    return pw.ScoreTable.from_matrix(scores, systems=NAMES, topics=topics, measure=measure)


_DAYS = [f"{NAMES[0]}.2008-12-05", f"{NAMES[0]}.2008-12-06", "b.2008-12-05", "b.2008-12-06"]


@cache
def _days() -> pw.Runs:
    lists = ("abcdefgh", "abdcefhg", "hbcaxyzd", "hbcadxyz")
    return pw.Runs.from_rankings(
        {name: {"1": list(items)} for name, items in zip(_DAYS, lists, strict=True)}
    )


def _journal(*, finished: bool) -> Finding:
    scores = np.random.default_rng(1).beta(1, 3, (2, 40))
    scores[0] += 0.1
    table = pw.ScoreTable.from_matrix(
        scores, systems=[NAMES[0], "s1"], topics=map(str, range(40)), measure="AP"
    )
    with TemporaryDirectory() as folder:
        mine = pw.journal(Path(folder, "a.journal"))
        order = table.topics
        mine.start(delta=0.3, sigma=0.1, measure="AP", order=order, most=30, date="2026-11-18")
        status = mine.step(table, date="2026-11-18")
        if not finished:
            return status
        while not status.is_done:
            status = mine.step(table)
        return mine.finish()


PAPER_EXAMPLES: dict[type[Finding], Callable[[], Finding]] = {
    # W10 chapter 5: plans of experiments.
    pw.findings.DesignComparison: lambda: pw.findings.compare_designs(
        np.random.default_rng(1).normal(0, 0.15, (3, 40)), delta=0.1, rng=1, simulations=50
    ),
    pw.findings.ExperimentDesign: lambda: pw.workflows.design_from_runs(
        _made().truth, _made().runs, depths=[2, 5], delta=0.05, rng=1, simulations=50
    ),
    pw.findings.TopicPlanStep: lambda: pw.findings.topic_plan_step(0.16, judged=64, delta=0.05),
    pw.findings.Checklist: lambda: pw.workflows.checklist(_made().judgments, _made().runs, "P@5")[
        "P@5"
    ],
    pw.findings.SequentialBoundary: lambda: pw.findings.sequential_boundary([20, 40, 60]),
    pw.findings.JournalStatus: lambda: _journal(finished=False),
    pw.findings.JournalResult: lambda: _journal(finished=True),
    pw.findings.Peeking: lambda: pw.findings.peek(_table(), rng=1, start=10, orders=5),
    pw.findings.TopicInclusion: lambda: pw.findings.topic_inclusion(
        _table(), NAMES[0], "s1", delta=0.3, rng=1, start=5, simulations=50
    ),
    # W10 chapters 3 and 4: how scores are distributed.
    pw.findings.ItemTotals: lambda: pw.findings.item_total_correlations(_table()),
    pw.findings.ScoreDensities: lambda: pw.findings.score_densities(_table(), "systems"),
    pw.findings.ScoreHistogram: lambda: pw.findings.score_histogram(_table(), NAMES[0]),
    pw.findings.ScoreIntensity: lambda: pw.findings.score_intensity(_table()),
    # B23: the scores of one run on one topic.
    pw.scores.DrawnScores: lambda: pw.scores.bootstrap(
        pw.align(pw.Judgments.from_dict({"1": {"a": 1, "h": 0}}), _days()), "P@3", draws=20
    ).at(_DAYS[0], "1"),
    pw.findings.DrawnTopics: lambda: pw.findings.draw_topics(
        pw.align(pw.Judgments.from_dict({"1": {"a": 1, "h": 0, "q": 1}}), _days()),
        "P@3",
        run=_DAYS[0],
        draws=20,
    ),
    # W10 §3.2: precision by recall, and the weights of ranks.
    pw.findings.RecallPrecision: lambda: pw.findings.recall_precision(
        pw.align(pw.Judgments.from_dict({"1": {"a": 1, "h": 1}}), _days())
    ),
    pw.findings.RankWeighting: lambda: pw.findings.rank_weights(["DCG"], depth=20, judged=10),
    # W10 chapter 3: which measure orders systems like another.
    pw.findings.MeasureOrders: lambda: pw.findings.measure_orders(
        [_table(), _table("P@10")], resamples=50
    ),
    pw.findings.OrderDistance: lambda: pw.findings.order_distance(
        _table(), _table("P@10"), resamples=20
    ),
    pw.studies.PoolExtrapolation: lambda: pw.studies.relevant_beyond(
        pw.nominate(_made().truth, _made().runs), 10
    ),
    pw.studies.VariantSwaps: lambda: pw.studies.variant_swaps(
        _table(), {str(q): (str(q // 2), "ab"[q % 2]) for q in range(20)}
    ),
    # W10 chapter 6: runs outside the pool.
    pw.studies.PoolingBias: lambda: pw.studies.pooling_bias(
        _made().truth, _made().runs, "P@5", depth=5, widths=[2, 4], common=[3], pools=5
    ),
    # W10 chapter 7: how alike rankings are.
    pw.findings.AgreementCurve: lambda: pw.findings.agreement_curve(_days(), *_DAYS[:2]),
    pw.findings.PersistenceCurves: lambda: pw.findings.persistence_curves(_days(), _DAYS[0]),
    pw.studies.SimilarityOverTime: lambda: pw.studies.similarity_over_time(_days()),
    pw.studies.Degradation: lambda: pw.studies.degrade_rankings(repeats=3),
}
"""Each class of findings, and what makes one of it."""
