"""Quality beside latency, cost or any other number of runs, from files or from memory."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from poolwise.collection._reading import Reading
from poolwise.collection.formats._side_columns import SideColumn, read_side_columns
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Universe
from poolwise.findings._beside import (
    DifferencesBeside,
    QualityBeside,
    SideMeans,
    side_means,
    side_scores,
)
from poolwise.findings.comparison._compare import compare_evidence, compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._finding import Finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import ByMeasure, score_all
from poolwise.workflows._inputs import DEFAULT_MEASURES, Topics, as_evidence, several_measures

__all__ = ["compare_beside", "evaluate_beside", "quality_beside"]


class _Side(NamedTuple):
    """One column beside the scores: its means, and its pairs."""

    means: SideMeans
    table: ScoreTable

    @classmethod
    def of(cls, column: SideColumn, systems: tuple[str, ...]) -> "_Side":
        table = side_scores(column, systems)
        return cls(side_means(column, table), table)

    def level(self, alpha: float) -> float:
        """Return the level of each family of pairs: half of it where both are tested."""
        return alpha / 2 if self.means.over else alpha

    def compared(self, baseline: str | Sequence[str], alpha: float) -> Comparisons:
        """Compare measurements: paired by topic, repetitions as samples of their own."""
        test = "welch-t" if self.means.over == "repetitions" else "t"
        return compare_scores(self.table, baseline=baseline, test=test, alpha=self.level(alpha))


@recorded
def evaluate_beside(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    beside: Any,
    more: Sequence[str] = (),
    topics: Topics = "judged",
    alpha: float = 0.05,
    draws: int = 200,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> ByMeasure[QualityBeside]:
    """Score runs, put another number such as latency or cost beside, and find the Pareto front.

    Parameters
    ----------
    beside
        What was measured: a file (CSV, lines with tabs, JSONL), a list of dicts or a frame with a
        run, numbers, and a topic where they are of topics.
    more
        The columns of which more is better; by default those that are called rates, such as qps.

    Returns
    -------
    ByMeasure of QualityBeside
        For each measure, and each column, both means of each run and whether it is on the front.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=3, topics=30, depth=20, rng=1)
    >>> cost = [{"run": run, "ms": ms} for run, ms in zip(made.runs.systems, (9, 20, 30))]
    >>> quality = evaluate_beside(made.truth, made.runs, "P@10", beside=cost).parts[0]
    >>> print(quality.sentences()[0])
    By their means, maverick-1, bm25-1 are on the Pareto front of P@10 and ms, and certainly so.
    """
    columns = read_side_columns(beside, more=more)
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    unknown = Universe.of(universe, universe_depth)
    scored = score_all(evidence, several_measures(measures), universe=unknown)
    how: dict[str, Any] = {"alpha": alpha, "draws": draws, "rng": rng, "universe": unknown}
    return ByMeasure.of(
        quality
        for table in scored.scores
        for quality in quality_beside(evidence, table, columns, **how)
    )


def quality_beside(
    evidence: Evidence,
    table: ScoreTable,
    columns: Sequence[SideColumn],
    *,
    alpha: float,
    draws: int,
    rng: int,
    universe: Universe,
) -> Iterator[QualityBeside]:
    """Put each column beside the scores of one measure."""
    alone = len(table.systems) == 1
    how: dict[str, Any] = {"draws": draws, "rng": rng, "universe": universe}
    # Columns whose families of pairs have the same level share what is drawn and tested.
    compared = cache(partial(compare_evidence, evidence, table.measure, **how))
    for column in columns:
        side = _Side.of(column, table.systems)
        pairs = None if alone else compared(alpha=side.level(alpha))
        yield QualityBeside(
            table,
            pairs,
            None if alone else side.compared((), alpha),
            side.means,
            alpha,
            provenance=_origin(table if pairs is None else pairs, side.means, alpha),
        )


@recorded
def compare_beside(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    beside: Any,
    more: Sequence[str] = (),
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    alpha: float = 0.05,
    draws: int = 200,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> ByMeasure[DifferencesBeside]:
    """Compare runs by quality and by another number, such as latency or cost, at once.

    Parameters
    ----------
    beside, more
        As for :func:`evaluate_beside`.

    Returns
    -------
    ByMeasure of DifferencesBeside
        For each measure, and each column, both differences of each pair, and who is certainly
        better in what.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> cost = [{"run": run, "ms": ms} for run, ms in zip(made.runs.systems, (9, 20))]
    >>> differences = compare_beside(made.truth, made.runs, "P@10", beside=cost).parts[0]
    >>> differences.columns()["side_difference"], differences.columns()["outcome"]
    ([-11.0], ['bm25-1 better in ms'])
    """
    columns = read_side_columns(beside, more=more)
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    if len(evidence.systems) == 1:
        raise OptionError("runs: two at least are compared; got 1. Hint: give another run.")
    how: dict[str, Any] = {"baseline": baseline, "draws": draws, "rng": rng}
    how["universe"] = Universe.of(universe, universe_depth)
    sides = [_Side.of(column, evidence.systems) for column in columns]
    parts = []
    for measure in several_measures(measures):
        compared = cache(partial(compare_evidence, evidence, measure, **how))
        for side in sides:
            quality = compared(alpha=side.level(alpha))
            origin = _origin(quality, side.means, alpha)
            both = quality, side.compared(baseline, alpha)
            parts.append(DifferencesBeside(*both, side.means, alpha, provenance=origin))
    return ByMeasure.of(parts)


def _origin(finding: Finding, side: SideMeans, alpha: float) -> Provenance:
    """Return where both come from, and what was taken for better."""
    return finding.provenance.with_options(alpha=alpha, **side.direction)
