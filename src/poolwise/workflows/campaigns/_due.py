"""What is due in a campaign: to judge, to add topics, or to adjust."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.findings.campaigns._due import Due, RunDue
from poolwise.judging._next import GoalOutlook, goal_outlook
from poolwise.measures._measure import Measure
from poolwise.scores._uncertainty import t_quantile
from poolwise.store.campaigns._settings import CampaignSettings
from poolwise.workflows.campaigns._estimates import AdjustedRun

__all__ = ["due_of"]


def due_of(
    settings: CampaignSettings,
    evidence: Evidence,
    measure: Measure,
    adjusted: Sequence[AdjustedRun],
) -> Due:
    """Find what is due for later runs, and how many judgments would settle the goal."""
    outlook = _outlook(settings, evidence, measure)
    return Due(
        measure=str(measure),
        goal=str(settings.goal),
        margin=settings.margin,
        judgments=outlook.judgments,
        at_most=outlook.at_most,
        reached=outlook.reached,
        runs=tuple(_of_runs(settings, evidence, measure, adjusted)),
        documents=len({key for adjusted_run in adjusted for key in adjusted_run.open}),
    )


def _outlook(settings: CampaignSettings, evidence: Evidence, measure: Measure) -> GoalOutlook:
    """Return how far the goal is; a campaign may lack the runs that its goal names so far."""
    try:
        return goal_outlook(
            evidence, settings.goal, measure=measure, depth=settings.depth, rng=settings.seed
        )
    except OptionError as error:
        said = f"Nothing can be judged for the goal {settings.goal} yet: {error}"
        return GoalOutlook(None, reached=said)


def _of_runs(
    settings: CampaignSettings,
    evidence: Evidence,
    measure: Measure,
    adjusted: Sequence[AdjustedRun],
) -> list[RunDue]:
    scores = measure.score(evidence)
    later = {adjusted_run.run for adjusted_run in adjusted}
    others = [at for at, run in enumerate(evidence.systems) if run not in later]
    if not others or np.isnan(scores[others]).all():
        return []
    leader = others[int(np.nan_to_num(scores[others]).mean(axis=1).argmax())]
    name = evidence.systems[leader]
    made = []
    for adjusted_run in adjusted:
        if adjusted_run.open:
            made.append(RunDue(adjusted_run.run, name, "judge documents", len(adjusted_run.open)))
        elif adjusted_run.found is not None:
            made.append(
                _of_run(settings, adjusted_run, adjusted_run.found.estimates - scores[leader], name)
            )
    return made


def _of_run(
    settings: CampaignSettings, adjusted_run: AdjustedRun, difference: Floats, leader: str
) -> RunDue:
    """Split the half-width of a difference into what judgments leave open, and what topics do.

    Each part is by the limits of repeated looks: that of judgments is W10 eq. 6.5.
    """
    defined = difference[~np.isnan(difference)]
    N, n = len(defined), len(adjusted_run.topics)
    judging = np.inf if np.isnan(adjusted_run.half) else adjusted_run.half
    by_topics = _half(defined, adjusted_run.level)
    parts = float(defined.mean()), judging, by_topics
    if judging > settings.margin and n < N:
        spread = (
            float(adjusted_run.found.biases.std(ddof=1)) if adjusted_run.found and n > 1 else np.nan
        )
        more = _topics_for(spread, settings.margin, adjusted_run.level, N, start=n) - n
        return RunDue(adjusted_run.run, leader, "judge topics", max(1, more), *parts)
    if by_topics > settings.margin:
        need = (
            _topics_for(
                float(defined.std(ddof=1)), settings.margin, adjusted_run.level, None, start=N
            )
            - N
        )
        return RunDue(adjusted_run.run, leader, "add topics", max(1, need), *parts)
    return RunDue(adjusted_run.run, leader, "adjust", 0, *parts)


def _half(values: Floats, level: float) -> float:
    """Return half the width of the interval of a mean over topics."""
    N = len(values)
    return t_quantile(N - 1, level) * float(values.std(ddof=1)) / np.sqrt(N) if N > 1 else np.inf


def _topics_for(spread: float, margin: float, level: float, whole: int | None, start: int) -> int:
    """Return how many topics bring a half-width below the margin; of a whole, at most all."""
    n = max(start, 2)
    while n < (whole or _MOST):
        left = (whole - n) / whole if whole else 1.0
        if not spread > 0 or t_quantile(n - 1, level) * spread * np.sqrt(left / n) <= margin:
            return n
        n += max(1, n // 50)
    return whole or _MOST


_MOST = 100_000
