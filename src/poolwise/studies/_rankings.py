"""How alike rankings are: over time, and as they are made worse."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.similarity._run_similarity import run_overlap
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

__all__ = ["Degradation", "SimilarityOverTime", "degrade_rankings", "similarity_over_time"]

_DATE = re.compile(r"[._-]?(\d{4})-?(\d{2})-?(\d{2})")

Dated = Mapping[str, tuple[str, str]]
"""From the name of a run to its system and its date, in the form 2008-12-05."""


@finding
class SimilarityOverTime(Finding):
    """Day-to-day and start-to-end similarity of systems, and of systems with each other.

    Attributes
    ----------
    p : float
        Persistence of RBO.
    systems : tuple of str
        The systems, each with two runs or more.
    dates : tuple of int
        How many dates each system has.
    mean, median, deviation : float array, systems
        RBO of one date with the next: mean and median over dates and topics, and the mean over
        topics of the standard deviation over time (W10 table 7.4).
    start_to_end : float array, systems
        Mean RBO between the first and the last dates.
    steps : tuple of (system, date, float)
        Mean RBO over topics of each date with the one before, in the order of dates.
    between : tuple of (system, system, date, float)
        Mean RBO of two systems on the same date (W10 fig. 7.6).

    Examples
    --------
    >>> days = {"e.2008-12-05": "abcd", "e.2008-12-06": "abdc", "e.2008-12-07": "abdc"}
    >>> runs = Runs.from_rankings({name: {"1": list(items)} for name, items in days.items()})
    >>> [(day, round(rbo, 3)) for _, day, rbo in similarity_over_time(runs).steps]
    [('2008-12-06', 0.973), ('2008-12-07', 1.0)]
    """

    p: float
    systems: tuple[str, ...]
    dates: tuple[int, ...]
    mean: Floats
    median: Floats
    deviation: Floats
    start_to_end: Floats
    steps: tuple[tuple[str, str, float], ...]
    between: tuple[tuple[str, str, str, float], ...]

    def columns(self) -> Columns:
        """Return one row per step of a system, and per date of two systems."""
        rows = [(s, "", day, rbo) for s, day, rbo in self.steps]
        rows += [(a, b, day, rbo) for a, b, day, rbo in self.between]
        return {
            "system": [row[0] for row in rows],
            "other": [row[1] for row in rows],
            "date": [row[2] for row in rows],
            "p": [self.p] * len(rows),
            "rbo": [row[3] for row in rows],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per system (W10 table 7.4)."""
        columns = {
            "system": list(self.systems),
            "dates": list(self.dates),
            "mean": self.mean.tolist(),
            "deviation": self.deviation.tolist(),
            "median": self.median.tolist(),
            "start_to_end": self.start_to_end.tolist(),
        }
        title = "Rank-biased overlap of one date with the next, and of the first with the last"
        return (table_of(columns, title=title, digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say which system changes most from day to day, and which in the long run."""
        least, end = int(np.nanargmin(self.mean)), int(np.nanargmin(self.start_to_end))
        return (
            (
                f"{self.systems[least]} changes most from one date to the next, to an RBO of "
                f"{self.mean[least]:.3f} at p = {self.p:g}, over "
                f"{counted(self.dates[least], 'date')}."
            ),
            (
                f"{self.systems[end]} changes most from the first to the last dates, to an RBO of "
                f"{self.start_to_end[end]:.3f}."
            ),
        )


@recorded
def similarity_over_time(
    runs: Runs, dated: Dated | None = None, *, p: float = 0.9, ends: int = 1
) -> SimilarityOverTime:
    """Show how far the rankings of systems change from one date to the next, and in all.

    Each system needs a run per date. Systems are compared with themselves on the date before, and
    with each other on the same date, by rank-biased overlap.

    Parameters
    ----------
    runs
        One run per system and date, over the same topics.
    dated : mapping from str to (str, str), optional
        File with the system and date of each run: each line has a run, its system and a
        date. By default they are read off names such as google.2008-12-05.
    p : float
        Persistence of RBO.
    ends : int
        Compare this number of first dates with as many of the last.

    Returns
    -------
    SimilarityOverTime
        How alike each system is to itself on the date before, and to the others on the same date.

    Examples
    --------
    >>> days = {"e.2008-12-05": "abcd", "e.2008-12-06": "abdc", "e.2008-12-07": "badc"}
    >>> runs = Runs.from_rankings({name: {"1": list(items)} for name, items in days.items()})
    >>> found = similarity_over_time(runs)
    >>> found.mean.round(3).tolist(), found.start_to_end.round(3).tolist()
    ([0.936], [0.873])
    """
    series = _series(runs.systems, dates_of_names(runs.systems) if dated is None else dated)
    _check(series, ends)
    steps = {s: _steps(runs, days, p) for s, days in series.items()}
    rows = [_compared(np.stack([by_topic for _, by_topic in found])) for found in steps.values()]
    return SimilarityOverTime(
        p=p,
        systems=tuple(series),
        dates=tuple(len(days) for days in series.values()),
        mean=np.array([np.nanmean(found) for found in rows]),
        median=np.array([np.nanmedian(found) for found in rows]),
        deviation=np.array([np.nanmean(np.nanstd(found, axis=0)) for found in rows]),
        start_to_end=np.array([_ends(runs, days, p, ends) for days in series.values()]),
        steps=tuple(
            (s, day, float(np.nanmean(topics)))
            for s, found in steps.items()
            for day, topics in found
        ),
        between=_between(runs, series, p),
        provenance=replace(
            run_overlap(runs, *runs.systems[:2], p=p).provenance, runs=runs.sources
        ).with_options(ends=ends),
    )


def _compared(steps: Floats) -> Floats:
    """Return the topics that both runs of some step answer."""
    return steps[:, ~np.isnan(steps).all(axis=0)]


def dates_of_names(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return system and date of each run, read off its name.

    Examples
    --------
    >>> dates_of_names(["google.2008-12-05", "20081206_live"])
    {'google.2008-12-05': ('google', '2008-12-05'), '20081206_live': ('live', '2008-12-06')}
    """
    return {name: _dated(name) for name in names}


def _dated(name: str) -> tuple[str, str]:
    found = _DATE.search(name)
    try:
        day = date(*map(int, found.groups())) if found else None
    # such as month 13
    except ValueError:
        day = None
    if found is None or day is None:
        raise OptionError(
            f"runs: {name!r} has no date in its name. Hint: call it such as bm25.2008-12-05, or "
            "give a file of dates."
        )
    rest = (name[: found.start()] + name[found.end() :]).strip("._-")
    return rest or "system", day.isoformat()


def _series(names: Sequence[str], dated: Dated) -> dict[str, list[tuple[str, str]]]:
    """Return for each system its dates, in order, each with the name of its run."""
    missing = [name for name in names if name not in dated]
    if missing:
        raise OptionError(
            f"dates: {missing[0]!r} has none. Hint: give system and date of each run."
        )
    series: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        system, day = dated[name]
        _require_day(name, day)
        series.setdefault(system, []).append((day, name))
    return {system: sorted(days) for system, days in series.items()}


def _require_day(name: str, day: str) -> None:
    """Raise for what is no day, month or year: dates are put in order as texts."""
    try:
        date.fromisoformat(f"{day}-01-01"[:10])
    except ValueError:
        raise OptionError(
            f"dates: {name!r} must have a date; got {day!r}. Hint: write it such as 2008-12-05."
        ) from None


def _check(series: dict[str, list[tuple[str, str]]], ends: int) -> None:
    for system, days in series.items():
        if len({day for day, _ in days}) < len(days) or len(days) < 2:
            raise OptionError(
                f"dates: {system!r} needs two or more dates, each once; it has "
                f"{', '.join(day for day, _ in days)}. Hint: leave it out, or correct its dates."
            )
        if not 1 <= ends <= len(days) // 2:
            raise OptionError(
                f"ends: {ends} first and last dates are not from 1 to {len(days) // 2}, half of "
                f"those of {system!r}. Hint: use 1."
            )


def _steps(runs: Runs, days: list[tuple[str, str]], p: float) -> list[tuple[str, Floats]]:
    """Return RBO by topic of each date with the one before."""
    return [(day, run_overlap(runs, old, new, p=p).ext) for (_, old), (day, new) in pairwise(days)]


def _ends(runs: Runs, days: list[tuple[str, str]], p: float, ends: int) -> float:
    """Return the mean RBO between the first and the last dates, over all their pairs."""
    pairs = [(old, new) for _, old in days[:ends] for _, new in days[-ends:]]
    return float(np.mean([run_overlap(runs, old, new, p=p).mean().ext for old, new in pairs]))


def _between(
    runs: Runs, series: dict[str, list[tuple[str, str]]], p: float
) -> tuple[tuple[str, str, str, float], ...]:
    """Return RBO of every two systems on the dates that both have."""
    found = []
    for (a, first), (b, second) in combinations(series.items(), 2):
        names = dict(second)
        for day, one in first:
            if day in names:
                rbo = run_overlap(runs, one, names[day], p=p).mean().ext
                found.append((a, b, day, float(rbo)))
    return tuple(found)


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
    >>> found = degrade_rankings(rng=1, relevant=3, length=20, swaps=4, repeats=2)
    >>> found.similarity.shape == (len(found.names), 8)  # 4 swaps, twice
    True
    >>> bool(found.ap.max() < 1)  # every swap moves a relevant document down
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
    >>> found = degrade_rankings(rng=1, repeats=5)
    >>> dict(zip(found.names, found.taus() > 0))["RBO 0.9"].item()
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
        one = rng.choice(np.flatnonzero(ranking < relevant))
        other = rng.choice(np.flatnonzero(ranking >= relevant))
        ranking[[one, other]] = ranking[[other, one]]
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
        found = [top_k_similarity(best, one, method=method, depth=depth) for one in others]
        return np.array(found)

    def overlap(p: float) -> Floats:
        return np.array([rank_biased_overlap(best, one, p=p).ext for one in others])

    found: dict[str, partial[Floats]] = {
        **{f"KD@{k}": partial(of, "tau", k) for k in depths},
        **{f"RBO {p:g}": partial(overlap, p) for p in PERSISTENCES},
        **{f"AO@{k}": partial(of, "average_overlap", k) for k in depths},
    }
    computed = {name: find() for name, find in counting([*found.items()], "similarities computed")}
    # Kendall's τ goes from −1 to 1, the other similarities from 0.
    return {n: (v + 1) / 2 if n.startswith("KD") else v for n, v in computed.items()}
