"""A run in context: where it and its baseline stand among the runs that a collection knows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats, spread
from poolwise.errors import OptionError
from poolwise.findings.comparison._compare import compare_pair
from poolwise.findings.history._entries import Entry, version_words
from poolwise.findings.planning._power import topics_needed, whole_topics
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import level_text
from poolwise.words import UNKNOWN, counted, range_text, signed

__all__ = ["Gain", "JudgedRange", "RunContext", "run_in_context"]

_ROLES = {
    "baseline": "its baseline",
    "best": "the best original run",
    "best automatic": "the best automatic original run",
    "best then": "the best run of its time",
    "median": "the median original run",
}
"""What a run is compared with."""
_NAN = float("nan")


@dataclass(frozen=True)
class JudgedRange:
    """How far unjudged documents could move a difference: exactly, or within valid bounds."""

    low: float
    high: float
    kind: str


@dataclass(frozen=True)
class Gain:
    """A run against one of those that it is measured by.

    Attributes
    ----------
    role : str
        What the other run is: a key of ``_ROLES``.
    run, year, mean : str, int or None, float
        The other run.
    gain : float
        The mean of the run less that of the other.
    low, high : float
        The interval of the gain over topics; NaN where only means are known.
    judged : JudgedRange or None
        Its range over the unjudged documents.
    topics_needed : float
        Topics that would show a gain of this size with a power of 0.8; NaN where it is not known.
    """

    role: str
    run: str
    year: int | None
    mean: float
    gain: float
    low: float = _NAN
    high: float = _NAN
    judged: JudgedRange | None = None
    topics_needed: float = _NAN

    @property
    def is_shown(self) -> bool:
        """Whether the interval over topics leaves out 0."""
        return self.low > 0 or self.high < 0


@finding
class RunContext(Finding):
    """Where a run, and the baseline it is said to improve on, stand in their collection.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    entry : Entry
        The run.
    mean : float
        Its mean.
    lower, upper : float
        How far its own unjudged documents could move it; NaN where that is not known.
    originals : float array
        The means of the original runs, this run left out.
    baseline_originals : float array
        The same with the baseline left out, where there is one.
    gains : tuple of Gain
        The run against its baseline, the best, the best automatic, the best of its time and the
        median run.
    topics : int
        Topics behind the means; 0 where only means are known.
    alpha : float
        Intervals have the level 1 − alpha.

    Examples
    --------
    >>> import poolwise as pw
    >>> entries = [Entry("c", "3f5a", name, "scored", 1999, original=True) for name in "abcd"]
    >>> context = run_in_context(entries, {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}, "a",
    ...                          measure=pw.AP, baseline="c")
    >>> print(context.sentences()[0])
    Weak baseline: the baseline c stands at percentile 33 of the 3 original runs, below their
    median: an improvement on it says little about the state of the art.
    """

    measure: Measure
    entry: Entry
    mean: float
    lower: float
    upper: float
    originals: Floats
    baseline_originals: Floats
    gains: tuple[Gain, ...]
    topics: int
    alpha: float = 0.05

    @cached_property
    def quartiles(self) -> dict[str, float]:
        """The five numbers of the original runs' means."""
        return {name: float(value) for name, value in spread(self.originals).items()}

    @property
    def percentile(self) -> float:
        """The share of original runs below the run, in per cent; level ones count half."""
        return _percentile(self.mean, self.originals)

    def against(self, role: str) -> Gain | None:
        """Return the gain over the baseline, the best, …, where there is such a run."""
        return next((gain for gain in self.gains if gain.role == role), None)

    @property
    def baseline_percentile(self) -> float:
        """The percentile of the baseline; NaN without one."""
        gain = self.against("baseline")
        return _NAN if gain is None else _percentile(gain.mean, self.baseline_originals)

    @property
    def weakness(self) -> str:
        """How weak the baseline is; empty where it is strong, or where there is none.

        ``weak`` below the median of the original runs, ``middling`` below their third quartile.
        """
        gain = self.against("baseline")
        if gain is None:
            return ""
        ends = spread(self.baseline_originals)
        if gain.mean < ends["median"]:
            return "weak"
        return "middling" if gain.mean < ends["three_quarters"] else ""

    def columns(self) -> Columns:
        """Return one row per run that this one is compared with."""
        rows = self.gains or (Gain("alone", "", None, _NAN, _NAN),)
        return {
            "collection": [self.entry.collection] * len(rows),
            "version": [self.entry.version] * len(rows),
            "measure": [str(self.measure)] * len(rows),
            "run": [self.entry.run] * len(rows),
            "mean": [self.mean] * len(rows),
            "lower": [self.lower] * len(rows),
            "upper": [self.upper] * len(rows),
            "percentile": [self.percentile] * len(rows),
            "original_runs": [len(self.originals)] * len(rows),
            "original_median": [self.quartiles["median"]] * len(rows),
            "original_third_quartile": [self.quartiles["three_quarters"]] * len(rows),
            "topics": [self.topics] * len(rows),
            "alpha": [self.alpha] * len(rows),
            "against": [row.role for row in rows],
            "other": [row.run for row in rows],
            "other_year": [row.year for row in rows],
            "other_mean": [row.mean for row in rows],
            "gain": [row.gain for row in rows],
            "ci_low": [row.low for row in rows],
            "ci_high": [row.high for row in rows],
            "bound_low": [row.judged.low if row.judged else _NAN for row in rows],
            "bound_high": [row.judged.high if row.judged else _NAN for row in rows],
            "bound_kind": [row.judged.kind if row.judged else "" for row in rows],
            "topics_needed": [row.topics_needed for row in rows],
            "baseline_percentile": [self.baseline_percentile] * len(rows),
            "weakness": [self.weakness] * len(rows),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run that this one is compared with."""
        level = level_text(1 - self.alpha)
        columns = (
            *(Column("against"), Column("run"), Column("year", rank=1), Column("mean", digits=4)),
            *(Column("gain"), Column(f"{level} over topics"), Column("range if judged")),
            Column("topics needed", rank=1),
        )
        rows = tuple(_cells(gain) for gain in self.gains)
        title = f"{self.entry.run} in {self.entry.collection}, {self.measure} {self.mean:.4f}"
        return (Table(columns, rows, title=title),) if rows else ()

    def sentences(self) -> tuple[str, ...]:
        """Say the worst first: a weak baseline; then where the run stands, and what it gains."""
        return (
            *self._of_baseline(),
            *self._of_run(),
            *(said for gain in self.gains for said in self._of_gain(gain)),
            *self._of_kind(),
        )

    def _of_baseline(self) -> Iterator[str]:
        gain = self.against("baseline")
        if gain is None or not len(self.baseline_originals):
            return
        place = (
            f"the baseline {gain.run} stands at percentile {self.baseline_percentile:.0f} of the "
            f"{counted(len(self.baseline_originals), 'original run')}"
        )
        if self.weakness == "weak":
            yield (
                f"Weak baseline: {place}, below their median: an improvement on it says little "
                "about the state of the art."
            )
        elif self.weakness:
            yield f"Note: {place}, above their median and below their third quartile."
        else:
            yield f"{place[0].upper()}{place[1:]}, at or above their third quartile."

    def _of_run(self) -> Iterator[str]:
        name, many = self.entry.run, counted(len(self.originals), "original run")
        if not len(self.originals):
            yield f"No other run of {self.entry.collection} is marked as original."
            return
        yield (
            f"{name} has a mean {self.measure} of {self.mean:.4f}, percentile "
            f"{self.percentile:.0f} of the {many} (median {self.quartiles['median']:.4f}, third "
            f"quartile {self.quartiles['three_quarters']:.4f})."
        )
        if not np.isnan(self.lower) and self.upper - self.lower > 0:
            judged = range_text(self.lower, self.upper)
            yield f"Judging the run's own unjudged documents could give it {judged}."

    def _of_gain(self, gain: Gain) -> Iterator[str]:
        year = "" if gain.year is None else f" ({gain.year})"
        who = f"{_ROLES[gain.role]}, {gain.run}{year}, which has {gain.mean:.4f}"
        said = f"Against {who}, the gain is {signed(gain.gain)}"
        if not np.isnan(gain.low):
            said += f"; over topics: {level_text(1 - self.alpha)} interval "
            said += range_text(gain.low, gain.high)
        if gain.judged:
            said += f"; over judgments: {range_text(gain.judged.low, gain.judged.high)}"
            said += f" ({gain.judged.kind})"
        yield f"{said}."
        if not gain.is_shown and not np.isnan(gain.topics_needed):
            yield _needed(gain)

    def _of_kind(self) -> Iterator[str]:
        if self.entry.kind == "means only":
            yield "Only means are known here: nothing is tested."
        elif self.entry.kind == "scores only":
            yield "Scores alone do not say which documents were judged."
        yield f"All scores are of {version_words(self.entry.kind, self.entry.version)}."


def _needed(gain: Gain) -> str:
    if np.isinf(gain.topics_needed):
        return "No number of topics would show a difference of 0."
    topics = counted(int(whole_topics(gain.topics_needed)), "topic")
    return f"About {topics} would be needed to show a difference of {abs(gain.gain):.4f}."


def _cells(gain: Gain) -> tuple[str | float | None, ...]:
    judged = range_text(gain.judged.low, gain.judged.high) if gain.judged else UNKNOWN
    needed = gain.topics_needed
    topics = UNKNOWN if np.isnan(needed) or np.isinf(needed) else f"{whole_topics(needed):,}"
    return (
        _ROLES[gain.role],
        gain.run,
        UNKNOWN if gain.year is None else str(gain.year),
        gain.mean,
        signed(gain.gain),
        range_text(gain.low, gain.high),
        judged,
        topics,
    )


def _percentile(mean: float, others: Floats) -> float:
    """Return the share of the others below a mean, in per cent; level ones count half."""
    if not len(others):
        return _NAN
    within = 1e-12 * max(abs(mean), float(np.abs(others).max()))
    below = (others < mean - within).sum() + 0.5 * (np.abs(others - mean) <= within).sum()
    return float(100 * below / len(others))


@recorded
def run_in_context(
    entries: Sequence[Entry],
    means: Mapping[str, float],
    run: str,
    *,
    measure: Measure,
    table: ScoreTable | None = None,
    baseline: str = "",
    judged: Mapping[str, JudgedRange] | None = None,
    alpha: float = 0.05,
) -> RunContext:
    """Say where a run stands among those of its collection, and its gains over the best of them.

    Parameters
    ----------
    entries
        The results of one version of a collection; those that were retracted do not count.
    means
        The mean of each run.
    run
        The run that this is about.
    table
        Scores by topic, without which nothing is tested.
    baseline
        The run that it is said to improve on; by default what its entry says.
    judged
        The range over judgments of its difference from other runs, by their names.

    Returns
    -------
    RunContext
        Percentile, quartiles, and gains with their uncertainties.

    Examples
    --------
    >>> import poolwise as pw
    >>> entries = [Entry("c", "3f5a", name, "scored", 1999, original=True) for name in "abcd"]
    >>> context = run_in_context(entries, {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}, "a",
    ...                          measure=pw.AP, baseline="d")
    >>> context.percentile, context.weakness, context.against("best").run
    (100.0, 'weak', 'b')
    """
    by_run = {entry.run: entry for entry in entries if entry.counts and entry.run in means}
    _require_run("run", run, by_run)
    asked = baseline or by_run[run].baseline
    if asked:
        _require_run("baseline", asked, by_run)
    original = [entry for entry in by_run.values() if entry.original and entry.run != run]
    others = _references(by_run, means, by_run[run], original, asked)
    pairs = _Pairs(run, means, table, judged or {}, alpha)
    own = table.select([run]) if table is not None else None
    lower, upper = (end[0] for end in own.mean_bounds()) if own is not None else (_NAN, _NAN)
    is_ranged = own is not None and own.scope.kind != "none"
    return RunContext(
        measure=measure,
        entry=by_run[run],
        mean=means[run],
        lower=float(lower) if is_ranged else _NAN,
        upper=float(upper) if is_ranged else _NAN,
        originals=np.array([means[entry.run] for entry in original]),
        baseline_originals=np.array(
            [means[entry.run] for entry in by_run.values() if entry.original and entry.run != asked]
        ),
        gains=tuple(pairs.gain(role, entry) for role, entry in others.items()),
        topics=0 if table is None else int(table.defined.sum()),
        alpha=alpha,
        provenance=WITHOUT_FILES if table is None else table.provenance,
    )


def _require_run(what: str, run: str, by_run: Mapping[str, Entry]) -> None:
    if run not in by_run:
        from difflib import get_close_matches  # noqa: PLC0415 -- late: seldom needed

        near = get_close_matches(run, by_run, n=3) or list(by_run)[:3]
        raise OptionError(
            f"{what}: there is no result of {run!r} by this measure that counts. Hint: use "
            f"{', '.join(near) or 'a run that the ledger has'}."
        )


def _references(
    by_run: Mapping[str, Entry],
    means: Mapping[str, float],
    run: Entry,
    original: Sequence[Entry],
    baseline: str,
) -> dict[str, Entry]:
    """Return the runs that this one is compared with, by their roles; the same run only once."""
    by_mean = sorted(original, key=lambda entry: (-means[entry.run], entry.run))
    automatic = [entry for entry in by_mean if entry.automatic]
    then = [
        entry
        for entry in by_run.values()
        if entry.run != run.run
        and entry.year is not None
        and run.year is not None
        and entry.year <= run.year
    ]
    candidates = {
        "baseline": by_run.get(baseline),
        "best": next(iter(by_mean), None),
        "best automatic": next(iter(automatic), None),
        "best then": max(then, key=lambda entry: means[entry.run], default=None),
        "median": by_mean[len(by_mean) // 2] if by_mean else None,
    }
    seen: set[str] = set()
    chosen: dict[str, Entry] = {}
    for role, entry in candidates.items():
        # The baseline may well be the best run, which its reader should see.
        if entry is None or (entry.run in seen and role not in ("best", "median")):
            continue
        seen.add(entry.run)
        chosen[role] = entry
    return chosen


@dataclass(frozen=True)
class _Pairs:
    """What one run is compared with others by."""

    run: str
    means: Mapping[str, float]
    table: ScoreTable | None
    judged: Mapping[str, JudgedRange]
    alpha: float

    def gain(self, role: str, other: Entry) -> Gain:
        """Return the gain over another run, with what is known of it."""
        gain = self.means[self.run] - self.means[other.run]
        low = high = needed = _NAN
        if self.table is not None:
            pair = compare_pair(self.table, self.run, other.run, alpha=self.alpha)
            gain, (low, high) = pair.difference, pair.interval(1 - self.alpha)
            if not np.isnan(pair.effect_size):
                needed = float(topics_needed(pair.effect_size, alpha=self.alpha))
        mean = self.means[other.run]
        judged = self.judged.get(other.run)
        return Gain(role, other.run, other.year, mean, gain, low, high, judged, needed)
