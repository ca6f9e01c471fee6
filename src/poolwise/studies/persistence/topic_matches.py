"""Which persistence matches a measure on each topic, and what that has to do with R (U18 §3.4)."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence._grades import Grades
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.studies.persistence.rbp_orders import (
    PERSISTENCES,
    best_persistence,
    compare,
    gain_of_code,
    prepare,
    rbp_scores,
    rbp_weights,
)
from poolwise.studies.tasks import Progress, run_tasks
from poolwise.words import counted, p_text, p_words

__all__ = ["TopicMatches", "match_persistence_by_topic", "table_of_topic_matches"]


@finding
class TopicMatches(Finding):
    """The persistence that matches a measure best, topic by topic.

    Attributes
    ----------
    measure : Measure
        The measure that RBP is matched with.
    by : str
        How orders are compared: a key of ``MATCHES``.
    topics : tuple of str
        The topics on which every system has a score.
    relevant : int array
        Known relevant documents of each topic (``R``).
    p, correlations : float array
        Best persistence and what it reaches; NaN where all systems score alike.
    residuals : float array
        Mean residual of RBP over systems, at the topic's best persistence.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> found = match_persistence_by_topic(pw.align(made.judgments, made.runs), "AP")
    >>> tau, pvalue = found.correlation_with_relevant()
    >>> round(tau, 2), pvalue < 0.05
    (0.52, True)
    """

    measure: Measure
    by: str
    topics: tuple[str, ...]
    relevant: Integers
    p: Floats
    correlations: Floats
    residuals: Floats

    @property
    def matched(self) -> Booleans:
        """Which topics order the systems at all, so that a persistence can be matched."""
        return ~np.isnan(self.p)

    def correlation_with_relevant(self) -> tuple[float, float]:
        """Return Kendall's τ of best persistence and R over topics, and its p value."""
        from scipy.stats import kendalltau  # noqa: PLC0415 -- late: scipy is slow to import

        if self.matched.sum() < 2:
            return float("nan"), float("nan")
        found = kendalltau(self.relevant[self.matched], self.p[self.matched])
        return float(found.statistic), float(found.pvalue)

    def summary(self) -> Columns:
        """Return one row of U18 table 2: counts of topics, τ with R, mean persistence."""
        reached = self.correlations[self.matched]
        tau, pvalue = self.correlation_with_relevant()
        means = [
            float(x[self.matched].mean()) if len(reached) else np.nan
            for x in (self.p, self.residuals)
        ]
        return {
            "measure": [str(self.measure)],
            "by": [self.by],
            "topics": [len(reached)],
            "below_0.8": [int((reached < 0.8).sum())],
            "below_0.9": [int(((reached >= 0.8) & (reached < 0.9)).sum())],
            "from_0.9": [int((reached >= 0.9).sum())],
            "tau_with_R": [tau],
            "pvalue": [pvalue],
            "mean_p": [means[0]],
            "mean_residual": [means[1]],
        }

    def columns(self) -> Columns:
        """Return one row per topic."""
        return {
            "measure": [str(self.measure)] * len(self.topics),
            "by": [self.by] * len(self.topics),
            "topic": list(self.topics),
            "relevant": self.relevant.tolist(),
            "p": self.p.tolist(),
            "correlation": self.correlations.tolist(),
            "residual": self.residuals.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which persistence matches on average, and whether it rises with R."""
        matched = int(self.matched.sum())
        if not matched:
            return (f"{self.measure} ties all systems on every topic, so no RBP can be matched.",)
        average = (
            f"On {matched} of {counted(len(self.topics), 'topic')}, the persistence of RBP that "
            f"orders the systems most like {self.measure} (by {self.by}) is "
            f"{self.p[self.matched].mean():.3f} on average."
        )
        tau, pvalue = self.correlation_with_relevant()
        if np.isnan(tau):
            return (average,)
        return average, (
            "Kendall's tau of that persistence and the number of relevant documents is "
            f"{tau:.2f} ({p_words(pvalue)})."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row of U18 table 2."""
        return (table_of_topic_matches(self.summary()),)


def match_persistence_by_topic(
    evidence: Grades,
    measure: Measure | str,
    *,
    by: str = "tau_b",
    gain: str = "binary",
    persistences: Iterable[float] = PERSISTENCES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> TopicMatches:
    """Find the best persistence for each topic, from the order of systems on it (U18 §3.4).

    The options are those of :func:`match_persistence`; ``workers`` processes share the
    topics, and ``progress`` is called with the number of topics done and of all.

    Parameters
    ----------
    evidence : Grades
        Runs met with judgments.
    measure : Measure or str
        A measure or its name.
    by, gain, persistences
        As for :func:`match_persistence`.
    workers : int, optional
        How many processes share the topics; None leaves it to :func:`joblib.parallel_config`.
    progress : callable, optional
        Called with the number of topics done, and of all.

    Returns
    -------
    TopicMatches
        The best persistence of each topic, and how it goes with the number of relevant documents.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=3, depth=50, rng=3)
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> found = match_persistence_by_topic(evidence, "AP", persistences=[0.5, 0.8, 0.95])
    >>> found.topics, found.p.tolist()
    (('401', '402', '403'), [0.95, 0.95, 0.95])
    """
    table, rbp, tried = prepare(evidence, measure, by, gain, persistences)
    used = np.flatnonzero(table.defined)
    values = gain_of_code(rbp, evidence)
    codes = [block.codes[:, t] for block in evidence.blocks for t in range(block.shape[1])]
    tasks = [(codes[t], table.value[:, t], values, tried, by) for t in used]
    found = run_tasks(_match_topic, tasks, workers=workers, progress=progress)
    p, correlations, residuals = np.array(found).reshape(-1, 3).T
    return TopicMatches(
        measure=table.measure,
        by=by,
        topics=tuple(table.topics[t] for t in used),
        relevant=evidence.relevant(rbp.rel)[used],
        p=p,
        correlations=correlations,
        residuals=residuals,
        provenance=evidence.provenance.with_options(by=by, gain=gain, persistences=len(tried)),
    )


def table_of_topic_matches(summary: Columns) -> Table:
    """Return one row per measure, from the columns of :meth:`TopicMatches.summary`."""
    shown = {
        "measure": Column("measure"),
        "below_0.8": Column("< 0.8"),
        "below_0.9": Column("0.8 to 0.9"),
        "from_0.9": Column("≥ 0.9"),
        "tau_with_R": Column("τ of p and R", digits=2),
        "pvalue": Column("p value"),
        "mean_p": Column("mean p", digits=3),
        "mean_residual": Column("mean residual", digits=3),
    }
    cells = summary | {"pvalue": [p_text(p) for p in summary["pvalue"]]}
    title = "The same on each topic: how many topics reach so much, and whether p rises with R"
    return chosen_table(cells, shown, title=title)


def _match_topic(
    codes: NDArray[np.integer], reference: Floats, values: Floats, persistences: Floats, by: str
) -> tuple[float, float, float]:
    """Return the best persistence of one topic, its correlation and its mean residual."""
    weights = rbp_weights(codes.shape[1], persistences)
    correlations = compare(reference, rbp_scores(values[codes], weights), by)
    p = best_persistence(persistences, correlations)
    if np.isnan(p):
        return p, p, p
    judged = (codes >= 0).mean(axis=0)
    return (
        p,
        float(np.nanmax(correlations)),
        float(1 - judged @ weights[:, persistences == p][:, 0]),
    )
