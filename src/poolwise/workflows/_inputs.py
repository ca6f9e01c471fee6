"""Whatever a user brings, as judgments, runs, evidence, topics and measures."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection._identifiers import listed_topics
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading, require_order
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import TOPIC_RULES, align
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.workflows._named_files import existing_files

if TYPE_CHECKING:  # a card knows of models, which most calls do without
    from poolwise.scores.cards._card import CollectionCard

__all__ = [
    "DEFAULT_MEASURES",
    "Topics",
    "as_collection",
    "as_evidence",
    "as_topics",
    "carded_evidence",
    "several_measures",
    "with_card",
]


def several_measures(measures: Any) -> list[Any]:
    """Return measures as a list; there is one at least.

    Examples
    --------
    >>> several_measures("AP"), several_measures(("AP", "P@10"))
    (['AP'], ['AP', 'P@10'])
    """
    # A text is iterable, too, and would become a measure for each letter.
    if isinstance(measures, str | Measure) or not isinstance(measures, Iterable):
        return [measures]
    if several := list(measures):
        return several
    raise OptionError("measures: at least one is needed. Hint: use nDCG@10.")


DEFAULT_MEASURES = ("nDCG@10", "P@10", "RBP(p=0.8)")
"""With cut-offs, or with weights that fade: their ranges say something, and soon."""

Topics = str | Path | Iterable[str]
"""Which topics count: a rule by its name, a file that lists them, or the topics themselves."""


@recorded
def as_collection(
    judgments: Any, runs: Any, *, grades: Sequence[float] = (), reading: Reading = Reading()
) -> tuple[Judgments, Runs]:
    """Return judgments and runs as they are, or read them where they are not read yet.

    What is read here is in the right order, or it is an error.

    Returns
    -------
    tuple of Judgments and Runs

    Examples
    --------
    >>> qrels, runs = as_collection({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}})
    >>> qrels.topics, runs.systems
    (('1',), ('bm25',))
    """
    both = reading.judgments(judgments, grades=grades), reading.runs(runs)
    # Files may be given the wrong way round; an object of ours is what its type says.
    if both[0] is not judgments and both[1] is not runs:
        require_order(*both)
    return both


def as_topics(source: Topics) -> TopicRule:
    """Return the name of a rule or a list of topics as they are, or read the list from a file.

    Parameters
    ----------
    source
        ``"judged"`` or ``"common"``, topics, or a file with one topic in each line.

    Returns
    -------
    str or tuple of str
        The name of the rule, or the topics.

    Examples
    --------
    >>> as_topics("common"), as_topics(["401", "402"])
    ('common', ('401', '402'))
    >>> as_topics("401")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: '401' is neither judged nor common, and there is no file
    of this name. Hint: name a file with one topic in each line, or topics in a list: ['401'].
    """
    if isinstance(source, str) and source in TOPIC_RULES:
        return source
    if isinstance(source, str) and not existing_files([source]):
        raise OptionError(
            f"topics: {source!r} is neither {' nor '.join(TOPIC_RULES)}, and there is no file of "
            f"this name. Hint: name a file with one topic in each line, or topics in a list: "
            f"[{source!r}]."
        )
    return listed_topics(source)


@recorded
def as_evidence(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Evidence:
    """Read judgments and runs where they are not read yet, and join them.

    Returns
    -------
    Evidence
        The runs, met with the judgments.

    Examples
    --------
    >>> as_evidence({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}).systems
    ('bm25',)
    """
    both = as_collection(judgments, runs, grades=grades, reading=reading)
    return align(*both, topics=as_topics(topics))


def carded_evidence(
    judgments: Any,
    runs: Any,
    card: Any,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> "tuple[Evidence, CollectionCard | None]":
    """Meet runs with judgments, and both with a card of documents, if there is one.

    Examples
    --------
    >>> evidence, card = carded_evidence({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}, None)
    >>> evidence.systems, card
    (('bm25',), None)
    """
    both = as_collection(judgments, runs, grades=grades, reading=reading)
    return with_card(align(*both, topics=as_topics(topics)), both[0], card)


def with_card(
    evidence: Evidence, judgments: Judgments, card: Any
) -> "tuple[Evidence, CollectionCard | None]":
    """Return a card that is of these judgments, and the evidence with what is to be said of it."""
    if card is None:
        return evidence, None
    from poolwise.workflows._cards import checked_card  # noqa: PLC0415, late: few have a card

    evidence, found = checked_card(card, judgments, evidence)
    found.require_documents()
    return evidence, found
