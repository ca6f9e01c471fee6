"""What runs and judgments say by one measure: who leads, what holds, what judging could change."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.findings._checklist import Checklist
from poolwise.findings._claims import Claim
from poolwise.findings._judged_coverage import FIRST_RANKS, JudgedCoverage
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.findings._run_against_all import RunStanding
from poolwise.findings._treatment_means import DrawnTopics, TreatmentMeans
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._states import counts_in_words
from poolwise.findings.planning._collection_power import CollectionPower
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._topic_deltas import DeltaDensities, density
from poolwise.scores._uncertainty import Uncertainty
from poolwise.words import Said, are, counted, named

__all__ = ["MeasureOverview"]

_THIN = 0.9
"""A run with a smaller share of judged documents is named in a caution."""
_CAUTIONS = 5
"""So many of them are named, at most."""
_RUNS_NAMED = 8
_TOPICS_NAMED = 3


@finding
class MeasureOverview(Finding):
    """Everything the report says by one measure; what cannot be had from the input is None.

    Attributes
    ----------
    table : ScoreTable
        The scores, with their bounds.
    coverage : JudgedCoverage
        What is judged of each run.
    tier : int array, systems
        1 for the runs that are not significantly different from the best of them, and so on.
    comparisons, against : Comparisons or None
        All pairs of runs; and all others against the baseline.
    standardized : ScoreTable or None
        The scores in standard deviations from the mean of all runs on a topic.
    estimates : TreatmentMeans or None
        The means by treatment of the unjudged documents; None if all that count are judged.
    expected, plausible : float array and Uncertainty, or None
        The mean that the relevance model expects of each run, and its plausible range.
    drawn : DrawnTopics or None
        What the run with the most unjudged documents could score on single topics.
    power : CollectionPower or None
        What so many topics can detect.
    standings : tuple of RunStanding
        How the leader, and the baseline, stand to all others; none without another run.
    to_judge : tuple of Finding
        The documents that would settle the most, for the leader and for the baseline; one for each
        of them whose order with another run is open.
    checklist : Checklist or None
        What the papers ask to be reported with these scores.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> for sentence in report(made.judgments, made.runs, ["P@5"])["P@5"].sentences()[:3]:
    ...     print(sentence)
    By judged documents bm25-3 leads, with a mean P@5 of 0.7100, over 20 topics.
    2 more runs are in its tier, not significantly different from it: bm25-1, bm25-2.
    If all were judged, draws suggest another leader: of 200 draws of the judgments (not
    calibrated), maverick-1 is above bm25-3 in 126; what is possible: judging could put 1 other run
    above bm25-3: maverick-1.
    """

    table: ScoreTable
    coverage: JudgedCoverage
    tier: Integers
    comparisons: Comparisons | None = None
    against: Comparisons | None = None
    standardized: ScoreTable | None = None
    estimates: TreatmentMeans | None = None
    expected: Floats | None = None
    plausible: Uncertainty | None = None
    drawn: DrawnTopics | None = None
    power: CollectionPower | None = None
    standings: tuple[RunStanding, ...] = ()
    to_judge: tuple[Finding, ...] = ()
    checklist: Checklist | None = None

    @property
    def measure(self) -> Measure:
        """What the runs are scored by."""
        return self.table.measure

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs."""
        return self.table.systems

    @property
    def leader(self) -> int:
        """The position of the run with the highest mean."""
        return int(self.table.order()[0])

    @cached_property
    def verdicts(self) -> PairVerdicts | None:
        """What supports the order of every two runs; None for one run, or without a topic."""
        return None if self.comparisons is None else PairVerdicts.of(self.comparisons)

    def parts(self) -> tuple[Finding, ...]:
        """Return this leaderboard, and what stands behind it where the input gives it."""
        behind = (self.table, self.comparisons, self.against, self.standardized, self.estimates)
        findings = (
            *behind,
            self.drawn,
            self.power,
            self.checklist,
            *self.standings,
            *self.to_judge,
        )
        return (self, *(part for part in findings if part is not None))

    @property
    def tested(self) -> bool:
        """Whether there are pairs of runs, and enough topics for a difference to be significant."""
        comparisons = self.comparisons
        return comparisons is not None and comparisons.tests.enough_topics(comparisons.alpha)

    @property
    def unknown(self) -> str:
        """Why nothing is known of what judging could reverse; empty where it is known."""
        return "" if self.comparisons is None else self.comparisons.bounds.reason

    @cached_property
    def _never_behind(self) -> Booleans:
        if self.verdicts is None:
            return np.zeros((len(self.systems),) * 2, np.bool_)
        return self.verdicts.never_behind()

    @cached_property
    def best_place(self) -> Integers:
        """The best place that each run can have, whatever the unjudged documents are.

        A run that is never behind another stands above it, or level with it, which counts either
        way.
        """
        return np.asarray(1 + self._never_behind.sum(axis=0))

    @cached_property
    def worst_place(self) -> Integers:
        """The worst place that each run can have, whatever the unjudged documents are."""
        return np.asarray(len(self.systems) - self._never_behind.sum(axis=1))

    def leading_claims(self, run: str) -> tuple[Claim, ...]:
        """Return the claim that a run cannot lead, where another one is never behind it."""
        at = self.systems.index(run)
        grounds = None if self.comparisons is None else self.comparisons.bounds.grounds
        if grounds is None or self.best_place[at] == 1:
            return ()
        return (Claim("cannot lead", run, grounds=grounds),)

    @cached_property
    def place_claims(self) -> tuple[Claim, ...]:
        """The claims that each run has one of its possible places."""
        grounds = None if self.comparisons is None else self.comparisons.bounds.grounds
        if grounds is None or self.unknown:
            return ()
        places = zip(self.systems, self.best_place, self.worst_place, strict=True)
        return tuple(
            Claim("rank in", run, low=int(best), high=int(worst), grounds=grounds)
            for run, best, worst in places
        )

    @property
    def could_lead(self) -> Booleans:
        """Which other runs judging could put above the leader; none where that is not known."""
        standings = [
            standing for standing in self.standings if standing.run == self.systems[self.leader]
        ]
        names = {run for standing in standings for run in standing.runs_that_could_turn()}
        return np.array([run in names for run in self.systems], np.bool_)

    def leaderboard(self) -> Columns:
        """Return one row per run, the best mean first: place, tier, mean and its ranges."""
        order = self.table.order()
        numbers = {
            "tier": self.tier.tolist(),
            **self.table.summary().columns(),
            "judged_at_10": self.coverage.judged_at_10.tolist(),
            **self._estimated(),
            "could_lead": self.could_lead.tolist(),
        }
        return {
            "place": list(range(1, len(order) + 1)),
            "run": [self.systems[s] for s in order.tolist()],
            **{name: [cells[s] for s in order.tolist()] for name, cells in numbers.items()},
        }

    def _estimated(self) -> Columns:
        """Return what the relevance model expects, and holds for plausible; nothing without it."""
        if self.expected is None or self.plausible is None:
            return {}
        ends = self.plausible.columns(("plausible_low", "plausible_high"))
        return {"estimate": self.expected.tolist(), **ends}

    def run_coverage(self) -> Columns:
        """Return one row per run, the least judged first: what is judged, and what that leaves."""
        low, high = self.table.mean_bounds()
        columns = self.coverage.columns() | {
            "residual": (high - low).tolist(),
            "best_place": self.best_place.tolist(),
            "worst_place": self.worst_place.tolist(),
        }
        order = np.argsort(self.coverage.judged_at_10, kind="stable").tolist()
        return {name: [cells[s] for s in order] for name, cells in columns.items()}

    def against_baseline(self) -> Columns:
        """Return one row per run but the baseline, the largest difference first."""
        if self.against is None:
            return {}
        columns = self.against.columns()
        order = np.argsort(-self.against.difference, kind="stable").tolist()
        return {name: [cells[i] for i in order] for name, cells in columns.items()}

    def topic_scores(self, most: int | None = None) -> Columns:
        """Return one row per topic, by the median score: judged, relevant, spread, best run.

        Of more topics than ``most``, those on which the runs disagree most.
        """
        spread = self.table.topic_spread()
        if most is not None:
            divided = np.argsort(-np.array(spread["deviation"]).round(12), kind="stable")[:most]
            spread = {name: [c[t] for t in np.sort(divided)] for name, c in spread.items()}
        at = {topic: t for t, topic in enumerate(self.table.topics)}
        places = [at[topic] for topic in spread["topic"]]
        values = self.table.value[:, places]
        level = values >= values.max(axis=0) - self.table.tolerance
        return {
            "topic": spread["topic"],
            "judged": self.coverage.judged[places].tolist(),
            "relevant": self.coverage.relevant[places].tolist(),
            **{name: spread[name] for name in ("median", "lowest", "highest", "deviation")},
            "best_run": [
                named([self.systems[s] for s in np.flatnonzero(level[:, t]).tolist()], most=1)
                for t in range(len(places))
            ],
        }

    def median_density(self) -> Columns:
        """Count the topics by the median score of the runs, in bins."""
        return density(self.table.topic_spread()["median"])

    def standardized_density(self) -> Columns:
        """Count the topics by the highest standardized score, in bins."""
        return density(self.standardized_spread()["highest"]) if self.standardized else {}

    def delta_densities(self) -> DeltaDensities:
        """Count the topics by the difference of every two runs, in bins."""
        return DeltaDensities.of(self.table)

    def standardized_spread(self) -> Columns:
        """Return the spread of the standardized scores, topics as by their median raw score."""
        if self.standardized is None:
            return {}
        return self.standardized.topic_spread(order=self.table.topic_spread()["topic"])

    def columns(self) -> Columns:
        """Return one row per run: the leaderboard, and the places that judging leaves open."""
        board, order = self.leaderboard(), self.table.order()
        return {
            "measure": [str(self.measure)] * len(order),
            **board,
            "best_place": self.best_place[order].tolist(),
            "worst_place": self.worst_place[order].tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the leaderboard."""
        columns = self.columns()
        columns.pop("measure")
        return (table_of(columns, title=f"Runs by mean {self.measure}"),)

    def sentences(self) -> tuple[str, ...]:
        """Say who leads, which differences hold, and what judging could change."""
        said = (
            *self.headline(),
            *self.outlook(),
            *(self.verdicts.sentences() if self.verdicts else ()),
            *self.cautions(),
            *self.what_could_turn(),
        )
        # Of two runs the verdict and what could turn are the same sentence.
        return tuple(dict.fromkeys(said))

    def headline(self) -> tuple[str, ...]:
        """Say how the baseline stands, if there is one, and who leads."""
        if self.against is None:
            return self.who_leads()
        return (*self.where_the_baseline_stands(), *self.who_leads()[:2])

    def where_the_baseline_stands(self) -> tuple[str, ...]:
        """Say the mean and place of the baseline, and which runs are better; nothing without."""
        if self.against is None:
            return ()
        name = str(self.against.b[0])
        at = self.systems.index(name)
        means, topics = self.table.means(), counted(int(self.table.defined.sum()), "topic")
        place = 1 + int((self.against.difference > 0).sum())
        return (
            (
                f"{name}, the baseline, has a mean {self.measure} of {means[at]:.4f} over "
                f"{topics}: place {place:,} of {len(means):,}."
            ),
            *self.who_beats_the_baseline(),
        )

    def outlook(self) -> tuple[str, ...]:
        """Say what judging could possibly turn, and what plausibly: of the baseline, or the leader.

        Nothing is said of one run.
        """
        if self.unknown:
            return (f"What judging could change is not known, since {self.unknown}.",)
        return self.standings[-1].sentences() if self.standings else ()

    def who_leads(self) -> tuple[str, ...]:
        """Say who is ahead, who is level with it, and who is in its tier."""
        if not self.table.defined.any():
            return (f"No topic has a score by {self.measure} for every run.",)
        mean, topics = self.table.means()[self.leader], int(self.table.defined.sum())
        over = f"{mean:.4f}, over {counted(topics, 'topic')}."
        if len(self.systems) == 1:
            return (f"{self.systems[0]} has a mean {self.measure} of {over}",)
        level = self.level_with_leader()
        if level:
            first = [self.systems[self.leader], *level[:-1]]
            runs = f"{named(first, most=_RUNS_NAMED)} and {level[-1]}"
            lead = f"{runs} share the highest mean {self.measure}, {over}"
        else:
            name = self.systems[self.leader]
            lead = f"By judged documents {name} leads, with a mean {self.measure} of {over}"
        return (lead, *self._tier_sentence(level))

    def level_with_leader(self) -> list[str]:
        """Return the runs whose mean is as high as that of the leader."""
        means = self.table.means()
        level = means >= means[self.leader] - self.table.tolerance
        return [self.systems[s] for s in np.flatnonzero(level).tolist() if s != self.leader]

    def _tier_sentence(self, level: list[str]) -> tuple[str, ...]:
        """Say which runs are in the tier of the leader, and of those that are level with it."""
        order = self.table.order().tolist()
        if self.comparisons is None or not self.tested:
            return () if self.comparisons is None else (f"No test: {self.comparisons.too_few()}",)
        others = [s for s in order[1:] if self.systems[s] not in level]
        if not others:
            return ()
        beside = [self.systems[s] for s in others if self.tier[s] == self.tier[order[0]]]
        its, it = ("their", "them") if level else ("its", "it")
        after = self.systems[others[0]]
        if len(order) == 2:
            different = "not significantly" if beside else "significantly"
            return (f"{after}, the other run, is {different} different from it.",)
        if not beside:
            next_one = f"the next, {after}, is significantly different"
            return (f"No other run is in {its} tier: {next_one}.",)
        more = f"{counted(len(beside), 'more run')} {are(len(beside))} in {its} tier"
        names = named(beside, most=_RUNS_NAMED)
        return (f"{more}, not significantly different from {it}: {names}.",)

    def what_tiers_are(self) -> tuple[str, ...]:
        """Say by which test runs are put into tiers; nothing without one."""
        comparisons = self.comparisons
        if comparisons is None or not self.tested:
            return ()
        return (
            (
                "A tier holds the runs that are not significantly different from its first run, at "
                f"{comparisons.alpha:g}, by {comparisons.test}, corrected: "
                f"{comparisons.correction}."
            ),
        )

    def cautions(self) -> tuple[str, ...]:
        """Warn where a range says little, and which runs the judgments do not place."""
        # Where any place is possible by nature, that says nothing of a run.
        wide = self.unknown or self.wide_by_nature()
        unsettled = () if wide else tuple(self._unsettled())
        rest = len(unsettled) - _CAUTIONS
        more = (f"The same is true of {counted(rest, 'more run')}.",) if rest > 0 else ()
        return (*self.wide_by_nature(), *unsettled[:_CAUTIONS], *more)

    def wide_by_nature(self) -> tuple[str, ...]:
        """Say of a measure without a cut-off that what is possible says little of it."""
        comparisons = self.comparisons
        if comparisons is None or not comparisons.bounds.range.scope.remedy:
            return ()
        return (
            (
                f"{self.measure} looks at whole lists, so that its range is wide by nature: what "
                "is possible says little of it. Go by what is plausible, or give a cut-off."
            ),
        )

    def _unsettled(self) -> Iterator[str]:
        """Say of each run that is thinly judged which places it could have, the thinnest first."""
        judged, best, worst = self.coverage.judged_at_10, self.best_place, self.worst_place
        claims = self.place_claims
        for s in np.argsort(judged, kind="stable").tolist():
            if judged[s] < _THIN and best[s] < worst[s]:
                said = (
                    f"The judgments do not settle where {self.systems[s]} stands: "
                    f"{judged[s]:.0%} of its first {FIRST_RANKS} documents are judged, and "
                    f"depending on the others its place is anything from {best[s]} to {worst[s]} "
                    f"of {len(judged)}."
                )
                yield Said(said, claims[s : s + 1])

    def what_could_turn(self) -> tuple[str, ...]:
        """Say how many comparisons judging alone could reverse; nothing without comparisons."""
        if self.verdicts is None or self.comparisons is None or not self.table.defined.any():
            return ()
        if self.unknown:
            return self.verdicts.unknown()
        reversible = self.verdicts.reversible
        if len(reversible) == 1:
            return (self.comparisons[0].pair_verdict.sentence,)
        doubtful = reversible & self.comparisons.significant()
        number, total = int(reversible.sum()), counted(len(reversible), "comparison")
        if not number:
            return (Said(f"Judging could reverse none of {total}.", self.comparisons.claimed()),)
        significant = int(doubtful.sum())
        return (
            (
                f"What is possible: judging the unjudged documents could reverse {number:,} of "
                f"{total}; {significant:,} of these {are(significant)} significant over topics."
            ),
        )

    def nothing_to_judge(self) -> tuple[str, ...]:
        """Say that no order in question is open to judging; nothing where there is no order."""
        if self.comparisons is None:
            return ()
        whose = "of the first run or of the baseline" if self.against else "of the first run"
        said = f"By {self.measure}, no order {whose} is open to judging."
        return (Said(said, [claim for standing in self.standings for claim in standing.claimed()]),)

    def who_beats_the_baseline(self) -> tuple[str, ...]:
        """Say how many runs are better and worse than the baseline; nothing without a test."""
        if self.against is None or not self.tested:
            return ()
        significant, difference = self.against.significant(), self.against.difference
        better = int((significant & (difference > 0)).sum())
        worse = int((significant & (difference < 0)).sum())
        runs, how = counted(len(self.against), "run"), f"{self.against.test}, corrected:"
        return (
            (
                f"{better:,} of {runs} {are(better)} significantly better than "
                f"{self.against.b[0]}, and {worse:,} {are(worse)} worse, at "
                f"{self.against.alpha:g} ({how} "
                f"{self.against.correction})."
            ),
            *self._what_supports(significant),
        )

    def _what_supports(self, significant: Booleans) -> tuple[str, ...]:
        """Say which states the significant differences from the baseline have."""
        if self.against is None or self.against.bounds.reason or not significant.any():
            return ()
        states = counts_in_words(self.against.state_counts(significant))
        claims = self.against.claimed("holds", "order certain, significance open")
        return (Said(f"Of these {int(significant.sum()):,}, {states}.", claims),)

    def which_topics_decide(self) -> tuple[str, ...]:
        """Say which topics are easy, which hard, and on which the runs disagree."""
        spread = self.table.topic_spread()
        topics, medians, means = spread["topic"], spread["median"], self.table.means()
        some = max(1, min(_TOPICS_NAMED, len(topics) // 2))
        hardest = topics[::-1][:some]
        deviation = np.array(spread["deviation"]).round(12)
        divided = np.argsort(-deviation, kind="stable")[:some].tolist()
        wider = max(medians) - min(medians) > means.max() - means.min()
        more = "more" if wider else "no more"
        return (
            (
                f"Topics differ {more} than runs: the median {self.measure} goes "
                f"from {max(medians):.2f} to {min(medians):.2f} over topics, the mean from "
                f"{means.max():.2f} to {means.min():.2f} over runs."
            ),
            f"Easiest {are(some)} {_topics(topics[:some])}, hardest {_topics(hardest)}.",
            f"The runs disagree most on {_topics([topics[t] for t in divided])}.",
        )

    def who_stands_out(self) -> tuple[str, ...]:
        """Say on which topic a run is furthest above the others; nothing for a few runs."""
        spread = self.standardized_spread()
        if not spread:
            return ()
        far = spread["topic"][int(np.argmax(spread["highest"]))]
        return (
            (
                "Standardized, every topic counts alike: what is left is how far runs stand apart, "
                f"furthest on topic {far}."
            ),
        )


def _topics(names: list[str]) -> str:
    return f"{'topic' if len(names) == 1 else 'topics'} {named(names)}"
