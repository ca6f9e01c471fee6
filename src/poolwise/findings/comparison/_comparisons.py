"""Many pairs of systems: how sure each difference is over topics, and over judgments."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers, levels, settle
from poolwise.collection._identifiers import Renamed
from poolwise.evidence._evidence import Pairs
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._comparison import (
    COLUMNS,
    IN_DRAWS,
    Comparison,
    PairUncertainties,
    elsewhere,
    further_columns,
    heading,
    in_draws,
    p_range_text,
    range_cell,
)
from poolwise.findings.comparison._differences import SETTLED, verdict_claims
from poolwise.findings.comparison._over_judgments import PairBounds, PairDraws
from poolwise.findings.comparison._samples import Sample, omitted_words
from poolwise.findings.comparison._significance import NO_SCORE, PairTests, too_few_words
from poolwise.findings.comparison._states import (
    NEWS,
    STATES,
    SUPPORT,
    PairVerdict,
    Plausibility,
    StateFacts,
    counts_in_words,
    states_of,
)
from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import LeastJudged, list_lengths
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty, check_alpha
from poolwise.words import UNKNOWN, Said, are, counted, have, named, p_text, said_by_measure

__all__ = ["Comparisons", "anchored_tiers", "pair_table", "tiers"]


def pair_table(pairs: Sequence[Comparison], *, of: int, title: str) -> Table:
    """Return one row per pair, in this order, without columns of which nothing is known.

    Parameters
    ----------
    pairs
        Those to show.
    of
        How many pairs there are.
    title
        Of the table.
    """
    shown = (
        f"{len(pairs):,} of {counted(of, 'pair')} are shown, those of the best systems; the "
        "columns hold all of them."
    )
    return _filled_table(_columns(pairs), pairs, title, (shown,) if len(pairs) < of else ())


def _filled_table(
    columns: dict[Column, Callable[[Comparison], Cell]],
    pairs: Sequence[Comparison],
    title: str,
    notes: tuple[str, ...] = (),
) -> Table:
    """Return one row per comparison, without columns of which nothing is known."""
    cells = {column: [write(pair) for pair in pairs] for column, write in columns.items()}
    filled = {column: texts for column, texts in cells.items() if set(texts) != {UNKNOWN}}
    return Table.by_column(filled, title=title, notes=notes)


def _columns(pairs: Sequence[Comparison]) -> dict[Column, Callable[[Comparison], Cell]]:
    """Return the columns, and how each is filled."""
    one_baseline = len(pairs) > 1 and len({pair.b for pair in pairs}) == 1
    further = elsewhere(pairs[0].beyond_topics)
    return {
        Column("a"): lambda pair: pair.a,
        # The title names the one system that all others are compared with.
        Column("b", rank=3 if one_baseline else 0): lambda pair: pair.b,
        Column("difference", digits=4): lambda pair: pair.difference,
        **_range_columns(pairs[0].over_topics),
        Column("p", rank=4): lambda pair: p_text(pair.pvalue),
        Column("p corrected", rank=2): lambda pair: p_text(pair.p_adjusted),
        Column("effect size", digits=2, rank=6): lambda pair: pair.effect_size,
        **_range_columns(*further, pairs[0].over("judgments")),
        Column("p if judged, uncorrected", rank=7): lambda pair: p_range_text(
            pair.p_low, pair.p_high
        ),
        **_range_columns(pairs[0].over("draws")),
        Column(IN_DRAWS, rank=3): in_draws,
        Column("state"): lambda pair: pair.state,
        Column("wins/ties/losses", rank=5): lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}",
        Column("topics answered", rank=2): _answered,
    }


def _range_columns(*uncertainties: Uncertainty) -> dict[Column, Callable[[Comparison], Cell]]:
    """Return a column for each of these uncertainties that is shown in one."""
    return {
        Column(heading(uncertainty), rank=uncertainty.shown.pairs.rank): partial(
            _cell_over, uncertainty.over
        )
        for uncertainty in uncertainties
        if uncertainty.shown.pairs.title
    }


def _cell_over(what: str, pair: Comparison) -> str:
    return range_cell(pair.over(what))


def _answered(pair: Comparison) -> str:
    """Return how many topics each system answers, where one lacks some that the other has."""
    if pair.answered_a == pair.answered_b:
        return UNKNOWN
    return f"{pair.answered_a} and {pair.answered_b}"


_QUOTED = 3
"""How many pairs of the best systems are put into words."""

_MAIN = list(COLUMNS)[: list(COLUMNS).index("answered_b") + 1]
"""The columns of a first look."""


@finding
class Comparisons(PairUncertainties[Floats], Finding):
    """Comparisons of systems with both uncertainties, by columns.

    Item ``i`` is the :class:`Comparison` of pair ``i``. Every number of a comparison is an array
    here, under the same name: ``found[i].pvalue`` is ``found.pvalue[i]``.

    Attributes
    ----------
    tests : PairTests
        What the test says of each pair: what another sample of topics could give.
    p_adjusted : float array
        The p values, corrected for the family; NaN where the test has none.
    correction : str
        How p was corrected, in which family of comparisons and for how many, in words.
    bounds : PairBounds
        What every assignment of grades to the unjudged documents leaves.
    drawn : PairDraws
        What plausible grades of them give.
    alpha : float
        The significance level; the intervals of the columns have the level 1 − alpha.
    answered : int array, optional
        For how many topics each system retrieved anything.
    judged : float array, optional
        The share of each system's documents that is judged, down to the depth of the measure.
    least_judged : LeastJudged, optional
        Of which run and topic the least is judged; None where all is, or nothing is known.
    longest : int array, optional
        The length of the longest list of each system.
    further : tuple of Uncertainty
        What else is known of the differences: over samples of documents, for estimates from one;
        over draws, where ranges by the relevance model can be calibrated.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, compare_evidence
    >>> topics = [str(t) for t in range(6)]
    >>> runs = Runs.from_rankings({
    ...     "new": {t: ["a", "b", "x"] for t in topics},
    ...     "old": {t: ["c", "a", "y"] if t > "1" else ["b", "a", "y"] for t in topics}})
    >>> grades = {"a": 1, "b": 1, "c": 0, "d": 1}
    >>> evidence = align(Judgments.from_dict({t: grades for t in topics}), runs)
    >>> comparisons = compare_evidence(evidence, "P@3")
    >>> comparisons.significant().tolist(), comparisons.verdict.tolist()
    ([True], ['open'])
    >>> print(*comparisons[0].sentences())
    new leads old by 0.2222 in P@3 on judged documents, significantly (p = 0.0250, 6 topics), but
    judging could reverse that (−0.1111 to 0.5556): 33% of old's first 3 are unjudged; draws
    suggest new, 195 of 200, not calibrated. Over topics: 95% interval 0.0416 to 0.4029, p = 0.0250
    (paired t test, 6 topics).
    """

    tests: PairTests
    p_adjusted: Floats
    correction: str
    bounds: PairBounds
    drawn: PairDraws
    alpha: float = 0.05
    answered: Integers | None = None
    judged: Floats | None = None
    least_judged: LeastJudged | None = None
    longest: Integers | None = None
    further: tuple[Uncertainty, ...] = ()

    def __len__(self) -> int:
        return len(self.tests)

    def __getitem__(self, i: int) -> Comparison:
        numbers = {attribute: _cell(getattr(self, attribute), i) for attribute in _STORED}
        return Comparison(
            **numbers,
            omitted=self.sample.omitted,
            null=self.tests.null,
            parameter=self.tests.parameter,
            sided=self.tests.sided,
            alpha=self.alpha,
            spread=self.tests.spread(i),
            unknown=self.bounds.reason,
            not_drawn=self.drawn.reason,
            grounds=self.bounds.grounds,
            beyond_topics=tuple(
                uncertainty.select(np.array([i])) for uncertainty in self.beyond_topics
            ),
            provenance=self.provenance,
        )

    def __iter__(self) -> Iterator[Comparison]:
        return (self[i] for i in range(len(self)))

    @property
    def measure(self) -> Measure:
        """What the systems were scored by."""
        return self.tests.measure

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, which the pairs name by position."""
        return self.tests.systems

    @property
    def pairs(self) -> Pairs:
        """Which systems were compared with which."""
        return self.tests.pairs

    @property
    def sample(self) -> Sample:
        """The scores as the test takes them, and what they amount to for each pair."""
        return self.tests.sample

    @property
    def test(self) -> str:
        """The significance test, in words."""
        return self.tests.test

    @cached_property
    def a(self) -> NDArray[np.object_]:
        """The first system of each pair."""
        return np.array(self.systems, np.object_)[self.pairs.left]

    @cached_property
    def b(self) -> NDArray[np.object_]:
        """The second system of each pair."""
        return np.array(self.systems, np.object_)[self.pairs.right]

    @property
    def difference(self) -> Floats:
        """Mean score of the first system minus mean score of the second one."""
        return self.tests.difference

    @property
    def pvalue(self) -> Floats:
        """The p values before correction; NaN where the test has none."""
        return self.tests.pvalue

    @property
    def effect_size(self) -> Floats:
        """The differences in standard deviations of the per-topic differences."""
        return self.tests.effect_size

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why a pair has no p value, interval or effect size; empty where it has them all."""
        return self.tests.reason

    @property
    def n(self) -> Integers:
        """Topics behind each difference."""
        return self.sample.n

    @property
    def wins(self) -> Integers:
        """Topics on which the first system is above the second one."""
        return self.sample.wins

    @property
    def ties(self) -> Integers:
        """Topics on which both are level."""
        return self.sample.ties

    @property
    def losses(self) -> Integers:
        """Topics on which the first system is below the second one."""
        return self.sample.losses

    plausible = Renamed('over("draws")')
    sampling = Renamed('over("samples")')

    @cached_property
    def over_topics(self) -> Uncertainty:
        """The intervals of level 1 − alpha: what another sample of topics could give."""
        level = 1 - self.alpha
        ends = self.interval(level)
        return Uncertainty("topics", *ends, level=level, kind=self.interval_method)

    @property
    def beyond_topics(self) -> tuple[Uncertainty, ...]:
        """That over judgments, then those that only some comparisons have."""
        return (self.bounds.range, *self.further)

    def _number(self, ends: Floats) -> Floats:
        return ends

    @property
    def interval_method(self) -> str:
        """Which interval that is: the test's own, or one that was asked for."""
        return self.tests.intervals[0]

    @property
    def verdict(self) -> NDArray[np.str_]:
        """What can be said of each order over judgments: keys of ``VERDICTS``."""
        return self.bounds.verdict

    @cached_property
    def plausibility(self) -> Plausibility:
        """What draws say of each pair; an interval over samples takes their place."""
        sampled, never = self.over("samples"), self.over("never drawn")
        if sampled.known.any():
            ends = (
                sampled.low + np.nan_to_num(never.low),
                sampled.high + np.nan_to_num(never.high),
            )
            return Plausibility.of_interval(*ends, self.sample.tolerance, over="samples")
        return self.drawn.plausibility()

    @cached_property
    def state(self) -> NDArray[np.str_]:
        """What can be said of each pair, all in all: keys of ``STATES``."""
        most = self.p_high_adjusted
        with np.errstate(invalid="ignore"):
            stays = most < self.alpha
        return states_of(
            StateFacts(
                verdict=self.verdict,
                difference=settle(self.difference, self.sample.tolerance),
                rests=self.rests_on != "",
                significant=self.significant(),
                stays_significant=np.asarray(stays),
                p_range_known=~np.isnan(most),
                plausible=self.plausibility,
            )
        )

    def verdicts(self) -> Iterator[PairVerdict]:
        """Go through the verdicts on the pairs: state, sentence, and what is claimed."""
        return (pair.pair_verdict for pair in self)

    @property
    def p_high_adjusted(self) -> Floats:
        """The correction applied to the largest p values that unjudged documents leave."""
        p_high = self.bounds.p_high_adjusted
        return np.full(len(self), np.nan) if p_high is None else p_high

    @property
    def drawn_ahead(self) -> Floats:
        """Share of draws in which the first system is ahead."""
        return self.drawn.ahead

    @property
    def drawn_behind(self) -> Floats:
        """Share of draws in which the second system is ahead."""
        return self.drawn.behind

    @property
    def draws_calibrated(self) -> NDArray[np.str_]:
        """Of which pairs the draws are calibrated: no others decide a state."""
        is_drawn = ~np.isnan(self.plausibility.ahead)
        answer = np.where(self.plausibility.calibrated, "yes", "no")
        return np.where(is_drawn, answer, "")

    @property
    def judged_a(self) -> Floats:
        """The share of the first system's documents judged, to the depth of the measure."""
        return self._judged[self.pairs.left]

    @property
    def judged_b(self) -> Floats:
        """The share of the second system's documents judged, to the depth of the measure."""
        return self._judged[self.pairs.right]

    @property
    def _judged(self) -> Floats:
        return np.full(len(self.systems), np.nan) if self.judged is None else self.judged

    @property
    def rests_on(self) -> NDArray[np.str_]:
        """Which run lacks how many topics, where an order rests on these; else empty."""
        texts = self.bounds.rests_on
        return np.full(len(self), "") if texts is None else texts

    @property
    def answered_a(self) -> Integers:
        """For how many topics the first system retrieved anything."""
        return self._answered[self.pairs.left]

    @property
    def answered_b(self) -> Integers:
        """For how many topics the second system retrieved anything."""
        return self._answered[self.pairs.right]

    @property
    def _answered(self) -> Integers:
        """The topics that each system answers: all that it has scores for, by scores alone."""
        if self.answered is not None:
            return self.answered
        return np.asarray((~np.isnan(self.sample.scores)).sum(axis=1))

    @property
    def p_low(self) -> Floats:
        """The smallest p value that the unjudged documents leave; NaN if not known."""
        return self.bounds.p_low

    @property
    def p_high(self) -> Floats:
        """The largest p value that the unjudged documents leave; NaN if not known."""
        return self.bounds.p_high

    @property
    def draws(self) -> int:
        """How many assignments of grades were drawn."""
        return self.drawn.draws

    @property
    def drawn_significant(self) -> Floats:
        """Share of draws in which a pair stays significant, the same system ahead."""
        return self.drawn.significant

    @property
    def drawn_same_order(self) -> Floats:
        """Share of draws in which the same system is ahead."""
        return self.drawn.same_order

    @cached_property
    def drawn_p_median(self) -> Floats:
        """The p value that half of the draws do not exceed."""
        return self.drawn.p_quantile(0.5)

    @cached_property
    def drawn_p_95(self) -> Floats:
        """The p value that 95% of the draws do not exceed."""
        return self.drawn.p_quantile(0.95)

    @property
    def calibration(self) -> NDArray[np.str_]:
        """Whether the plausible range of a pair is calibrated; empty where nothing is guessed."""
        return np.array(self.over("draws").kinds(), np.str_)

    @property
    def size(self) -> int:
        """How many comparisons were corrected for together: those that have a p value."""
        return int((~np.isnan(self.p_adjusted)).sum())

    def significant(self, alpha: float | None = None) -> Booleans:
        """Tell which corrected p values are below ``alpha``, by default the own level.

        None is significant on fewer topics than
        :func:`~poolwise.findings.comparison.significance.fewest_topics`, whatever a t test says.
        """
        level = self.alpha if alpha is None else alpha
        check_alpha(level)
        return np.asarray((self.p_adjusted < level) & self.tests.enough_topics(level))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the differences' intervals: those of the test."""
        return self.tests.interval(level)

    def columns(self) -> Columns:
        """Return one row per pair, with all columns."""
        cells = {name: self._cells(attribute) for name, attribute in COLUMNS.items()}
        return cells | further_columns(self.beyond_topics)

    def main_columns(self) -> Columns:
        """Return one row per pair, without how the numbers came about and without draws."""
        cells = {name: self._cells(COLUMNS[name]) for name in _MAIN}
        return cells | further_columns(self.beyond_topics)

    def _cells(self, attribute: str) -> list[Any]:
        values = getattr(self, attribute)
        if isinstance(values, np.ndarray):
            return values.tolist()
        return [str(values) if isinstance(values, Measure) else values] * len(self)

    def tables(self, *, most: int = 20) -> tuple[Table, ...]:
        """Return one row per pair as it was compared, the best systems' pairs on top.

        Parameters
        ----------
        most
            How many pairs to show; a note says how many there are.

        Examples
        --------
        >>> from poolwise import ScoreTable, compare_scores
        >>> table = ScoreTable.from_matrix([[0.3, 0.3, 0.4], [0.5, 0.4, 0.7]],
        ...                                systems=["old", "new"], topics="123", measure="AP")
        >>> print(compare_scores(table))
        new is ahead of old by 0.2000 in AP, not significantly (p = 0.0742, 3 topics); what judging
        could do is not known, since scores alone do not say which documents were judged.
        <BLANKLINE>
        AP: paired t test; Holm; all pairs of 2 systems: 1 comparison
        <BLANKLINE>
        a    b    difference  95% over topics (t)  p       p corrected  effect size  state  wins/ties/losses
        old  new     −0.2000  −0.4484 to 0.0484    0.0742  0.0742             −2.00  open   0/0/3
        <BLANKLINE>
        Over topics: 95% interval −0.0484 to 0.4484, p = 0.0742 (paired t test, 3 topics).
        3 topics are too few for any difference to be significant at 0.05: a system that wins on all
        of them does so by chance with p = 0.25, and it takes 6 topics to tell.
        Nothing is known of the judgments, since scores alone do not say which documents were
        judged.
        """  # noqa: E501
        leading = self.leading(most)
        title = f"{self.measure}: {self.test}; {self.correction}"
        pairs = [self[i] for i in leading]
        return (pair_table(pairs, of=len(self), title=title),)

    def leading(self, most: int) -> list[int]:
        """Return the positions of the pairs of the best systems, by mean score."""
        means = self.sample.means()
        place = np.empty(len(means), np.intp)
        order = np.argsort(-levels(means, self.sample.tolerance), kind="stable")
        place[order] = np.arange(len(means))
        left, right = place[self.pairs.left], place[self.pairs.right]
        # By the worse system of a pair first: the best three systems give the first three pairs.
        order = np.lexsort((np.minimum(left, right), np.maximum(left, right)))
        return list(map(int, order[:most]))

    def interesting(self, most: int) -> list[int]:
        """Return the positions of the pairs that a reader must hear of, the worst news first.

        Of one state, those come first that draws speak against, then the largest differences.
        """
        news = np.array([NEWS.index(state) for state in self.state.tolist()], np.intp)
        against = np.where(self.difference < 0, self.drawn_ahead, self.drawn_behind)
        size = np.nan_to_num(np.abs(self.difference))
        order = np.lexsort((-size, -np.nan_to_num(against), news))
        return list(map(int, order[:most]))

    def state_counts(self, among: Booleans | None = None) -> dict[str, int]:
        """Return how many pairs, or how many among these, have which state."""
        states = (self.state if among is None else self.state[among]).tolist()
        return {name: states.count(name) for name in STATES}

    def sentences(self) -> tuple[str, ...]:
        """Say the verdict, or how many pairs have which, and what is not known."""
        if len(self) == 1:
            return (*self[0].sentences(), *self.reasons(), *self.depths())
        quoted = (self[i].pair_verdict.sentence for i in self.interesting(_QUOTED))
        return (self.headline(), *quoted, *self.reasons(), *self.depths())

    def depths(self) -> tuple[str, ...]:
        """Say how deep the measure looks, which lists are shorter, and where least is judged."""
        least = () if self.least_judged is None else (str(self.least_judged),)
        if self.longest is None:
            return least
        return (*list_lengths(self.measure, self.systems, self.longest), *least)

    def headline(self) -> str:
        """Say how many pairs have which state, the worst news first."""
        significant = self.significant()
        number, pairs = int(significant.sum()), counted(len(self), "pair")
        lead = f"In {self.measure}, {number:,} of {pairs} {are(number)} significantly different"
        lead = f"{lead} at {self.alpha:g}"
        if self.bounds.reason and not self.plausibility.calibrated.any():
            return f"{lead}; what judging could do is not known."
        groups = [self.state_counts(among) for among in (significant, ~significant)]
        of_significant, others = (counts_in_words(counts) for counts in groups)
        rest = f"{' Of the others, ' if of_significant else ': '}{others}." if others else ""
        claims = self.claimed("holds", "order certain, significance open")
        return Said(f"{lead}{of_significant and f': {of_significant}.'}{rest}", claims)

    def over_measures(self, others: "Sequence[Comparisons]") -> tuple[str, ...]:
        """Say of the same pairs by several measures what is left of each by its worst verdict.

        Examples
        --------
        >>> from poolwise import compare, simulate
        >>> made = simulate(systems=2, topics=20, depth=30, rng=2)
        >>> comparisons = compare(made.judgments, made.runs, ["P@5", "nDCG@10"], draws=0)
        >>> print(*comparisons.headline())
        bm25-1 is ahead of maverick-1 by 2 measures; the worst verdict is that by P@5: significant
        on judged documents; how likely judging would reverse it is not known.
        """
        parts = (self, *others)
        same = all(np.array_equal(other.pairs.left, self.pairs.left) for other in others)
        if not others or not same:
            return ()
        said = _of_one_pair(parts) if len(self) == 1 else _of_many_pairs(parts)
        sure = ("holds", "order certain, significance open")
        return (Said(said, [claim for part in parts for claim in part.claimed(*sure)]),)

    def rows_by_measure(
        self, others: "Sequence[Comparisons]"
    ) -> tuple[Table, tuple[str, ...]] | None:
        """Return one row per measure and what is said below it; None unless there is one pair.

        Examples
        --------
        >>> from poolwise import compare, simulate
        >>> made = simulate(systems=2, topics=20, depth=30, rng=2)
        >>> comparisons = compare(made.judgments, made.runs, ["P@5", "nDCG@10"], draws=0)
        >>> (table,) = comparisons.tables()
        >>> table.title[:32]
        'bm25-1 − maverick-1 on 20 topics'
        >>> [(row[0], round(row[1], 3)) for row in table.rows]
        [('P@5', 0.56), ('nDCG@10', 0.558)]
        """
        parts = (self, *others)
        if any(len(part) != 1 or part.test != self.test for part in parts):
            return None
        pairs = [part[0] for part in parts]
        of_pairs = {c: write for c, write in _columns(pairs).items() if c.title not in ("a", "b")}
        by_measure = {Column("measure"): lambda pair: str(pair.measure), **of_pairs}
        topics = counted(self.sample.topics, "topic")
        title = f"{self.a[0]} − {self.b[0]} on {topics}: {self.test}; {self.correction}"
        notes = {str(part.measure): (*part.reasons(), *part.depths()) for part in parts}
        return _filled_table(by_measure, pairs, title), said_by_measure(notes)

    def claimed(self, *states: str) -> tuple[Claim, ...]:
        """Return what is claimed of the pairs, of these states where some are named."""
        grounds = self.bounds.grounds
        if grounds is None:
            return ()
        wanted = np.isin(self.state, states) if states else np.isin(self.verdict, SETTLED)
        rows = zip(self.verdict.tolist(), self.a, self.b, self.difference.tolist(), strict=True)
        return tuple(
            claim
            for is_wanted, (verdict, a, b, difference) in zip(wanted.tolist(), rows, strict=True)
            if is_wanted
            for claim in verdict_claims(
                verdict, a, b, grounds=grounds, defined=not np.isnan(difference)
            )
        )

    def reasons(self) -> tuple[str, ...]:
        """Say what is not known, and why."""
        scored, omitted = self.sample.topics > 0, self.sample.omitted
        missing = int(np.isnan(self.pvalue).sum()) if scored else 0
        few = scored and not self.tests.enough_topics(self.alpha)
        bounds, drawn = self.bounds.reason, self.drawn.reason
        both = bounds == drawn
        cases = (
            (few, self.too_few()),
            (missing, f"{_have(missing)} no p value, since nothing varies over topics."),
            (omitted, f"{omitted_words(omitted)} {are(omitted)} left out."),
            (bounds and both, f"Nothing is known of the judgments, since {bounds}."),
            (bounds and not both, f"The range over judgments is not known, since {bounds}."),
            *((True, said) for said in self.bounds.range.scope.sentences()),
            (drawn and not both, f"No grades were drawn, since {drawn}."),
            *((True, said) for said in self.over("draws").meaning),
        )
        return tuple(text for applies, text in cases if applies)

    def too_few(self) -> str:
        """Say that so few topics allow no conclusion."""
        topics = self.sample.topics
        if not topics:
            return f"{NO_SCORE}."
        return too_few_words(topics, "topic", self.alpha, self.tests.sided)


_STORED = [field.name for field in fields(Comparison) if field.name in COLUMNS.values()]
"""What a single comparison takes from the columns; its uncertainties come with it."""


def _cell(values: Any, i: int) -> Any:
    """Return the entry of pair ``i`` as a plain value; what all pairs share is no array."""
    return values[[i]].tolist()[0] if isinstance(values, np.ndarray) else values


def _have(pairs: int) -> str:
    return f"{counted(pairs, 'pair')} {have(pairs)}"


def _of_one_pair(parts: Sequence[Comparisons]) -> str:
    """Say whether measures disagree on who is ahead, or else which of them has the worst state."""
    if not _in_both_orders(parts)[0]:
        worst = parts[int(_left_of(parts)[:, 0].argmax())]
        meaning = STATES[str(worst.state[0])].meaning
        measures = counted(len(parts), "measure")
        a, b = parts[0].a[0], parts[0].b[0]
        differences = [settle(part.difference, part.sample.tolerance)[0] for part in parts]
        for ahead, behind, sign in ((a, b, 1), (b, a, -1)):
            if all(sign * difference > 0 for difference in differences):
                lead = f"{ahead} is ahead of {behind} by {measures}"
                return f"{lead}; the worst verdict is that by {worst.measure}: {meaning}."
        return f"The worst verdict of {measures}, by {worst.measure}: {meaning}."
    ahead, behind = (
        named([str(part.measure) for part in parts if sign * part.difference[0] > 0], most=8)
        for sign in (1, -1)
    )
    a, b = parts[0].a[0], parts[0].b[0]
    return f"The measures disagree: {a} is ahead by {ahead}, {b} by {behind}."


def _of_many_pairs(parts: Sequence[Comparisons]) -> str:
    """Count the pairs by their worst state, and those that measures put in different orders."""
    apart = _in_both_orders(parts)
    states = np.array(SUPPORT)[_left_of(parts).max(axis=0)][~apart].tolist()
    verdicts = counts_in_words({state: states.count(state) for state in set(states)})
    number, pairs = int(apart.sum()), counted(len(parts[0]), "pair")
    differ = f"{number:,} {have(number)} different orders by different measures" if number else ""
    measures = counted(len(parts), "measure")
    lead = f"By {measures} together, each of {pairs} by its worst verdict"
    return f"{lead}: {'; '.join(filter(None, (differ, verdicts)))}."


def _in_both_orders(parts: Sequence[Comparisons]) -> Booleans:
    """Tell which pairs have one run ahead by a measure, and the other one by another."""
    signs = np.array([np.sign(part.difference) for part in parts])
    return np.asarray((signs > 0).any(axis=0) & (signs < 0).any(axis=0))


def _left_of(parts: Sequence[Comparisons]) -> Integers:
    """Return how little each measure leaves of each order: places in ``SUPPORT``."""
    return np.array([[SUPPORT.index(state) for state in part.state.tolist()] for part in parts])


@recorded
def tiers(table: ScoreTable, comparisons: Comparisons, *, alpha: float = 0.05) -> Integers:
    """Return the tier of each system, 1 for the best.

    From the best mean down, a tier goes on as long as no test separates the next system from the
    first of the tier. Systems of one tier may yet differ from each other, and those at the border
    of two tiers may not: only the difference from the first of a tier is asked for.

    Parameters
    ----------
    comparisons
        All pairs of its systems: see :func:`~poolwise.compare_scores`.
    alpha
        Corrected p values below this separate.

    Returns
    -------
    int array, systems
        The tiers, in the order of the table's systems.

    Examples
    --------
    >>> from poolwise import compare_scores
    >>> scores = [[0.9, 0.8] * 3, [0.9, 0.8, 0.8] * 2, [0.2, 0.1, 0.3] * 2]
    >>> table = ScoreTable.from_matrix(scores, systems="abc", topics="123456", measure="AP")
    >>> tiers(table, compare_scores(table)).tolist()
    [1, 1, 2]
    """
    pairs = comparisons.pairs
    separated = np.zeros((len(table.systems),) * 2, np.bool_)
    separated[pairs.left, pairs.right] = comparisons.significant(alpha)
    return anchored_tiers(separated | separated.T, table.order())


def anchored_tiers(separated: Booleans, order: Indices) -> Integers:
    """Return the tiers of systems in this order, by what separates each from the others.

    ``separated[a, b]`` says whether system b differs from a, the first of a tier. Neighbours are
    not chained: all systems would soon be in one tier.

    Examples
    --------
    >>> separated = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], np.bool_)
    >>> anchored_tiers(separated, np.arange(3)).tolist()
    [1, 1, 2]
    """
    tier = np.ones(len(order), np.int64)
    first, number = int(order[0]), 1
    for s in order.tolist():
        if separated[first, s]:
            first, number = s, number + 1
        tier[s] = number
    return tier
