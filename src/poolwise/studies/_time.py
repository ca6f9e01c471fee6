"""Rankings over time: how fast they drift, when an engine changed, and who it agrees with since."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.findings.similarity._changes import (
    FEWEST,
    StepSeries,
    UnusualSteps,
    find_steps,
    log_odds,
    shared_direction,
)
from poolwise.findings.similarity._run_similarity import overlap_at_topics, run_overlap
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table, table_of
from poolwise.words import counted, named, p_words

__all__ = ["EndsTest", "RankingChange", "SimilarityOverTime", "similarity_over_time"]

_DATE = re.compile(r"[._-]?(\d{4})-?(\d{2})-?(\d{2})")

Dated = Mapping[str, tuple[str, str]]
"""From the name of a run to its system and its date, in the form 2008-12-05."""
_SMALLEST = 1e-9
"""A standard error below this is that of numbers which do not vary."""
_Series = dict[str, list[tuple[str, str]]]
"""For each system its dates, in order, each with the name of its run."""


@dataclass(frozen=True)
class RankingChange:
    """A date on which rankings changed more than they usually do.

    Attributes
    ----------
    kind : {"change", "glitch"}
        A glitch is gone on the next date.
    system, other : str
        The engine that changed; with ``other``, the two whose agreement did.
    date : str
    before, after : float
        Of an engine, its usual RBO from one date to the next, and that of this date with the one
        before. Of two engines, their mean RBO since the change before, and until the next.
    queries : tuple of str
        Those that moved further than on any other date, the furthest first.
    rate : float
        Steps as large expected without a change, per engine and year.

    Examples
    --------
    >>> RankingChange("change", "sensis", "google", "2008-12-15", 0.03, 0.91, ("1",), 0.0).words()
    'sensis and google began to agree on 2008-12-15: RBO 0.030 before, 0.910 after; 1 query moved
    further than on any other date.'
    """

    kind: str
    system: str
    other: str
    date: str
    before: float
    after: float
    queries: tuple[str, ...]
    rate: float

    def words(self) -> str:
        """Say who changed when, and how far."""
        moved = f"{counted(len(self.queries), 'query')} moved further than on any other"
        if self.other:
            side = "began to agree" if self.after > self.before else "ceased to agree"
            who = f"{self.system} and {self.other}"
            if self.kind == "glitch":
                return (
                    f"{who} had a glitch on {self.date}: RBO {self.after:.3f} on that date, "
                    f"{self.before:.3f} before and after it."
                )
            levels = f"RBO {self.before:.3f} before, {self.after:.3f} after"
            return f"{who} {side} on {self.date}: {levels}; {moved} date."
        did = "had a glitch" if self.kind == "glitch" else "changed"
        back = ", and it was as before on the next" if self.kind == "glitch" else ""
        return (
            f"{self.system} {did} on {self.date}: RBO {self.after:.3f} with the date before, where "
            f"{self.before:.3f} is usual{back}; {moved} date ({named(self.queries, most=3)})."
        )


@dataclass(frozen=True)
class EndsTest:
    """Whether two systems differ in how far they moved from the first to the last dates.

    Attributes
    ----------
    system, other : str
    difference : float
        Start-to-end RBO of the one less that of the other.
    t, pvalue : float
        The two-sample, two-sided t test over topics (W10 §7.4.1).

    Examples
    --------
    >>> EndsTest("google", "yahoo", 0.05, 2.4, 0.017).pvalue
    0.017
    """

    system: str
    other: str
    difference: float
    t: float
    pvalue: float


_CHANGES = {
    "date": Column("date"),
    "kind": Column("kind"),
    "system": Column("system"),
    "other": Column("with"),
    "before": Column("before", 3),
    "after": Column("after", 3),
    "queries": Column("queries moved"),
    "rate": Column("by chance/yr", 4),
}


@finding
class SimilarityOverTime(Finding):
    """Day-to-day and start-to-end similarity of systems, their changes, and who agrees with whom.

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
        topics of the standard deviation over time, with divisor n − 1 (W10 table 7.4).
    start_to_end : float array, systems
        Mean RBO between the first and the last dates.
    steps : tuple of (system, date, float)
        Mean RBO over topics of each date with the one before, in the order of dates.
    between : tuple of (system, system, date, float)
        Mean RBO of two systems on the same date (W10 fig. 7.6).
    changes : tuple of RankingChange
        Dates on which a system, or the agreement of two, changed more than usual.
    ends_tests : tuple of EndsTest
        Two-sample t tests between systems of their start-to-end RBO, over topics.
    alarms, years : float
        False alarms allowed per engine and year over all engines and pairs, and the years that
        all engines have together.
    autocorrelation : mapping from str to float
        Of the steps of engines and of pairs, as seen.

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
    changes: tuple[RankingChange, ...]
    ends_tests: tuple[EndsTest, ...]
    alarms: float
    years: float
    autocorrelation: Mapping[str, float]

    def columns(self) -> Columns:
        """Return one row per step of a system, and per date of two systems, with its change."""
        rows = [(s, "", day, rbo) for s, day, rbo in self.steps]
        rows += [(a, b, day, rbo) for a, b, day, rbo in self.between]
        kinds = {(change.system, change.other, change.date): change.kind for change in self.changes}
        return {
            "system": [row[0] for row in rows],
            "other": [row[1] for row in rows],
            "date": [row[2] for row in rows],
            "p": [self.p] * len(rows),
            "rbo": [row[3] for row in rows],
            "change": [kinds.get(row[:3], "") for row in rows],
            "alarms": [self.alarms] * len(rows),
            "years": [self.years] * len(rows),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the changes, one row per system (W10 table 7.4), and the tests between systems."""
        return (*self._changes(), self._drift(), *self._tests())

    def _changes(self) -> tuple[Table, ...]:
        if not self.changes:
            return ()
        names = ("date", "kind", "system", "other", "before", "after", "rate")
        columns: Columns = {name: [getattr(c, name) for c in self.changes] for name in names}
        columns["queries"] = [len(c.queries) for c in self.changes]
        title = "Dates on which rankings changed more than usual (RBO before and after)"
        return (chosen_table(columns, _CHANGES, title=title),)

    def _drift(self) -> Table:
        columns = {
            "system": list(self.systems),
            "dates": list(self.dates),
            "mean": self.mean.tolist(),
            "deviation": self.deviation.tolist(),
            "median": self.median.tolist(),
            "start_to_end": self.start_to_end.tolist(),
        }
        title = "Rank-biased overlap of one date with the next, and of the first with the last"
        return table_of(columns, title=title, digits=3)

    def _tests(self) -> tuple[Table, ...]:
        if not self.ends_tests:
            return ()
        names = ("system", "other", "difference", "t", "pvalue")
        columns: Columns = {name: [getattr(c, name) for c in self.ends_tests] for name in names}
        title = "Start-to-end overlap of two systems: two-sample t test over topics"
        return (table_of(columns, title=title, digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say who changed when, then which system drifts most from day to day and in all."""
        least, end = int(np.nanargmin(self.mean)), int(np.nanargmin(self.start_to_end))
        return (
            *(change.words() for change in self.changes if not self._follows(change)),
            self._alarms(),
            (
                f"{self.systems[least]} changes most from one date to the next, to an RBO of "
                f"{self.mean[least]:.3f} at p = {self.p:g}, over "
                f"{counted(self.dates[least], 'date')}."
            ),
            (
                f"{self.systems[end]} changes most from the first to the last dates, to an RBO of "
                f"{self.start_to_end[end]:.3f}{self._apart(end)}."
            ),
        )

    def _follows(self, change: RankingChange) -> bool:
        """Say whether a glitch of two systems is that of one of them, which is said already."""
        own = {(earlier.system, earlier.date) for earlier in self.changes if not earlier.other}
        pair = {(change.system, change.date), (change.other, change.date)}
        return bool(change.other) and change.kind == "glitch" and bool(own & pair)

    def _alarms(self) -> str:
        if max(self.dates) <= FEWEST:
            return f"Changes are looked for where there are {FEWEST + 1} dates or more."
        expected = f"{self.alarms * self.years:.2g} in the {self.years:.1f} engine-years here"
        none = "" if self.changes else "No date stands out from the usual drift. "
        return (
            f"{none}Even without a change, some dates would stand out: {self.alarms:g} per engine "
            f"and year over all engines and pairs, {expected}."
        )

    def _apart(self, end: int) -> str:
        """Say from which others a system differs significantly."""
        name = self.systems[end]
        tests = [test for test in self.ends_tests if name in (test.system, test.other)]
        if not tests:
            return ""
        least = min(tests, key=lambda test: test.pvalue)
        other = least.other if least.system == name else least.system
        return f" (from {other} it differs with {p_words(least.pvalue)}, two-sample t test)"


@recorded
def similarity_over_time(
    runs: Runs,
    dated: Dated | None = None,
    *,
    p: float = 0.9,
    ends: int = 1,
    alarms: float = 0.1,
) -> SimilarityOverTime:
    """Show how far the rankings of systems drift, on which date one changed, and how far.

    Each system needs a run per date. Systems are compared with themselves on the date before, and
    with each other on the same date, by rank-biased overlap. A date stands out if the step to it is
    larger than the usual ones of its series; queries of a date share its shocks, so that dates are
    what is counted. A step that the next date takes back is a glitch.

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
    alarms : float
        Number of false alarms to accept per engine and year, over all engines and pairs.

    Returns
    -------
    SimilarityOverTime
        How alike each system is to itself on the date before, and to the others on the same date.

    Examples
    --------
    >>> days = {"e.2008-12-05": "abcd", "e.2008-12-06": "abdc", "e.2008-12-07": "badc"}
    >>> runs = Runs.from_rankings({name: {"1": list(items)} for name, items in days.items()})
    >>> over_time = similarity_over_time(runs)
    >>> over_time.mean.round(3).tolist(), over_time.start_to_end.round(3).tolist()
    ([0.936], [0.873])
    """
    series = _series(runs.systems, dates_of_names(runs.systems) if dated is None else dated)
    _check(series, ends)
    if not alarms > 0:
        raise OptionError(f"alarms: {alarms} must be above 0. Hint: use 0.1.")
    overlaps = _Overlaps.of(runs, series, p)
    rows = [_compared(overlaps.steps[s]) for s in series]
    by_topic = {s: _ends(runs, days, p, ends) for s, days in series.items()}
    days = sum(_days(dates) for dates in series.values())
    unusual, correlation = find_steps(overlaps.series(), days=max(days, 1), allowed=alarms)
    return SimilarityOverTime(
        p=p,
        systems=tuple(series),
        dates=tuple(len(days) for days in series.values()),
        mean=np.array([np.nanmean(row) for row in rows]),
        median=np.array([np.nanmedian(row) for row in rows]),
        deviation=np.array([np.nanmean(_deviations(row)) for row in rows]),
        start_to_end=np.array([np.nanmean(values) for values in by_topic.values()]),
        steps=tuple(
            (s, day, float(np.nanmean(topics)))
            for s, dates in series.items()
            for (day, _), topics in zip(dates[1:], overlaps.steps[s], strict=True)
        ),
        between=overlaps.levels(),
        changes=_changes(unusual, overlaps, runs, series, p),
        ends_tests=tuple(_tests(by_topic)),
        alarms=alarms,
        years=days / 365.25,
        autocorrelation=correlation,
        provenance=replace(
            run_overlap(runs, *runs.systems[:2], p=p).provenance, runs=runs.sources
        ).with_options(ends=ends),
    )


@dataclass(frozen=True, eq=False)
class _Overlaps:
    """RBO by date and topic: of each system with its date before, and of every two systems."""

    steps: dict[str, Floats]
    between: dict[tuple[str, str], tuple[tuple[str, ...], Floats]]
    dates: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, runs: Runs, series: _Series, p: float) -> "_Overlaps":
        """Compare the runs of each date with each other and with those of the dates before."""
        before: dict[str, str] = {}
        steps: dict[str, list[Floats]] = {s: [] for s in series}
        between: dict[tuple[str, str], list[tuple[str, Floats]]] = {}
        for day, names in _by_date(series):
            block = [*names.values(), *(before[s] for s in names if s in before)]
            overlaps = overlap_at_topics(runs.select(block), p=p)
            at = {name: i for i, name in enumerate(block)}
            for s, name in names.items():
                if s in before:
                    steps[s].append(overlaps[:, at[name], at[before[s]]])
            for a, b in combinations(names, 2):
                overlap = overlaps[:, at[names[a]], at[names[b]]]
                between.setdefault((a, b), []).append((day, overlap))
            before |= names
        return cls(
            {s: np.array(of_dates) for s, of_dates in steps.items()},
            {
                pair: (tuple(day for day, _ in some), np.array([overlap for _, overlap in some]))
                for pair, some in sorted(between.items(), key=lambda item: _place(item[0], series))
            },
            {s: tuple(day for day, _ in dates) for s, dates in series.items()},
        )

    def series(self) -> list[StepSeries]:
        """Return what is tested: steps of engines, and changes of the overlap of two."""
        engines = [
            StepSeries(s, "", self.dates[s][1:], log_odds(steps)) for s, steps in self.steps.items()
        ]
        pairs = [
            StepSeries(a, b, days[1:], shared_direction(np.diff(levels, axis=0)))
            for (a, b), (days, levels) in self.between.items()
            if len(days) > 1
        ]
        return [*engines, *pairs]

    def levels(self) -> tuple[tuple[str, str, str, float], ...]:
        """Return the mean RBO of every two systems on each date that both have."""
        return tuple(
            (a, b, day, float(np.nanmean(overlap)))
            for (a, b), (days, overlaps) in self.between.items()
            for day, overlap in zip(days, overlaps, strict=True)
        )


def _place(pair: tuple[str, str], series: _Series) -> tuple[int, int]:
    order = list(series)
    return order.index(pair[0]), order.index(pair[1])


def _by_date(series: _Series) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each date with the runs of the systems that have it."""
    by_date: dict[str, dict[str, str]] = {}
    for system, days in series.items():
        for day, name in days:
            by_date.setdefault(day, {})[system] = name
    yield from sorted(by_date.items())


def _changes(
    all_unusual: Sequence[UnusualSteps], overlaps: _Overlaps, runs: Runs, series: _Series, p: float
) -> tuple[RankingChange, ...]:
    """Return the changes, by date; what engines did before what pairs did."""
    changes: list[RankingChange] = []
    for unusual in all_unusual:
        if unusual.series.is_pair:
            changes += _of_pair(unusual, overlaps, runs.topics)
        else:
            names = [name for _, name in series[unusual.series.system]]
            changes += _of_engine(unusual, overlaps.steps[unusual.series.system], names, runs, p)
    return tuple(sorted(changes, key=lambda c: (c.date, bool(c.other), c.rate)))


def _of_engine(
    unusual: UnusualSteps, steps: Floats, names: list[str], runs: Runs, p: float
) -> Iterator[RankingChange]:
    """Yield the changes of one engine; a step and its return are one."""
    means = np.nanmean(steps, axis=1)
    usual = float(np.median(means))
    taken = -1
    for t in unusual.at.tolist():
        if t == taken:
            continue
        kind = "change"
        if t + 2 < len(names):
            round_trip = run_overlap(runs, names[t], names[t + 2], p=p).mean().ext
            # the date after is nearer to the date before than to the one between
            if 1 - round_trip < (1 - means[t]) / 2:
                kind, taken = "glitch", t + 1
        yield RankingChange(
            kind, unusual.series.system, "", unusual.series.dates[t], usual, float(means[t]),
            _moved(1 - steps, t, unusual.at, runs.topics), float(unusual.rate[t]),
        )  # fmt: skip


def _of_pair(
    unusual: UnusualSteps, overlaps: _Overlaps, topics: Sequence[str]
) -> Iterator[RankingChange]:
    """Yield the changes of the agreement of two engines, with its levels before and after."""
    _, levels = overlaps.between[unusual.series.system, unusual.series.other]
    means, size = np.nanmean(levels, axis=1), np.abs(np.diff(levels, axis=0))
    kinds: dict[int, str] = {}
    for t in unusual.at.tolist():
        if kinds.get(t - 1) == "glitch":
            continue
        there, back = means[t + 1] - means[t], means[t + 2 : t + 3] - means[t]
        kinds[t] = "glitch" if (np.abs(back) < abs(there) / 2).any() else "change"
    # of a glitch two steps are out of the usual, and its date is part of no level
    glitches = [t + 1 for t, kind in kinds.items() if kind == "glitch"]
    cuts = [0, *(t + 1 for t, kind in kinds.items() if kind == "change"), len(means)]
    for t, kind in kinds.items():
        at = t + 1
        before = _level(means, max(c for c in cuts if c < at), at, glitches)
        after = _level(means, at, min(c for c in cuts if c > at), glitches)
        yield RankingChange(
            kind, unusual.series.system, unusual.series.other, unusual.series.dates[t], before,
            after if kind == "change" else float(means[at]),
            _moved(size, t, unusual.at, topics), float(unusual.rate[t]),
        )  # fmt: skip


def _level(means: Floats, first: int, last: int, without: Sequence[int]) -> float:
    kept = [means[i] for i in range(first, last) if i not in without]
    return float(np.mean(kept)) if kept else float("nan")


def _moved(size: Floats, t: int, unusual: Indices, topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that moved further than on any usual date, the furthest first."""
    others = np.delete(size, np.union1d(unusual, [t]), axis=0)
    most = np.nanmax(others, axis=0, initial=0.0) if len(others) else np.zeros(size.shape[1])
    order = np.argsort(-np.nan_to_num(size[t]), kind="stable")
    return tuple(topics[q] for q in order.tolist() if size[t, q] > most[q])


def _deviations(steps: Floats) -> Floats:
    """Return the standard deviation over time of each topic, with divisor n − 1."""
    count = np.maximum((~np.isnan(steps)).sum(axis=0), 2)
    return np.asarray(np.nanstd(steps, axis=0) * np.sqrt(count / (count - 1)))


def _tests(by_topic: Mapping[str, Floats]) -> Iterator[EndsTest]:
    """Yield the two-sample t test of every two systems, over the topics of each (W10 §7.4.1)."""
    from scipy.special import stdtr  # noqa: PLC0415 -- late: slow to import

    for (a, first), (b, second) in combinations(by_topic.items(), 2):
        left, right = (x[~np.isnan(x)] for x in (first, second))
        n, m = len(left), len(right)
        if min(n, m) < 2:
            continue
        pooled = ((n - 1) * left.var(ddof=1) + (m - 1) * right.var(ddof=1)) / (n + m - 2)
        error = np.sqrt(pooled * (1 / n + 1 / m))
        difference = float(left.mean() - right.mean())
        # systems that never move, on any query, have nothing to test by
        if error > _SMALLEST:
            t = float(difference / error)
            yield EndsTest(a, b, difference, t, float(2 * stdtr(n + m - 2, -abs(t))))


def _days(dates: list[tuple[str, str]]) -> int:
    """Return the days from the first date to the last; a month or year is its first day."""
    first, last = (date.fromisoformat(f"{dates[i][0]}-01-01"[:10]) for i in (0, -1))
    return (last - first).days


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
    match = _DATE.search(name)
    try:
        day = date(*map(int, match.groups())) if match else None
    # such as month 13
    except ValueError:
        day = None
    if match is None or day is None:
        raise OptionError(
            f"runs: {name!r} has no date in its name. Hint: call it such as bm25.2008-12-05, or "
            "give a file of dates."
        )
    rest = (name[: match.start()] + name[match.end() :]).strip("._-")
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


def _ends(runs: Runs, days: list[tuple[str, str]], p: float, ends: int) -> Floats:
    """Return by topic the mean RBO between the first and the last dates, over all their pairs."""
    pairs = [(old, new) for _, old in days[:ends] for _, new in days[-ends:]]
    return np.asarray(np.mean([run_overlap(runs, old, new, p=p).ext for old, new in pairs], axis=0))
