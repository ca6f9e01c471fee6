"""How far the rankings of a system change from one date to the next (W10 §7.4.1)."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import combinations, pairwise

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError
from poolwise.findings.similarity._run_similarity import run_overlap
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import counted

__all__ = ["SimilarityOverTime", "dates_of_names", "similarity_over_time"]

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


def similarity_over_time(
    runs: Runs, dated: Dated | None = None, *, p: float = 0.9, ends: int = 1
) -> SimilarityOverTime:
    """Compare the runs of each system from date to date, and systems with each other by date.

    Parameters
    ----------
    runs
        One run per system and date, over the same topics.
    dated
        From the name of each run to its system and date; by default both are read off the name,
        such as ``google.2008-12-05``.
    p
        Persistence of RBO.
    ends
        How many of the first dates are compared with as many of the last.

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
        provenance=run_overlap(runs, *runs.systems[:2], p=p).provenance.with_options(ends=ends),
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
        series.setdefault(system, []).append((day, name))
    return {system: sorted(days) for system, days in series.items()}


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
