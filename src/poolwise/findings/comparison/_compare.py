"""From scores, or from evidence, to comparisons of systems."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Kind, Universe
from poolwise.findings.comparison._comparison import SCORES_ALONE, Comparison
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._over_judgments import (
    Outcome,
    PairBounds,
    PairDraws,
    bound_pairs,
    draw_pairs,
    plausible_differences,
    sample_pairs,
)
from poolwise.findings.comparison._samples import Sample
from poolwise.findings.comparison._significance import (
    CORRECTIONS,
    TESTS,
    PairTests,
    Seed,
    adjust_pvalues,
    correct,
    pairs_of,
    plan_test,
    run_on_pairs,
)
from poolwise.measures._measure import Measure
from poolwise.measures._ranges import range_options
from poolwise.measures.families._judged_only import LeastJudged, judged_share_of
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import check_alpha, unknown
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.words import counted

__all__ = ["compare_evidence", "compare_pair", "compare_scores"]

MOST_RESAMPLES = 1000
"""How many resamples a randomized test takes under each drawn assignment of grades."""


@recorded_by_itself
def compare_pair(
    table: ScoreTable,
    a: str,
    b: str,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    resamples: int = 10_000,
    alpha: float = 0.05,
    interval: str | None = None,
    rng: Seed = None,
) -> Comparison:
    """Test whether system ``a`` differs from system ``b``; topics without both scores drop out.

    Parameters
    ----------
    a, b : str
        Names of the two systems; the difference is a minus b.
    alternative : {"two-sided", "greater", "less"}
        What is claimed of a against b.
    interval : str, optional
        Which interval to report; by default the one that belongs to the test. See
        :meth:`Comparison.interval`.

    Returns
    -------
    Comparison
        The mean difference, its interval and effect size, and the p value.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[3.0] * 35 + [1.0] * 15, [2.0] * 50], systems=["a", "b"],
    ...                                topics=[str(t) for t in range(50)], measure="x")
    >>> round(compare_pair(table, "a", "b", test="sign", alternative="greater").pvalue, 4)
    0.0033
    """
    at = indices_of((a, b), table.systems, what="a, b")
    plan = _Plan(test, alternative, "none", resamples, alpha, interval)
    pairs = Pairs(at[:1], at[1:], f"{a} against {b}")
    return plan.report(table, *plan.run(table, pairs, rng), rng)[0]


@recorded_by_itself
def compare_scores(
    table: ScoreTable,
    *,
    baseline: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    correction: str = "holm",
    resamples: int = 10_000,
    alpha: float = 0.05,
    interval: str | None = None,
    rng: Seed = 1,
) -> Comparisons:
    """Compare systems by their scores alone: nothing is known of the judgments.

    Parameters
    ----------
    correction : str
        A key of ``CORRECTIONS``: ``holm``, ``hochberg``, ``bonferroni``, ``sidak`` and
        ``holm-sidak`` for the chance of any false finding, ``bh`` and ``by`` for the share of
        false ones. ``tukey`` is the randomized Tukey HSD, paired by topic: two-sided, over all
        pairs. ``dunnett`` is the randomized Dunnett test, paired by topic: every system against
        one baseline. Both take ``resamples`` and ``rng``, and the uncorrected p value beside them
        is that of ``test``.
    alpha : float
        The significance level; the intervals of the columns have the level 1 − alpha.
    interval : str, optional
        Which interval the columns hold; by default the one that belongs to the test. See
        :meth:`Comparison.interval`.
    rng : int or numpy.random.Generator
        For randomized tests, and for ``tukey``.

    Returns
    -------
    Comparisons
        One comparison per pair, each with its p value and the corrected one.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> result = compare_scores(table)
    >>> result.sentences()[0]
    'In AP, 0 of 3 pairs are significantly different at 0.05; what judging could do is not known.'
    >>> [(f.a, f.b, round(f.pvalue, 3), round(f.p_adjusted, 3)) for f in result]
    [('a', 'b', 0.035, 0.106), ('a', 'c', 0.044, 0.106), ('b', 'c', 0.102, 0.106)]
    """
    plan = _Plan(test, alternative, correction, resamples, alpha, interval, baseline)
    tests, adjusted = plan.run(table, pairs_of(table.systems, baseline), rng)
    return plan.report(table, tests, adjusted, rng)


@recorded_by_itself
def compare_evidence(
    evidence: Evidence,
    measure: Measure | str,
    *,
    baseline: str | Sequence[str] = (),
    test: str = "t",
    alternative: str = "two-sided",
    correction: str = "holm",
    resamples: int = 10_000,
    alpha: float = 0.05,
    interval: str | None = None,
    rng: Seed = 1,
    draws: int = 200,
    prior: str = "model",
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    groups: Groups | None = None,
    card: CollectionCard | None = None,
    adaptive: bool = False,
    universe: Universe | Kind = "runs",
    progress: Callable[[int, int], None] | None = None,
) -> Comparisons:
    """Compare systems, and say how sure each difference is over topics and over judgments.

    Parameters
    ----------
    baseline, test, alternative, correction, resamples, interval
        As for :func:`~poolwise.compare_scores`.
    alpha : float
        The significance level, also for the share of draws that stay significant.
    rng : int or numpy.random.Generator
        For randomized tests and for drawn grades.
    draws, prior
        How many plausible sets of judgments to draw, the same for all runs, and from
        what: a relevance model, or a prior of :func:`~poolwise.bootstrap`. 0 draws none. Under
        each, randomized tests take 1,000 resamples at most.
    depth, pooled, groups, adaptive
        What the relevance model is told of the judgments: see
        :class:`~poolwise.scores.RelevanceModelTreatment`. With them, ranges of differences
        between new and pooled runs are calibrated.

    Returns
    -------
    Comparisons
        One comparison per pair: its p value, the corrected one, and how far the unjudged documents
        could move the difference.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> comparisons = compare_evidence(align(made.judgments, made.runs), "nDCG@10", draws=0)
    >>> comparisons.sentences()[0]
    'In nDCG@10, 3 of 6 pairs are significantly different at 0.05: 3 rest on judged documents
    alone. Of the others, 2 need more topics, and 1 is open on both counts.'
    """
    plan = _Plan(test, alternative, correction, resamples, alpha, interval, baseline)
    documents = Universe.of(universe)
    # The ranges of scores are not used: that of a difference is narrower than theirs together.
    table = score(evidence, measure, bounds="none")
    pairs = pairs_of(table.systems, baseline)
    # Before anything relevant is found there is no score; judgments may yet say who can be ahead.
    none = Sample.undefined(table, pairs) if np.isnan(table.value).all() else None
    comparisons = plan.report(table, *plan.run(table, pairs, rng, none), rng)
    # Under each draw a test is run again; as many resamples there would take draws times as long.
    lighter = replace(plan, resamples=min(resamples, MOST_RESAMPLES))
    model = RelevanceModelTreatment(
        depth, pooled, groups, draws=max(draws, 1), adaptive=adaptive, card=card
    )
    drawn = draw_pairs(
        evidence,
        comparisons.tests,
        lambda tables, which, *, rng, alone: lighter.outcome(
            tables, which, pairs, rng, (alone, comparisons.tests)
        ),
        rng=rng,
        draws=draws,
        prior=prior,
        model=model,
        alpha=alpha,
        progress=progress,
    )
    bounds = bound_pairs(evidence, comparisons.tests, paired_t=test == "t", universe=documents)
    bounds = bounds.with_correction(comparisons.pvalue, correction)
    plausible = unknown("draws", len(pairs))
    if prior == RelevanceModelTreatment.name and drawn.draws:
        plausible = plausible_differences(drawn, bounds)
    judged = score(evidence, judged_share_of(table.measure), bounds="none")
    options = _draw_options(drawn, prior, model, rng) | range_options(evidence, documents)
    return replace(
        comparisons,
        bounds=bounds,
        drawn=drawn,
        answered=(evidence.lengths > 0).sum(axis=1),
        judged=judged.means(),
        least_judged=LeastJudged.of(table.measure, judged.systems, judged.topics, judged.value),
        longest=evidence.lengths.max(axis=1, initial=0),
        further=(*sample_pairs(evidence, table.measure, pairs, level=1 - alpha), plausible),
        provenance=comparisons.provenance.with_options(**options),
    )


def _draw_options(
    drawn: PairDraws, prior: str, model: RelevanceModelTreatment, rng: Seed
) -> dict[str, object]:
    """Return what was drawn, from what, and what was read off; that none were where none were."""
    if not drawn.draws:
        return {"draws": 0}
    settings = _told(model) if prior == RelevanceModelTreatment.name else {}
    shape = drawn.pool.options() if drawn.pool else {}
    return {"draws": drawn.draws, "prior": prior, **seed_option(rng), **shape, **settings}


def _told(model: RelevanceModelTreatment) -> dict[str, object]:
    """Return what the relevance model was told, as far as it was."""
    groups = len(model.groups.names) if model.groups else None
    settings: dict[str, object] = {"depth": model.depth, "pooled": model.pooled, "groups": groups}
    chosen = {name: value for name, value in settings.items() if value is not None}
    return chosen | ({"adaptive": True} if model.adaptive else {})


@dataclass(frozen=True)
class _Plan:
    """How to test and correct, checked."""

    test: str
    alternative: str
    correction: str
    resamples: int
    alpha: float
    interval: str | None = None
    baseline: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        require_choice("correction", self.correction, CORRECTIONS)
        self._check_family()

    def _check_family(self) -> None:
        """Refuse a correction that is for another family of comparisons."""
        family = CORRECTIONS[self.correction].family
        single = isinstance(self.baseline, str) or len(self.baseline) == 1
        narrowed = self.baseline or self.alternative != "two-sided"
        got = f"baseline={self.baseline!r}, alternative={self.alternative!r}"
        if family == "pairs" and narrowed:
            raise OptionError(
                f"correction: {self.correction!r} compares all pairs, two-sided; got {got}. "
                "Hint: leave these out, or use 'holm'."
            )
        if family == "baseline" and not (self.baseline and single):
            raise OptionError(
                f"correction: {self.correction!r} compares every system with one baseline; "
                f"got {got}. Hint: name one baseline, or use 'holm'."
            )

    def run(
        self, table: ScoreTable, pairs: Pairs, rng: Seed, sample: Sample | None = None
    ) -> tuple[PairTests, Floats]:
        """Return what the test says of the pairs, and the corrected p values."""
        tests = self._tested(table, pairs, rng, sample)
        if not tests.sample.topics:
            return tests, tests.pvalue
        adjusted = correct(
            tests, table, correction=self.correction, resamples=self.resamples, rng=rng
        )
        return tests, adjusted

    def _tested(
        self, table: ScoreTable, pairs: Pairs, rng: Seed, sample: Sample | None = None
    ) -> PairTests:
        return run_on_pairs(
            table,
            pairs,
            test=self.test,
            sided=self.alternative,
            resamples=plan_test(self.test, self.alternative, self.resamples, rng),
            interval=self.interval,
            sample=sample,
        )

    def outcome(
        self,
        tables: Sequence[ScoreTable],
        which: Indices,
        pairs: Pairs,
        rng: Seed,
        before: tuple[Booleans, PairTests],
    ) -> Outcome:
        """Return differences, p values and corrected ones, each pair by the table that is its.

        ``before`` tells which pairs are as they were, and what was found of them; where chance
        plays a part they are tested again.
        """
        alone, tested = before
        family = bool(CORRECTIONS[self.correction].family)
        if family or TESTS[self.test].randomized:
            # What is resampled is so for all pairs at once.
            outcomes = [self.run(table, pairs, rng) for table in tables]
            difference = np.choose(which, [tests.difference for tests, _ in outcomes])
            pvalue = np.choose(which, [tests.pvalue for tests, _ in outcomes])
            if family:
                return difference, pvalue, np.choose(which, [adjusted for _, adjusted in outcomes])
        else:
            difference, pvalue = tested.difference.copy(), tested.pvalue.copy()
            for at, table in enumerate(tables):
                its = np.flatnonzero((which == at) & ~alone)
                if not len(its):
                    continue
                tests = self._tested(table, Pairs(pairs.left[its], pairs.right[its]), rng)
                difference[its], pvalue[its] = tests.difference, tests.pvalue
        return difference, pvalue, adjust_pvalues(pvalue, correction=self.correction)

    def report(
        self, table: ScoreTable, tests: PairTests, adjusted: Floats, rng: Seed
    ) -> Comparisons:
        """Return comparisons that know nothing of the judgments."""
        size = counted(int((~np.isnan(adjusted)).sum()), "comparison")
        return Comparisons(
            tests=tests,
            p_adjusted=adjusted,
            correction=f"{CORRECTIONS[self.correction].title}; {tests.pairs.family}: {size}",
            bounds=PairBounds.unknown(len(tests), SCORES_ALONE),
            drawn=PairDraws.none(len(tests), SCORES_ALONE),
            alpha=self.alpha,
            provenance=table.provenance.with_options(**self._options(rng)),
        )

    def _options(self, rng: Seed) -> dict[str, object]:
        """Return every option that changes a number."""
        randomized = TESTS[self.test].randomized or bool(CORRECTIONS[self.correction].family)
        return {
            "test": self.test,
            "alternative": self.alternative,
            "correction": self.correction,
            "alpha": self.alpha,
            **({"interval": self.interval} if self.interval else {}),
            **({"baseline": self.baseline} if self.baseline else {}),
            **({"resamples": self.resamples, **seed_option(rng)} if randomized else {}),
        }
