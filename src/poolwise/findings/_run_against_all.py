"""How one run stands to all others: what judging could possibly turn, and what plausibly."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.errors import require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.findings._claims import Claim, Grounds
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import RESTS, turned_verdicts, verdict_claims
from poolwise.findings.comparison._over_judgments import PairDraws, draw_pairs
from poolwise.findings.comparison._states import LIKELY
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.words import Said, counted, named

__all__ = ["RunStanding", "standing_of"]

_PLAUSIBLE = 0.05
"""An order that turns in this share of the draws, or more, turns plausibly."""
_NAMED = 8
_COUNTED = 4
"""Runs whose draws are told."""


@finding
class RunStanding(Finding):
    """One run against each of the others, over judgments.

    *Possible* is whatever some assignment of grades to the unjudged documents does. *Plausible* is
    what at least 5% of the draws from the relevance model do.

    Attributes
    ----------
    measure : Measure
        What the runs are scored by.
    run : str
        The run that this is about.
    leads : bool
        Whether no run has a higher mean.
    others : tuple of str
        The other runs, the best mean first.
    difference : float array, others
        The mean of the run minus that of the other.
    judging : str array, others
        What judging leaves of their order, the run as ``a``: see ``VERDICTS`` of differences.
    turned : float array, others
        Share of draws in which the other run changes sides; NaN where none was drawn.
    draws : int
        How many draws there are.
    not_drawn : str
        Why there are none, where there should be.
    calibrated : bool
        Whether the draws are calibrated: others suggest, and decide nothing.
    grounds : Grounds, optional
        What claims on these pairs are about.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> leader, = report(made.judgments, made.runs, ["P@5"])["P@5"].standings
    >>> leader.run, leader.others, leader.possible.tolist(), leader.plausible.tolist()
    ('bm25-3', ('bm25-1', 'bm25-2', 'maverick-1'), [False, False, True], [False, False, True])
    """

    measure: Measure
    run: str
    leads: bool
    others: tuple[str, ...]
    difference: Floats
    judging: NDArray[np.str_]
    turned: Floats
    draws: int = 0
    not_drawn: str = ""
    calibrated: bool = False
    grounds: Grounds | None = None

    @property
    def possible(self) -> Booleans:
        """Whose order with the run some assignment of grades reverses; a level run may gain one."""
        below = self.difference >= 0
        gains = np.isin(self.judging, ("b certain", "b never behind"))
        falls = np.isin(self.judging, ("a certain", "a never behind"))
        return np.asarray((self.judging == "open") | np.where(below, gains, falls))

    @cached_property
    def plausible(self) -> Booleans:
        """Whose order with the run turns in at least 5% of the draws."""
        return self.possible & (np.nan_to_num(self.turned) >= _PLAUSIBLE)

    @property
    def resting(self) -> Booleans:
        """Whose order with the run rests on topics that one of them lacks."""
        return np.asarray(self.judging == RESTS)

    def columns(self) -> Columns:
        """Return one row per other run, the best mean first."""
        return {
            "measure": [str(self.measure)] * len(self.others),
            "run": [self.run] * len(self.others),
            "other": list(self.others),
            "difference": self.difference.tolist(),
            "judging": self.judging.tolist(),
            "turned": self.turned.tolist(),
            "plausible": self.plausible.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which orders judging turns plausibly and possibly, and what rests on gaps."""
        return (*self.what_judging_does(), *self.what_rests())

    def what_judging_does(self) -> tuple[str, ...]:
        """Say in one sentence what is plausible, and what is possible."""
        possible = self._named(self.possible)
        if not possible:
            return (self._nothing_turns(),)
        runs = counted(len(possible), "other run")
        put = f"put {runs} above {self.run}"
        if not self.leads:
            put = f"reverse the order of {self.run} and {runs}"
        names = f": {named(possible, most=_NAMED)}" if len(possible) <= _NAMED else ""
        if self.not_drawn:
            how = f"how plausible that is, is not known, since {self.not_drawn}"
            return (f"Judging could {put}{names}; {how}.",)
        return (f"{self._plausibly()}; what is possible: judging could {put}{names}.",)

    def _plausibly(self) -> str:
        """Say which orders turn in draws, by counts, the most frequent first."""
        where = f"above {self.run}" if self.leads else f"on the other side of {self.run}"
        draws, at = f"{self.draws:,} draws of the judgments", np.flatnonzero(self.plausible)
        draws += "" if self.calibrated else " (not calibrated)"
        if not len(at):
            few = f"{round(_PLAUSIBLE * self.draws):,} or more of {draws}"
            return f"What is plausible: no other run is {where} in {few}"
        at = at[np.argsort(-self.turned[at], kind="stable")]
        counts = [
            f"{self.others[i]} in {round(self.turned[i] * self.draws):,}" for i in at.tolist()
        ]
        counts[0] = counts[0].replace(" in ", f" is {where} in ")
        outlook = self._outlook(float(self.turned[at[0]]))
        return f"{outlook}: of {draws}, {named(counts, most=_COUNTED)}"

    def _outlook(self, share: float) -> str:
        """Say what the most frequent change of sides means for the leader."""
        if not self.leads or share <= 0.5:
            return "What is plausible"
        if self.calibrated and share >= LIKELY:
            return "If all were judged, another run would probably lead"
        return "If all were judged, draws suggest another leader"

    def _nothing_turns(self) -> str:
        if not self.leads:
            said = f"No judging of the unjudged documents could reverse an order with {self.run}."
        else:
            other = "another run" if len(self.others) > 1 else self.others[0]
            said = f"No judging of the unjudged documents could put {other} above {self.run}."
        return Said(said, self.claimed())

    def claimed(self) -> tuple[Claim, ...]:
        """Return what is claimed of the run and the others, whatever the unjudged documents are."""
        if self.grounds is None:
            return ()
        pairs = zip(self.judging.tolist(), self.others, self.difference.tolist(), strict=True)
        return tuple(
            claim
            for verdict, other, difference in pairs
            for claim in verdict_claims(
                verdict, self.run, other, grounds=self.grounds, defined=not np.isnan(difference)
            )
        )

    def runs_that_could_turn(self) -> list[str]:
        """Return the runs whose order with this one judging could reverse, the best first."""
        return self._named(self.possible)

    def what_rests(self) -> tuple[str, ...]:
        """Say whose order with the run rests on missing topics, so that nothing is concluded."""
        runs = self._named(self.resting)
        if not runs:
            return ()
        order = (
            f"The order of {self.run} and {counted(len(runs), 'other run')} rests on topics that"
        )
        listed = named(runs, most=_NAMED)
        return (f"{order} a run lacks, so that nothing is concluded: {listed}.",)

    def _named(self, which: Booleans) -> list[str]:
        return [self.others[i] for i in np.flatnonzero(which).tolist()]


@recorded
def standing_of(
    run: str,
    evidence: Evidence,
    table: ScoreTable,
    comparisons: Comparisons,
    *,
    groups: Groups | None = None,
    card: CollectionCard | None = None,
    draws: int = 200,
    not_drawn: str = "",
    rng: int = 1,
) -> RunStanding:
    """Say how a run stands to the others; grades are drawn where an order is open.

    Parameters
    ----------
    run : str
        The run that this is about.
    comparisons : Comparisons
        All pairs of them, with what judging leaves of each order; their draws are taken, where
        they have some.
    groups : Groups, optional
        Where each run comes from, which the relevance model is told.
    card : CollectionCard, optional
        What is known of the runs that made the pool.
    draws, rng : int
        How many draws of the judgments there are, and the seed: those of
        :func:`~poolwise.compare_evidence`.
    not_drawn : str
        Why none are to be drawn.

    Returns
    -------
    RunStanding
        The other runs, the best mean first, with what judging could do to each order.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, compare_evidence, score
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "d"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1, "b": 0}}), runs)
    >>> standing = standing_of("bm25", evidence, score(evidence, "P@2"),
    ...                        compare_evidence(evidence, "P@2", draws=0))
    >>> standing.runs_that_could_turn()
    ['ql']
    """
    require_choice("run", run, table.systems)
    at = table.systems.index(run)
    alone = compare_scores(table, baseline=run)
    judging = _verdicts_with(at, comparisons)
    drawn = PairDraws.none(len(alone), not_drawn)
    settled = ("a certain", "equal", RESTS, "")
    if comparisons.draws:
        drawn = _draws_with(at, comparisons)
    elif not np.isin(judging, settled).all() and not not_drawn:
        model = RelevanceModelTreatment(groups=groups, draws=draws, card=card)
        drawn = _drawn(evidence, alone, model, rng)
    order = [s for s in table.order().tolist() if s != at]
    place = {int(s): i for i, s in enumerate(alone.pairs.left)}
    here = [place[s] for s in order]
    return RunStanding(
        measure=table.measure,
        run=run,
        leads=bool((alone.difference <= 0).all()),
        others=tuple(table.systems[s] for s in order),
        difference=0 - alone.difference[here],
        judging=judging[order],
        turned=_turned(alone, drawn)[here],
        draws=drawn.draws,
        not_drawn=drawn.reason,
        calibrated=bool(drawn.plausibility().calibrated.any()),
        grounds=comparisons.bounds.grounds,
        provenance=table.provenance,
    )


def _verdicts_with(at: int, comparisons: Comparisons) -> NDArray[np.str_]:
    """Return the verdicts of the pairs of one run, as ``a``, by the position of the other run."""
    pairs = comparisons.pairs
    other = np.where(pairs.left == at, pairs.right, pairs.left)
    its = (pairs.left == at) | (pairs.right == at)
    verdict = turned_verdicts(comparisons.verdict, pairs.right == at)
    verdicts = np.full(len(comparisons.systems), "", verdict.dtype)
    verdicts[other[its]] = verdict[its]
    return verdicts


def _draws_with(at: int, comparisons: Comparisons) -> PairDraws:
    """Return the draws of the pairs of one run, the other runs on the left, in their order."""
    pairs, drawn = comparisons.pairs, comparisons.drawn
    its = np.flatnonzero((pairs.left == at) | (pairs.right == at))
    its = its[np.argsort(pairs.left[its] + pairs.right[its])]
    sides = np.where(pairs.left[its] == at, -1.0, 1.0)[:, None]
    return replace(
        PairDraws.none(len(its), ""),
        difference=sides * drawn.difference[its],
        pvalue=drawn.pvalue[its],
        calibrated=drawn.plausibility().calibrated[its],
    )


def _drawn(
    evidence: Evidence, alone: Comparisons, model: RelevanceModelTreatment, rng: int
) -> PairDraws:
    """Draw the differences alone: whether they stay significant is not asked."""
    nothing = np.full(len(alone), np.nan)

    def again(
        tables: Sequence[ScoreTable], which: Indices, **_: object
    ) -> tuple[Floats, Floats, Floats]:
        differences = [alone.pairs.difference(table.means()) for table in tables]
        return np.choose(which, differences), nothing, nothing

    return draw_pairs(
        evidence,
        alone.tests,
        again,
        rng=rng,
        draws=model.draws,
        prior=RelevanceModelTreatment.name,
        model=model,
        alpha=alone.alpha,
    )


def _turned(alone: Comparisons, drawn: PairDraws) -> Floats:
    """Return in which share of draws the other run changes sides; a level one may come ahead."""
    if not drawn.draws:
        return np.full(len(alone), np.nan)
    # The other run is on the left, and level with the run that leads, if it is not below it.
    sides = np.where(alone.difference > 0, 1.0, -1.0)[:, None]
    return np.asarray((drawn.difference * sides < -alone.sample.tolerance).mean(axis=1))
