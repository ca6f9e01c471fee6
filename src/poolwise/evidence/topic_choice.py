"""Which topics count, and what is said of the others."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Integers
from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.provenance._provenance import Notice, TopicRule
from poolwise.words import have, named

__all__ = [
    "TOPIC_RULES",
    "check_common_topics",
    "choose_topics",
    "known_rule",
    "require_topics",
    "topic_notices",
]

TOPIC_RULES = {
    "judged": "all judged topics; a topic that a run lacks scores 0",
    "common": "the judged topics that every run answers",
}


def known_rule(topics: str | Iterable[str], judgments: Judgments) -> TopicRule:
    """Return the rule of this name, or the topics named, each once and as the judgments order them.

    Examples
    --------
    >>> judgments = Judgments.from_dict({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}})
    >>> known_rule("common", judgments), known_rule(["3", "1", "3"], judgments)
    ('common', ('1', '3'))
    >>> known_rule(["1", "7"], judgments)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: 7 has no judgments in <dict>; judged are 1, 2, 3.
    Hint: name judged topics only.
    """
    if isinstance(topics, str):
        require_choice("topics", topics, TOPIC_RULES)
        return topics
    wanted, judged = dict.fromkeys(map(str, topics)), set(judgments.topics)
    unknown = [topic for topic in wanted if topic not in judged]
    if unknown:
        raise _unknown_topics(unknown, judgments)
    return tuple(topic for topic in judgments.topics if topic in wanted)


def _unknown_topics(unknown: list[str], judgments: Judgments) -> OptionError:
    """Say which topics are not judged."""
    verb = have(len(unknown))
    return OptionError(
        f"topics: {named(unknown, most=3)} {verb} no judgments in {judgments.source.path}; "
        f"judged are {named(judgments.topics, most=3)}. Hint: name judged topics only."
    )


def choose_topics(
    judged: tuple[str, ...], retrieved: tuple[str, ...], lengths: Integers, rule: TopicRule
) -> tuple[str, ...]:
    """Return the topics that count, in their order in the judgments.

    Parameters
    ----------
    judged, retrieved : tuple of str
        The topics that are judged, and those that any run answers.
    lengths : int array, runs × topics retrieved
        How many documents each list has.
    rule : {"judged", "common"} or tuple of str
        What :func:`known_rule` returns: a key of ``TOPIC_RULES``, or topics.

    Examples
    --------
    >>> lengths = np.array([[3, 1], [0, 2]])
    >>> [choose_topics(("1", "2", "3"), ("1", "2"), lengths, rule) for rule in TOPIC_RULES]
    [('1', '2', '3'), ('2',)]
    """
    if not isinstance(rule, str):
        return rule
    if rule == "judged":
        return judged
    by_all = {retrieved[t] for t in np.flatnonzero((lengths > 0).all(axis=0)).tolist()}
    return tuple(topic for topic in judged if topic in by_all)


def check_common_topics(
    judgments: Judgments, systems: Sequence[str], retrieved: tuple[str, ...], lengths: Integers
) -> None:
    """Raise where no topic that a run retrieved for is judged, wherever the run stands.

    A run without any document, which a file cannot hold, is let pass.
    """
    judged = positions(retrieved, judgments.topics) >= 0
    apart = (lengths > 0).any(axis=1) & ~(lengths[:, judged] > 0).any(axis=1)
    for s in np.flatnonzero(apart).tolist():
        found = [retrieved[t] for t in np.flatnonzero(lengths[s]).tolist()]
        raise InputError(
            judgments.source.path,
            f"each run must have a topic in common with the judgments, and {systems[s]} has none",
            value=f"topics {named(judgments.topics, most=3)} judged; "
            f"{named(found, most=3)} retrieved",
            remedy="check that the runs and the qrels belong to the same collection",
        )


def require_topics(topics: tuple[str, ...], rule: TopicRule) -> None:
    """Raise where the rule leaves no topic, or none was named."""
    if not rule:
        raise OptionError("topics: at least one must be named. Hint: use 'judged' for all.")
    if rule == "common" and not topics:
        raise OptionError(
            "topics: 'common' needs a judged topic that every run answers, and there is none. "
            "Hint: use 'judged', or leave out the runs that answer few topics."
        )


def topic_notices(
    judgments: Judgments, retrieved: tuple[str, ...], lengths: Integers, rule: TopicRule
) -> tuple[Notice, ...]:
    """Count the lists and topics that the choice of topics leaves out, and the lists it misses."""
    judged = positions(retrieved, judgments.topics) >= 0
    extra = [t for t, known in zip(retrieved, judged.tolist(), strict=True) if not known]
    wanted = judgments.topics if isinstance(rule, str) else rule
    answered = int((lengths[:, positions(retrieved, wanted) >= 0] > 0).sum())
    found = (
        Notice("judged topics that were not named, left out", len(judgments.topics) - len(wanted)),
        Notice(
            "lists for topics without judgments, left out",
            int((lengths[:, ~judged] > 0).sum()),
            f"topic {extra[0]}" if extra else "",
        ),
        Notice("judged topics that a run lacks", len(lengths) * len(wanted) - answered),
    )
    return tuple(notice for notice in found if notice.count)
