"""Which topics count, and what is said of the others."""

from poolwise.arrays import Integers
from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments
from poolwise.errors import InputError
from poolwise.printout.provenance import Notice

__all__ = ["TOPIC_RULES", "check_common_topics", "topic_notices"]

TOPIC_RULES = {
    "judged": "all judged topics; a topic that a run lacks scores 0",
    "common": "the judged topics that every run answers",
}


def check_common_topics(retrieved: tuple[str, ...], judgments: Judgments) -> None:
    """Raise where no topic that was retrieved for is judged."""
    if not set(retrieved).intersection(judgments.topics):
        raise InputError(
            judgments.source.path,
            "runs and judgments must have a topic in common",
            value=f"topics {', '.join(judgments.topics[:3])}… judged; "
            f"{', '.join(retrieved[:3])}… retrieved",
            remedy="check that the runs and the qrels belong to the same collection",
        )


def topic_notices(
    retrieved: tuple[str, ...], lengths: Integers, judgments: Judgments
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
