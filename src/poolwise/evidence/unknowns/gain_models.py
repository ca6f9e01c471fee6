"""Gain as a function of rank, fitted topic by topic to what is judged (G16 §3)."""

from collections import Counter
from dataclasses import asdict, replace

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.errors import require_choice, require_depth
from poolwise.evidence.completion import judged_prefix
from poolwise.evidence.grades import Block, Grades
from poolwise.evidence.unknowns.gain_curves import GAIN_CURVES, GainCurve, StaticGain
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Table
from poolwise.words import counted

__all__ = ["GAIN_MODELS", "GainFit", "empirical_gains", "fit_gains"]


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
        names = dict.fromkeys(name for one in fields for name in one)
        return {
            "topic": list(self.topics),
            "model": [None if model is None else model.name for model in self.models],
            **{name: [one.get(name) for one in fields] for name in names},
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
        known = self.rmse[~np.isnan(self.rmse)]
        said = [f"Gain models were fitted to {chosen.total():,} of {topics}: {counts}."]
        if len(known):
            said.append(f"The root mean squared error is {known.mean():.4f} on average.")
        return tuple(said)


def empirical_gains(grades: Grades, gains: Floats, *, depth: int | None = None) -> Floats:
    """Return the mean gain at each rank, topics × ranks (G16 eq. 1); NaN where it is not known.

    It reaches down to the deepest rank that is used on any topic.

    A run counts at a rank if it is judged without a gap down to there: what is judged below a gap
    was found by other runs, and is relevant more often.

    Parameters
    ----------
    grades : Grades
        Runs met with judgments.
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
    found = np.full((len(top.topics), top.depth), np.nan)
    for topics, block in zip(top.slices, top.blocks, strict=True):
        found[topics, : block.depth] = _mean_gains(block, gains, judged[:, topics], last[topics])
    return found


def _mean_gains(block: Block, gains: Floats, judged: Integers, last: Integers) -> Floats:
    """Return the mean gain of the runs that count, topics × ranks; NaN where there are none."""
    ranks = np.arange(1, block.depth + 1)
    counted = (ranks <= judged[:, :, None]) & (ranks <= last[:, None])
    known = counted.sum(axis=0)
    total = np.where(counted, block.lookup(gains), 0.0).sum(axis=0)
    return np.divide(total, known, out=np.full(known.shape, np.nan), where=known > 0)


def fit_gains(
    grades: Grades, gains: Floats, *, model: str = "weibull", depth: int | None = None
) -> GainFit:
    """Fit a gain model to each topic's empirical gains.

    Parameters
    ----------
    grades : Grades
        Runs met with judgments.
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
    topic  1
    model  constant
    rate   1.0000
    last   2
    rmse   0.0000
    <BLANKLINE>
    Gain models were fitted to 1 of 1 topic: constant to 1.
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
    known = gains[~np.isnan(gains)]
    fitted = [model.fit(ranks, known) for model in candidates]
    errors = [float(np.sqrt(((model.at(ranks) - known) ** 2).mean())) for model in fitted]
    best = int(np.argmin(errors))
    return fitted[best], errors[best]


def _fields(model: GainCurve) -> dict[str, object]:
    return asdict(model)  # type: ignore[call-overload]  # every model is a dataclass
