"""Which topics count, and what is said of the others."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Integers
from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.printout.provenance import Notice
from poolwise.printout.words import named

__all__ = ["TOPIC_RULES", "check_common_topics", "choose_topics", "require_topics", "topic_notices"]

TOPIC_RULES = {
    "judged": "all judged topics; a topic that a run lacks scores 0",
    "common": "the judged topics that every run answers",
}


def choose_topics(
    judged: tuple[str, ...], retrieved: tuple[str, ...], lengths: Integers, rule: str
) -> tuple[str, ...]:
    """Return the topics that count, in their order in the judgments.

    Parameters
    ----------
    judged, retrieved : tuple of str
        The topics that are judged, and those that any run answers.
    lengths : int array, runs × topics retrieved
        How many documents each list has.
    rule : {"judged", "common"}
        A key of ``TOPIC_RULES``.

    Examples
    --------
    >>> lengths = np.array([[3, 1], [0, 2]])
    >>> [choose_topics(("1", "2", "3"), ("1", "2"), lengths, rule) for rule in TOPIC_RULES]
    [('1', '2', '3'), ('2',)]
    """
    require_choice("topics", rule, TOPIC_RULES)
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


def require_topics(topics: tuple[str, ...], rule: str) -> None:
    """Raise where the rule leaves no topic."""
    if rule == "common" and not topics:
        raise OptionError(
            "topics: 'common' needs a judged topic that every run answers, and there is none. "
            "Hint: use 'judged', or leave out the runs that answer few topics."
        )


def topic_notices(
    judgments: Judgments, retrieved: tuple[str, ...], lengths: Integers
) -> tuple[Notice, ...]:
    """Count the lists that the choice of topics leaves out, and those it misses."""
    judged = positions(retrieved, judgments.topics) >= 0
    extra = [t for t, known in zip(retrieved, judged.tolist(), strict=True) if not known]
    answered = int((lengths[:, judged] > 0).sum())
    found = (
        Notice(
            "lists for topics without judgments, left out",
            int((lengths[:, ~judged] > 0).sum()),
            f"topic {extra[0]}" if extra else "",
        ),
        Notice("judged topics that a run lacks", len(lengths) * len(judgments.topics) - answered),
    )
    return tuple(notice for notice in found if notice.count)
