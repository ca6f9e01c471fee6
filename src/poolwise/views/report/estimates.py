"""Scores of runs with unjudged documents by several treatments, side by side (as B23 fig. 1)."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.collection.groups import Groups
from poolwise.errors import OptionError
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.measures.measure import Measure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.treatments.bias_treatments import BiasFromSystems
from poolwise.scores.treatments.estimation import estimate
from poolwise.scores.treatments.score_distribution import bootstrap
from poolwise.scores.treatments.treatments import Condensed

__all__ = ["Estimates", "estimates_of"]


_MOST = 20
"""Runs shown: those with the largest share of unjudged documents."""
_DRAWS = 200
"""Gradings drawn for the distribution of a mean, which is smooth before that of a topic is."""
PERCENTS = (5, 25, 50, 75, 95)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Mean scores under several treatments of the unjudged documents.

    Attributes
    ----------
    systems : tuple of str
        The runs with the largest share of unjudged documents, largest first.
    share : float array, systems
        Share of unjudged documents among the ranks that the measure looks at.
    candidates : int
        How many runs have any.
    means : dict from str to float array
        By treatment, the mean of each run.
    drawn : float array, systems × percentiles, or None
        The mean over topics under drawn grades, at ``PERCENTS``.
    lower, upper : float array, systems
        The means of the exact bounds.
    missing : tuple of str
        Why a treatment is not there.
    """

    systems: tuple[str, ...]
    share: Floats
    candidates: int
    means: dict[str, Floats]
    drawn: Floats | None
    lower: Floats
    upper: Floats
    missing: tuple[str, ...]


def estimates_of(
    evidence: Evidence,
    seen: Evidence,
    measure: Measure,
    table: ScoreTable,
    *,
    groups: Groups | None,
    rng: int,
) -> Estimates | None:
    """Treat the runs with unjudged documents in several ways; None if there are no such runs.

    ``seen`` is the evidence down to the last rank that counts for the measure.
    """
    share = count_ungraded(seen).sum(axis=1) / np.maximum(seen.lengths.sum(axis=1), 1)
    candidates = np.flatnonzero(share > 0)
    if not len(candidates) or not table.defined.any():
        return None
    chosen = candidates[np.argsort(-share[candidates], kind="stable")][:_MOST]
    means, missing = {"not relevant": table.means()[chosen]}, []
    treatments: dict[str, Condensed | BiasFromSystems] = {
        "condensed": Condensed(),
        "bias given back": BiasFromSystems(groups=groups),
    }
    for name, treatment in treatments.items():
        try:
            means[name] = estimate(evidence, measure, treatment=treatment).means()[chosen]
        except OptionError as error:
            missing.append(f"{name}: {error}")
    drawn = None
    try:
        drawn = _drawn(seen, chosen, measure, rng)
        means["bootstrap (median)"] = drawn[:, PERCENTS.index(50)]
    except OptionError as error:
        missing.append(f"bootstrap: {error}")
    low, high = table.mean_bounds()
    return Estimates(
        systems=tuple(table.systems[s] for s in chosen.tolist()),
        share=share[chosen],
        candidates=len(candidates),
        means=means,
        drawn=drawn,
        lower=low[chosen],
        upper=high[chosen],
        missing=tuple(missing),
    )


def _drawn(seen: Evidence, chosen: Indices, measure: Measure, rng: int) -> Floats:
    """Return percentiles of the mean over topics under drawn grades."""
    found = bootstrap(seen.select(chosen), measure, rng=rng, draws=_DRAWS)
    means = found.values[:, found.plain.defined].mean(axis=1)
    return np.asarray(np.percentile(means, PERCENTS, axis=1).T)
