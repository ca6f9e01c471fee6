"""Whether a candidate may take the place of a baseline, by measures or by its rankings alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Real
from shlex import quote

import numpy as np

from poolwise.arrays import TOLERANCE, Indices
from poolwise.errors import InputError, OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Kind, Universe
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._comparison import further_sentences
from poolwise.findings.comparison._differences import topic_word
from poolwise.findings.comparison._significance import adjust_pvalues
from poolwise.findings.gating._labelled_pair import LabelledPair
from poolwise.findings.gating._measure_gate import (
    UNDECIDED,
    GateRules,
    MeasureGate,
    gate_by_measure,
    margins_of,
)
from poolwise.findings.similarity._run_overlaps import RunOverlap
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import range_options
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._uncertainty import level_text
from poolwise.words import Said, counted, named, range_text, signed

__all__ = ["Gate", "RankingChange", "gate_evidence", "ranking_change"]

_NAMED = 3
"""How many topics or documents are named in a sentence."""
_TITLES = {"pass": "Pass", "fail": "Fail", "undecided": "Undecided"}


@finding
class Gate(Finding):
    """Whether a candidate may take the place of a baseline: pass, fail or undecided.

    Attributes
    ----------
    baseline, candidate : str
        Names of the two runs.
    rules : GateRules
        What the candidate must keep, beside the margins.
    measures : tuple of MeasureGate
        The verdict by each measure, and what it rests on.
    documents : tuple of pairs of str
        Topics and documents whose judgments would do most to decide, where that is open.
    remarks : tuple of str
        What else a reader should know, in sentences.
    since : Gate, optional
        The same candidate against the anchor, the oldest release that counts: what was lost since.
    looks : int
        How many releases were gated on these topics since the anchor, this one included. The
        limits of ``since`` hold for all of these looks together.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=30, depth=30, rng=1)
    >>> evidence = pw.align(made.judgments, made.runs.select(["bm25-1", "bm25-2"]))
    >>> gate = gate_evidence(evidence, ["nDCG@10"], margin=0.05)
    >>> gate.verdict, gate.passed
    ('undecided', False)
    """

    baseline: str
    candidate: str
    rules: GateRules
    measures: tuple[MeasureGate, ...]
    documents: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    since: "Gate | None" = None
    looks: int = 1

    @property
    def verdict(self) -> str:
        """``pass`` if all measures pass, ``fail`` if any fails, else ``undecided``.

        With an anchor they must do so against it, too: small losses of many releases add up.
        """
        verdicts = {gate.verdict for gate in (*self.measures, *self._cumulative)}
        return "fail" if "fail" in verdicts else "pass" if verdicts == {"pass"} else "undecided"

    @property
    def _cumulative(self) -> tuple[MeasureGate, ...]:
        """What is known against the anchor, by measure; nothing without one."""
        return () if self.since is None else self.since.measures

    @property
    def outcome(self) -> str:
        """The verdict, with what the rules make of an undecided one."""
        return self.outcome_of(self.verdict)

    def outcome_of(self, verdict: str) -> str:
        """Return what the rules make of the verdict of a measure, or of all."""
        return (self.rules.undecided or verdict) if verdict == "undecided" else verdict

    @property
    def passed(self) -> bool:
        """Whether the candidate may go on, also where the rules let an undecided one pass."""
        return self.outcome == "pass"

    def columns(self) -> Columns:
        """Return one row per measure."""
        rows = [self._row(gate) for gate in self.measures]
        columns: Columns = {name: [row[name] for row in rows] for name in rows[0]}
        if self.since is not None:
            columns |= {
                "anchor": [self.since.baseline] * len(rows),
                "since_anchor": [gate.difference for gate in self._cumulative],
                "since_low": [gate.low for gate in self._cumulative],
                "since_high": [gate.high for gate in self._cumulative],
                "since_verdict": [gate.verdict for gate in self._cumulative],
                "looks": [self.looks] * len(rows),
            }
        return columns

    def _row(self, gate: MeasureGate) -> dict[str, object]:
        topic, loss = gate.worst
        return {
            "measure": str(gate.measure),
            "baseline": self.baseline,
            "candidate": self.candidate,
            "verdict": gate.verdict,
            "baseline_mean": gate.means[0],
            "candidate_mean": gate.means[1],
            "difference": gate.difference,
            "low": gate.low,
            "high": gate.high,
            "margin": gate.margin,
            "p_pass": gate.p_pass,
            "p_fail": gate.p_fail,
            "topics": gate.n,
            "wins": int((gate.deltas > 0).sum()),
            "ties": int((gate.deltas == 0).sum()),
            "losses": int((gate.deltas < 0).sum()),
            "worst_topic": topic,
            "worst_difference": loss,
            "unseen_share": gate.unseen,
            "topics_to_decide": gate.topics_to_decide,
            "judged": gate.judged,
            "bound_low": gate.bounds[0],
            "bound_high": gate.bounds[1],
            "p_high": gate.p_high,
            "over_judgments": str(gate.ranges.verdict[0]),
            **self._of_labels(gate),
        }

    def _of_labels(self, gate: MeasureGate) -> dict[str, object]:
        """Return what else the difference is uncertain over, and what it would be otherwise."""
        if gate.labelled is None:
            return {}
        further = [one_kind.columns(one_kind.shown.pairs.ends) for one_kind in gate.uncertain]
        beside = gate.labelled.found.beside
        return {
            "labelled_topics": gate.labelled.all_topics,
            **{name: cells[0] for columns in further for name, cells in columns.items()},
            **{f"{name}_difference": float(values[0]) for name, values in beside.items()},
        }

    def claims(self) -> tuple[Claim, ...]:
        """Return what is so by each measure whatever the unjudged documents are."""
        return tuple(claim for gate in self.measures for claim in gate.claims())

    def answer(self) -> str:
        """Return the verdict, and on what."""
        return f"{_TITLES[self.verdict]}: {self.candidate} against {self.baseline}"

    def tables(self) -> tuple[Table, ...]:
        """Return one row per measure, for people."""
        level = level_text(1 - self.rules.alpha)
        columns = (
            *(Column("measure"), Column("verdict")),
            *(Column("baseline", 4), Column("candidate", 4)),
            *(Column("difference"), Column(f"one-sided {level} limits"), Column("margin")),
            *(Column(title) for title in self._further_titles()),
            *(Column("topics"), Column("worst topic"), Column("judged"), Column("range if judged")),
        )
        rows = tuple(self._shown(gate) for gate in self.measures)
        title = self.answer()
        further = () if self.since is None else self.since.tables()
        return (Table(columns, rows, title=title), *further)

    def _further_titles(self) -> list[str]:
        """Return the headings of what else the differences are uncertain over."""
        titles = [kind.words(kind.shown.pairs.title) for kind in self.measures[0].uncertain]
        return [title for title in titles if title]

    def _shown(self, gate: MeasureGate) -> tuple[str | float, ...]:
        topic, loss = gate.worst
        unchanged = " (unchanged)" * (gate.is_unchanged and gate.verdict == "pass")
        return (
            *(str(gate.measure), gate.verdict + unchanged, *gate.means, signed(gate.difference)),
            *(range_text(gate.low, gate.high, sign="+"), f"{gate.margin:g}"),
            *(
                range_text(float(kind.low[0]), float(kind.high[0]), sign="+")
                for kind in gate.uncertain
                if kind.shown.pairs.title
            ),
            gate.n,
            *(f"{topic} ({signed(loss)})", f"{gate.judged:.1%}"),
            range_text(*gate.bounds, sign="+"),
        )

    def sentences(self) -> tuple[str, ...]:
        """Say the verdict, why, and what would decide or is not seen."""
        return (
            self.line,
            *self._since_anchor(),
            *(said for gate in self.measures for said in self._of_measure(gate)),
            *self._over_labels(),
            *self._remedies(),
            *self._unseen(),
            *self._policy(),
            *self._scopes(),
            *self._rests_on(),
            *self.remarks,
        )

    @property
    def line(self) -> str:
        """The verdict in one line."""
        deciding = [gate for gate in self.measures if gate.verdict == self.verdict]
        if not deciding and self.since is not None:
            # The baseline is no trouble, but the anchor is.
            return f"{self.since.line.removesuffix('.')}, since {self.since.baseline}."
        if len(self.measures) == 1:
            return f"{_TITLES[self.verdict]}: {self.claim(deciding[0])}."
        names = named([str(gate.measure) for gate in deciding], most=_NAMED)
        every = counted(len(self.measures), "measure")
        worse = f"worse than {self.baseline} by more than the margin"
        words = {
            "pass": f"{self.candidate} is not {worse} in any of {every}",
            "fail": f"{self.candidate} fails in {len(deciding)} of {every}",
            "undecided": f"whether {self.candidate} is {worse} is not known in "
            f"{len(deciding)} of {every}",
        }
        return f"{_TITLES[self.verdict]}: {words[self.verdict]}: {names}."

    def _since_anchor(self) -> Iterator[str]:
        """Say what was lost since the anchor, and over how many looks that is."""
        if self.since is None:
            return
        level, looks = level_text(1 - self.rules.alpha), counted(self.looks, "look")
        for gate in self._cumulative:
            limits = range_text(gate.low, gate.high, sign="+")
            yield (
                f"Since {self.since.baseline}, {gate.measure} has changed by "
                f"{signed(gate.difference)} (one-sided {level} limits {limits}, over {looks} at "
                f"these topics): {gate.verdict} at a margin of {gate.margin:g}."
            )

    def claim(self, one: MeasureGate) -> str:
        """Say of one measure what the verdict claims, with the numbers."""
        over = counted(one.n, topic_word(self.provenance))
        if one.labelled is not None:
            over = one.labelled.words
        level = level_text(1 - self.rules.alpha)
        worse = f"worse than {self.baseline} by more than {one.margin:g} in {one.measure}"
        number = f"difference {signed(one.difference)}"
        if one.verdict == "pass" and one.is_unchanged:
            return f"no score of {self.candidate} has changed in {one.measure} ({over})"
        if one.verdict == "pass":
            limit = f"at least {signed(one.low)} with {level} confidence"
            return f"{self.candidate} is not {worse} ({number}, {limit}, {over})"
        if one.verdict == "fail" and not one.is_worse:
            topics = counted(len(one.hurt), "topic")
            lose = "loses" if len(one.hurt) == 1 else "lose"
            most = f"more than {self.rules.max_topic_loss:g}"
            return f"{topics} of {self.candidate} {lose} {most} in {one.measure} ({number}, {over})"
        if one.verdict == "fail":
            limit = f"at most {signed(one.high)} with {level} confidence"
            return f"{self.candidate} is {worse} ({number}, {limit}, {over})"
        limits = f"limits {range_text(one.low, one.high, sign='+')}, " if one.n > 1 else ""
        return f"whether {self.candidate} is {worse} is not known ({number}, {limits}{over})"

    def _of_measure(self, gate: MeasureGate) -> Iterator[str]:
        if len(self.measures) > 1 and gate.verdict != "pass":
            claim = self.claim(gate)
            begins = claim if claim.startswith(self.candidate) else claim[0].upper() + claim[1:]
            yield f"{begins}."
        if gate.verdict == "undecided":
            yield from (f"In {gate.measure}, {reason}." for reason in gate.obstacles)
        alone = gate.has_enough and float(gate.limits.p_fail[0]) < self.rules.alpha
        if gate.verdict != "fail" and alone:
            yield (
                f"In {gate.measure} alone this would be a failure; corrected for "
                f"{counted(len(self.measures), 'measure')} (Holm) it is not."
            )
        if gate.hurt:
            topics = named([f"{t} ({signed(loss)})" for t, loss in gate.hurt], most=_NAMED)
            most = f"{self.rules.max_topic_loss:g}"
            yield f"In {gate.measure}, topics that lose more than {most}: {topics}."
        if gate.could_turn and not (self.rules.strict and gate.verdict == "undecided"):
            yield self._turning(gate)
        elif claims := gate.claims() if gate.is_open else ():
            # Of a candidate that is not ahead, the margin says more than the order.
            shown = claims[0] if claims[0].subject == self.candidate else claims[-1]
            yield Said(f"Over judgments: {shown}.", claims)

    def _turning(self, gate: MeasureGate) -> str:
        left = range_text(*gate.bounds, sign="+")
        effect = {
            "pass": "they could make it a loss beyond the margin",
            "fail": "judging them could bring it back within the margin",
            "undecided": "judging them could decide it",
        }[gate.verdict]
        return f"In {gate.measure}, {gate.ranges.scope.documents} leave {left}: {effect}."

    def _over_labels(self) -> Iterator[str]:
        """Say what else each difference is uncertain over, and that the limits are not that."""
        for gate in self.measures:
            for said in further_sentences(gate.uncertain):
                several = f"In {gate.measure}, {said[0].lower()}{said[1:]}"
                yield said if len(self.measures) == 1 else several
        if any(gate.labelled is not None for gate in self.measures):
            yield "The limits decide: they are for topics like these, and reckon with the labels."

    def _rests_on(self) -> Iterator[str]:
        """Say how many labels are by people and by the machine, and what was assumed."""
        labelled = [gate.labelled for gate in self.measures if gate.labelled is not None]
        if labelled and labelled[0].scores is not None:
            topics = counted(len(labelled[0].topics), "topic")
            yield f"The range is that of the {topics} that people judged, by their judgments alone."
        said = (text for pair in labelled for text in pair.found.rests_on.sentences())
        yield from dict.fromkeys(said)

    def _remedies(self) -> Iterator[str]:
        if self.verdict == "pass":
            return
        for gate in self.measures:
            yield from _topic_advice(gate) if gate.verdict == "undecided" else ()
        if self.documents:
            wanted = [f"{topic}/{document}" for topic, document in self.documents]
            yield f"Documents whose judgments would do most to decide: {', '.join(wanted)}."
            yield f"To list more of them, run `{self.next_command()}`."

    def next_command(self) -> str:
        """Return the command that lists the documents to judge, with the files of this gate.

        Where something was no file, the command has a word in capitals in its place.
        """
        measure = next(str(gate.measure) for gate in self.measures if gate.could_turn)
        made, files = self.provenance, ("BASELINE", "CANDIDATE")
        runs = [source.path for source in made.runs] if len(made.runs) == len(files) else []
        paths = zip((made.judgments.path, *(runs or files)), ("QRELS", *files), strict=True)
        inputs = (word if path.startswith("<") else quote(path) for path, word in paths)
        goal = quote(f"pair:{self.candidate},{self.baseline}")
        return (
            f"poolwise next {' '.join(inputs)} --goal {goal} -m {quote(measure)} "
            "--topics judged --budget 50"
        )

    def _unseen(self) -> Iterator[str]:
        if self.verdict == "pass":
            fewest = min(self.measures, key=lambda gate: gate.n)
            yield (
                f"A pass does not see rare losses: up to {fewest.unseen:.1%} of all topics could "
                f"be hurt without one of them being among these {counted(fewest.n, 'topic')} "
                f"({level_text(1 - self.rules.alpha)} confidence)."
            )

    def _policy(self) -> Iterator[str]:
        if self.verdict == "undecided" and self.rules.undecided:
            yield f"It counts as a {self.rules.undecided}: {UNDECIDED[self.rules.undecided]}."

    def _scopes(self) -> Iterator[str]:
        """Say what the ranges are over, and what is left out of them."""
        for gate in self.measures:
            for said in gate.ranges.scope.sentences():
                several = f"In {gate.measure}, {said[0].lower()}{said[1:]}"
                yield said if len(self.measures) == 1 else several


def _topic_advice(gate: MeasureGate) -> Iterator[str]:
    """Say how many topics would decide, where a number can be said."""
    most = 1e6
    if gate.awaits_draw or gate.low > -gate.margin or not gate.topics_to_decide < most:
        return
    # The power is that of the plain t test, which needs somewhat fewer topics.
    needed = max(int(gate.topics_to_decide), gate.n + 1)
    topics = f"about {counted(needed, 'topic')}"
    if gate.labelled is not None and gate.labelled.scores is not None:
        labelled = round(needed * gate.labelled.all_topics / gate.n)
        topics += f" judged by people, of {labelled:,} that the machine labels,"
    as_here = f"{topics} would decide in 8 of 10 cases"
    equal = (
        f"; a candidate that is equal would pass on {int(gate.topics_if_equal):,} as often"
        if gate.topics_if_equal < most
        else ""
    )
    yield f"In {gate.measure}, {as_here} if the difference is what it is here{equal}."


@recorded
def gate_evidence(
    evidence: Evidence,
    measures: Sequence[Measure | str],
    *,
    margin: float | Sequence[float] = 0.01,
    rules: GateRules = GateRules(),  # noqa: B008 -- a frozen value
    universe: Universe | Kind = "runs",
    labelled: Sequence[LabelledPair] = (),
) -> Gate:
    """Gate the second run of some evidence against the first one.

    A candidate passes if it does so by every measure at alpha, uncorrected, since all of them must
    be fooled; it fails if it does so by any, corrected for their number after Holm.

    Parameters
    ----------
    evidence : Evidence
        The baseline and the candidate, met with judgments.
    margin : float or sequence of float
        The mean loss that is acceptable: one for all measures, or one each.
    rules : GateRules
        What else is asked of the candidate.
    labelled : sequence of LabelledPair
        What a machine's labels add to people's, one for each measure.

    Returns
    -------
    Gate
        Pass, fail or undecided, over all measures and by each of them.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=30, depth=30, rng=1)
    >>> evidence = pw.align(made.judgments, made.runs.select(["bm25-1", "bm25-2"]))
    >>> gate_evidence(evidence, ["nDCG@10", "P@10"], margin=0.01).line
    'Fail: bm25-2 fails in 2 of 2 measures: nDCG@10, P@10.'
    """
    parsed = [parse_measure(measure) for measure in measures]
    margins, unknown = margins_of(margin, len(parsed)), Universe.of(universe)
    pairs: Sequence[LabelledPair | None] = labelled or [None] * len(parsed)
    gates = [
        gate_by_measure(
            evidence, measure, margin=allowed, rules=rules, universe=unknown, labelled=pair
        )
        for measure, allowed, pair in zip(parsed, margins, pairs, strict=True)
    ]
    for gate in gates:
        _require_scores(gate, evidence)
    # all measures must be fooled for a wrong pass, but one suffices for a wrong fail: Holm
    corrected = adjust_pvalues([gate.p_fail for gate in gates]).tolist()
    margin_option = margins[0] if len(set(margins)) == 1 else margins
    baseline, candidate = evidence.systems
    return Gate(
        baseline=baseline,
        candidate=candidate,
        rules=rules,
        measures=tuple(replace(gate, p_fail=p) for gate, p in zip(gates, corrected, strict=True)),
        provenance=evidence.provenance.with_options(
            margin=margin_option, **rules.options(), **range_options(evidence, unknown)
        ),
    )


def _require_scores(gate: MeasureGate, evidence: Evidence) -> None:
    if not gate.n:
        raise InputError(
            evidence.provenance.judgments.path,
            f"a gate needs a topic with a score, and none has one in {gate.measure}",
        )


_SHOWN = 10
_NAMED = 3


@finding
class RankingChange(Finding):
    """Whether the rankings of two runs are alike enough, and the topics that moved most.

    Attributes
    ----------
    overlap : RunOverlap
        The rank-biased overlap of the old and the new run, topic by topic.
    fail_under : float
        The mean overlap that is asked for.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import run_overlap
    >>> runs = Runs.from_rankings({"old": {"1": ["x", "y"], "2": ["z"]},
    ...                            "new": {"1": ["y", "x"], "2": ["z"]}})
    >>> change = ranking_change(run_overlap(runs, "old", "new", p=0.5), fail_under=0.9)
    >>> change.sentences()[0]
    'Fail: new has a mean rank-biased overlap of 0.750 with old over 2 topics, below 0.9.'
    """

    overlap: RunOverlap
    fail_under: float

    @property
    def mean(self) -> float:
        """The mean overlap over topics."""
        return float(self.overlap.ext.mean())

    @property
    def verdict(self) -> str:
        """``pass`` or ``fail``."""
        return "pass" if self.mean >= self.fail_under - TOLERANCE else "fail"

    @property
    def passed(self) -> bool:
        """Whether the rankings are alike enough."""
        return self.verdict == "pass"

    @property
    def below(self) -> int:
        """How many topics have a smaller overlap than is asked for."""
        return int((self.overlap.ext < self.fail_under - TOLERANCE).sum())

    def moved(self) -> Indices:
        """Return the topics by position, those that moved most first."""
        return np.argsort(self.overlap.ext, kind="stable")

    def columns(self) -> Columns:
        """Return one row per topic, those that moved most first."""
        order = self.moved().tolist()
        plain = self.overlap.columns()
        return {name: [cells[t] for t in order] for name, cells in plain.items()}

    def tables(self) -> tuple[Table, ...]:
        """Return the topics that moved most."""
        columns = self.columns()
        rows = tuple(zip(columns["topic"], columns["rbo"], strict=True))[:_SHOWN]
        title = f"{self.overlap.second} against {self.overlap.first}: topics that moved most"
        return (Table((Column("topic"), Column("rbo", digits=3)), rows, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say the verdict, and which topics moved most."""
        title, side = ("Pass", "not below") if self.passed else ("Fail", "below")
        first, second = self.overlap.first, self.overlap.second
        topics = counted(len(self.overlap.topics), "topic")
        overlap = f"a mean rank-biased overlap of {self.mean:.3f} with {first} over {topics}"
        return (
            f"{title}: {second} has {overlap}, {side} {self.fail_under:g}.",
            self._movers(),
            "This says how far rankings moved, and not whether they became better or worse.",
        )

    def _movers(self) -> str:
        columns = self.columns()
        moved = [
            f"{topic} ({rbo:.3f})"
            for topic, rbo in zip(columns["topic"], columns["rbo"], strict=True)
            if rbo < 1 - TOLERANCE
        ]
        if not moved:
            return "No ranking has moved."
        under = f"{self.below:,} of {counted(len(self.overlap.topics), 'topic')}"
        names = ", ".join(moved[:_NAMED])
        return f"Below {self.fail_under:g} by themselves: {under}. The furthest moved: {names}."


def ranking_change(overlap: RunOverlap, *, fail_under: float) -> RankingChange:
    """Ask whether two runs are alike enough on average; both must answer every topic."""
    if not isinstance(fail_under, Real) or not 0 <= float(fail_under) <= 1:
        raise OptionError(
            f"fail_under: an overlap is between 0 and 1; got {fail_under!r}. Hint: use 0.9."
        )
    alone = [t for t, rbo in zip(overlap.topics, overlap.ext, strict=True) if np.isnan(rbo)]
    if alone or not overlap.topics:
        raise InputError(
            f"{overlap.first}, {overlap.second}",
            "both runs must have results for the same topics, and one of them lacks "
            + counted(len(alone), "topic"),
            value=named(alone),
            remedy="run both on the same topics, or name the topics to compare with --topic",
        )
    return RankingChange(overlap, fail_under, provenance=overlap.provenance)
