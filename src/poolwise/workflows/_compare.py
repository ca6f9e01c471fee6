"""Comparisons of runs in one call, and the table of a paper with the marks of its tests."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError, require_choice, shortened
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Universe
from poolwise.findings._checklist import USUAL_PERSISTENCE, Checklist, checklist
from poolwise.findings._marked_results import MARKS, MarkedResults
from poolwise.findings.comparison._compare import compare_evidence, compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._significance import CORRECTIONS, Seed
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import (
    MEANS,
    ByMeasure,
    Evaluation,
    log_scores,
    measure_for_mean,
    score_all,
)
from poolwise.studies._residuals import choose_residual
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_evidence,
    as_groups,
    as_names,
    carded_evidence,
    several_measures,
)

__all__ = ["compare", "compare_tables", "table"]


@recorded_by_itself
def compare(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    mean: str = "arithmetic",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    resamples: int = 10_000,
    draws: int = 200,
    prior: str = "model",
    depth: int | None = None,
    pooled: Sequence[str] | None = None,
    groups: Any = None,
    card: Any = None,
    adaptive: bool = False,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int | np.random.Generator | None = 1,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[Comparisons]:
    """Compare runs, and say how sure each difference is over topics and over judgments.

    Parameters
    ----------
    mean : {"arithmetic", "geometric"}
        Whether to compare means of scores, or geometric ones, by the logarithms of scores (U18
        §2.1).
    interval : str, optional
        Which interval to report; by default the one that belongs to the test.
    draws, prior
        How many plausible sets of judgments to draw, the same for all runs, and from
        what: a relevance model, or a prior of :func:`~poolwise.scores.bootstrap`. 0 draws none.
    depth, pooled, groups, adaptive
        What the relevance model is told of the judgments: the depth of the pool, the runs that
        formed it, where each comes from, and whether each judgment decided what was judged next.

    Returns
    -------
    ByMeasure of Comparisons
        For each measure one comparison per pair: its p value, the corrected one, and how far the
        unjudged documents could move the difference.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> pairs = compare(made.judgments, made.runs, ["P@5", "P@10"], baseline="bm25-1", draws=0)
    >>> len(pairs["P@10"]), [comparisons.measure for comparisons in pairs]
    (3, [P@5, P@10])
    """
    evidence, opened = carded_evidence(
        judgments, runs, card, topics=topics, grades=grades, reading=reading
    )
    unknown = Universe.of(universe, universe_depth)
    by_group = as_groups(groups, evidence.systems)
    return ByMeasure.of(
        compare_evidence(
            evidence,
            measure_for_mean(measure, mean),
            baseline=baseline,
            test=test,
            alternative=alternative,
            correction=correction,
            resamples=resamples,
            alpha=alpha,
            interval=interval,
            rng=rng,
            draws=draws,
            prior=prior,
            depth=depth,
            pooled=as_names(pooled),
            groups=by_group,
            card=opened,
            adaptive=adaptive,
            universe=unknown,
            progress=progress,
        )
        for measure in several_measures(measures)
    )


@recorded_by_itself
def compare_tables(
    tables: Iterable[ScoreTable],
    *,
    baseline: str | Sequence[str] = (),
    mean: str = "arithmetic",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    interval: str | None = None,
    resamples: int = 10_000,
    rng: int | np.random.Generator | None = 1,
) -> ByMeasure[Comparisons]:
    """Compare systems by scores that someone else computed: nothing is known of the judgments.

    Parameters
    ----------
    mean, interval
        As for :func:`compare`.

    Returns
    -------
    ByMeasure of Comparisons
        The comparisons by each table, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.4, 0.7], [0.3, 0.3, 0.4], [0.2, 0.3, 0.1]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> [(pair.a, pair.b) for pair in compare_tables([table], baseline="c")["AP"]]
    [('a', 'c'), ('b', 'c')]
    """
    require_choice("mean", mean, MEANS)
    return ByMeasure.of(
        compare_scores(
            # The logarithm keeps the order of geometric means: tests of its mean are tests of
            # theirs.
            log_scores(table) if mean == "geometric" else table,
            baseline=baseline,
            test=test,
            alternative=alternative,
            correction=correction,
            resamples=resamples,
            alpha=alpha,
            interval=interval,
            rng=rng,
        )
        for table in tables
    )


@recorded_by_itself
def table(
    tables: Evaluation | Sequence[ScoreTable] | Any,
    runs: Any = None,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    marks: str | None = None,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int = 10_000,
    draws: int = 200,
    residual: str | float | None = None,
    topics: Topics = "judged",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: Seed = 1,
    reading: Reading = Reading(),
) -> MarkedResults:
    r"""Test the runs of a table of results against each other, or against a baseline.

    Parameters
    ----------
    tables
        The judgments, with ``runs``; or scores of the same runs, one table per measure, of which
        nothing says whether judging could reverse a difference: their marks are in brackets.
    runs, measures
        What is scored, and by what, where there are no scores yet.
    marks : {"letters", "daggers", "none"}, optional
        See ``MARKS``; daggers need a baseline. By default daggers where there is a baseline, and
        letters where there is none.
    baseline
        The run that daggers compare with.
    test, correction, alpha, resamples, draws, rng
        As for :func:`~poolwise.compare`; corrected for each measure apart.
    residual
        As for :func:`~poolwise.workflows.checklist`, which the results have with them.

    Returns
    -------
    MarkedResults
        The scores with their marks, which :func:`~poolwise.views.paper_table` lays out.

    Examples
    --------
    >>> from poolwise import render
    >>> from poolwise.views import paper_table
    >>> from poolwise import Judgments, Runs
    >>> topics = [str(t) for t in range(8)]
    >>> grades = {t: {"x": 1, "y": int(t > "1"), "n": 0} for t in topics}
    >>> runs = Runs.from_rankings({"old_1": {t: ["n", "n2"] for t in topics},
    ...                            "new": {t: ["x", "y"] for t in topics},
    ...                            "old_2": {t: ["n", "u"] for t in topics}})
    >>> judgments = Judgments.from_dict({t: g | {"n2": 0} for t, g in grades.items()})
    >>> text = render(paper_table(table(judgments, runs, "P@2", draws=0)), "markdown")
    >>> print(*text.splitlines()[2:7], sep="\n")
    |   | run   |                    P@2 | P@2 if judged  |
    |---|-------|-----------------------:|----------------|
    | a | new   | **0.875**<sup>bc</sup> | 0.875 to 0.875 |
    | b | old_1 |                  0.000 | 0.000 to 0.000 |
    | c | old_2 |                  0.000 | 0.000 to 0.500 |
    """
    marks = marks or ("letters" if baseline is None else "daggers")
    how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    how |= {"baseline": baseline or (), "resamples": resamples, "rng": rng}
    lists: tuple[Checklist, ...] = ()
    if runs is None:
        scores = _scores(tables)
        _check(scores, marks, baseline)
        # Without marks no test is looked at, and none is made.
        tested = () if marks == "none" else tuple(compare_scores(plain, **how) for plain in scores)
    else:
        evidence = as_evidence(tables, runs, topics=topics, grades=grades, reading=reading)
        unknown = Universe.of(universe, universe_depth)
        scores = score_all(evidence, several_measures(measures), universe=unknown).scores
        _check(scores, marks, baseline)
        how |= {"draws": draws, "universe": unknown}
        tested = tuple(
            compare_evidence(evidence, plain.measure, **how) for plain in scores if marks != "none"
        )
        lists = _checklists(evidence, scores, tested, residual)
    by = f"{tested[0].test}, {CORRECTIONS[correction].title}, p < {alpha:g}" if tested else ""
    return MarkedResults(
        scores=tuple(scores),
        comparisons=tested,
        marks=marks,
        baseline=baseline or "",
        method=by,
        checklists=lists,
        provenance=(tested or scores)[0].provenance.with_options(marks=marks),
    )


def _checklists(
    evidence: Evidence,
    scores: Sequence[ScoreTable],
    tested: Sequence[Comparisons],
    residual: str | float | None,
) -> tuple[Checklist, ...]:
    """Gather what to report with the scores of each measure."""
    of_each = tested or (None,) * len(scores)
    wanted = USUAL_PERSISTENCE if residual is None else residual
    chosen = [choose_residual(evidence, table.measure, wanted) for table in scores]
    return tuple(
        checklist(evidence, table, rbp=choice.rbp, chosen=choice.remarks, comparisons=tests)
        for table, choice, tests in zip(scores, chosen, of_each, strict=True)
    )


def _scores(tables: Any) -> Sequence[ScoreTable]:
    """Return the tables given, or those of an evaluation."""
    if isinstance(tables, ScoreTable):
        return (tables,)
    scores = tables.scores if isinstance(tables, Evaluation) else tables
    if not isinstance(scores, Iterable) or any(
        not isinstance(table, ScoreTable) for table in scores
    ):
        raise OptionError(
            f"tables: must be score tables, or judgments with runs; got {shortened(repr(tables))}. "
            "Hint: use evaluate(judgments, runs, measures)."
        )
    return tuple(scores)


def _check(tables: Sequence[ScoreTable], marks: str, baseline: str | None) -> None:
    """Raise where the tables, the marks and the baseline do not fit together."""
    require_choice("marks", marks, MARKS)
    if not tables or any(table.systems != tables[0].systems for table in tables):
        raise OptionError(
            "tables: they must hold the same runs in the same order. Hint: take them from "
            "one evaluation."
        )
    if (marks == "daggers") != (baseline is not None):
        raise OptionError(
            f"baseline: daggers, and only they, compare with a baseline; got {baseline!r} with "
            f"marks {marks!r}. Hint: give both or neither."
        )
