"""Scores of runs with unjudged documents by one treatment, and by several side by side."""

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from poolwise.arrays import Booleans, Floats, generator
from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._groups import Groups
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Universe, count_ungraded
from poolwise.evidence.unknowns._gain_models import GAIN_MODELS
from poolwise.evidence.unknowns.relevance_model._features import require_non_relevant
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import range_options
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.provenance._provenance import Notice, seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import FindingByTopic, finding
from poolwise.results._progress import counting
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable, tidy
from poolwise.scores._scoring import score
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.treatments._bias import (
    Adjustment,
    BiasFromSystems,
    BiasFromTopics,
    adjusted_means,
)
from poolwise.scores.treatments._relevance_model_treatment import (
    TARGETS,
    RelevanceModelTreatment,
)
from poolwise.scores.treatments._treatments import (
    Bootstrap,
    Bounded,
    Condensed,
    GainModelTreatment,
    NonRelevant,
    RateFilled,
    RBPInspired,
    Treatment,
    treatment_label,
)
from poolwise.words import counted, have, named, range_text

__all__ = [
    "STUDIED",
    "TREATMENTS",
    "Estimates",
    "choose_treatments",
    "estimate",
    "estimate_all",
    "estimate_heading",
    "find_treatment",
    "impossible_means",
    "informed",
    "informed_by_card",
    "is_outside",
    "places_on_card",
    "pool_read_off",
    "range_error",
    "refusal_notes",
]

TREATMENTS: tuple[Treatment, ...] = (
    RelevanceModelTreatment(),
    NonRelevant(),
    Condensed(),
    Bounded("naive"),
    Bounded("exact"),
    RBPInspired(),
    RateFilled("background"),
    RateFilled("interpolation"),
    RateFilled("smoothing"),
    *(GainModelTreatment(model) for model in GAIN_MODELS),
    Bootstrap(),
    BiasFromSystems(),
    BiasFromTopics(),
)
"""Every treatment with its default options, in the order of the documentation."""

STUDIED = ("model", "nonrelevant", "condensed", "bootstrap", "exact")
"""What studies compare where none is named: those of them that can be had."""


@recorded
def estimate(
    evidence: Evidence,
    measure: Measure | str,
    *,
    treatment: str | Treatment = "model",
    rng: int | np.random.Generator = 1,
) -> ScoreTable:
    """Score runs with unjudged documents by one of the treatments.

    Parameters
    ----------
    treatment : str or Treatment
        The name of one of ``TREATMENTS``, with options if need be (``"bootstrap(prior='pool')"``),
        or a treatment itself, such as ``GainModelTreatment("linear", depth=20)``.
    rng : int or numpy.random.Generator
        Seed or Generator, for the treatments that draw.

    Returns
    -------
    ScoreTable
        The estimates; lower and upper are the range where the treatment gives one, else NaN. A
        run without unjudged documents has its plain score, whatever the treatment.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0, 1]])
    >>> for name in ("nonrelevant", "condensed", "interpolation", "static"):
    ...     print(name, round(estimate(evidence, "RBP(p=0.5)@4", treatment=name).value.item(), 3))
    nonrelevant 0.562
    condensed 0.625
    interpolation 0.767
    static 0.688
    """
    measure = parse_measure(measure)
    chosen = find_treatment(treatment) if isinstance(treatment, str) else treatment
    if getattr(chosen, "needs_non_relevant", False):
        require_non_relevant(evidence, chosen.name)
    return _noticed(chosen.table(evidence, measure, rng), chosen, evidence, rng)


def _noticed(
    table: ScoreTable,
    chosen: Treatment,
    evidence: Evidence,
    rng: int | np.random.Generator,
) -> ScoreTable:
    """Say in the provenance how many documents were treated, and how."""
    measure = table.measure
    seed = (
        f" (seed {rng})"
        if isinstance(rng, int) and isinstance(chosen, Bootstrap | RelevanceModelTreatment)
        else ""
    )
    unknown = int(count_ungraded(measure.cut(evidence)).sum())
    treated = f"treated by {treatment_label(chosen, every=True)}{seed}"
    notice = Notice(f"documents without a grade, {treated}", unknown)
    notices = (*table.provenance.notices, notice)
    return replace(table, provenance=replace(table.provenance, notices=notices))


@recorded
def range_error(value: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return how far each estimate is from a range, 0 inside it (ε of G16 §3).

    Parameters
    ----------
    value : float array
        The estimates.
    lower, upper : float array
        The ends of the range of each.

    Returns
    -------
    float array
        The distance of each estimate from the nearer end of its range.

    Examples
    --------
    >>> range_error(np.array([0.1, 0.3, 0.5]), np.full(3, 0.2), np.full(3, 0.4)).round(2).tolist()
    [0.1, 0.0, 0.1]
    """
    return np.maximum(np.maximum(lower - value, value - upper), 0.0)


def is_outside(value: Floats, lower: Floats, upper: Floats, within: float) -> Booleans:
    """Tell which estimates lie outside of a range by more than rounding; an unknown one has none.

    Examples
    --------
    >>> is_outside(np.array([0.1, 0.4, 0.5]), np.full(3, 0.2), np.array([0.4] * 3), 0.0).tolist()
    [True, False, True]
    """
    return np.asarray((value < lower - within) | (value > upper + within))


def impossible_means(measure: Measure, runs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say of which runs a treatment gives a mean that is not possible, by treatment.

    Examples
    --------
    >>> impossible_means(parse_measure("AP"), {"condensed": ["bm25"], "model": []})
    ('By condensed, the mean AP of bm25 is impossible: no grades of the unjudged documents give
    it.',)
    """
    return tuple(
        f"By {name}, the mean {measure} of {named(systems)} is impossible: no grades of the "
        "unjudged documents give it."
        for name, systems in runs.items()
        if systems
    )


def find_treatment(name: str) -> Treatment:
    """Return the treatment of this name, with the options that follow it in parentheses.

    Examples
    --------
    >>> find_treatment("condensed")
    Condensed(ranged=False)
    >>> find_treatment("bootstrap(prior='pool',draws=500)")
    Bootstrap(prior='pool', draws=500, joint=False, percentile=95, over='topics', depth=None,
    deep=False, point='mean', bins=None, labels=None)
    """
    stem, _, inside = name.strip().partition("(")
    by_name = {treatment.name: treatment for treatment in TREATMENTS} | {"bounds": Bounded("exact")}
    require_choice("treatment", stem, by_name)
    options = _options(name, f"options({inside}" if inside else "options()")
    unknown = sorted(options.keys() - _fields(by_name[stem]).keys())
    if unknown:
        raise OptionError(
            f"treatment: {stem!r} has no option {unknown[0]!r}. Hint: use "
            f"{', '.join(_fields(by_name[stem])) or 'it without any'}."
        )
    return replace(by_name[stem], **options)  # type: ignore[type-var] # every treatment is a dataclass


def _fields(treatment: Treatment) -> dict[str, Any]:
    return {f.name: getattr(treatment, f.name) for f in fields(treatment)}  # type: ignore[arg-type] # as above


def _options(name: str, call: str) -> dict[str, Any]:
    """Read ``prior='run',draws=500)``."""
    try:
        parsed = ast.parse(call, mode="eval").body
        return {str(k.arg): ast.literal_eval(k.value) for k in getattr(parsed, "keywords", ())}
    except (SyntaxError, ValueError) as error:
        raise OptionError(
            f"treatment: {name!r} cannot be read. Hint: write options as in "
            "bootstrap(prior='run',draws=500)."
        ) from error


@finding
class Estimates(FindingByTopic):
    """One measure's scores under several treatments of unjudged documents.

    Attributes
    ----------
    measure : Measure
    scores : dict
        The score table of each treatment, in the order asked for.
    refused : dict
        Where refusals are tolerated: the treatments that the measure or the collection does not
        allow, and why.
    adjustments : dict
        For the treatments that adjust means, by what each run's was adjusted.
    lowest, highest : float array, systems
        The exact range of each mean, over all grades of the unjudged documents; a mean outside is
        impossible, and is marked. NaN, or empty, where it is not known.
    places : tuple of str
        Where runs stand among the original ones of a card, in words.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0, 1], [0, 1, 1, 0]])
    >>> print(estimate_all(evidence, "nDCG@4", treatments=["condensed", "exact"]))
    Which run has the highest mean nDCG@4 depends on the treatment of unjudged documents: run1 by
    condensed; run2 by nonrelevant.
    <BLANKLINE>
    nDCG@4: 2 runs, 1 topic
    <BLANKLINE>
    run   condensed  nonrelevant  exact range
    run1     0.9197       0.6509  0.6509 to 0.9675
    run2     0.6934       0.6934  0.5307 to 0.6934
    <BLANKLINE>
    One topic gives no interval over topics.
    <BLANKLINE>
    The treatments differ most for run1: from 0.6509 (nonrelevant) to 0.9197 (condensed).
    """

    measure: Measure
    scores: dict[str, ScoreTable]
    refused: dict[str, str] = field(default_factory=dict)
    lowest: Floats = field(default_factory=lambda: np.empty(0))
    highest: Floats = field(default_factory=lambda: np.empty(0))
    adjustments: dict[str, dict[str, Adjustment]] = field(default_factory=dict)
    places: tuple[str, ...] = ()

    def impossible(self, treatment: str) -> Booleans:
        """Tell which means of a treatment no grades of the unjudged documents give."""
        table = self.by_estimate()[_estimate_of(treatment)]
        if not len(self.lowest):
            return np.zeros(len(table.systems), np.bool_)
        return is_outside(table.means(), self.lowest, self.highest, table.tolerance)

    def by_estimate(self) -> dict[str, ScoreTable]:
        """Return the scores by what they are: those that a range is put around are plain ones."""
        tables: dict[str, ScoreTable] = {}
        for name, table in self.scores.items():
            tables.setdefault(_estimate_of(name), table)
        return tables

    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return one row per treatment, run and topic; topic ``all`` is the mean."""
        parts = {name: tidy([t], per_topic=per_topic) for name, t in self.scores.items()}
        treatments = [name for name, part in parts.items() for _ in part["run"]]
        names = tidy([], per_topic=per_topic)
        joined = {n: [cell for part in parts.values() for cell in part[n]] for n in names}
        columns: Columns = {"treatment": treatments, **joined}
        if self.adjustments:
            columns["standard_error"] = [
                self._standard_error(*row)
                for row in zip(treatments, joined["run"], joined["topic"], strict=True)
            ]
        return self._of_scored_runs(columns)

    def _standard_error(self, treatment: str, run: str, topic: str) -> float:
        """Return that of an adjusted mean (W10 eq. 6.5); NaN for what was not adjusted."""
        adjusted = self.adjustments.get(treatment, {}).get(run)
        return adjusted.standard_error if adjusted and topic == "all" else math.nan

    def _of_scored_runs(self, columns: Columns) -> Columns:
        """Leave out the rows of runs that a treatment has no score for."""
        gone = {(name, run) for name in self.scores for run in self._without_score(name)}
        both = zip(columns["treatment"], columns["run"], strict=True)
        keep = [row not in gone for row in both]
        return {name: list(compress(cells, keep)) for name, cells in columns.items()}

    def _without_score(self, treatment: str) -> list[str]:
        """Return the runs that an adjustment has nothing to adjust by."""
        table = self.scores[treatment]
        if treatment not in self.adjustments:
            return []
        return [table.systems[s] for s in np.flatnonzero(np.isnan(table.means())).tolist()]

    def sentences(self) -> tuple[str, ...]:
        """Say whether the treatments agree on the best run, and where they differ most."""
        possible = {
            name: table
            for name, table in self.by_estimate().items()
            if not (np.isnan(table.means()) | self.impossible(name)).any()
        }
        if not possible:
            none = f"No treatment of unjudged documents gives every run a mean {self.measure}."
            return (none, *self._impossible_means())
        alone, judged = len(next(iter(possible.values())).systems) == 1, self._if_judged()
        said = _mean_of_one if alone else _best_runs
        return (
            *judged,
            *self.places,
            *(() if judged and len(possible) == 1 else said(possible, self.measure)),
            *(() if alone else _widest_spread(possible)),
            *self._impossible_means(),
        )

    def _if_judged(self) -> tuple[str, ...]:
        """Say what a single run would score if more were judged, where the first treatment says."""
        first = next(iter(self.scores.values()))
        options = dict(first.provenance.options)
        if len(first.systems) > 1 or "target" not in options or np.isnan(first.means()).any():
            return ()
        low, high = (float(end[0]) for end in first.mean_bounds())
        within = "" if math.isnan(low) else f" ({range_text(low, high)})"
        how = str(options.get("estimate", "model"))
        target = str(options["target"])
        said = f"{target[:1].upper()}{target[1:]}, {first.systems[0]} would have a mean"
        by = "by the model" if how == "model" else how
        return (f"{said} {self.measure} of about {first.means()[0]:.4f}{within}, {by}.",)

    def _impossible_means(self) -> tuple[str, ...]:
        """Name the runs whose mean by a treatment lies outside what is possible."""
        runs = {
            name: [table.systems[s] for s in np.flatnonzero(self.impossible(name)).tolist()]
            for name, table in self.scores.items()
        }
        return impossible_means(self.measure, runs)

    def refusals(self) -> tuple[str, ...]:
        """Name the treatments that were left out, and why."""
        return refusal_notes(self.refused)

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run and one column per treatment, best first by the first one."""
        made = (adjusted_means(f"{n}, {self.measure}", a) for n, a in self.adjustments.items())
        return (self._table(), *made) if self.scores else ()

    def _table(self) -> Table:
        first, *_ = self.scores.values()
        columns: dict[Column, list[Cell]] = {Column("run"): list(first.systems)}
        plain = self.by_estimate()
        for name, table in self.scores.items():
            # A range alone repeats no estimate that has its column.
            if plain[_estimate_of(name)] is table:
                heading = estimate_heading(_estimate_of(name), table)
                columns[Column(heading, digits=4, best="max")] = _marked(
                    table.means(), self.impossible(name)
                )
            if _has_range(table):
                ends = zip(*table.mean_bounds(), strict=True)
                columns[Column(_range_heading(name, table))] = [
                    f"{a:.4f} to {b:.4f}" for a, b in ends
                ]
        topics = counted(int(first.defined.sum()), "topic")
        return Table.by_column(
            columns,
            order=first.order().tolist(),
            title=f"{self.measure}: {counted(len(first.systems), 'run')}, {topics}",
            notes=tuple(dict.fromkeys((*first.caveats(), *self._meanings(), *self.refusals()))),
        )

    def _meanings(self) -> Iterator[str]:
        """Say what ranges hold, what was read off the judgments, and which runs have no score."""
        for name, table in self.scores.items():
            yield from table.over_judgments.meaning
            if runs := self._without_score(name):
                yield (
                    f"{name} has no score for {named(runs)}: no topics were judged for the sake of "
                    f"{'it' if len(runs) == 1 else 'them'}. Hint: poolwise next QRELS RUNS --goal "
                    "common:10 --save common.tsv lists what to judge."
                )


_RANGES = ("exact", "naive")
"""Treatments that are a range around the plain score, which is the estimate of another one."""


def _estimate_of(treatment: str) -> str:
    """Return the treatment whose estimate a treatment has: its own, or the plain score."""
    return NonRelevant.name if treatment in _RANGES else treatment


def _range_heading(name: str, table: ScoreTable) -> str:
    """Return what heads the range of an estimate, beside it."""
    if name in _RANGES:
        return f"{name} range"
    target = str(dict(table.provenance.options).get("target", ""))
    is_all = target.startswith(TARGETS["all"].partition("{")[0])
    return "range if all were judged" if is_all else f"range of {name}"


def estimate_heading(name: str, table: ScoreTable) -> str:
    """Return what an estimate is called: what it is an estimate of, where that is not plain.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None], [0, 1]], judged=[0, 1])
    >>> estimate_heading("model", estimate(evidence, "P@2"))
    "halfway to the bootstrap, if this run's documents were judged"
    """
    options = dict(table.provenance.options)
    if "target" not in options:
        return name
    return f"{options.get('estimate', 'model')}, {options['target']}"


@recorded
def estimate_all(
    evidence: Evidence,
    measure: Measure | str,
    *,
    treatments: str | Iterable[str | Treatment] = "all",
    depth: int | None = None,
    pooled: tuple[str, ...] | None = None,
    groups: Groups | None = None,
    card: CollectionCard | None = None,
    common: tuple[str, ...] | CommonTopics | None = None,
    labels: Labels | None = None,
    adaptive: bool = False,
    tolerant: bool = False,
    universe: Universe | str = "runs",
    rng: int | np.random.Generator = 1,
) -> Estimates:
    """Score runs with unjudged documents by several treatments.

    Parameters
    ----------
    evidence, measure
        What to score.
    treatments
        Treatments or their names, or ``"all"`` that the measure and the collection allow.
    depth, pooled, groups
        The depth of the pool, the runs that formed it and the groups they come from, for
        treatments that ask and were not told.
    common
        The topics on which runs were judged for their own sake, likewise, for the adjustment from
        topics.
    labels
        Labels by one machine, likewise, for the relevance model and the bootstrap.
    tolerant
        Leave out the treatments that the measure or the collection does not allow, and say why, as
        with ``"all"``, in place of raising.
    rng
        Seed or Generator, for the treatments that draw.

    Returns
    -------
    Estimates
        The scores by treatment, and why treatments were refused.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None], [0, 1]], judged=[0, 1])
    >>> estimates = estimate_all(evidence, "AP")
    >>> "condensed" in estimates.scores, estimates.refused["zipf"].split(". ")[0]
    (True, "treatment: 'zipf' cannot treat AP")
    """
    measure, unknown = parse_measure(measure), Universe.of(universe)
    generator(rng)  # A wrong seed is no reason of a treatment.
    tables: dict[str, ScoreTable] = {}
    refused: dict[str, str] = {}
    adjustments: dict[str, dict[str, Adjustment]] = {}
    settings = {
        "depth": depth,
        "pooled": pooled,
        "groups": groups,
        "card": card,
        "common": common,
        "labels": labels,
        "adaptive": adaptive or None,
    }
    for treatment in counting(choose_treatments(treatments), "treatments tried"):
        if tolerant and _adds_nothing(treatment, evidence, measure):
            continue
        ready = informed(treatment, **settings, universe=unknown)
        if card:
            ready = informed_by_card(ready, card, evidence)
        label = treatment_label(treatment)
        try:
            tables[label], adjustments[label] = _estimated(evidence, measure, ready, rng)
        except OptionError as error:
            if not (tolerant or treatments == "all"):
                raise
            refused[label] = str(error)
    asked = settings | {
        "groups": groups and len(groups.names),
        "card": card and card.recorded_as,
        "labels": labels and labels.recorded_as,
        "common": common.recorded_as if isinstance(common, CommonTopics) else common,
    }
    stated = {name: value for name, value in asked.items() if value is not None}
    over = range_options(evidence, unknown)
    inferred = pool_read_off(tables.values())
    origin = evidence.provenance.with_options(**seed_option(rng), **(inferred | stated), **over)
    lowest, highest = score(evidence, measure, universe=unknown).mean_bounds()
    made = {label: by_run for label, by_run in adjustments.items() if by_run}
    places = places_on_card(card, measure, tables, evidence) if card else ()
    return Estimates(measure, tables, refused, lowest, highest, made, places, provenance=origin)


def _estimated(
    evidence: Evidence,
    measure: Measure,
    ready: Treatment,
    rng: int | np.random.Generator,
) -> tuple[ScoreTable, dict[str, Adjustment]]:
    """Return the scores by a treatment, and by what it adjusted them where it does that."""
    if not isinstance(ready, BiasFromSystems | BiasFromTopics):
        return estimate(evidence, measure, treatment=ready, rng=rng), {}
    require_non_relevant(evidence, ready.name)
    table, adjustments = ready.adjusted(evidence, measure)
    return _noticed(table, ready, evidence, rng), adjustments


_MOST_PLACED = 5
"""Runs whose place among original ones is said; of more, a table tells."""


def places_on_card(
    card: CollectionCard, measure: Measure, tables: Mapping[str, ScoreTable], evidence: Evidence
) -> tuple[str, ...]:
    """Say where runs stand among the original ones, as they are judged and by the estimate."""
    if str(measure) not in card.measures:
        return ()
    standing = card.measures[str(measure)].standing
    plain = score(evidence, measure, bounds="none").means().tolist()
    estimated = tables.get(RelevanceModelTreatment.name)
    original = card.knows(evidence).tolist()
    said = []
    for s, run in enumerate(evidence.systems[:_MOST_PLACED]):
        place = partial(standing.place, is_original=original[s])
        words = f"Among {counted(len(card.runs), 'original run')}, {run} is {place(plain[s])}"
        if estimated is None:
            said.append(f"{words}.")
            continue
        point, low, high = (float(of[s]) for of in (estimated.means(), *estimated.mean_bounds()))
        within = f"{place(point, low, high)} within its range"
        said.append(f"{words} as judged, {place(point)} by the estimate, and {within}.")
    return tuple(said)


def _adds_nothing(treatment: Treatment, evidence: Evidence, measure: Measure) -> bool:
    """Tell whether it is the same that all given runs' documents are judged, or a run's own."""
    if not (isinstance(treatment, RelevanceModelTreatment) and treatment.target == "all"):
        return False
    unjudged = count_ungraded(measure.cut(evidence)).any(axis=1)
    # Weights by rank know no ideal that the documents of others could change.
    return isinstance(measure, StaticWeights) or int(unjudged.sum()) < 2


def pool_read_off(tables: Iterable[ScoreTable]) -> dict[str, object]:
    """Return what treatments took the pool to be: its depth, and the runs that formed it."""
    options = [dict(table.provenance.options) for table in tables]
    return {
        name: of_table[name]
        for of_table in options
        for name in ("pool_depth", "pooled")
        if name in of_table
    }


def choose_treatments(treatments: str | Iterable[str | Treatment]) -> tuple[Treatment, ...]:
    """Return the treatments of these names, or all of them for ``"all"``."""
    if treatments == "all":
        return TREATMENTS
    wanted = [treatments] if isinstance(treatments, str) else treatments
    return tuple(find_treatment(t) if isinstance(t, str) else t for t in wanted)


def informed(treatment: Treatment, **settings: object) -> Treatment:
    """Tell a treatment what it asks for and was not told: the pool's depth, the pooled runs.

    Examples
    --------
    >>> informed(find_treatment("weibull"), depth=20, pooled=("bm25",))
    GainModelTreatment(model='weibull', depth=20)
    """
    if not is_dataclass(treatment) or isinstance(treatment, type):
        return treatment
    asked = {f.name for f in fields(treatment) if getattr(treatment, f.name) is None}
    return replace(treatment, **{name: settings[name] for name in asked & settings.keys()})


def informed_by_card(treatment: Treatment, card: CollectionCard, evidence: Evidence) -> Treatment:
    """Tell a treatment what a card knows: the model all of it, any other the pool's depth."""
    if isinstance(treatment, RelevanceModelTreatment):
        return informed(treatment, card=card)
    return informed(treatment, depth=min(card.depth, evidence.depth))


def refusal_notes(refused: dict[str, str]) -> tuple[str, ...]:
    """Return one line per reason, with the treatments that were left out for it.

    Examples
    --------
    >>> refusal_notes({"zipf": "treatment: 'zipf' cannot treat AP.",
    ...                "linear(depth=5)": "treatment: 'linear' cannot treat AP."})
    ('left out: zipf, linear(depth=5) (treatment: cannot treat AP.)',)
    """
    alike: dict[str, list[str]] = {}
    for label, reason in refused.items():
        # The reason calls the treatment by its name, without its options.
        name = label.partition("(")[0]
        alike.setdefault(reason.replace(f"{name!r} ", ""), []).append(label)
    return tuple(f"left out: {', '.join(names)} ({reason})" for reason, names in alike.items())


def _marked(means: Floats, impossible: Booleans) -> list[Cell]:
    """Return the means, with a word in place of the number's rank where it is impossible."""
    cells = zip(means.tolist(), impossible.tolist(), strict=True)
    return [f"{mean:.4f} (impossible)" if marked else mean for mean, marked in cells]


def _mean_of_one(tables: dict[str, ScoreTable], measure: Measure) -> tuple[str, ...]:
    """Say what mean the only run has under the treatment, or from which to which it goes."""
    means = {name: float(table.means()[0]) for name, table in tables.items()}
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    has = f"{next(iter(tables.values())).systems[0]} has a mean {measure}"
    if low == high:
        by = f"the treatment {low}" if len(means) == 1 else counted(len(means), "treatment")
        return (f"{has} of {means[low]:.4f} under {by}.",)
    ends = f"from {means[low]:.4f} ({low}) to {means[high]:.4f} ({high})"
    return (f"{has} {ends}, by the treatment of unjudged documents.",)


def _best_runs(tables: dict[str, ScoreTable], measure: Measure) -> tuple[str, ...]:
    """Say which run is best under every treatment, or under which treatments each is."""
    best = {name: _leaders(table) for name, table in tables.items()}
    first, *others = best.values()
    always = [run for run in first if all(run in leaders for leaders in others)]
    if always:
        has = have(len(always))
        several = f"{counted(len(best), 'treatment')} of unjudged documents"
        by = several if len(best) > 1 else f"the treatment {next(iter(best))}"
        return (f"{named(always)} {has} the highest mean {measure} under {by}.",)
    by_leaders: dict[str, list[str]] = {}
    for name, leaders in best.items():
        by_leaders.setdefault(named(leaders, most=2), []).append(name)
    each = "; ".join(f"{leaders} by {named(names)}" for leaders, names in by_leaders.items())
    return (
        (
            f"Which run has the highest mean {measure} depends on the treatment of unjudged "
            f"documents: {each}."
        ),
    )


def _leaders(table: ScoreTable) -> list[str]:
    """Return the runs with the highest mean, but for rounding."""
    means = table.means()
    return [
        table.systems[s] for s in np.flatnonzero(means >= means.max() - table.tolerance).tolist()
    ]


def _widest_spread(tables: dict[str, ScoreTable]) -> tuple[str, ...]:
    """Say which run's mean depends most on the treatment, where there are several."""
    labels = list(tables)
    means = np.array([table.means() for table in tables.values()])
    if len(labels) < 2:
        return ()
    run = int(np.ptp(means, axis=0).argmax())
    low, high = int(means[:, run].argmin()), int(means[:, run].argmax())
    if low == high:
        return ("Every run has the same mean under all of them.",)
    return (
        (
            f"The treatments differ most for {tables[labels[0]].systems[run]}: from "
            f"{means[low, run]:.4f} ({labels[low]}) to {means[high, run]:.4f} ({labels[high]})."
        ),
    )


def _has_range(table: ScoreTable) -> bool:
    low, high = table.mean_bounds()
    return not (math.isnan(float(low.max(initial=0))) or math.isnan(float(high.max(initial=0))))
