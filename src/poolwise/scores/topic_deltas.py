"""One system minus another, topic by topic."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, outcome_words, signed

__all__ = ["Deltas"]


@finding
class Deltas(Finding):
    """The difference of two systems on each topic where both have a score, the largest first.

    Attributes
    ----------
    measure : Measure
        What the systems were scored by.
    a, b : str
        The two systems.
    topics : tuple of str
        The topics, in the order of the differences.
    difference : float array, topics
        Score of ``a`` minus score of ``b``.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> print(table.deltas("a", "b"))
    measure  a  b  topic  difference
    AP       a  b  1          0.4000
    AP       a  b  3          0.0000
    AP       a  b  2         -0.1000
    <BLANKLINE>
    a − b in AP: 1 win, 1 tie, 1 loss.
    The mean difference is +0.1000 over 3 topics.
    """

    measure: Measure
    a: str
    b: str
    topics: tuple[str, ...]
    difference: Floats

    @property
    def wins(self) -> int:
        """Topics on which the first system is above the second one."""
        return int((self.difference > 0).sum())

    @property
    def ties(self) -> int:
        """Topics on which both are level."""
        return int((self.difference == 0).sum())

    @property
    def losses(self) -> int:
        """Topics on which the first system is below the second one."""
        return int((self.difference < 0).sum())

    @property
    def outcome(self) -> str:
        """Wins, ties and losses, in words."""
        return outcome_words(self.wins, self.ties, self.losses)

    def columns(self) -> Columns:
        """Return one row per topic."""
        topics = len(self.topics)
        return {
            "measure": [str(self.measure)] * topics,
            "a": [self.a] * topics,
            "b": [self.b] * topics,
            "topic": list(self.topics),
            "difference": self.difference.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say on how many topics each is ahead, and the mean difference."""
        if not len(self.topics):
            return (f"{self.a} and {self.b} have no topic with a score by {self.measure}.",)
        over = counted(len(self.topics), "topic")
        return (
            f"{self.a} − {self.b} in {self.measure}: {self.outcome}.",
            f"The mean difference is {signed(float(np.mean(self.difference)))} over {over}.",
        )
