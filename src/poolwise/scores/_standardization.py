"""Scores in standard deviations from the mean of reference systems on a topic."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._identifiers import indices_of, positions
from poolwise.errors import OptionError, require_choice
from poolwise.measures._derived import Standardized
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Notice
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Backend, to_frame
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = [
    "DOMAINS",
    "EDGE",
    "MAPPINGS",
    "SMOOTHINGS",
    "Domain",
    "StandardizationFactors",
    "normal_share",
    "standardize",
]

EDGE = 0.01
"""How far scores of 0 and 1 are moved inwards, so that they are not infinitely far."""


@dataclass(frozen=True)
class Domain:
    """A way from the scores from 0 to 1 to all numbers, and the way back.

    Examples
    --------
    >>> logit = DOMAINS["logit"]
    >>> logit.spread(np.array([0.0, 0.5, 1.0])).round(2).tolist()
    [-4.6, 0.0, 4.6]
    >>> logit.back(np.array([0.0])).tolist()
    [0.5]
    """

    name: str
    out: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]

    def spread(self, scores: Floats) -> Floats:
        """Return scores without limits; 0 and 1 are taken as ``EDGE`` and 1 − ``EDGE``."""
        if np.nanmin(scores, initial=0.0) < 0 or np.nanmax(scores, initial=1.0) > 1:
            raise OptionError(
                f"mapping: {self.name!r} needs scores from 0 to 1; others are among these. Hint: "
                "use 'normal' or 't1'."
            )
        return self.out(EDGE + (1 - 2 * EDGE) * scores)


def _logit(share: Floats) -> Floats:
    return np.log(share) - np.log1p(-share)


def _logistic(number: Floats) -> Floats:
    from scipy.special import expit  # noqa: PLC0415 -- late: slow to import

    return np.asarray(expit(number))


def _probit(share: Floats) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    return np.asarray(ndtri(share))


def normal_share(number: Floats) -> Floats:
    """Return the share of a standard normal distribution below a number (W10 eq. 4.11)."""
    from scipy.special import ndtr  # noqa: PLC0415 -- late: slow to import

    return np.asarray(ndtr(number))


DOMAINS = {
    "logit": Domain("logit", _logit, _logistic),
    "probit": Domain("probit", _probit, normal_share),
}
"""Ways to standardize scores that have limits where there are none."""


SMOOTHINGS = {
    "none": "the reference systems alone",
    "extremes": "two virtual reference systems are added, one that scores 0 and one that scores 1",
    "self": "each system joins the reference systems while its own score is standardized",
    "background": "the factors of a topic are drawn towards their mean over topics",
    "prior": "virtual reference systems are added whose scores follow a prior distribution",
}
"""Ways against outliers where reference systems are few or alike (W10 §4.7.3)."""

_UNIFORM = 12**-0.5
UNIFORM_PRIOR = (0.5, _UNIFORM, 2)
"""Mean, deviation and number of virtual systems whose scores are uniform between 0 and 1."""
"""Standard deviation of the uniform distribution from 0 to 1."""

_EQUAL = 1e-12
"""Reference scores that differ by less than this, relative to their size, count as equal."""


@dataclass(frozen=True, eq=False)
class StandardizationFactors:
    """Mean and standard deviation of reference scores per topic, W10's μ_t and σ_t.

    Attributes
    ----------
    references : int
        How many systems the factors come from, virtual ones included; 0 if not known.
    ddof : {0, 1}
        The divisor of the variance is ``references − ddof``. 0 is the definition (W10 eq. A.1);
        the numbers that W10 prints, and the published files, have 1.
    smoothing : str
        What was done to the factors, a key of ``SMOOTHINGS``.
    domain : str
        The key of ``DOMAINS`` by which scores were mapped before, or ``"none"``.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.2, 0.5], [0.6, 0.5]], systems=["a", "b"],
    ...                                topics=["1", "2"], measure="AP")
    >>> factors = StandardizationFactors.from_table(table)
    >>> factors.mean.tolist(), factors.deviation.round(3).tolist()
    ([0.4, 0.5], [0.2, 0.0])
    """

    measure: Measure
    topics: tuple[str, ...]
    mean: Floats
    deviation: Floats
    references: int = 0
    ddof: int = 0
    smoothing: str = "none"
    domain: str = "none"

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with the columns ``topic``, ``mean`` and ``deviation``."""
        columns = {"topic": self.topics, "mean": self.mean, "deviation": self.deviation}
        return to_frame(columns, backend=backend)

    @classmethod
    def from_table(
        cls, table: ScoreTable, *, ddof: int = 0, domain: str = "none"
    ) -> "StandardizationFactors":
        """Take every system of the table as a reference system."""
        require_choice("domain", domain, ("none", *DOMAINS))
        if ddof not in (0, 1) or len(table.systems) <= ddof:
            raise OptionError(
                f"ddof: {ddof} with {counted(len(table.systems), 'system')} leaves no divisor. "
                "Hint: use 0, or 1 with two systems or more."
            )
        scores = _unlimited(table.value, domain)
        mean, largest = scores.mean(axis=0), np.abs(scores).max(axis=0)
        # As in _lifted: squares of tiny scores would lose digits.
        exponent = np.frexp(largest)[1]
        deviation = np.ldexp(np.ldexp(scores, -exponent).std(axis=0, ddof=ddof), exponent)
        equal = deviation <= _EQUAL * largest
        return cls(
            measure=table.measure,
            topics=table.topics,
            mean=np.where(equal, scores[0], mean),
            deviation=np.where(equal, 0.0, deviation),
            references=len(table.systems),
            ddof=ddof,
            domain=domain,
        )

    def with_ddof(self, ddof: int) -> "StandardizationFactors":
        """Return the same factors under the other divisor.

        Examples
        --------
        >>> from poolwise import AP
        >>> factors = StandardizationFactors(AP, ("1",), np.array([0.5]), np.array([0.2]),
        ...                                  references=5, ddof=1)
        >>> factors.with_ddof(0).deviation.round(4).tolist()
        [0.1789]
        """
        if ddof == self.ddof:
            return self
        n = self.known_references()
        scale = np.sqrt((n - self.ddof) / (n - ddof))
        return replace(self, deviation=self.deviation * scale, ddof=ddof)

    def with_extremes(self) -> "StandardizationFactors":
        """Add a system that always scores 0 and one that always scores 1.

        A score in [0, 1] then stays within ±√(n+1) of n real reference systems (W10 §4.7.3).
        """
        low, high = _unlimited(np.array([0.0, 1.0]), self.domain)
        if np.nanmin(self.mean) < low or np.nanmax(self.mean) > high:
            raise OptionError(
                f"smoothing: 'extremes' needs scores in [0, 1], and {self.measure} has others. "
                "Hint: use 'self' or 'background'."
            )
        middle, reach = (low + high) / 2, (high - low) / 2
        return replace(self.with_prior(middle, reach, systems=2), smoothing="extremes")

    def with_prior(
        self, mean: float = 0.5, deviation: float = _UNIFORM, *, systems: int = 2
    ) -> "StandardizationFactors":
        """Add virtual reference systems whose scores have this mean and deviation (W10 §4.7.3).

        The prior may be theoretical, by default the uniform distribution from 0 to 1, or the mean
        and standard deviation of a measure's past scores.

        Examples
        --------
        >>> from poolwise import AP
        >>> factors = StandardizationFactors(AP, ("1",), np.array([0.1]), np.array([0.0]),
        ...                                  references=2)
        >>> smooth = factors.with_prior(0.3, 0.2, systems=2)
        >>> smooth.mean.round(3).tolist(), smooth.deviation.round(3).tolist(), smooth.references
        ([0.2], [0.173], 4)
        """
        if systems < 1 or deviation < 0:
            raise OptionError(
                f"prior: {systems} virtual systems with a deviation of {deviation} are no prior. "
                "Hint: use 1 or more, with a deviation of 0 or more."
            )
        n, ours = self.known_references(), self.with_ddof(0)
        whole = n + systems
        merged = (n * ours.mean + systems * mean) / whole
        squares = n * (ours.deviation**2 + ours.mean**2) + systems * (deviation**2 + mean**2)
        spread = np.sqrt(np.maximum(squares / whole - merged**2, 0))
        smoothed = replace(ours, mean=merged, deviation=spread, references=whole, smoothing="prior")
        return smoothed.with_ddof(self.ddof)

    def shrunk(self, weight: float = 0.5) -> "StandardizationFactors":
        """Draw each topic's factors towards the means over topics, by this weight."""
        if not 0 <= weight <= 1:
            raise OptionError(f"weight: {weight} is outside [0, 1]. Hint: use 0.5.")
        return replace(
            self,
            mean=_towards_mean(self.mean, weight),
            deviation=_towards_mean(self.deviation, weight),
            smoothing="background",
        )

    def for_topics(self, topics: tuple[str, ...]) -> "StandardizationFactors":
        """Return the factors of these topics, in the order given."""
        places = positions(topics, self.topics)
        lacking = [t for t, i in zip(topics, places.tolist(), strict=True) if i < 0]
        if lacking:
            raise OptionError(
                f"factors: {counted(len(lacking), 'topic')} without any, the first is "
                f"{lacking[0]!r}. Hint: leave these topics out of the table with select, or "
                "compute factors from reference runs on them."
            )
        return replace(
            self, topics=topics, mean=self.mean[places], deviation=self.deviation[places]
        )

    def known_references(self) -> int:
        """Return the number of reference systems, or say that it is needed."""
        if self.references < 2:
            raise OptionError(
                f"references: {self.references} reference systems are too few, or not known. "
                "Hint: say how many systems the factors come from (--references N)."
            )
        return self.references


@recorded
def standardize(
    table: ScoreTable,
    factors: StandardizationFactors | None = None,
    *,
    smoothing: str = "none",
    mapping: str = "none",
    weight: float = 0.5,
    prior: tuple[float, float, int] = UNIFORM_PRIOR,
    ddof: int | None = None,
    level_by: Sequence[str] = (),
) -> ScoreTable:
    """Put scores as distances from the reference mean, in reference standard deviations.

    ``z = (x − μ_t) / σ_t`` (W10 eq. 4.7), and 0 where the reference systems all score alike. The
    bounds go the same way, since every step is increasing in the score; the factors stay as the
    reference scores give them.

    Parameters
    ----------
    factors
        From reference systems; by default the systems of the table itself (self-standardized).
    smoothing : {"none", "extremes", "self", "background", "prior"}
        See ``SMOOTHINGS``.
    mapping : {"none", "normal", "t1", "logit", "probit"}
        Map to [0, 1] by the distribution function of the normal (W10 eq. 4.11) or of Student's t
        with one degree of freedom, which leaves more room for outliers; or map scores from [0, 1]
        to all numbers first, by logit or probit, standardize them there, and map back.
    weight
        How far ``background`` draws.
    prior
        Mean, deviation and number of the virtual systems that ``prior`` adds; under ``logit`` and
        ``probit``, of mapped scores.
    ddof : {0, 1}, optional
        The divisor of the variance of reference scores is their number minus this; by default 0
        for those of the table, and for other factors what they have.
    level_by : sequence of str
        Systems of the table that ran on other collections, too: the mean of their standardized
        scores becomes 0. The original systems then remove what differs between topics, and the
        common ones what differs between collections (W10 §4.7.1).

    Returns
    -------
    ScoreTable
        Its measure has the prefix ``s``, and a suffix if mapped: ``sAP``, ``sAP:normal``.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.2, 0.5], [0.6, 0.5]], systems=["a", "b"],
    ...                                topics=["1", "2"], measure="AP")
    >>> standardized = standardize(table)
    >>> standardized.measure, standardized.value.round(6).tolist()
    (sAP, [[-1.0, 0.0], [1.0, 0.0]])
    >>> standardize(table, mapping="normal").value.round(2).tolist()
    [[0.16, 0.5], [0.84, 0.5]]
    """
    require_choice("smoothing", smoothing, SMOOTHINGS)
    require_choice("mapping", mapping, MAPPINGS)
    domain = mapping if mapping in DOMAINS else "none"
    if factors is None:
        factors = StandardizationFactors.from_table(table, domain=domain, ddof=ddof or 0)
    factors = factors if ddof is None else factors.with_ddof(ddof)
    _check_measure(table, factors)
    _check_domain(factors, domain)
    # First the topics, then smoothing: a background is that of the topics that are scored.
    factors = _smooth(factors.for_topics(table.topics), smoothing, weight, prior)
    distance = _distance_with_self if smoothing == "self" else _distance

    def measured(scores: Floats) -> Floats:
        return distance(_unlimited(scores, domain), factors)

    level = _level(measured(table.value), table, level_by)

    def transform(scores: Floats) -> Floats:
        return MAPPINGS[mapping](measured(scores) - level)

    value = transform(table.value)
    return replace(
        table,
        measure=Standardized(of=table.measure, mapping=mapping),
        value=value,
        lower=np.minimum(transform(table.lower), value),  # increasing, but for the last digit
        upper=np.maximum(transform(table.upper), value),
        limits=(-np.inf, np.inf) if mapping == "none" else (0.0, 1.0),
        # What is known of the means, and of their samples, is in the units of the scores.
        of_means=(),
        sampling=None,
        provenance=replace(
            table.provenance,
            notices=table.provenance.notices + _notices(factors, smoothing),
        ),
    )


def _level(distances: Floats, table: ScoreTable, common: Sequence[str]) -> float:
    """Return the mean standardized score of common systems, over the topics with a score."""
    if not common:
        return 0.0
    rows = indices_of(common, table.systems, what="level_by")
    return float(np.nanmean(distances[rows]))


def _smooth(
    factors: StandardizationFactors,
    smoothing: str,
    weight: float,
    prior: tuple[float, float, int],
) -> StandardizationFactors:
    if smoothing == "prior":
        mean, deviation, systems = prior
        return factors.with_prior(mean, deviation, systems=systems)
    if smoothing == "extremes":
        return factors.with_extremes()
    if smoothing == "background":
        return factors.shrunk(weight)
    return factors.with_ddof(0) if smoothing == "self" else factors


def _distance(scores: Floats, factors: StandardizationFactors) -> Floats:
    off = scores - factors.mean
    flat = factors.deviation == 0
    # W10 eq. 4.7; 0 * off keeps an undefined score undefined. A spread that hardly is one gives a
    # distance beyond all numbers.
    with np.errstate(over="ignore"):
        return np.where(flat, 0 * off, off / np.where(flat, 1.0, factors.deviation))


def _distance_with_self(scores: Floats, factors: StandardizationFactors) -> Floats:
    """Return z when the score itself is one more reference score: |z| ≤ √n (W10 §4.7.3)."""
    n = factors.known_references()
    off = scores - factors.mean
    off = np.where(np.abs(off) <= _EQUAL * np.abs(factors.mean), 0 * off, off)
    off, deviation = _lifted(off, factors.deviation)
    spread = np.sqrt(((n + 1) * deviation**2 + off**2) / n)
    return off / np.where(spread == 0, 1.0, spread)


def _lifted(off: Floats, deviation: Floats) -> tuple[Floats, Floats]:
    """Return both times the power of two that brings the larger near 1.

    It changes no digit of their ratio, but the square of 1e-160 has hardly a digit left.
    """
    exponent = np.frexp(np.fmax(np.abs(off), deviation))[1]
    return np.ldexp(off, -exponent), np.ldexp(deviation, -exponent)


def _unchanged(z: Floats) -> Floats:
    return z


def _t1(z: Floats) -> Floats:
    return np.asarray(0.5 + np.arctan(z) / np.pi)  # distribution function of t(1), in closed form


MAPPINGS: dict[str, Callable[[Floats], Floats]] = {
    "none": _unchanged,
    "normal": normal_share,
    "t1": _t1,
    **{name: domain.back for name, domain in DOMAINS.items()},
}
"""From z to the score that is reported."""


def _unlimited(scores: Floats, domain: str) -> Floats:
    """Return scores as they are standardized: mapped to all numbers where that was asked for."""
    return DOMAINS[domain].spread(scores) if domain in DOMAINS else scores


def _towards_mean(factor: Floats, weight: float) -> Floats:
    return (1 - weight) * factor + weight * np.nanmean(factor)


def _notices(factors: StandardizationFactors, smoothing: str) -> tuple[Notice, ...]:
    flat = [t for t, d in zip(factors.topics, factors.deviation, strict=True) if d == 0]
    divisor = f"n − {factors.ddof}" if factors.ddof else "n"
    how = f"standardized by reference systems, variance divisor {divisor}"
    notices = (
        Notice(f"{how}, smoothing {smoothing}", factors.references),
        Notice("topics whose reference scores are all equal", len(flat), "".join(flat[:1])),
    )
    return notices[: 1 + bool(flat)]


def _check_domain(factors: StandardizationFactors, domain: str) -> None:
    if factors.domain != domain:
        raise OptionError(
            f"factors: they are of scores mapped by {factors.domain!r}, and the mapping asks for "
            f"{domain!r}. Hint: make factors with the same mapping."
        )


def _check_measure(table: ScoreTable, factors: StandardizationFactors) -> None:
    if factors.measure != table.measure:
        raise OptionError(
            f"factors: they are for {factors.measure}, and the table holds {table.measure}. "
            "Hint: use factors of the same measure."
        )
