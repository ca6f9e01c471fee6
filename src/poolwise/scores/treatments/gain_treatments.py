"""Treatments that give unjudged documents the gain of judged ones, or what a model expects."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import join_topics
from poolwise.evidence._ungraded import pool_gain, weight_of
from poolwise.evidence.unknowns._gain_models import fit_gains
from poolwise.measures._measure import Measure
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.scores.treatments.treatments import not_for

__all__ = ["GainModelled", "RateFilled"]


@dataclass(frozen=True)
class RateFilled:
    """Unjudged documents have the gain of judged ones (Ravana and Moffat 2010; G16 §2, §4).

    ``background`` takes the mean gain of the topic's judged documents; ``interpolation`` the
    weighted mean gain of the list's own judged documents; ``smoothing`` blends the two by the
    share of the list's weight that is judged. A list without any judged document says nothing, so
    the background stands in. Ranks past the end of a list hold no document and gain nothing.

    Parameters
    ----------
    kind : {"interpolation", "background", "smoothing"}
        Where the gain of unjudged documents comes from.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, None, 0, None]], judged=[1, 0, 0, 0])
    >>> [RateFilled(kind).table(evidence, parse_measure("P@4"), 1).value.item()
    ...  for kind in ("background", "interpolation", "smoothing")]
    [0.375, 0.5, 0.4375]
    """

    kind: str = "interpolation"

    needs_non_relevant: ClassVar[bool] = True
    _summaries: ClassVar[dict[str, str]] = {
        "background": "unjudged documents gain as the topic's judged ones on average",
        "interpolation": "unjudged documents gain as the run's own judged ones (RM)",
        "smoothing": "between background and interpolation, by the share of weight judged",
    }

    @property
    def name(self) -> str:
        """``background``, ``interpolation`` or ``smoothing``."""
        return self.kind

    @property
    def summary(self) -> str:
        """Where the gain comes from."""
        return self._summaries.get(self.kind, "")

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores plus the rate times the weight of unjudged documents."""
        del rng
        require_choice("kind", self.kind, self._summaries)
        weighted = _static(measure, self.name)
        seen = weighted.cut(evidence)
        plain = score(evidence, measure, bounds="none")
        weights = weighted.weights(seen.depth)
        unknown = join_topics(weight_of(block.ungraded, weights) for block in seen.blocks)
        judged = join_topics(weight_of(block.codes >= 0, weights) for block in seen.blocks)
        background = pool_gain(evidence, weighted.gain_table(evidence.scale))
        rate = self._rate(plain.value, judged, unknown, background)
        return replace(plain, value=plain.value + rate * unknown)

    def _rate(self, gained: Floats, judged: Floats, unknown: Floats, background: Floats) -> Floats:
        everywhere = np.broadcast_to(background, gained.shape)
        own = np.divide(gained, judged, out=everywhere.copy(), where=judged > 0)
        if self.kind == "background":
            return everywhere
        if self.kind == "interpolation":
            return own
        share = judged / np.where(unknown > 0, judged + unknown, 1.0)
        return share * own + (1 - share) * everywhere


@dataclass(frozen=True)
class GainModelled:
    """Unjudged documents have the gain that a model of the topic expects at their rank (G16).

    ``depth`` is the depth of the pool, to which the model is fitted; see
    :func:`~poolwise.fit_gains`. Ranks past the end of a list hold no document and gain nothing.

    Parameters
    ----------
    model : str
        The curve to fit: one of ``GAIN_MODELS``.
    depth : int, optional
        The depth of the pool; by default, topic by topic, down to where half of the runs are judged
        without a gap.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> evidence = Evidence.from_grades([[1, 1, 0, 0], [1, 0, None, None]], judged=[1, 1, 0, 0])
    >>> found = GainModelled("constant", depth=2).table(evidence, parse_measure("P@4"), 1)
    >>> found.value.tolist()
    [[0.5], [0.25]]
    """

    needs_non_relevant: ClassVar[bool] = True

    model: str = "weibull"
    depth: int | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    @property
    def summary(self) -> str:
        """Which model is fitted."""
        return f"unjudged documents gain what the {self.model} model expects at their rank (G16)"

    def table(
        self, evidence: Evidence, measure: Measure, rng: int | np.random.Generator
    ) -> ScoreTable:
        """Return the plain scores plus the expected gain of unjudged documents."""
        del rng
        weighted = _static(measure, self.name)
        seen = weighted.cut(evidence)
        full = weighted.full_gain(seen.scale)
        gains = weighted.gain_table(seen.scale) / full
        # The model is fitted to all pooled ranks, also below the measure's cut-off.
        fit = fit_gains(evidence, gains, model=self.model, depth=self.depth)
        plain = score(evidence, measure, bounds="none")
        expected = weighted.weights(seen.depth) * (full * fit.predict(seen.depth))
        extra = join_topics(
            weight_of(block.ungraded, expected[topics])
            for topics, block in zip(seen.slices, seen.blocks, strict=True)
        )
        return replace(plain, value=plain.value + extra)


def _static(measure: Measure, treatment: str) -> StaticWeights:
    """Return the measure if its weights depend on the rank alone; else say what to use."""
    if not isinstance(measure, StaticWeights):
        raise not_for(measure, treatment, "with fixed weights by rank, such as RBP(p=0.8) or P@10")
    return measure
