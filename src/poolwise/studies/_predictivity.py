"""How well a measure on some topics predicts a measure on others (W10 §3.2.5, table 3.2)."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Floats, Integers, levels, tolerances
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.findings.comparison._resampling import Resamples
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.studies._swaps import (
    checked_size,
    chunks,
    draw_sets,
    pair_differences,
    weighted_means,
)
from poolwise.studies._tasks import Progress, run_tasks
from poolwise.words import counted

__all__ = ["TAUS", "Predictivity", "predictivity", "select_top", "top_systems"]


TAUS = {
    "tau": "Kendall's τ over all pairs of systems",
    "tau_b": "Kendall's τ_b, over the pairs that are not tied",
}


@finding
class Predictivity(Finding):
    """How alike measures order systems on two halves of the topics.

    Attributes
    ----------
    measures : tuple of Measure
    systems, topics : int
        Systems ordered, and topics in each half.
    method : str
        A key of ``TAUS``.
    taus : float array, partitions × measures × measures
        Kendall's τ of the order by the row's measure on the first half, and by the column's
        measure on the second.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=50, rng=3)
    >>> scores = pw.evaluate(made.judgments, made.runs, ["AP", "RR"], bounds="none")
    >>> study = predictivity(scores.values(), rng=1, partitions=200)
    >>> study.means().round(2).tolist()
    [[0.74, 0.41], [0.41, 0.35]]
    """

    measures: tuple[Measure, ...]
    systems: int
    topics: int
    method: str
    taus: Floats

    def means(self) -> Floats:
        """Return the mean τ over partitions and both directions, measures × measures.

        Partitions on which a measure ties all systems have no τ_b and are left out.
        """
        return _known_mean(np.concatenate([self.taus, self.taus.transpose(0, 2, 1)]))

    def deviations(self) -> Floats:
        """Return the standard deviation of τ over partitions, measures × measures."""
        both = (self.taus + self.taus.transpose(0, 2, 1)) / 2
        return np.sqrt(_known_mean((both - _known_mean(both)) ** 2))

    def columns(self) -> Columns:
        """Return one row per pair of measures, each with itself as well."""
        first, second = np.triu_indices(len(self.measures))
        return {
            "measure": [str(self.measures[i]) for i in first],
            "predicted": [str(self.measures[j]) for j in second],
            self.method: self.means()[first, second].tolist(),
            "deviation": self.deviations()[first, second].tolist(),
        }

    def matrix(self) -> Columns:
        """Return one row per measure, as W10 table 3.2: the lower triangle repeats the upper."""
        names = [str(measure) for measure in self.measures]
        return {"measure": names} | dict(zip(names, self.means().T.tolist(), strict=True))

    def sentences(self) -> tuple[str, ...]:
        """Say for each measure what predicts its order of systems best."""
        means = self.means()
        how = (
            f"mean {self.method} between random halves of {counted(self.topics, 'topic')}, "
            f"{counted(self.systems, 'system')}, {counted(len(self.taus), 'partition')}"
        )
        return tuple(self._best(j, means[:, j], how) for j in range(len(self.measures)))

    def _best(self, j: int, means: Floats, how: str) -> str:
        """Say what predicts the order by the measure at ``j``, given the mean of each measure."""
        if np.isnan(means).all():
            return f"The order by {self.measures[j]} cannot be predicted: it ties all systems."
        best = int(np.nanargmax(means))
        by = "itself" if best == j else str(self.measures[best])
        has_own = best != j and not np.isnan(means[j])
        own = f", and by itself with {means[j]:.3f}" if has_own else ""
        return (
            f"The order by {self.measures[j]} on other topics is predicted best by {by}, with "
            f"{means[best]:.3f}{own} ({how})."
        )

    def tables(self) -> tuple[Table, ...]:
        """Return the matrix of mean τ, as W10 table 3.2."""
        size = f"{counted(self.topics, 'topic')}, {counted(self.systems, 'system')}"
        title = f"Mean {self.method} between halves of {size}"
        return (table_of(self.matrix(), title=title, digits=3),)


@recorded
def predictivity(
    tables: Iterable[ScoreTable],
    *,
    rng: int | np.random.Generator = 1,
    partitions: int = 2000,
    method: str = "tau_b",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Predictivity:
    """Measure how well each measure predicts the order of systems, by itself and by the others.

    Topics are split into random halves many times. The predictivity is the mean Kendall's tau
    between the order by one measure on one half and the order by another on the other half.

    A measure that predicts its own order, or another's, on topics not seen is one to choose
    systems by, whatever users feel (W10 §3.2.5). An odd topic is left out of each partition.

    Parameters
    ----------
    tables
        Scores of the same systems, one table per measure. W10 leaves out weak systems: see
        :func:`top_systems`.
    partitions : int
        Split the topics into random halves this number of times; W10 has 2,000.
    method : {"tau", "tau_b"}
        Compare the two orders by this coefficient.

    Returns
    -------
    Predictivity
        Kendall's τ between the halves, of every measure with every measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=10, topics=20, depth=50, rng=3)
    >>> scores = pw.evaluate(made.judgments, made.runs, ["AP", "RR"], bounds="none")
    >>> (by_ap, _), (_, by_rr) = predictivity(scores.values(), rng=1, partitions=100).means()
    >>> bool(by_ap > by_rr)
    True
    """
    require_choice("method", method, TAUS)
    used = _some(tables)
    values = _stacked(used)
    size = checked_size(values.shape[1], values.shape[2], size=None, sets="disjoint")
    planned = Resamples.plan(partitions, rng=rng)
    tasks = [
        (values, seed, draws, size, method)
        for seed, draws in zip(planned.seeds, planned.sizes, strict=True)
    ]
    taus = run_tasks(_taus_of_batch, tasks, workers=workers, progress=progress)
    return Predictivity(
        measures=tuple(table.measure for table in used),
        systems=values.shape[1],
        topics=size,
        method=method,
        taus=np.concatenate(taus),
        provenance=used[0].provenance.with_options(
            **seed_option(rng), partitions=partitions, method=method
        ),
    )


@recorded
def top_systems(tables: Iterable[ScoreTable], *, share: float = 0.75) -> tuple[str, ...]:
    """Return the systems that are not among the last under every measure.

    With ``share=0.75``, those in the bottom quarter by all of the measures are left out, as W10
    table 3.1 does with 27 of 129 systems.

    Parameters
    ----------
    share : float
        Which share of the systems counts as the best under a measure.

    Returns
    -------
    tuple of str
        The systems that are among the best under some measure, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1], [0.4], [0.2], [0.3]], systems="abcd", topics="1",
    ...                                measure="AP")
    >>> top_systems([table])
    ('b', 'c', 'd')
    """
    if not 0 < share <= 1:
        raise OptionError(f"share: lies above 0 and up to 1; got {share!r}. Hint: use 0.75.")
    listed = _some(tables)
    gone = set.intersection(*(_last(table, share) for table in listed))
    return tuple(name for name in listed[0].systems if name not in gone)


@recorded
def select_top(tables: Iterable[ScoreTable], share: float) -> list[ScoreTable]:
    """Leave out systems that are not in this share of the best under any measure.

    Parameters
    ----------
    share : float
        As for :func:`top_systems`.

    Returns
    -------
    list of ScoreTable
        The tables of the systems that stay.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1], [0.4], [0.2], [0.3]], systems="abcd", topics="1",
    ...                                measure="AP")
    >>> [top.systems for top in select_top([table], 0.5)]
    [('b', 'd')]
    """
    listed = list(tables)
    kept = top_systems(listed, share=share)
    return [table.select(kept) for table in listed]


def _last(table: ScoreTable, share: float) -> set[str]:
    """Return the systems below this share of the best."""
    # What n × share exceeds a whole number by through rounding alone adds no system.
    kept = int(np.ceil(len(table.systems) * share - 1e-9))
    return {table.systems[i] for i in table.order()[kept:].tolist()}


def _some(tables: Iterable[ScoreTable]) -> list[ScoreTable]:
    listed = list(tables)
    if not listed:
        raise OptionError("tables: none given. Hint: give one score table per measure.")
    return listed


def _stacked(tables: Sequence[ScoreTable]) -> Floats:
    """Return scores as measures × systems × topics, of the topics defined under every measure."""
    first = tables[0]
    for table in tables:
        if table.systems != first.systems or table.topics != first.topics:
            raise InputError(
                str(table.measure),
                "measures are compared on the same systems and topics",
                value=table,
                remedy="select the systems and topics that all tables have, in one order",
            )
    defined = np.all([table.defined for table in tables], axis=0)
    return np.array([table.value[:, defined] for table in tables])


def _taus_of_batch(
    values: Floats, seed: np.random.SeedSequence, draws: int, size: int, method: str
) -> Floats:
    """Return Kendall's τ between halves, for all pairs of measures, of each partition."""
    measures, systems, topics = values.shape
    halves = draw_sets(np.random.default_rng(seed), draws, topics, size=size, sets="disjoint")
    within = tolerances(values.reshape(measures, -1))
    # Means within rounding of each other share a level, and so are tied.
    first, second = (levels(weighted_means(values, shares), within) for shares in halves)
    parts = chunks(draws, measures * systems * systems)
    return np.concatenate([_taus(first[part], second[part], method) for part in parts])


def _taus(first: Integers, second: Integers, method: str) -> Floats:
    """Return τ for all pairs of measures, from the levels of partitions × measures × systems."""
    # Sums of −1, 0 and 1 are exact in single precision, up to 2²⁴ pairs of systems.
    x, y = (np.sign(pair_differences(m)).astype(np.float32) for m in (first, second))
    concordance = (x @ y.transpose(0, 2, 1)).astype(np.float64)
    if method == "tau":
        return concordance / x.shape[2]
    untied = [np.abs(signs).sum(axis=2, dtype=np.float64) for signs in (x, y)]
    # A measure that ties all systems has no τ_b: 0/0 is NaN.
    with np.errstate(invalid="ignore"):
        return concordance / np.sqrt(untied[0][:, :, None] * untied[1][:, None, :])


def _known_mean(values: Floats) -> Floats:
    """Return the mean over the first axis of the values that are not NaN; NaN without any."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
