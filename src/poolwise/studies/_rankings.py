"""How alike rankings are as they are made worse."""

from functools import partial

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.similarity._top_k import top_k_similarity
from poolwise.findings.similarity._two_rankings import rank_biased_overlap
from poolwise.measures._catalogue import AP
from poolwise.provenance._provenance import WITHOUT_FILES, seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Table, table_of
from poolwise.studies._tasks import Progress, run_tasks, spawn_seeds
from poolwise.words import counted

__all__ = ["Degradation", "degrade_rankings"]

DEPTHS, PERSISTENCES = (10, 50, 100), (0.8, 0.9, 0.95)
"""Depths of the similarities of prefixes, and persistences of RBO."""
TOP = 0.7
"""Rankings with a higher AP are still good."""


@finding
class Degradation(Finding):
    """AP of rankings that are made worse step by step, beside their similarity to the best.

    Attributes
    ----------
    relevant, length, swaps, repeats : int
        Relevant documents and length of the ranking, and swaps of each of so many repetitions.
    ap : float array, rankings
        AP after each swap.
    names : tuple of str
        The similarities: KD@k is 1 − Kendall's distance, AO@k average overlap.
    similarity : float array, similarities × rankings
        That of the ranking to the one with all relevant documents first.

    Examples
    --------
    >>> degraded = degrade_rankings(rng=1, relevant=3, length=20, swaps=4, repeats=2)
    >>> degraded.similarity.shape == (len(degraded.names), 8)  # 4 swaps, twice
    True
    >>> bool(degraded.ap.max() < 1)  # every swap moves a relevant document down
    True
    """

    relevant: int
    length: int
    swaps: int
    repeats: int
    ap: Floats
    names: tuple[str, ...]
    similarity: Floats

    def taus(self, *, above: float = 0.0) -> Floats:
        """Return Kendall's τ of each similarity with AP, over rankings whose AP is above this."""
        kept = self.ap > above
        return correlate(self.ap[kept], self.similarity[:, kept])

    def columns(self) -> Columns:
        """Return one row per similarity and ranking."""
        return {
            "similarity": [name for name in self.names for _ in self.ap],
            "swap": (list(range(1, self.swaps + 1)) * self.repeats) * len(self.names),
            "ap": self.ap.tolist() * len(self.names),
            "value": self.similarity.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per similarity: τ with AP over all rankings, and over good ones."""
        columns = {
            "similarity": list(self.names),
            "tau": self.taus().tolist(),
            "tau_of_good": self.taus(above=TOP).tolist(),
        }
        title = f"Kendall's tau with AP, over all rankings and over those with AP above {TOP:g}"
        return (table_of(columns, title=title, digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say which similarity follows AP best, overall and at the top."""
        every, top = self.taus(), self.taus(above=TOP)
        best, best_top = self.names[int(every.argmax())], self.names[int(top.argmax())]
        again = "and does so" if best == best_top else f"and {best_top}"
        return (
            (
                f"{best} follows AP best (tau {every.max():.3f}), {again} among rankings that are "
                f"still good (tau {top.max():.3f})."
            ),
            (
                f"{self.relevant} of {counted(self.length, 'document')} are relevant; each of "
                f"{counted(self.repeats, 'ranking')} was made worse by "
                f"{counted(self.swaps, 'random swap')} of a relevant with another document."
            ),
        )


@recorded
def degrade_rankings(
    *,
    rng: int | np.random.Generator = 1,
    relevant: int = 10,
    length: int = 100,
    swaps: int = 25,
    repeats: int = 100,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Degradation:
    """Show which similarity of rankings follows AP as an ideal ranking is made worse.

    Relevant documents are swapped with others at random. After each swap, the AP of the ranking is
    set beside its similarity to the ideal one: Kendall's distance, RBO and average overlap.

    Parameters
    ----------
    relevant : int
        Number of relevant documents.
    length : int
        Number of documents in a ranking.
    swaps : int
        Number of swaps that make each ranking worse.
    repeats : int
        Repeat all of it this number of times, each time with the ideal ranking at first.

    Returns
    -------
    Degradation
        AP and every similarity after each swap.

    Examples
    --------
    >>> degraded = degrade_rankings(rng=1, repeats=5)
    >>> dict(zip(degraded.names, degraded.taus() > 0))["RBO 0.9"].item()
    True
    """
    if not (0 < relevant < length and swaps > 0 and repeats > 0):
        raise OptionError(
            f"relevant, length, swaps, repeats: {relevant}, {length}, {swaps} and {repeats} must "
            "be above 0, the second above the first. Hint: use 10, 100, 25 and 100."
        )
    tasks = [(seed, relevant, length, swaps) for seed in spawn_seeds(rng, repeats)]
    parts = run_tasks(_degrade, tasks, workers=workers, progress=progress)
    rankings = np.concatenate(parts)
    named = _similarities(np.arange(length, dtype=np.int64), rankings)
    return Degradation(
        relevant=relevant,
        length=length,
        swaps=swaps,
        repeats=repeats,
        ap=_average_precision(rankings < relevant),
        names=tuple(named),
        similarity=np.stack(list(named.values())),
        provenance=WITHOUT_FILES.with_options(
            relevant=relevant, length=length, swaps=swaps, repeats=repeats, **seed_option(rng)
        ),
    )


def _degrade(seed: int, relevant: int, length: int, swaps: int) -> Integers:
    """Return the ranking after each swap; items below ``relevant`` are relevant."""
    rng, ranking = np.random.default_rng(seed), np.arange(length)
    rows = []
    for _ in range(swaps):
        hit = rng.choice(np.flatnonzero(ranking < relevant))
        other = rng.choice(np.flatnonzero(ranking >= relevant))
        ranking[[hit, other]] = ranking[[other, hit]]
        rows.append(ranking.copy())
    return np.array(rows)


def _average_precision(is_relevant: Booleans) -> Floats:
    lists = is_relevant.astype(int).tolist()
    return AP.score(Evidence.from_grades(lists)).ravel()


def _similarities(ideal: Integers, rankings: Integers) -> dict[str, Floats]:
    """Return each similarity of the rankings to the ideal one, by name."""
    best, others = ideal.tolist(), rankings.tolist()
    depths = [k for k in DEPTHS if k <= len(best)] or [len(best)]

    def of(method: str, depth: int) -> Floats:
        values = [top_k_similarity(best, ranking, method=method, depth=depth) for ranking in others]
        return np.array(values)

    def overlap(p: float) -> Floats:
        return np.array([rank_biased_overlap(best, ranking, p=p).ext for ranking in others])

    makers: dict[str, partial[Floats]] = {
        **{f"KD@{k}": partial(of, "tau", k) for k in depths},
        **{f"RBO {p:g}": partial(overlap, p) for p in PERSISTENCES},
        **{f"AO@{k}": partial(of, "average_overlap", k) for k in depths},
    }
    computed = {name: find() for name, find in counting([*makers.items()], "similarities computed")}
    # Kendall's τ goes from −1 to 1, the other similarities from 0.
    return {n: (v + 1) / 2 if n.startswith("KD") else v for n, v in computed.items()}
