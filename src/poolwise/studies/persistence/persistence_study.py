"""Which RBP orders systems as each of several measures does, over all topics and on each."""

from collections.abc import Iterable

from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.studies.persistence.match import PersistenceMatch, table_of_matches
from poolwise.studies.persistence.topic_matches import TopicMatches, table_of_topic_matches

__all__ = ["PersistenceStudy"]


@finding
class PersistenceStudy(Finding):
    """The persistence that matches each of several measures.

    Attributes
    ----------
    matches : tuple of PersistenceMatch
        Over all topics, one for each measure.
    by_topic : tuple of TopicMatches
        Topic by topic, for the same measures in the same order; may be empty.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=100, rng=3)
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> match = pw.studies.match_persistence(evidence, "AP")
    >>> by_topic = pw.studies.match_persistence_by_topic(evidence, "AP")
    >>> overall, topics = PersistenceStudy.of([match], [by_topic]).tables()
    >>> print(pw.render(overall))
    RBP that orders 20 systems most alike, over 30 topics
    <BLANKLINE>
    measure      p  tau_b  expected depth  residual
    AP       0.976  0.916            41.7     0.416
    >>> print(pw.render(topics))
    The same on each topic: how many topics reach so much, and whether p rises with R
    <BLANKLINE>
    measure  < 0.8  0.8 to 0.9  ≥ 0.9  τ of p and R  p value  mean p  mean residual
    AP           0           6     24          0.52  <0.0001   0.926          0.248
    """

    matches: tuple[PersistenceMatch, ...]
    by_topic: tuple[TopicMatches, ...] = ()

    @classmethod
    def of(
        cls, matches: Iterable[PersistenceMatch], by_topic: Iterable[TopicMatches] = ()
    ) -> "PersistenceStudy":
        """Join matches of the same systems, with the provenance of the first."""
        first, *others = matches
        return cls((first, *others), tuple(by_topic), provenance=first.provenance)

    def columns(self) -> Columns:
        """Return one row per measure: the match over all topics, and counts of topics."""
        by_topic = stack_columns([one.summary() for one in self.by_topic]) if self.by_topic else {}
        return stack_columns([match.summary() for match in self.matches]) | by_topic

    def sentences(self) -> tuple[str, ...]:
        """Say what each match found, those over all topics first."""
        parts = (*self.matches, *self.by_topic)
        return tuple(sentence for part in parts for sentence in part.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return the matches over all topics, and topic by topic as U18 table 2 has them."""
        first, summaries = self.matches[0], [match.summary() for match in self.matches]
        overall = table_of_matches(stack_columns(summaries), first.systems, first.topics)
        if not self.by_topic:
            return (overall,)
        by_topic = stack_columns([one.summary() for one in self.by_topic])
        return overall, table_of_topic_matches(by_topic)
