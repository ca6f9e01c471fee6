"""How the runs of a campaign stand, from its journal to a finding."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import count_ungraded
from poolwise.findings.campaigns._status import CampaignStatus, claims_of_leader
from poolwise.measures._measure import Measure
from poolwise.scores._scoring import score
from poolwise.workflows.campaigns._due import due_of
from poolwise.workflows.campaigns._estimates import adjusted_means, adjusted_runs, sampled_means
from poolwise.workflows.campaigns._standing import grades_of, judgments_of
from poolwise.workflows.campaigns._state import RoomState

__all__ = ["status_of"]


def status_of(
    state: RoomState, runs: Runs, topics: Sequence[str], measure: Measure, now: float
) -> CampaignStatus:
    """Return how the runs stand by one measure."""
    grades = grades_of(state.grades())
    judgments = judgments_of(state.settings, topics, grades)
    answered = [topic for topic in judgments.topics if topic in set(runs.topics)]
    evidence = align(judgments, runs, topics=tuple(answered))
    exports = state.events.get("export", ())
    table = score(evidence, measure)
    later = adjusted_runs(state, runs, evidence, measure, grades)
    return CampaignStatus(
        provenance=evidence.provenance,
        name=state.settings.name,
        version=exports[-1].data["version"][:12] if exports else "",
        table=table,
        adjusted=adjusted_means(evidence.systems, later),
        sampled=sampled_means(state, evidence, measure, grades).within(table),
        judged=_judged_shares(evidence, state.settings.depth),
        assignments=state.terms(now),
        documents=sum(map(len, grades.values())),
        claims_ahead=claims_of_leader(evidence, measure),
        due=due_of(state.settings, evidence, measure, later),
    )


def _judged_shares(evidence: Evidence, depth: int) -> Floats:
    """Return which share of the first documents of each run is judged."""
    seen = np.minimum(evidence.lengths, depth).sum(axis=1)
    unjudged = count_ungraded(evidence.truncate(depth)).sum(axis=1)
    return np.asarray(1 - unjudged / np.maximum(seen, 1), np.float64)
