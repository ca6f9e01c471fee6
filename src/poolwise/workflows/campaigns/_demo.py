"""Made-up topics and texts, so that a campaign can be tried within a minute."""

from collections.abc import Iterator

from poolwise.collection._judgments import Judgments
from poolwise.collection.formats._document_files import Document
from poolwise.collection.formats._topic_files import Topic
from poolwise.workflows.campaigns._state import share_of

__all__ = ["demo_texts", "demo_topics"]

_WHAT = ("repair", "history", "cost", "safety", "training", "cleaning", "sale", "design", "storage",
         "transport")  # fmt: skip
_OF = ("bicycles", "church organs", "mountain huts", "sailing boats", "steam engines")
_FILLER = (
    "The committee met on Tuesday and adjourned without a decision.",
    "Prices in the region have risen for the third year in a row.",
    "A new bridge will be opened to traffic in the spring.",
    "The museum keeps longer hours during the summer months.",
    "Residents have asked for more trees along the main street.",
    "The harvest was smaller than expected, though of good quality.",
    "Trains will stop at the old station again from next month.",
    "A reader wrote to us about the weather of last winter.",
    "The school has found a teacher of music after a long search.",
    "Visitors are asked to leave their dogs at the gate.",
)
_ABOUT = {
    1: "In passing, somebody asked about the {what} of {of}, but nothing more was said of it.",
    2: "One part of the report is about the {what} of {of}: it names two people who know it well, "
    "and leaves most questions open.",
    3: "This is a full account of the {what} of {of}: how it is done, by whom, what to look out "
    "for, and where to read more about it.",
}
"""What a text says of a topic, by its grade."""


def demo_topics(judgments: Judgments) -> dict[str, Topic]:
    """Return a made-up query for each topic.

    Examples
    --------
    >>> demo_topics(Judgments.from_dict({"401": {"a": 1}}))["401"].query
    'repair of bicycles'
    """
    topics = {}
    for number, topic in enumerate(judgments.topics):
        what, of = _subject(number)
        topics[topic] = Topic(
            topic,
            f"{what} of {of}",
            f"What is known about the {what} of {of}?",
            f"A relevant document tells something about the {what} of {of}. One that is about "
            f"{of} but says nothing of their {what} is not relevant.",
        )
    return topics


def _subject(number: int) -> tuple[str, str]:
    return _WHAT[number % len(_WHAT)], _OF[number // len(_WHAT) % len(_OF)]


def demo_texts(judgments: Judgments, wanted: set[str]) -> Iterator[Document]:
    """Yield a made-up text for each document, which says of each topic what its grade calls for.

    Examples
    --------
    >>> print(next(demo_texts(Judgments.from_dict({"401": {"a": 1}}), {"a"})).text[:43])
    In passing, somebody asked about the repair
    """
    said: dict[str, list[str]] = {}
    subjects = {topic: _subject(number) for number, topic in enumerate(judgments.topics)}
    for topic, document, grade in judgments:
        if document in wanted:
            sentences = said.setdefault(document, [])
            sentences += _sentences(grade, subjects[topic])
    for document, sentences in said.items():
        yield Document(document, " ".join([*sentences, *_filler(document)]))


def _sentences(grade: float, subject: tuple[str, str]) -> list[str]:
    what, of = subject
    return [_ABOUT[int(grade)].format(what=what, of=of)] if grade >= 1 else []


def _filler(document: str) -> list[str]:
    order = sorted(_FILLER, key=lambda sentence: share_of(document, sentence))
    return order[: 3 + int(4 * share_of(document))]
