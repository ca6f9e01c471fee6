"""The persistence that matches each of several measures, over all topics and on each (U18 §3.4)."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import require_choice
from poolwise.evidence._grades import Grades
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._scoring import ByMeasure
from poolwise.studies._persistence import (
    PERSISTENCES,
    PersistenceMatch,
    best_persistence,
    compare,
    gain_of_code,
    match_persistence,
    prepare,
    rbp_scores,
    rbp_weights,
    table_of_matches,
)
from poolwise.studies._tasks import Progress, run_tasks
from poolwise.words import counted, p_text, p_words

__all__ = [
    "PERSISTENCE_ROWS",
    "PersistenceStudy",
    "TopicMatches",
    "match_measures",
    "match_persistence_by_topic",
]


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
    >>> matches = match_persistence_by_topic(pw.align(made.judgments, made.runs), "AP")
    >>> tau, pvalue = matches.correlation_with_relevant()
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
        correlation = kendalltau(self.relevant[self.matched], self.p[self.matched])
        return float(correlation.statistic), float(correlation.pvalue)

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


@recorded
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
    by, gain, persistences
        As for :func:`match_persistence`.

    Returns
    -------
    TopicMatches
        The best persistence of each topic, and how it goes with the number of relevant documents.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=3, depth=50, rng=3)
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> matches = match_persistence_by_topic(evidence, "AP", persistences=[0.5, 0.8, 0.95])
    >>> matches.topics, matches.p.tolist()
    (('401', '402', '403'), [0.95, 0.95, 0.95])
    """
    table, rbp, tried = prepare(evidence, measure, by, gain, persistences)
    used = np.flatnonzero(table.defined)
    values = gain_of_code(rbp, evidence)
    codes = [block.codes[:, t] for block in evidence.blocks for t in range(block.shape[1])]
    tasks = [(codes[t], table.value[:, t], values, tried, by) for t in used]
    matches = run_tasks(_match_topic, tasks, workers=workers, progress=progress)
    p, correlations, residuals = np.array(matches).reshape(-1, 3).T
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
    # The residual is linear, too: that of the mean list is the mean over systems.
    judged = (codes >= 0).mean(axis=0)
    return (
        p,
        float(np.nanmax(correlations)),
        float(1 - judged @ weights[:, persistences == p][:, 0]),
    )


PERSISTENCE_ROWS = {
    "measures": "the match of each measure",
    "topics": "the match of each measure on each topic",
    "persistences": "every persistence that was tried",
}
"""What the rows of a study of persistence are."""


@finding
class PersistenceStudy(Finding):
    """The persistence that matches each of several measures.

    Attributes
    ----------
    matches : tuple of PersistenceMatch
        Over all topics, one for each measure.
    by_topic : tuple of TopicMatches
        Topic by topic, for the same measures in the same order; may be empty.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> match = pw.studies.match_persistence(evidence, "AP")
    >>> by_topic = pw.studies.match_persistence_by_topic(evidence, "AP")
    >>> overall, topics = PersistenceStudy.of([match], [by_topic]).tables()
    >>> print(pw.render(overall))
    RBP that orders 20 systems most alike, over 30 topics
    <BLANKLINE>
    measure      p  tau_b  expected depth  residual
    AP       0.976  0.916            41.7     0.416
    >>> print(pw.render(topics))
    The same on each topic: how many topics reach so much, and whether p rises with R
    <BLANKLINE>
    measure  < 0.8  0.8 to 0.9  ≥ 0.9  τ of p and R  p value  mean p  mean residual
    AP           0           6     24          0.52  <0.0001   0.926          0.248
    """

    matches: tuple[PersistenceMatch, ...]
    by_topic: tuple[TopicMatches, ...] = ()

    @classmethod
    def of(
        cls, matches: Iterable[PersistenceMatch], by_topic: Iterable[TopicMatches] = ()
    ) -> "PersistenceStudy":
        """Join matches of the same systems, with the provenance of the first."""
        first, *others = matches
        return cls((first, *others), tuple(by_topic), provenance=first.provenance)

    def columns(self) -> Columns:
        """Return one row per measure: the match over all topics, and counts of topics."""
        by_topic = (
            stack_columns([matches.summary() for matches in self.by_topic]) if self.by_topic else {}
        )
        return stack_columns([match.summary() for match in self.matches]) | by_topic

    def sentences(self) -> tuple[str, ...]:
        """Say what each match found, those over all topics first."""
        parts = (*self.matches, *self.by_topic)
        return tuple(sentence for part in parts for sentence in part.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return the matches over all topics, and topic by topic as U18 table 2 has them."""
        first, summaries = self.matches[0], [match.summary() for match in self.matches]
        overall = table_of_matches(stack_columns(summaries), first.systems, first.topics)
        if not self.by_topic:
            return (overall,)
        by_topic = stack_columns([matches.summary() for matches in self.by_topic])
        return overall, table_of_topic_matches(by_topic)


@recorded
def match_measures(
    evidence: Grades,
    measures: Iterable[Measure | str],
    *,
    by: str = "tau_b",
    gain: str = "binary",
    rows: str = "measures",
    persistences: Iterable[float] = PERSISTENCES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Finding:
    """Find the persistence p, from 0.500 to 0.999, whose RBP orders the runs as each measure does.

    With p come the number of documents that a user of RBP expects to look at, and the residual: the
    weight of the unjudged documents, which measures such as AP and nDCG do not have by themselves.
    The same is done for each topic, to see whether p rises with the number of relevant documents R.

    Parameters
    ----------
    by : str
        Compare orders of runs by this coefficient; rbo is rank-biased overlap with p = 0.9.
    gain : {"binary", "linear", "exponential"}
        Map grades to the gains of RBP in this way.
    rows : {"measures", "topics", "persistences"}
        Print the match of each measure, of each topic, or every persistence that was tried.
    persistences : iterable of float
        What to try.

    Returns
    -------
    Finding
        The best persistence of each measure, also by topic, or all that were tried.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> evidence, tried = pw.align(made.judgments, made.runs), [0.5, 0.8, 0.95]
    >>> match_measures(evidence, ["RR", "AP"], persistences=tried).columns()["p"]
    [0.5, 0.8]
    """
    require_choice("rows", rows, PERSISTENCE_ROWS)
    # Iterators would be used up by the first measure.
    wanted, tried = list(measures), tuple(persistences)
    matches = [
        match_persistence(evidence, measure, by=by, gain=gain, persistences=tried)
        for measure in wanted
    ]
    # Matching on each topic takes long, and would not be shown.
    if rows == "persistences":
        return ByMeasure.of(matches)
    by_topic = [
        match_persistence_by_topic(
            evidence,
            measure,
            by=by,
            gain=gain,
            persistences=tried,
            workers=workers,
            progress=progress,
        )
        for measure in wanted
    ]
    return ByMeasure.of(by_topic) if rows == "topics" else PersistenceStudy.of(matches, by_topic)
