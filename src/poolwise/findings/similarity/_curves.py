"""How alike two runs are as lists go deeper, or as RBO looks deeper (W10 fig. 7.2, 7.5, 7.7)."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.findings.similarity._rbo import later_ranks
from poolwise.findings.similarity._run_similarity import (
    average_overlap_matrix,
    kendall_distance_matrix,
    overlap_matrix,
    placements,
    run_overlap,
)
from poolwise.findings.similarity._top_k import top_k_similarity
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted

__all__ = ["AgreementCurve", "PersistenceCurves", "agreement_curve", "persistence_curves"]

DEPTHS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""Depths at which lists are compared, as far as they go."""
PERSISTENCES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99)
"""Persistences at which runs are compared, from the first few ranks to the first hundreds."""

_SHOWN = {"overlap", "average_overlap", "tau"}
"""The similarities of top-k lists that every curve has, as agreement, average overlap and τ."""


@finding
class AgreementCurve(Finding):
    """How alike two runs are to each depth, on average over topics.

    Attributes
    ----------
    a, b : str
        The two runs.
    p : float
        Persistence of RBO.
    topics : int
        Topics that both runs answer.
    depths : tuple of int
        How many ranks are compared, from the first to the deepest.
    agreement : float array, depths
        Share of the first ranks that both have (W10 eq. 7.3).
    average_overlap : float array, depths
        Mean of the agreement to that depth, which says nothing of what comes deeper.
    kendall : float array, depths
        1 − 2 × Kendall's distance of the top-k lists, as in W10 table 7.5.
    rbo_min, rbo_ext, rbo_max : float array, depths
        Rank-biased overlap, its least and largest value, seen to that depth.
    also : tuple of str
        Further similarities of the top-k lists, keys of ``TOP_K``.
    others : float array, also × depths
        Their means over the topics that have a value; NaN where none has.

    Examples
    --------
    >>> runs = Runs.from_rankings({"s": {"1": list("abcdefg")}, "t": {"1": list("zcavwxy")}})
    >>> curve = agreement_curve(runs, "s", "t", depths=[3, 7], also=["footrule"])
    >>> (curve.rbo_max - curve.rbo_min).round(2).tolist()  # deeper lists leave less open
    [0.56, 0.36]
    >>> curve.sentences()[0]
    's and t share 66.7% of the first 3 and 28.6% of the first 7 ranks, on average over 1 topic.'
    """

    a: str
    b: str
    p: float
    topics: int
    depths: tuple[int, ...]
    agreement: Floats
    average_overlap: Floats
    kendall: Floats
    rbo_min: Floats
    rbo_ext: Floats
    rbo_max: Floats
    also: tuple[str, ...]
    others: Floats

    def columns(self) -> Columns:
        """Return one row per depth."""
        names = ("agreement", "average_overlap", "kendall", "rbo_min", "rbo_ext", "rbo_max")
        rows = len(self.depths)
        columns: Columns = {
            "run": [self.a] * rows,
            "other": [self.b] * rows,
            "p": [self.p] * rows,
            "depth": list(self.depths),
        }
        columns |= {name: getattr(self, name).tolist() for name in names}
        return columns | dict(zip(self.also, self.others.tolist(), strict=True))

    def sentences(self) -> tuple[str, ...]:
        """Say how alike the runs are at the top and further down."""
        first, last = self.depths[0], self.depths[-1]
        width = self.rbo_max - self.rbo_min
        sure = next((d for d, w in zip(self.depths, width, strict=True) if w < 0.05), None)
        settled = (
            f"At p = {self.p:g}, RBO is known to 0.05 from depth {sure} on."
            if sure
            else f"At p = {self.p:g}, RBO is known to {width[-1]:.2f} at the end of the lists."
        )
        return (
            (
                f"{self.a} and {self.b} share {self.agreement[0]:.1%} of the first "
                f"{first} and {self.agreement[-1]:.1%} of the first {last} ranks, on average over "
                f"{counted(self.topics, 'topic')}."
            ),
            settled,
        )


@finding
class PersistenceCurves(Finding):
    """Rank-biased overlap of one run with others, from shallow to deep (W10 fig. 7.5).

    Attributes
    ----------
    run : str
        The run that all others are compared with.
    others : tuple of str
        The other runs.
    persistences : tuple of float
        Persistences of RBO, in the order given: the higher, the deeper it looks.
    rbo : float array, others × persistences
        Mean over topics.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": list("vwxyz")}, "top": {"1": list("vwabc")},
    ...                            "deep": {"1": list("zyxwv")}})
    >>> curves = persistence_curves(runs, "a", persistences=[0.5, 0.99])
    >>> curves.sentences()[0]
    'top is most similar to a at p = 0.5, and deep at p = 0.99.'
    """

    run: str
    others: tuple[str, ...]
    persistences: tuple[float, ...]
    rbo: Floats

    def columns(self) -> Columns:
        """Return one row per other run and persistence."""
        count = len(self.persistences)
        return {
            "run": [self.run] * self.rbo.size,
            "other": [name for name in self.others for _ in range(count)],
            "p": list(self.persistences) * len(self.others),
            "rbo": self.rbo.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per other run, and one column per persistence."""
        columns = Column("other"), *(Column(f"p = {p:g}", digits=3) for p in self.persistences)
        rows = tuple(zip(self.others, *self.rbo.T.tolist(), strict=True))
        return (Table(columns, rows, title=f"RBO of {self.run} with other runs, by persistence"),)

    def sentences(self) -> tuple[str, ...]:
        """Say which run is nearest, at the top and deep down, and whether the tops are alike."""
        low, high = self.persistences[0], self.persistences[-1]
        near, deep = (self.others[int(self.rbo[:, i].argmax())] for i in (0, -1))
        top_heavy = int((self.rbo[:, 0] > self.rbo[:, -1]).sum())
        further = "also" if near == deep else deep
        return (
            f"{near} is most similar to {self.run} at p = {low:g}, and {further} at p = {high:g}.",
            f"{top_heavy:,} of {counted(len(self.others), 'run')} are more similar at the top.",
        )


@recorded
def agreement_curve(
    runs: Runs,
    a: str,
    b: str,
    *,
    p: float = 0.9,
    depths: Sequence[int] = (),
    also: Sequence[str] = (),
) -> AgreementCurve:
    """Compare two runs to increasing depths, over the topics that both answer.

    ``also`` names further similarities, keys of ``TOP_K``; those that are shown anyway need no
    name.

    Parameters
    ----------
    runs : Runs
        Runs, among them the two.
    a, b : str
        Names of the two runs.
    p : float
        Persistence of RBO.
    depths : sequence of int
        How many ranks to compare; by default a row of depths as far as the lists go.
    also : sequence of str
        Further similarities; those that are shown anyway are passed over.

    Returns
    -------
    AgreementCurve
        One value of each similarity per depth, the mean over topics.

    Examples
    --------
    >>> runs = Runs.from_rankings({"s": {"1": list("abcdefg")}, "t": {"1": list("zcavwxy")}})
    >>> curve = agreement_curve(runs, "s", "t", depths=[3, 7])
    >>> curve.agreement.round(3).tolist(), curve.average_overlap.round(3).tolist()
    ([0.667, 0.286], [0.222, 0.312])
    """
    further = [name for name in dict.fromkeys(also) if name not in _SHOWN]
    pair = runs.select([a, b])
    both = [t for t, n in zip(pair.topics, pair.lengths.min(axis=0).tolist(), strict=True) if n]
    if not both:
        raise OptionError(f"a, b: {a} and {b} have no topic in common. Hint: name two others.")
    pair = pair.select(topics=both)
    longest = int(pair.lengths.max())
    chosen = tuple(depths) or tuple(d for d in DEPTHS if d <= longest)
    overlaps = [run_overlap(pair, a, b, p=p, depth=d).mean() for d in chosen]
    return AgreementCurve(
        a=a,
        b=b,
        p=p,
        topics=len(both),
        depths=chosen,
        agreement=_agreement(pair, chosen),
        average_overlap=np.array([average_overlap_matrix(pair, depth=d)[0, 1] for d in chosen]),
        kendall=np.array([1 - 2 * kendall_distance_matrix(pair, depth=d)[0, 1] for d in chosen]),
        rbo_min=np.array([o.min for o in overlaps]),
        rbo_ext=np.array([o.ext for o in overlaps]),
        rbo_max=np.array([o.max for o in overlaps]),
        also=tuple(further),
        others=_others(pair, further, chosen),
        provenance=overlaps[-1].provenance.with_options(depth=chosen, also=tuple(further)),
    )


@recorded
def persistence_curves(
    runs: Runs, run: str, *, persistences: Sequence[float] = PERSISTENCES
) -> PersistenceCurves:
    """Compare one run with all others at several persistences.

    Parameters
    ----------
    runs : Runs
        Two runs or more.
    run : str
        The one that all others are compared with.
    persistences : sequence of float
        Persistences of RBO, each at least 0 and less than 1.

    Returns
    -------
    PersistenceCurves
        The mean RBO over topics of each other run, by persistence.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": list("xyz")}, "b": {"1": list("xzy")},
    ...                            "c": {"1": list("zyx")}})
    >>> persistence_curves(runs, "a", persistences=[0.5]).rbo.round(2).tolist()
    [[0.87], [0.37]]
    """
    if run not in runs.systems or len(runs.systems) < 2:
        raise OptionError(
            f"run: {run!r} must be one of two or more runs. Hint: use one of "
            f"{', '.join(runs.systems[:3])}."
        )
    at = runs.systems.index(run)
    others = tuple(name for name in runs.systems if name != run)
    matrices = [overlap_matrix(runs, p=p) for p in persistences]
    rbo = np.stack([np.delete(matrix.ext[at], at) for matrix in matrices], axis=1)
    origin = matrices[0].provenance.with_options(p=tuple(persistences))
    return PersistenceCurves(run, others, tuple(persistences), rbo, provenance=origin)


def _agreement(pair: Runs, depths: Sequence[int]) -> Floats:
    """Return the mean share of the first ranks that both runs have."""
    longest = max(depths)
    total = np.zeros(len(depths))
    for lists in placements(pair, tied="broken", depth=longest):
        later = later_ranks(lists.top, lists.items[0], 0)[:, 1]
        total += [np.count_nonzero(later <= min(d, lists.depth)) / d for d in depths]
    return total / len(pair.topics)


def _others(pair: Runs, methods: Sequence[str], depths: Sequence[int]) -> Floats:
    """Return the mean over topics of each similarity at each depth."""
    lists = [[pair.ranking(name, topic) for name in pair.systems] for topic in pair.topics]
    similarities = [
        [[top_k_similarity(*two, method=m, depth=d) for two in lists] for d in depths]
        for m in methods
    ]
    values = np.array(similarities, np.float64).reshape(len(methods), len(depths), len(lists))
    defined = (~np.isnan(values)).sum(axis=2)
    total = np.nansum(values, axis=2)
    return np.divide(total, defined, out=np.full(total.shape, np.nan), where=defined > 0)
