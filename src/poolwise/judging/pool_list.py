"""A pool to judge: every document that some run has in its first ranks."""

from dataclasses import replace

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import require_depth
from poolwise.evidence._meeting import align
from poolwise.judging.candidates import candidates_of
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import counted

__all__ = ["PoolToJudge", "list_pool"]


@finding
class PoolToJudge(Finding):
    """The documents of a pool, by topic and document id, so that their order tells no ranks.

    Attributes
    ----------
    depth : int
        How many ranks of each run were pooled.
    systems : tuple of str
        The runs that were pooled.
    topic, document : tuple of str
        What to judge.
    best_rank, runs : tuple of int
        The best rank that any run gives it, and how many runs have it in the pooled ranks.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}, "ql": {"1": ["a", "c"]}})
    >>> list_pool(runs, depth=1).document
    ('a', 'c')
    """

    depth: int
    systems: tuple[str, ...]
    topic: tuple[str, ...]
    document: tuple[str, ...]
    best_rank: tuple[int, ...]
    runs: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.document)

    def columns(self) -> Columns:
        """Return one row per document."""
        return {
            "topic": list(self.topic),
            "document": list(self.document),
            "best_rank": list(self.best_rank),
            "runs": list(self.runs),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the pool under its depth."""
        return (table_of(self.columns(), title=f"The pool to judge, of depth {self.depth:,}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents there are to judge."""
        topics = len(set(self.topic))
        ranks = "first rank" if self.depth == 1 else f"first {self.depth:,} ranks"
        said = (
            f"{counted(len(self), 'document')} on {counted(topics, 'topic')}, "
            f"{len(self) / max(topics, 1):.1f} per topic, in the {ranks} of "
            f"{counted(len(self.systems), 'run')}."
        )
        return (said,)


def list_pool(runs: Runs, *, depth: int) -> PoolToJudge:
    """List the documents that any of the runs has in its first ranks.

    Parameters
    ----------
    runs : Runs
        What was retrieved.
    depth : int
        How many ranks of each run are pooled.

    Returns
    -------
    PoolToJudge
        The documents by topic and id, so that their order tells no ranks.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["c", "b"]}, "ql": {"1": ["a", "c"]}})
    >>> found = list_pool(runs, depth=2)
    >>> found.document, found.best_rank, found.runs
    (('a', 'b', 'c'), (1, 2, 1), (1, 1, 2))
    """
    require_depth(depth, longest=int(runs.lengths.max(initial=0)))
    evidence = align(Judgments.from_dict({}).with_topics(runs.topics), runs)
    topics = candidates_of(evidence, depth=depth).topics
    return PoolToJudge(
        depth=depth,
        systems=runs.systems,
        topic=tuple(one.topic for one in topics for _ in range(len(one))),
        document=tuple(document for one in topics for document in one.documents),
        best_rank=tuple(rank for one in topics for rank in one.best_ranks.tolist()),
        runs=tuple(count for one in topics for count in one.holders.tolist()),
        provenance=replace(
            WITHOUT_FILES, runs=runs.sources, tie_rule=runs.tie_rule, notices=runs.notices
        ).with_options(depth=depth),
    )
