"""Cards of collections: made from judgments and original runs, and met with judgments again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import Notice
from poolwise.provenance._recorded import recorded
from poolwise.scores._standardization import SMOOTHINGS
from poolwise.scores.cards._card import CollectionCard, JudgedContent
from poolwise.scores.cards._card_file import require_card
from poolwise.scores.cards._making import card_of_evidence
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.words import counted
from poolwise.workflows._inputs import (
    Topics,
    as_collection,
    as_groups,
    as_names,
    as_topics,
    several_measures,
)
from poolwise.workflows._ledger_adding import content_of

__all__ = ["CARD_MEASURES", "checked_card", "is_of", "make_card", "require_same_judgments"]

CARD_MEASURES = (
    *("nDCG@10", "P@10", "RBP(p=0.8)", "nDCG@20", "P@20", "RR@10", "R@100", "AP"),
    *("RBP(p=0.95)",),
)
"""What a card serves for where nobody says it."""


@recorded
def make_card(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = CARD_MEASURES,
    *,
    groups: Any = None,
    kinds: Any = None,
    depth: int | None = None,
    pooled: Sequence[str] | None = None,
    adaptive: bool = False,
    topics: Topics = "judged",
    references: Sequence[str] = (),
    ddof: int = 0,
    smoothing: str = "none",
    factors_only: bool = False,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> CollectionCard:
    """Make the card of a collection: what is needed of its original runs to judge a new one.

    With a card one new run gets what it would get beside all original runs: calibrated estimates,
    standardized scores, its place among the originals. The card has sums over groups for each
    document of the first 100 ranks, and no ranking of any run, so that it can be published where
    the runs cannot.

    Parameters
    ----------
    measures
        What the card is to serve for.
    kinds
        The kind of each run (automatic and manual, say), for places among runs of a kind: an
        object, a dict or a file, as groups are.
    depth
        The depth of the pool; by default it is read off the judgments.
    references
        The runs that standardization factors come from; all by default.
    ddof : {0, 1}
        The divisor of their variance is the number of reference runs minus this.
    smoothing
        How scores are meant to be standardized by the card: a key of ``SMOOTHINGS``.
    factors_only
        Leave out documents and grades, of a collection whose judgments are private: the card then
        serves for standardized scores and places alone.

    Returns
    -------
    CollectionCard
        :func:`~poolwise.scores.write_card` writes it, :func:`~poolwise.read_card` reads it.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> card = make_card(made.judgments, made.runs, "P@5")
    >>> len(card.runs), list(card.measures)
    (8, ['P@5'])
    """
    require_choice("smoothing", smoothing, SMOOTHINGS)
    qrels, read = as_collection(judgments, runs, grades=grades, reading=reading)
    evidence = align(qrels, read, topics=as_topics(topics))
    grouped = as_groups(groups, evidence.systems)
    return card_of_evidence(
        evidence,
        [parse_measure(measure) for measure in several_measures(measures)],
        judgments=_content(qrels),
        options=RelevanceModelTreatment(
            depth, as_names(pooled), grouped, adaptive=adaptive or None
        ),
        kinds=as_groups(kinds, evidence.systems, what="kind"),
        references=as_names(references) or (),
        ddof=ddof,
        smoothing=smoothing,
        factors_only=factors_only,
        rng=rng,
    )


def _content(judgments: Judgments) -> JudgedContent:
    has = np.concatenate([[0], np.cumsum(judgments.judged)])
    counts = np.diff(has[judgments.starts]).tolist()
    return JudgedContent(
        content_of(judgments),
        dict(zip(judgments.topics, counts, strict=True)),
        tuple(judgments.scale.tolist()),
    )


def checked_card(
    card: Any, judgments: Judgments, evidence: Evidence
) -> tuple[Evidence, CollectionCard]:
    """Return a card that is of these judgments, and the evidence with what is to be said of it."""
    opened = require_card(card)
    notices = tuple(_checked(opened, judgments))
    return replace(evidence, provenance=evidence.provenance.with_notices(*notices)), opened


def require_same_judgments(card: CollectionCard, judgments: Judgments) -> None:
    """Raise where scores of these judgments are not of those that a card's factors are of.

    Examples
    --------
    >>> card = make_card({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"a": 0.5}}}, "P@2")
    >>> require_same_judgments(card, Judgments.from_dict({"1": {"a": 1}}))
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: card: it was made of other judgments: it is of 2 judgments, these
    are 1. Hint: use the judgments that it was made of, or make a card of these (card make).
    """
    if not is_of(card, judgments):
        before, now = sum(card.judgments.counts.values()), int(judgments.judged.sum())
        raise _refused(_counts(before, now))


def is_of(card: CollectionCard, judgments: Judgments) -> bool:
    """Return whether a card was made of just these judgments, so that its factors hold for them.

    Examples
    --------
    >>> card = make_card({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"a": 0.5}}}, "P@2")
    >>> is_of(card, Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 0}}))
    False
    """
    return content_of(judgments) == card.judgments.content


def _checked(card: CollectionCard, judgments: Judgments) -> Iterable[Notice]:
    """Raise where a card is of other judgments; say where it is of fewer ones."""
    if is_of(card, judgments):
        return
    before, now = sum(card.judgments.counts.values()), int(judgments.judged.sum())
    if card.documents is None:
        raise _refused(
            f"{_counts(before, now)}, and a card without documents does not tell whether they are "
            "among them"
        )
    graded = judgments.to_dict()
    other, example = _contradictions(card, graded)
    fewer = {t: n for t, n in card.judgments.counts.items() if len(graded.get(t, {})) < n}
    if other:
        raise _refused(
            f"{counted(other, 'document')} of its judged ones have another grade here, or none; "
            f"the first is {example}"
        )
    if fewer:
        raise _refused(f"topic {next(iter(fewer))!r} has fewer judgments here")
    yield Notice("judgments made after the card, which its errors do not know", now - before)


def _counts(before: int, now: int) -> str:
    return f"it is of {counted(before, 'judgment')}, these are {now:,}"


def _contradictions(card: CollectionCard, graded: dict[str, dict[str, float]]) -> tuple[int, str]:
    """Count the judged documents of a card that have another grade, and name the first."""
    documents = card.require_documents()
    judged = ~np.isnan(documents.grades)
    ids = documents.ids.take(np.flatnonzero(judged))
    topics = [documents.topics[t] for t in documents.topic_of[judged].tolist()]
    grades = documents.grades[judged].tolist()
    nothing: dict[str, float] = {}
    wrong = [
        f"{document!r} of topic {topic!r}"
        for topic, document, grade in zip(topics, ids, grades, strict=True)
        if graded.get(topic, nothing).get(document) != grade
    ]
    return len(wrong), wrong[0] if wrong else ""


def _refused(why: str) -> OptionError:
    return OptionError(
        f"card: it was made of other judgments: {why}. Hint: use the judgments that it was made "
        "of, or make a card of these (card make)."
    )
