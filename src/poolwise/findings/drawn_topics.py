"""What one run could score on the topics where most is open, by drawn grades (B23 fig. 1)."""

from functools import cached_property

import numpy as np

from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence.unknowns.relevance_model._pool_shape import require_non_relevant
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.scores.scoring import score
from poolwise.scores.treatments.drawn_scores import DrawnScores
from poolwise.scores.treatments.run_on_topic import with_other_treatments
from poolwise.scores.treatments.score_distribution import bootstrap
from poolwise.scores.treatments.treatments import below_pool
from poolwise.words import counted

__all__ = ["DRAWN", "DrawnTopics", "draw_topics"]

DRAWN = "drawn"
"""What the rows of a chart are that hold draws, and no other score."""


@finding
class DrawnTopics(Finding):
    """How often each score comes out for one run on some topics, the widest range first.

    Attributes
    ----------
    run : str
        Whose scores they are.
    topics : tuple of DrawnScores
        The draws on each topic, beside other treatments.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> found = draw_topics(evidence, "P@2", run="run1")
    >>> [(one.topic, one.plain, one.highest) for one in found.topics]
    [('1', 0.5, 1.0)]
    """

    run: str
    topics: tuple[DrawnScores, ...]

    @property
    def measure(self) -> Measure:
        """What the run is scored by."""
        return self.topics[0].measure

    def columns(self) -> Columns:
        """Return one row per topic and score."""
        return stack_columns([one.columns() for one in self.topics])

    @cached_property
    def marks(self) -> Columns:
        """What a chart shows: the share of draws by score, in hundredths, and single scores."""
        rows = [row for one in self.topics for row in _marks(one)]
        names = ("topic", "what", "score", "share")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def sentences(self) -> tuple[str, ...]:
        """Say what is possible on the topic where most is open, and what is plausible."""
        first = self.topics[0]
        where = f"On topic {first.topic}, {self.measure} of {self.run}"
        said = (
            f"{where} is {first.plain:.4f} with unjudged documents as not relevant, and at most "
            f"{first.highest:.4f} with the best grades for them; in 95% of "
            f"{counted(first.draws, 'draw')} it is at most {first.reached:.4f}."
        )
        return (said,)


def _marks(one: DrawnScores) -> list[tuple[str, str, float, float | None]]:
    hundredths, place = np.unique(one.values.round(2), return_inverse=True)
    shares = np.bincount(place, weights=one.shares)
    drawn = [
        (one.topic, DRAWN, score, share)
        for score, share in zip(hundredths.tolist(), shares.tolist(), strict=True)
    ]
    single = {
        "not relevant": one.plain,
        "condensed": one.condensed,
        "most frequent": one.mode,
        "naive upper bound": one.highest,
    }
    return [*drawn, *((one.topic, name, value, None) for name, value in single.items())]


def draw_topics(
    evidence: Evidence,
    measure: Measure | str,
    *,
    run: str,
    most: int = 5,
    draws: int = 1000,
    rng: int = 1,
) -> DrawnTopics:
    """Draw grades for a run's unjudged documents on the topics where its naive range is widest.

    Parameters
    ----------
    evidence : Evidence
        Runs met with judgments.
    measure : Measure or str
        What to score by: a measure of pooled ranks, as for :class:`~poolwise.scores.Bootstrap`.
    run : str
        Whose documents.
    most : int
        How many topics at most.
    draws, rng
        How often grades are drawn, and the seed.

    Returns
    -------
    DrawnTopics
        The draws on each of these topics.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> found = draw_topics(align(made.judgments, made.runs), "P@5", run="maverick-1", most=2)
    >>> len(found.topics), found.topics[0].highest > found.topics[0].plain
    (2, True)
    """
    known = parse_measure(measure)
    require_non_relevant(evidence, "bootstrap")
    one = evidence.select([run])
    naive = score(one, known, bounds="naive")
    width = np.nan_to_num(naive.upper - naive.value)[0]
    widest = [t for t in np.argsort(-width, kind="stable")[:most].tolist() if width[t] > 0]
    reason = below_pool(evidence, known) or ("" if widest else "nothing is open")
    if reason:
        raise OptionError(
            f"measure: grades are not drawn for {known!r} of {run!r}, since {reason}. Hint: use a "
            "measure of the pooled ranks, and a run with unjudged documents."
        )
    # Draws belong to the names of run and topic, so that they are the same without other topics.
    parts = [one.of_topic(t) for t in widest]
    drawn = [bootstrap(part, known, draws=draws, rng=rng) for part in parts]
    return DrawnTopics(
        run,
        tuple(
            with_other_treatments(scores, part, run, part.topics[0])
            for scores, part in zip(drawn, parts, strict=True)
        ),
        provenance=drawn[0].provenance,
    )
