"""What unjudged documents do to scores on topics, and could do to the order of two runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._verdict import Verdict, verdict
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import UnjudgedShare
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores.treatments._estimates import STUDIED, estimate_all, refusal_notes
from poolwise.scores.treatments._treatments import Treatment
from poolwise.words import counted, named, signed

__all__ = ["UnjudgedBands", "estimate_by_unjudged", "order_verdict"]

BAND_TREATMENTS = ("model", "nonrelevant", "condensed", "naive", "bootstrap")
"""Those of B23 table 7, and the default estimate; those of them that can be had."""


@finding
class UnjudgedBands(Finding):
    """Mean estimates of each run over the topics of a band: of a share of unjudged documents.

    Attributes
    ----------
    measure : Measure
        What runs are scored by.
    systems : tuple of str
        The runs.
    bands : tuple of tuple of float
        From which share of unjudged documents each band goes, up to which; the last has all.
    topics : int array, systems × bands
        How many topics of a run are in the band.
    unjudged : float array, systems × bands
        The mean share of unjudged documents there.
    means, lower, upper : dict from str to float array, systems × bands
        By treatment, the means of the estimates and of the ends of their ranges; NaN without.
    truth : float array, systems × bands
        The mean score with complete judgments; NaN where there are none.
    refused : dict from str to str
        The default treatments that the measure or the collection does not allow, and why.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=6, topics=20, depth=30, rng=3)
    >>> bands = estimate_by_unjudged(made.judgments, made.runs, "nDCG@10", complete=made.truth,
    ...                              treatments=["nonrelevant", "condensed"])
    >>> bands.topics.tolist()[-1]  # few, some and many documents unjudged, and all topics
    [0, 2, 18, 20]
    """

    measure: Measure
    systems: tuple[str, ...]
    bands: tuple[tuple[float, float], ...]
    topics: Integers
    unjudged: Floats
    means: dict[str, Floats]
    lower: dict[str, Floats]
    upper: dict[str, Floats]
    truth: Floats
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the bands are called: from one share of unjudged documents to another."""
        return (*(f"{low:g} to {high:g}" for low, high in self.bands[:-1]), "all topics")

    def columns(self) -> Columns:
        """Return one row per run, band and treatment."""
        columns: Columns = {
            name: []
            for name in (
                *("run", "measure", "unjudged_from", "unjudged_to", "topics", "unjudged"),
                *("treatment", "mean", "lower", "upper", "truth", "error"),
            )
        }
        for s, b in np.ndindex(self.topics.shape):
            for name in self.means:
                for column, cell in zip(columns.values(), self._row(s, b, name), strict=True):
                    column.append(cell)
        return columns

    def _row(self, s: int, b: int, name: str) -> tuple[str | int | float, ...]:
        low, high = self.bands[b]
        mean, truth = float(self.means[name][s, b]), float(self.truth[s, b])
        return (
            *(self.systems[s], str(self.measure), low, high),
            *(int(self.topics[s, b]), float(self.unjudged[s, b])),
            *(name, mean, float(self.lower[name][s, b]), float(self.upper[name][s, b])),
            *(truth, mean - truth),
        )

    def sentences(self) -> tuple[str, ...]:
        """Say which treatment comes nearest to complete judgments in each band."""
        refused = refusal_notes(self.refused)
        if np.isnan(self.truth).all():
            unknown = "How near these are to the truth is not known without complete judgments."
            return (unknown, *refused)
        said = (self._nearest(b) for b in range(len(self.bands)))
        return (*(sentence for sentence in said if sentence), *refused)

    def _nearest(self, b: int) -> str:
        some = self.topics[:, b] > 0
        if not some.any():
            return ""
        errors = {name: (mean - self.truth)[some, b] for name, mean in self.means.items()}
        best = min(errors, key=lambda name: float(np.abs(errors[name]).mean()))
        of_all = b == len(self.bands) - 1
        share = f"Where {self.labels[b]} of a run's documents are unjudged"
        absolute = float(np.abs(errors[best]).mean())
        return (
            f"{'Over all topics' if of_all else share}, {best} comes nearest to {self.measure} "
            f"with complete judgments: its mean is off by {absolute:.4f} on average over "
            f"{counted(int(some.sum()), 'run')}, {signed(float(errors[best].mean()))} with its "
            "sign."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run and band, with each treatment and the ends of ranges."""
        rows = [*np.ndindex(self.topics.shape)]
        columns: Columns = {
            "run": [self.systems[s] for s, _ in rows],
            "band": [self.labels[b] for _, b in rows],
            "topics": [int(self.topics[place]) for place in rows],
            "unjudged": [float(self.unjudged[place]) for place in rows],
            **{f"mean {n}": [float(of[place]) for place in rows] for n, of in self.means.items()},
            **{f"up to {n}": [float(of[place]) for place in rows] for n, of in self._ends()},
            "truth": [float(self.truth[place]) for place in rows],
        }
        return (chosen_table(columns, self._shown(), title=str(self.measure)),)

    def _ends(self) -> list[tuple[str, Floats]]:
        """Return the upper ends of the treatments that give a range."""
        return [(name, ends) for name, ends in self.upper.items() if not np.isnan(ends).all()]

    def _shown(self) -> dict[str, Column]:
        truth = {} if np.isnan(self.truth).all() else {"truth": Column("all judged", 3)}
        return {
            "run": Column("run"),
            "band": Column("share unjudged"),
            "topics": Column("topics", 0),
            "unjudged": Column("unjudged", 3),
            **{f"mean {name}": Column(name, 3) for name in self.means},
            **{f"up to {name}": Column(f"up to, {name}", 3) for name, _ in self._ends()},
            **truth,
        }


@recorded
def estimate_by_unjudged(
    judgments: Judgments,
    runs: Runs,
    measure: Measure | str = "nDCG@10",
    *,
    edges: Sequence[float] = (0.25, 0.5),
    treatments: str | Iterable[str | Treatment] = BAND_TREATMENTS,
    complete: Judgments | None = None,
    rng: int | np.random.Generator = 1,
) -> UnjudgedBands:
    """Estimate scores of runs on the topics where few, some and many documents are unjudged.

    The share is that of a run's own documents, down to the cut-off of the measure; so each run has
    topics of its own in a band, and means of two runs can be compared over all topics only. With
    complete judgments, the table has the score under them, too, and says which treatment comes
    nearest.

    Parameters
    ----------
    edges : sequence of float
        Put topics into bands that end and begin at these shares of unjudged documents.
    treatments
        Treatments or their names, as for :func:`~poolwise.estimate`.
    complete : Judgments, optional
        Compare with the scores that these judgments give, which are taken to be complete.
    rng : int or numpy.random.Generator
        For treatments that draw.

    Returns
    -------
    UnjudgedBands
        Means by run, band and treatment.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=6, topics=20, depth=30, rng=3)
    >>> bands = estimate_by_unjudged(made.judgments, made.runs, treatments="condensed")
    >>> bands.labels
    ('0 to 0.25', '0.25 to 0.5', '0.5 to 1', 'all topics')
    """
    bands = _bands(edges)
    evidence, wanted = align(judgments, runs), parse_measure(measure)
    shares = UnjudgedShare(cutoff=wanted.depth).score(evidence)
    by_default = treatments in (BAND_TREATMENTS, STUDIED)
    estimates = estimate_all(evidence, wanted, treatments=treatments, tolerant=by_default, rng=rng)
    tables = estimates.scores
    truth = np.full(shares.shape, np.nan)
    if complete is not None:
        truth = _as_rows(score(align(complete, runs), wanted, bounds="none"), evidence.topics)
    # Means of all treatments are over the same topics: those with a plain score.
    defined = ~np.isnan(shares) & ~np.isnan(score(evidence, wanted, bounds="none").value)
    chosen = np.array([_within(shares, band) & defined for band in bands])
    return UnjudgedBands(
        measure=wanted,
        systems=evidence.systems,
        bands=bands,
        topics=chosen.sum(axis=2).T,
        unjudged=_means(shares, chosen),
        means=_each({name: table.value for name, table in tables.items()}, chosen),
        lower=_each({name: table.lower for name, table in tables.items()}, chosen),
        upper=_each({name: table.upper for name, table in tables.items()}, chosen),
        truth=_means(truth, chosen),
        refused=estimates.refused,
        provenance=evidence.provenance.with_options(edges=tuple(edges), **seed_option(rng)),
    )


def _bands(edges: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Return where each band starts and ends, and last the one of all topics."""
    inner = sorted(set(edges))
    if not all(0 < edge < 1 for edge in inner):
        raise OptionError(
            f"edges: shares of unjudged documents lie between 0 and 1; got {inner}. Hint: use "
            "0.25 and 0.5."
        )
    return (*zip([0.0, *inner], [*inner, 1.0], strict=True), (0.0, 1.0))


def _within(shares: Floats, band: tuple[float, float]) -> Booleans:
    low, high = band
    # The last band is closed.
    return np.asarray((shares >= low) & ((shares < high) | (high == 1)))


def _as_rows(table: ScoreTable, topics: Sequence[str]) -> Floats:
    """Return the scores on these topics; NaN on those that the table does not have."""
    at = {name: t for t, name in enumerate(table.topics)}
    # A topic that the table lacks takes the last column, by the index −1.
    whole = np.column_stack([table.value, np.full(len(table.systems), np.nan)])
    return whole[:, [at.get(name, -1) for name in topics]]


def _each(values: Mapping[str, Floats], chosen: Booleans) -> dict[str, Floats]:
    return {name: _means(of, chosen) for name, of in values.items()}


def _means(values: Floats, chosen: Booleans) -> Floats:
    """Return systems × bands: means over the topics that are in a band; NaN without any."""
    count = chosen.sum(axis=2)
    total = np.where(chosen, values, 0.0).sum(axis=2)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0).T


@recorded
def order_verdict(
    evidence: Evidence,
    measure: Measure | str,
    *,
    a: str | None = None,
    b: str | None = None,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
) -> Verdict:
    """Show whether unjudged documents could reverse the order of two runs, and what settles it.

    The range of the difference is over every grade that unjudged documents could have. Where it
    leaves the order open, the fewest documents are named whose judgments can settle it, for
    measures that add up gains, such as RBP, P and DCG.

    Parameters
    ----------
    a : str, optional
        Compare this run with the other one, by default the first of two runs.
    b : str, optional
        Compare the first run with this one, by default the second of two runs.

    Returns
    -------
    Verdict
        The difference with its range, whether it is settled, and which documents would settle it.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"w": 2.0, "x": 1.0}}}
    >>> verdict = order_verdict(pw.workflows.as_evidence({"1": {"x": 1}}, runs), "DCG@2")
    >>> verdict.settled, [document.document for document in verdict.to_judge()]
    (False, ['w'])
    """
    first, second = _pair(evidence.systems, a, b)
    return verdict(evidence, measure, first, second, universe=Universe.of(universe, universe_depth))


def _pair(systems: Sequence[str], a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of two runs; those that there are where none is named."""
    if a is not None and b is not None:
        return a, b
    if a is None and b is None and len(systems) == 2:
        return systems[0], systems[1]
    raise OptionError(
        f"a, b: two runs must be named; there are {counted(len(systems), 'run')}, such as "
        f"{named(systems, most=3)}. Hint: name both, or give two runs."
    )
