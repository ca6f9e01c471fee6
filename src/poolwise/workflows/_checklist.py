"""What the papers ask to be reported with every score, from files or from memory."""

from collections.abc import Iterable, Sequence
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.evidence._ungraded import Universe
from poolwise.findings._checklist import USUAL_PERSISTENCE, Checklist
from poolwise.findings._checklist import checklist as gather
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.scores._scoring import ByMeasure, score_all
from poolwise.studies._residuals import choose_residual
from poolwise.workflows._inputs import DEFAULT_MEASURES, Topics, as_evidence, several_measures

__all__ = ["checklist"]


@recorded
def checklist(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    residual: str | float = USUAL_PERSISTENCE,
    compared: Iterable[Comparisons] = (),
    topics: Topics = "judged",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> ByMeasure[Checklist]:
    """Gather what to report with scores: depth, judged share, residual, range, pool and tests.

    Parameters
    ----------
    residual : float, or "matched"
        The persistence of the RBP whose residual is reported; ``"matched"`` takes the one that
        orders the runs most like the measure, where there are 16 runs or more.
    compared : iterable of Comparisons
        What :func:`compare` found of the same runs: its tests are reported, too.

    Returns
    -------
    ByMeasure of Checklist
        For each measure one row per run, and what holds for all of them.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> facts = checklist(made.judgments, made.runs, "P@10")["P@10"]
    >>> print(facts.sentences()[1])
    At worst, 0% of maverick-1's first ten documents are judged, on topic 407.
    """
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    unknown = Universe.of(universe, universe_depth)
    tested = {str(comparison.measure): comparison for comparison in compared}
    parts = []
    for table in score_all(evidence, several_measures(measures), universe=unknown).scores:
        rbp, why = choose_residual(evidence, table.measure, residual)
        tests = tested.get(str(table.measure))
        parts.append(gather(evidence, table, rbp=rbp, chosen=why, comparisons=tests))
    return ByMeasure.of(parts)
