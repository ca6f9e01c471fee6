"""Whether a candidate may take the place of a baseline, which may be frozen in a file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.collection._identifiers import listed_topics
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels
from poolwise.collection._reading import Reading, require_order
from poolwise.collection._runs import Runs
from poolwise.collection.files._readers import read_runs
from poolwise.collection.files._sources import FileBytes
from poolwise.collection.files._writers import run_bytes
from poolwise.errors import InputError, OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe, count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import has_non_relevant
from poolwise.findings.gating._gate import Gate, gate_evidence
from poolwise.findings.gating._labelled_pair import LabelledPair
from poolwise.findings.gating._measure_gate import GateRules
from poolwise.judging._goals import Goal
from poolwise.judging._next import list_documents
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import DEFAULT_SEED, Source
from poolwise.provenance._recorded import recorded
from poolwise.results._records import digest
from poolwise.scores._score_table import ScoreTable
from poolwise.scores.treatments._drawn_scores import is_drawable
from poolwise.scores.treatments._estimates import estimate, estimate_heading, pool_read_off
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.version import __version__
from poolwise.words import counted, named, signed
from poolwise.workflows._further_inputs import as_machine_labels, require_labels
from poolwise.workflows._inputs import several_measures
from poolwise.workflows._label_estimates import LabelledRuns
from poolwise.workflows._named_files import existing_files

__all__ = [
    "FrozenBaseline",
    "freeze_baseline",
    "frozen_bytes",
    "frozen_depth",
    "gate",
    "read_frozen",
]

_MARK = b"# poolwise baseline: "
_WRITTEN_AGAIN = "restore the file, or freeze the baseline again with --freeze"


@dataclass(frozen=True)
class FrozenBaseline:
    """What a frozen file says of itself.

    Attributes
    ----------
    path : str
        Where it lies.
    depth : int, optional
        How many ranks of each list it keeps; None for whole lists.
    judgments : str
        The hash of the judgments at the time of freezing; empty where it was not known.
    """

    path: str
    depth: int | None
    judgments: str

    def require_depth(self, measures: Sequence[Measure], universe: Universe) -> None:
        """Raise where a measure, or its range, looks deeper than the rankings that were kept."""
        wanted = frozen_depth(measures, universe)
        if self.depth is None or (wanted is not None and wanted <= self.depth):
            return
        deep = "whole lists" if wanted is None else f"{wanted} ranks"
        raise InputError(
            self.path,
            f"a frozen baseline must be as deep as the measures, which look at {deep}",
            value=self.depth,
            remedy="freeze the baseline again with these measures",
        )


def frozen_depth(measures: Sequence[Measure], universe: Universe) -> int | None:
    """Return how many ranks the measures and their ranges look at; None for whole lists.

    Examples
    --------
    >>> from poolwise import AP, nDCG
    >>> frozen_depth([nDCG @ 10, AP @ 100], Universe()), frozen_depth([AP], Universe())
    (100, None)
    """
    # The range reaches as deep as its universe: ranks that it needs are kept, too.
    depths = [universe.reach(measure.depth) for measure in measures]
    return max((d for d in depths if d is not None), default=1) if None not in depths else None


def frozen_bytes(
    runs: Runs, system: str, depth: int | None, judgments: Source, options: dict[str, Any]
) -> bytes:
    """Return a run as a frozen baseline.

    ``options`` are those it was frozen with, for whoever reads the file.
    """
    lists = {topic: runs.ranking(system, topic)[:depth] for topic in runs.topics}
    body = run_bytes(Runs.from_rankings({system: lists}), system, "plain")
    at = runs.systems.index(system)
    source = runs.sources[at] if at < len(runs.sources) else Source("<memory>")
    content = {
        "poolwise": __version__,
        "run": {"name": system, "path": source.path, "sha256": source.sha256},
        "judgments": {"path": judgments.path, "sha256": judgments.sha256},
        "depth": depth,
        "options": options,
    }
    # The hash covers the head as well, so that no option can be changed by hand.
    head = json.dumps(content | {"sha256": _hash(content, body)})
    return _MARK + head.encode() + b"\n" + body


def _hash(content: dict[str, Any], body: bytes) -> str:
    return digest(json.dumps(content).encode() + b"\n" + body)


def read_frozen(source: Any) -> tuple[FrozenBaseline, ...]:
    """Return what frozen files say of themselves, of those that a source stands for.

    Examples
    --------
    >>> read_frozen("nowhere.run")
    ()
    """
    paths = existing_files([source]) if isinstance(source, str | Path) else []
    baselines = (_read(path) for path in paths if Path(path).is_file())
    return tuple(baseline for baseline in baselines if baseline is not None)


def _read(path: str) -> FrozenBaseline | None:
    """Return what a file says of itself, compressed or not; None for any other run."""
    parts = map(bytes, FileBytes(path))
    first = next(parts, b"")
    if not first.startswith(_MARK):
        return None
    # Some systems write other ends of lines as they check a file out.
    content = b"".join([first, *parts]).replace(b"\r\n", b"\n")
    head, _, body = content.removeprefix(_MARK).partition(b"\n")
    return _checked(path, head, body)


def _checked(path: str, head: bytes, body: bytes) -> FrozenBaseline:
    """Return what the comment says, if it and the lines below are as they were written."""
    try:
        content = json.loads(head)
        kept = content.pop("sha256")
        frozen = FrozenBaseline(path, content["depth"], content["judgments"]["sha256"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        kept = None
    if kept is None or kept != _hash(content, body):
        rule = "a frozen baseline must be as it was written, and this one was changed"
        raise InputError(path, rule, remedy=_WRITTEN_AGAIN)
    return frozen


_DOCUMENTS = 5
"""How many documents are proposed for judging where a gate is undecided."""


@recorded
def gate(
    judgments: Any,
    candidate: Any,
    measures: Measure | str | Sequence[Measure | str] = ("nDCG@10",),
    *,
    baseline: Any,
    margin: float | Sequence[float] = 0.01,
    alpha: float = 0.05,
    strict: bool = False,
    max_topic_loss: float | None = None,
    min_judged: float | None = None,
    undecided: str = "",
    anchor: Any = None,
    looks: int = 1,
    no_results: str | Path | Iterable[str] = (),
    labels: Any = None,
    by: str | None = None,
    assume_random: bool = False,
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Gate:
    """Say whether a candidate may take the place of a baseline: pass, fail or undecided.

    With [l, u] the one-sided limits of the mean difference candidate − baseline, the candidate
    passes if l > −margin, fails if u < −margin, and otherwise it is undecided, and the result says
    how many topics, and which judgments, would decide. What is not a measurement is an error and
    never a score of 0: a topic that a run lacks, a run of other topics, a frozen baseline that was
    changed.

    Parameters
    ----------
    candidate, baseline
        One run each: an object, or whatever :func:`~poolwise.read_runs` reads; the baseline may
        be a frozen file.
    measures
        What to score by. The candidate passes if it does so by all measures, and fails if it does
        so by any (corrected after Holm).
    margin
        The mean loss that is acceptable: one for all measures, or one each.
    alpha
        The chance that a candidate passes which is worse by the margin, or fails which is not.
    strict
        Pass only if no assignment of grades to the unjudged documents could undo it.
    max_topic_loss
        Fail if any topic loses more than this.
    min_judged
        Pass only if at least this share of the candidate's documents is judged, down to the
        measure's cut-off, or in the first ten.
    undecided : {"", "pass", "fail"}
        What ``passed`` says of a gate that is undecided.
    anchor
        The oldest release that counts, one run: the candidate must not be worse than it by more
        than the margin, either. Ten releases that pass at −0.01 each have lost 0.1.
    looks
        How many releases were gated on these topics since the anchor, this one included: the
        limits against the anchor hold for all of them together (Bonferroni).
    no_results
        Topics that truly returned nothing, or a file that lists them: a run without results for
        these scores 0.
    labels
        Labels by a machine: whatever :func:`~poolwise.collection.read_labels` reads. The judgments
        are then labels by people on some of its topics, drawn at random, or on a sample of
        documents, and the difference rests on both, as in
        :func:`~poolwise.workflows.compare_with_labels`. Ranges over judgments ignore the machine.
    by
        Which set of labels is used, where there are several.
    assume_random
        Take topics, or documents without chances, as drawn at random; the result says so.

    Returns
    -------
    Gate
        The verdict over all measures and by each of them, with the limits of the differences.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=50, depth=30, rng=1)
    >>> old, new = made.runs.select(["bm25-2"]), made.runs.select(["bm25-1"])
    >>> gated = gate(made.judgments, new, "nDCG@10", baseline=old)
    >>> gated.passed, gated.verdict
    (True, 'pass')
    """
    rules = GateRules(alpha, strict, max_topic_loss, min_judged, undecided)
    if looks < 1:
        raise OptionError(f"looks: must be 1 or more; got {looks}. Hint: count this release.")
    if looks > 1 and anchor is None:
        raise OptionError(
            f"looks: {looks} releases were gated against an anchor, and there is none. Hint: name "
            "the oldest release that counts as the anchor."
        )
    require_labels(
        labels, by=by, scale=scale, texts=texts, passages=passages, assume_random=assume_random
    )
    wanted, unknown = _several(measures), Universe.of(universe, universe_depth)
    # Checked first: a baseline that is too shallow would score too low without a sign.
    frozen = [*read_frozen(baseline), *read_frozen(candidate), *read_frozen(anchor)]
    for frozen_run in frozen:
        frozen_run.require_depth(wanted, unknown)
    qrels = reading.judgments(judgments, grades=grades)
    empty = set(listed_topics(no_results))
    runs = _two_runs(baseline, candidate, reading)
    # Objects have their types; only files can have changed places.
    if qrels is not judgments:
        require_order(qrels, runs)
    how: dict[str, Any] = {"margin": margin, "universe": unknown}
    case = None
    if labels is not None:
        of_labels: dict[str, Any] = {"scale": scale, "texts": texts, "passages": passages}
        case = _MachineLabels(as_machine_labels(labels, by, **of_labels), assume_random)
        case.require_rules(rules)
    gated, evidence = _gated(qrels, runs, empty, case, wanted, rules, how)
    gated = replace(gated, remarks=(*_remarks(frozen, evidence),))
    # Documents that were chosen would be no sample any more, and labels rest on one.
    if not case:
        gated = replace(gated, documents=_documents(gated, qrels, runs))
        gated = _with_estimates(evidence, gated)
    if anchor is None:
        return gated
    # A topic that one release may lose is no loss since the anchor.
    since = GateRules(alpha / looks, strict=strict)
    oldest = _two_runs(anchor, candidate, reading)
    against, _ = _gated(qrels, oldest, empty, case, wanted, since, how)
    return replace(gated, since=against, looks=looks)


@dataclass(frozen=True)
class _MachineLabels:
    """Labels by a machine that a gate rests on, beside people's."""

    labels: Labels
    assume_random: bool

    def require_rules(self, rules: GateRules) -> None:
        """Raise where a rule is about grades that people did not give."""
        if rules.strict:
            raise OptionError(
                "strict: what no grades of unjudged documents could undo rests on people's "
                "judgments alone. Hint: leave out strict (--strict), or the labels."
            )

    def pairs(
        self, runs: LabelledRuns, measures: Sequence[Measure], rules: GateRules
    ) -> list[LabelledPair]:
        """Return what each measure is decided by."""
        if rules.max_topic_loss is not None and not runs.has_topics:
            raise OptionError(
                "max_topic_loss: the score of one topic is not known from labels on some of its "
                "documents. Hint: leave out --max-topic-loss, or let people judge whole topics."
            )
        level = 1 - rules.alpha
        pairs = [runs.pair(m, assume_random=self.assume_random, level=level) for m in measures]
        for pair in pairs:
            if refused := pair.found.rests_on.refused:
                raise OptionError(f"labels: a gate needs an interval. {refused}")
        return pairs


def _gated(  # noqa: PLR0917 -- what both sides of a gate take alike
    judgments: Judgments,
    runs: Runs,
    without_results: set[str],
    labels: _MachineLabels | None,
    measures: Sequence[Measure],
    rules: GateRules,
    how: dict[str, Any],
) -> tuple[Gate, Evidence]:
    """Gate the second run against the first one, and return what it rests on."""
    if labels is None:
        evidence = _gateable(align(judgments, runs), without_results)
        return gate_evidence(evidence, measures, rules=rules, **how), evidence
    both = LabelledRuns(judgments, runs, labels.labels)
    evidence = _gateable(both.by_people(), without_results)
    if both.has_topics:
        _require_answers(both.predicted(), without_results)
    pairs = labels.pairs(both, measures, rules)
    evidence = replace(evidence, provenance=both.origin(evidence))
    named_ones = [pair.found.measure for pair in pairs]
    return gate_evidence(evidence, named_ones, rules=rules, labelled=pairs, **how), evidence


def _gateable(evidence: Evidence, without_results: set[str]) -> Evidence:
    """Return the evidence, if both runs answer every topic with judged documents."""
    _require_answers(evidence, without_results)
    _require_judged(evidence)
    return evidence


@recorded
def freeze_baseline(
    judgments: Any,
    baseline: Any,
    measures: Measure | str | Sequence[Measure | str] = ("nDCG@10",),
    *,
    no_results: str | Path | Iterable[str] = (),
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> bytes:
    """Return a run as a frozen baseline, the content of a file: see :func:`gate`.

    It keeps the rankings as deep as the measures and their ranges look, so that later judgments
    rescore it.

    Parameters
    ----------
    judgments, baseline, measures
        As for :func:`gate`.
    no_results
        Topics that truly returned nothing, or a file that lists them.

    Returns
    -------
    bytes
        A TREC run below one line that says what was frozen.

    Examples
    --------
    >>> frozen = freeze_baseline({"1": {"a": 1}}, {"bm25": {"1": {"a": 2.0, "b": 1.0}}}, "P@1")
    >>> frozen.splitlines()[1:]
    [b'1 Q0 a 1 1 bm25']
    """
    wanted, unknown = _several(measures), Universe.of(universe, universe_depth)
    for frozen in read_frozen(baseline):
        frozen.require_depth(wanted, unknown)
    runs = read_runs(_source(baseline), **reading.of_runs())
    if len(runs.systems) != 1:
        raise _not_one(runs)
    evidence = align(reading.judgments(judgments, grades=grades), runs)
    _require_answers(evidence, set(listed_topics(no_results)))
    _require_judged(evidence)
    options = {"measures": [*map(str, wanted)], "ties": runs.tie_rule, "universe": unknown.kind}
    depth, judged = frozen_depth(wanted, unknown), evidence.provenance.judgments
    return frozen_bytes(runs, runs.systems[0], depth, judged, options)


def _several(measures: Any) -> list[Measure]:
    return [parse_measure(measure) for measure in several_measures(measures)]


def _source(run: Any) -> Any:
    # As a dict, so that both runs are read together, whatever they come as.
    return run.to_dict() if isinstance(run, Runs) else run


def _two_runs(baseline: Any, candidate: Any, reading: Reading) -> Runs:
    """Read the baseline and the candidate, in this order."""
    runs = read_runs(_source(baseline), _source(candidate), **reading.of_runs())
    if len(runs.systems) != 2:
        raise _not_one(runs)
    return runs


def _not_one(runs: Runs) -> OptionError:
    return OptionError(
        f"baseline, candidate: each must be one run; got {named(runs.systems)}. "
        "Hint: name one file for each."
    )


def _require_answers(evidence: Evidence, without_results: set[str]) -> None:
    """Raise where a run lacks a judged topic that is not known to have no results."""
    excused = np.array([topic in without_results for topic in evidence.topics], np.bool_)
    # A run that crashed on a topic would score 0 there: a gate must not take that for a result.
    lacking = (evidence.lengths == 0) & ~excused
    for s in np.flatnonzero(lacking.any(axis=1)).tolist():
        missing = [evidence.topics[t] for t in np.flatnonzero(lacking[s]).tolist()]
        raise InputError(
            _place(evidence, s),
            f"a run must have results for every judged topic, and {evidence.systems[s]} lacks "
            f"{counted(len(missing), 'topic')}",
            value=named(missing),
            remedy="run it on all topics; list topics that truly have no results in a file for "
            "--no-results",
        )


def _require_judged(evidence: Evidence) -> None:
    """Raise where no document of a run is judged: its ids are not those of the judgments."""
    for s, system in enumerate(evidence.systems):
        if not any((block.codes[s] >= 0).any() for block in evidence.blocks):
            raise InputError(
                _place(evidence, s),
                f"a run must hold judged documents, and {system} holds none",
                remedy="check that the ids of its documents are written as in the qrels",
            )


def _place(evidence: Evidence, system: int) -> str:
    sources = evidence.provenance.runs
    return sources[system].path if system < len(sources) else evidence.systems[system]


def _documents(gated: Gate, judgments: Judgments, runs: Runs) -> tuple[tuple[str, str], ...]:
    """Return the documents to judge first, where judgments could decide."""
    is_open = [part for part in gated.measures if part.could_turn]
    if gated.verdict == "pass" or not is_open:
        return ()
    goal = Goal("pair", (gated.candidate, gated.baseline))
    listed = list_documents(
        judgments, runs, goal, measure=is_open[0].measure, budget=_DOCUMENTS, topics="judged"
    )
    return tuple(zip(listed.topic, listed.document, strict=True))


_MOST_ESTIMATED = 1000
"""Topics up to which unjudged documents are estimated beside a verdict, so that it comes soon."""


def _with_estimates(evidence: Evidence, gated: Gate) -> Gate:
    """Say what the default estimate makes of the unjudged documents, and of what pool."""
    few = len(evidence.topics) <= _MOST_ESTIMATED and has_non_relevant(evidence)
    unsure = [
        part.measure
        for part in (gated.measures if few else ())
        if is_drawable(part.measure) and count_ungraded(part.measure.cut(evidence)).any()
    ]
    model = RelevanceModelTreatment()
    tables = [estimate(evidence, m, treatment=model, rng=DEFAULT_SEED) for m in unsure]
    said = [_by_estimate(table, estimate_heading(model.name, table)) for table in tables]
    made = gated.provenance.with_options(**pool_read_off(tables))
    return replace(gated, remarks=(*gated.remarks, *said), provenance=made)


def _by_estimate(table: ScoreTable, heading: str) -> str:
    before, after = (float(mean) for mean in table.means())
    return (
        f"With unjudged documents estimated ({heading}), the difference in {table.measure} is "
        f"{signed(after - before)}; the verdict does not rest on it."
    )


def _remarks(frozen: Sequence[FrozenBaseline], evidence: Evidence) -> Iterable[str]:
    now = evidence.provenance.judgments.sha256
    for frozen_run in frozen:
        if frozen_run.judgments and now and frozen_run.judgments != now:
            yield (
                f"The judgments are not those that {Path(frozen_run.path).name} was frozen with: "
                "both runs were scored anew by the judgments given."
            )
