"""The documents behind topics: which are unjudged, where each run has them, what they say."""

from collections.abc import Mapping
from dataclasses import field

from poolwise.findings.documents_by_run import DocumentsByRun
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.words import are, counted

__all__ = ["TopicDocuments"]


@finding
class TopicDocuments(Finding):
    """The first documents of all runs on several topics.

    Attributes
    ----------
    topics : tuple of DocumentsByRun
        Those of each topic, the topic with most unjudged documents first.
    of : int
        How many topics there are.
    texts : dict from str to str
        What documents say, by id, where that was given.

    Examples
    --------
    >>> from poolwise import report
    >>> runs = {"bm25": {"7": {"a": 0.5, "x": 0.4}}, "ql": {"7": {"x": 0.9, "b": 0.8}}}
    >>> found = report({"7": {"a": 2, "b": 0}}, runs, ["P@2"], documents={"x": "A text."})
    >>> print(*found.documents.sentences())
    The first 10 documents of every run on 1 topic are shown; 1 of 3 is unjudged.
    The texts of 1 of them are known.
    """

    topics: tuple[DocumentsByRun, ...]
    of: int
    texts: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.topics)

    def columns(self) -> Columns:
        """Return one row for each topic, document and run that has it, at any rank."""
        return stack_columns([one.columns() for one in self.topics]) if self.topics else {}

    def sentences(self) -> tuple[str, ...]:
        """Say of how many topics documents are shown, how many are unjudged, and have texts."""
        documents = sum(len(one.documents) for one in self.topics)
        unjudged = sum(int(one.unjudged.sum()) for one in self.topics)
        depth = self.topics[0].depth if self.topics else 0
        topics = counted(len(self), "topic")
        if len(self) < self.of:
            topics = f"the {topics}, of {self.of:,}, with most unjudged documents"
        be = are(unjudged)
        shown = f"The first {counted(depth, 'document')} of every run on {topics}"
        said = f"{shown} are shown; {unjudged:,} of {documents:,} {be} unjudged."
        return (
            said,
            *((f"The texts of {len(self.texts):,} of them are known.",) if self.texts else ()),
        )
