"""How a campaign stands, from its journal to findings."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Author, Labels
from poolwise.collection._merged import decided
from poolwise.findings.campaigns._assessors import (
    AssessorReport,
    AssessorWork,
    agreement_among,
    confusion_with_others,
)
from poolwise.findings.labels._agreement_counts import Estimate
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.store.campaigns._settings import CampaignSettings
from poolwise.workflows.campaigns._state import Key, RoomState

__all__ = ["Dispute", "assessor_report", "disputes", "grades_of", "judgments_of"]


class Dispute(NamedTuple):
    """A document with different grades, and nobody has decided on it: who gave which."""

    topic: str
    document: str
    grades: tuple[tuple[str, float, str], ...]
    """Assessor, grade and note of each."""


def grades_of(graded: Iterable[tuple[Key, Sequence[float]]]) -> dict[str, dict[str, float]]:
    """Return one grade for each document: that of the majority, of equally frequent the lowest."""
    grades: dict[str, dict[str, float]] = {}
    for (topic, document), votes in sorted(graded):
        grades.setdefault(topic, {})[document] = decided(votes, "majority")
    return grades


def judgments_of(
    settings: CampaignSettings, topics: Iterable[str], grades: dict[str, dict[str, float]]
) -> Judgments:
    """Return grades as judgments over the declared scale and all topics."""
    return Judgments.from_dict(grades).with_grades(settings.scale).with_topics(topics)


def disputes(state: RoomState) -> tuple[Dispute, ...]:
    """Return the documents whose grades differ, and nobody has decided on."""
    disputed = []
    for key, answers in sorted(state.answers.items()):
        entries = [e for e in state.current(key).values() if e.grade is not None]
        if len({e.grade for e in entries}) > 1 and key not in state.adjudicated:
            opinions = tuple((e.assessor, float(e.grade or 0), e.note) for e in sorted(entries))
            disputed.append(Dispute(*key, opinions))
        del answers
    return tuple(disputed)


def labels_of(state: RoomState) -> Labels | None:
    """Return the grades of all people as labels; None where there are none."""
    rows = [
        (*key, Author(entry.assessor, machine=False), float(entry.grade))
        for key in sorted(state.answers)
        for entry in sorted(state.current(key).values())
        if entry.grade is not None
    ]
    return Labels.from_rows(rows).with_scale(state.settings.scale) if rows else None


def assessor_report(state: RoomState) -> AssessorReport:
    """Return what each assessor has done, and how far they agree."""
    names = dict.fromkeys((*state.assessors(), *state.tally))
    labels = labels_of(state)
    agreement, twice = agreement_among(labels) if labels else (Estimate(math.nan), 0)
    return AssessorReport(
        work={name: _work(state, name) for name in names},
        alpha=agreement,
        twice=twice,
        confusion=confusion_with_others(labels) if labels else {},
        scale=state.settings.scale,
        provenance=WITHOUT_FILES,
    )


def _work(state: RoomState, name: str) -> AssessorWork:
    tally, times = state.tally.get(name, Counter()), state.times.get(name, ())
    grade_of = {(trap.topic, trap.document): trap.grade for trap in state.settings.traps}
    traps = [e for (who, _), e in state.aside.items() if who == name and e.chosen_by == "trap"]
    answered = [e for e in traps if e.grade is not None]
    return AssessorWork(
        judged=tally["judged"],
        cannot=tally["cannot"],
        skipped=tally["skipped"],
        seconds=median(times) / 1000 if times else math.nan,
        traps=len(answered),
        missed=sum(e.grade != grade_of.get((e.topic, e.document), e.grade) for e in answered),
    )
