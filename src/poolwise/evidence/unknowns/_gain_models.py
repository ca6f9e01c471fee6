"""Gain as a function of rank, fitted topic by topic to what is judged (G16 §3)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import ClassVar, Protocol, Self

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.errors import require_choice, require_depth
from poolwise.evidence._grades import Block, Grades
from poolwise.evidence._ungraded import judged_prefix
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Table
from poolwise.words import counted

__all__ = [
    "GAIN_CURVES",
    "GAIN_MODELS",
    "ConstantGain",
    "GainCurve",
    "GainFit",
    "LinearGain",
    "StaticGain",
    "WeibullGain",
    "ZipfGain",
    "empirical_gains",
    "fit_gains",
]


class GainCurve(Protocol):
    """A curve of expected gain over ranks 1, 2, …; its fields are its parameters."""

    name: ClassVar[str]

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> Self:
        """Return the curve with the smallest squared error at these ranks."""

    def at(self, ranks: Floats) -> Floats:
        """Return the expected gain at these ranks."""


@dataclass(frozen=True)
class StaticGain:
    """Half of the full gain at every rank, whatever is judged."""

    name: ClassVar[str] = "static"

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "StaticGain":
        """Return the model, which has nothing to fit."""
        del ranks, gains
        return cls()

    def at(self, ranks: Floats) -> Floats:
        """Return 1/2."""
        return np.full(ranks.shape, 0.5)


@dataclass(frozen=True)
class ConstantGain:
    """The same gain down to a rank, 0 below it."""

    name: ClassVar[str] = "constant"

    rate: float
    last: int

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "ConstantGain":
        """Try every last rank: the best rate down to it is the mean, so this is exact."""
        sums = gains.cumsum()
        # Σg² − (Σ_{i≤m} g)²/m is the squared error; its first part is the same for all m.
        m = int(np.argmax(sums**2 / np.arange(1, len(gains) + 1)))
        return cls(rate=float(sums[m] / (m + 1)), last=int(ranks[m]))

    def at(self, ranks: Floats) -> Floats:
        """Return the rate down to the last rank."""
        return np.where(ranks <= self.last, self.rate, 0.0)


@dataclass(frozen=True)
class LinearGain:
    """A falling line, cut off where it reaches 0."""

    name: ClassVar[str] = "linear"

    slope: float
    intercept: float

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "LinearGain":
        """Fit a line to the first 1, 2, … ranks, and keep the one that is best over all.

        Exact: gains are not negative, so an optimum never lies where the line reaches 0 just at
        a rank, and where it is above 0 it is the least-squares line of those ranks.
        """
        slopes, intercepts = _lines(ranks, gains)
        curves = np.maximum(intercepts[:, None] - slopes[:, None] * ranks, 0.0)
        best = int(np.argmin(((curves - gains) ** 2).sum(axis=1)))
        return cls(slope=float(slopes[best]), intercept=float(intercepts[best]))

    def at(self, ranks: Floats) -> Floats:
        """Return max(c − λk, 0)."""
        return np.maximum(self.intercept - self.slope * ranks, 0.0)


@dataclass(frozen=True)
class ZipfGain:
    """A power of the rank, never 0: total / (k^exponent · H_n), over n fitted ranks."""

    name: ClassVar[str] = "zipf"

    total: float
    exponent: float
    ranks: int

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "ZipfGain":
        """Search the exponent from 0 to 10; the factor follows from it."""
        grid = np.linspace(0.0, 10.0, 101)[:, None]
        (exponent,), factor = _fit_shape(partial(_zipf, ranks), gains, grid)
        harmonic = float((np.arange(1, len(ranks) + 1) ** -exponent).sum())
        return cls(total=factor * harmonic, exponent=float(exponent), ranks=len(ranks))

    def at(self, ranks: Floats) -> Floats:
        """Return λ / (k^c H_{n,c})."""
        harmonic = (np.arange(1, self.ranks + 1) ** -self.exponent).sum()
        return self.total / harmonic * _zipf(ranks, np.array([self.exponent]))


@dataclass(frozen=True)
class WeibullGain:
    """A multiple of the discrete Weibull distribution: it may rise before it falls."""

    name: ClassVar[str] = "weibull"

    total: float
    decay: float
    shape: float

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "WeibullGain":
        """Search scale (in ranks) and shape, in logarithms; the factor follows from them."""
        # Far beyond the ranks the curve is a power of the rank, and so has its limit there.
        scales = np.linspace(np.log(0.3), np.log(_FARTHEST * ranks[-1]), 40)
        shapes = np.linspace(np.log(0.02), np.log(5.0), 28)
        grid = np.stack(np.meshgrid(scales, shapes), axis=-1).reshape(-1, 2)
        (scale, shape), factor = _fit_shape(partial(_weibull, ranks), gains, grid)
        shape = float(np.exp(shape))
        # (1 − λ₁)^(k^c) = exp(−(k/scale)^c)
        decay = float(-np.expm1(-np.exp(-scale * shape)))
        return cls(total=factor, decay=decay, shape=shape)

    def at(self, ranks: Floats) -> Floats:
        """Return λ₀ ((1 − λ₁)^((k−1)^c) − (1 − λ₁)^(k^c))."""
        rate = np.log1p(-min(self.decay, 1 - 2.0**-53))  # a decay of 1 leaves rank 1 alone
        before, after = rate * (ranks - 1) ** self.shape, rate * ranks**self.shape
        return self.total * np.exp(before) * -np.expm1(after - before)


_FARTHEST = 1e6
"""The largest scale of the Weibull distribution, in depths of the pool."""

GAIN_CURVES: tuple[type[GainCurve], ...] = (
    StaticGain,
    ConstantGain,
    LinearGain,
    ZipfGain,
    WeibullGain,
)


def _lines(ranks: Floats, gains: Floats) -> tuple[Floats, Floats]:
    """Return slope (downwards, not negative) and intercept of the line of each prefix."""
    n = np.arange(1, len(ranks) + 1)
    x, y = ranks.cumsum() / n, gains.cumsum() / n
    spread = (ranks**2).cumsum() / n - x**2
    joint = (ranks * gains).cumsum() / n - x * y
    # One rank alone is met by a line that reaches 0 at the next.
    slopes = np.divide(-joint, spread, out=np.full(len(n), gains[0]), where=n > 1)
    slopes = np.maximum(slopes, 0.0)
    return slopes, y + slopes * x


def _zipf(ranks: Floats, parameters: Floats) -> Floats:
    return ranks ** -parameters[..., :1]


def _weibull(ranks: Floats, parameters: Floats) -> Floats:
    scale, shape = np.exp(parameters[..., :1]), np.exp(parameters[..., 1:])
    before, after = ((ranks - 1) / scale) ** shape, (ranks / scale) ** shape
    # Not a difference of two powers of e: both are close to 1 where the scale is large.
    return -np.exp(-before) * np.expm1(before - after)


def _fit_shape(
    shape: Callable[[Floats], Floats], gains: Floats, grid: Floats
) -> tuple[Floats, float]:
    """Return the parameters whose curve, times the best factor, is closest to the gains.

    The factor is a linear least-squares problem, so only the parameters are searched: on a grid,
    then within its bounds from its three best points.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415 -- late: scipy is slow to import

    def misfit(parameters: Floats) -> Floats:
        curve = shape(parameters)
        return _factor(curve, gains) * curve - gains

    starts = grid[np.argsort((misfit(grid) ** 2).sum(axis=1), kind="stable")[:3]]
    limits = (grid.min(axis=0) - 1e-9, grid.max(axis=0) + 1e-9)
    fits = [least_squares(misfit, start, bounds=limits) for start in starts]
    best = np.asarray(min(fits, key=lambda result: float(result.cost)).x)
    return best, float(_factor(shape(best), gains)[0])


def _factor(curves: Floats, gains: Floats) -> Floats:
    """Return the least-squares factor, not negative, that takes each curve to the gains."""
    tiny = np.finfo(np.float64).tiny
    square = np.maximum((curves**2).sum(axis=-1, keepdims=True), tiny)
    return np.maximum((curves @ gains)[..., None] / square, 0.0)


GAIN_MODELS = (*(model.name for model in GAIN_CURVES), "hybrid")
"""The names of the gain models; the hybrid takes the best of the others topic by topic."""


@finding
class GainFit(Finding):
    """A fitted curve per topic.

    Attributes
    ----------
    topics : tuple of str
    models : tuple
        The curve of each topic; None where no rank is judged.
    rmse : float array, topics
        Root mean squared error over the fitted ranks (G16 §3); NaN where there are none.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 1, 0, 0, None]])
    >>> fit = fit_gains(grades, np.array([0.0, 1.0]), model="constant")
    >>> fit.topics, fit.rmse.tolist()
    (('1',), [0.0])
    """

    topics: tuple[str, ...]
    models: tuple[GainCurve | None, ...]
    rmse: Floats

    def predict(self, depth: int) -> Floats:
        """Return the expected gain, topics × ranks, from 0 to 1; 0 where nothing could be fitted.

        A curve that runs out of the range of gains beyond the fitted ranks is held at its edge.
        """
        ranks = np.arange(1.0, depth + 1)
        curves = [np.zeros(depth) if m is None else m.at(ranks) for m in self.models]
        return np.clip(np.array(curves).reshape(-1, depth), 0.0, 1.0)

    def columns(self) -> Columns:
        """Return one row per topic: the model, its parameters and the error of the fit.

        A parameter that a topic's model does not have is None, and so is the model of a topic
        that could not be fitted.
        """
        fields = [{} if model is None else _fields(model) for model in self.models]
        names = dict.fromkeys(name for of_topic in fields for name in of_topic)
        return {
            "topic": list(self.topics),
            "model": [None if model is None else model.name for model in self.models],
            **{name: [of_topic.get(name) for of_topic in fields] for name in names},
            "rmse": self.rmse.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per topic; a narrow window hides parameters before the error."""
        (whole,) = super().tables()
        kept = ("topic", "model", "rmse")
        columns = tuple(c if c.title in kept else replace(c, rank=1) for c in whole.columns)
        return (replace(whole, columns=columns),)

    def sentences(self) -> tuple[str, ...]:
        """Say which models were fitted to how many topics, and how well."""
        chosen = Counter(model.name for model in self.models if model is not None)
        counts = ", ".join(f"{name} to {n:,}" for name, n in chosen.most_common())
        topics = counted(len(self.topics), "topic")
        if not chosen:
            return (f"None of {topics} could be fitted, since no rank is judged.",)
        errors = self.rmse[~np.isnan(self.rmse)]
        said = [f"Gain models were fitted to {chosen.total():,} of {topics}: {counts}."]
        if len(errors):
            said.append(f"The root mean squared error is {errors.mean():.4f} on average.")
        return tuple(said)


@recorded
def empirical_gains(grades: Grades, gains: Floats, *, depth: int | None = None) -> Floats:
    """Return the mean gain at each rank, topics × ranks (G16 eq. 1); NaN where it is not known.

    It reaches down to the deepest rank that is used on any topic.

    A run counts at a rank if it is judged without a gap down to there: what is judged below a gap
    was found by other runs, and is relevant more often.

    Parameters
    ----------
    gains : float array, grades
        The gain of each grade of the scale.
    depth : int, optional
        The depth to which runs were pooled. By default, topic by topic, the depth down to which
        half of the runs are judged without a gap.

    Returns
    -------
    float array, topics × ranks
        The mean gain of the runs that count at each rank.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 1, 0], [0, 1, None], [0, None, 1]])
    >>> empirical_gains(grades, np.array([0.0, 1.0]), depth=3).round(2).tolist()
    [[0.33, 1.0, 0.0]]
    """
    if depth is not None:
        require_depth(depth, longest=grades.depth)
    judged = judged_prefix(grades)
    last = (
        np.median(judged, axis=0).astype(int) if depth is None else np.full(judged.shape[1], depth)
    )
    top = grades.truncate(max(1, int(last.max(initial=0))))
    mean_gains = np.full((len(top.topics), top.depth), np.nan)
    for topics, block in zip(top.slices, top.blocks, strict=True):
        mean_gains[topics, : block.depth] = _mean_gains(
            block, gains, judged[:, topics], last[topics]
        )
    return mean_gains


def _mean_gains(block: Block, gains: Floats, judged: Integers, last: Integers) -> Floats:
    """Return the mean gain of the runs that count, topics × ranks; NaN where there are none."""
    ranks = np.arange(1, block.depth + 1)
    counted = (ranks <= judged[:, :, None]) & (ranks <= last[:, None])
    counts = counted.sum(axis=0)
    total = np.where(counted, block.lookup(gains), 0.0).sum(axis=0)
    return np.divide(total, counts, out=np.full(counts.shape, np.nan), where=counts > 0)


@recorded
def fit_gains(
    grades: Grades, gains: Floats, *, model: str = "weibull", depth: int | None = None
) -> GainFit:
    """Fit a gain model to each topic's empirical gains.

    Parameters
    ----------
    gains : float array, grades
        The gain of each grade of the scale.
    model : str
        The curve to fit: one of ``GAIN_MODELS``.
    depth : int, optional
        The depth to which runs were pooled, as for :func:`empirical_gains`.

    Returns
    -------
    GainFit
        The curve of each topic, and how far it is from the gains it was fitted to.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 1, 0, 0, None]])
    >>> fit = fit_gains(grades, np.array([0.0, 1.0]), model="constant")
    >>> print(fit)
    Gain models were fitted to 1 of 1 topic: constant to 1.
    <BLANKLINE>
    topic  1
    model  constant
    rate   1.0000
    last   2
    rmse   0.0000
    <BLANKLINE>
    The root mean squared error is 0.0000 on average.
    """
    require_choice("model", model, GAIN_MODELS)
    candidates = [m for m in GAIN_CURVES if model in (m.name, "hybrid")]
    rows = counting(empirical_gains(grades, gains, depth=depth), "topics fitted")
    fits = [_fit_topic(row, candidates) for row in rows]
    return GainFit(
        grades.topics,
        tuple(m for m, _ in fits),
        np.array([e for _, e in fits]),
        provenance=grades.provenance.with_options(
            model=model, gains=tuple(np.asarray(gains).tolist()), depth=depth or "by topic"
        ),
    )


def _fit_topic(gains: Floats, candidates: list[type[GainCurve]]) -> tuple[GainCurve | None, float]:
    """Return the best-fitting of the models and its root mean squared error."""
    ranks = np.arange(1.0, len(gains) + 1)[~np.isnan(gains)]
    if not len(ranks):
        nothing = StaticGain() if candidates == [StaticGain] else None
        return nothing, float("nan")
    observed = gains[~np.isnan(gains)]
    fitted = [model.fit(ranks, observed) for model in candidates]
    errors = [float(np.sqrt(((model.at(ranks) - observed) ** 2).mean())) for model in fitted]
    best = int(np.argmin(errors))
    return fitted[best], errors[best]


def _fields(model: GainCurve) -> dict[str, object]:
    return asdict(model)  # type: ignore[call-overload]  # every model is a dataclass
