"""What the papers ask to be reported with every score: depth, judged share, residual, range, p."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._grades import Grades
from poolwise.evidence._pool_shape import find_pool
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import (
    LeastJudged,
    first_documents,
    judged_share_of,
    least_by_run,
    list_lengths,
)
from poolwise.measures.families._static_weights import RankBiasedPrecision
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores._uncertainty import Uncertainty

__all__ = ["USUAL_PERSISTENCE", "Checklist", "checklist"]

USUAL_PERSISTENCE = 0.98
"""The persistence of U18 §4, whose RBP looks about as deep as the usual measures do."""

_SHOWN = {
    "run": Column("run"),
    "mean": Column("mean", 4),
    "range": Column("range if judged"),
    "list_length": Column("longest list"),
    "judged": Column("judged", 2),
    "least": Column("least (topic)"),
    "residual": Column("residual", 4),
}


@finding
class Checklist(Finding):
    """What to report with the scores of one measure (U18 §4, D10 §4.1, G16 §4).

    Attributes
    ----------
    measure : Measure
    systems : tuple of str
    mean : float array, systems
    longest : int array, systems
        The length of the longest list of each run.
    judged : ScoreTable
        The share of documents that is judged, down to the depth of the measure.
    rbp : RankBiasedPrecision
        The RBP whose residual is reported.
    residual : float array, systems
        Its mean residual: the weight of what is unjudged, or past the end of lists.
    ranges : Uncertainty
        Where judging the unjudged documents would leave each mean.
    pool : str
        How the pool was made, as far as it shows in the judgments.
    tests : str
        Which p values there are, and for how many comparisons they are corrected; empty where
        nothing was compared.
    chosen : tuple of str
        Why this RBP was chosen, where it was not asked for.

    Examples
    --------
    >>> from poolwise import Grades
    >>> grades = Grades.from_grades([[1, None, 0], [0, 1, 1]])
    >>> print(checklist(grades, score(grades, "P@2")))
    P@2 looks at the first 2 documents.
    <BLANKLINE>
    Checklist for P@2
    <BLANKLINE>
    run     mean  range if judged   longest list  judged  least (topic)  residual
    run1  0.5000  0.5000 to 1.0000             3    0.50  0.50 (1)         0.9608
    run2  0.5000  0.5000 to 0.5000             3    1.00  1.00 (1)         0.9412
    <BLANKLINE>
    At worst, 50% of run1's first 2 documents are judged, on topic 1.
    The residual of RBP(p=0.98) is 0.9412 to 0.9608.
    Pool: no depth shows in the judgments; taken as 2, the cut-off (--pool-depth, --pooled); 1 of 2
    runs pooled.
    """

    measure: Measure
    systems: tuple[str, ...]
    mean: Floats
    longest: Integers
    judged: ScoreTable
    rbp: RankBiasedPrecision
    residual: Floats
    ranges: Uncertainty
    pool: str
    tests: str = ""
    chosen: tuple[str, ...] = ()

    @property
    def least_judged(self) -> LeastJudged | None:
        """Of which run and topic the least is judged; None where all is."""
        judged = self.judged
        return LeastJudged.of(self.measure, judged.systems, judged.topics, judged.value)

    def columns(self) -> Columns:
        """Return one row per run, in the order given."""
        least = least_by_run(self.judged.topics, self.judged.value)
        count = len(self.systems)
        return {
            "run": list(self.systems),
            "measure": [str(self.measure)] * count,
            "mean": self.mean.tolist(),
            "lower": self.ranges.low.tolist(),
            "upper": self.ranges.high.tolist(),
            "list_length": self.longest.tolist(),
            "judged_share": [str(self.judged.measure)] * count,
            "judged": self.judged.system_means().tolist(),
            "judged_least": [share for share, _ in least],
            "least_topic": [topic for _, topic in least],
            "persistence": [self.rbp.p] * count,
            "residual": self.residual.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run, the best mean first."""
        columns = self.columns()
        both = zip(columns["judged_least"], columns["least_topic"], strict=True)
        texts = {"range": self.ranges.texts(), "least": [f"{s:.2f} ({t})" for s, t in both]}
        order = np.argsort(-np.nan_to_num(self.mean), kind="stable").tolist()
        ordered = {name: [cells[s] for s in order] for name, cells in (columns | texts).items()}
        return (chosen_table(ordered, _SHOWN, title=f"Checklist for {self.measure}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say how deep it looks, what is judged at worst, the residual, the pool and the tests."""
        least = self.least_judged
        return (
            *self._depth(),
            str(least) if least else f"All {first_documents(self.measure)} of runs are judged.",
            *self._residual(),
            self.pool,
            *((self.tests,) if self.tests else ()),
        )

    def _depth(self) -> tuple[str, ...]:
        if self.measure.depth is None:
            return list_lengths(self.measure, self.systems, self.longest)
        return (f"{self.measure} looks at the {first_documents(self.measure)}.",)

    def _residual(self) -> tuple[str, ...]:
        residuals = self.residual[~np.isnan(self.residual)]
        if not len(residuals):
            return self.chosen
        low, high = float(residuals.min()), float(residuals.max())
        ends = f"{low:.4f}" if low == high else f"{low:.4f} to {high:.4f}"
        return (*self.chosen, f"The residual of {self.rbp} is {ends}.")


@recorded
def checklist(
    evidence: Grades,
    table: ScoreTable,
    *,
    rbp: RankBiasedPrecision | None = None,
    chosen: Sequence[str] = (),
    comparisons: Comparisons | None = None,
) -> Checklist:
    """Gather what the papers ask to be reported with the scores of one measure.

    Parameters
    ----------
    rbp : RankBiasedPrecision, optional
        The RBP whose residual is reported; by default RBP(p=0.98), as U18 §4 recommends.
    chosen : sequence of str
        Why this one was chosen.
    comparisons : Comparisons, optional
        Tests of the same runs.

    Returns
    -------
    Checklist
        One row per run, and what holds for all of them.

    Examples
    --------
    >>> from poolwise import Grades
    >>> grades = Grades.from_grades([[1, None, 0], [0, 1, 1]])
    >>> facts = checklist(grades, score(grades, "AP"))
    >>> facts.columns()["judged"], facts.sentences()[0]
    ([0.6666666666666666, 1.0], 'AP looks at whole lists, here of up to 3 documents.')
    """
    measure = table.measure
    level = float(getattr(measure, "rel", 1.0))
    of = rbp or RankBiasedPrecision(p=USUAL_PERSISTENCE, rel=level)
    residual = of.residual(evidence)[:, table.defined]
    return Checklist(
        measure=measure,
        systems=table.systems,
        mean=table.means(),
        longest=evidence.lengths.max(axis=1, initial=0),
        judged=score(evidence, judged_share_of(measure), bounds="none"),
        rbp=of,
        residual=residual.mean(axis=1) if residual.shape[1] else np.full(len(residual), np.nan),
        ranges=table.over_judgments,
        pool=find_pool(evidence, cutoff=getattr(measure, "cutoff", None)).remark,
        tests=_tests(comparisons),
        chosen=tuple(chosen),
        provenance=table.provenance,
    )


def _tests(comparisons: Comparisons | None) -> str:
    """Say which p values there are, and of which family."""
    if comparisons is None:
        return ""
    by = f"{comparisons.test}, {comparisons.tests.sided}"
    return f"The p values are by {by}; {comparisons.correction}."
