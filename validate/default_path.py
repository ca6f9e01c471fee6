"""Whether the default path keeps its promise: qrels and runs are given, and nothing else.

Each group of runs is left out of the pool in turn: what it alone nominates loses its judgment, and
a user of what is left asks for estimates. Depth, pooled runs, kinds of runs and errors are found
again from the reduced judgments. The truth of a run is its score if its own documents are judged
as they officially were; topics on which not all of its first documents are judged are dropped from
truth and estimate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.arrays import Booleans, Floats, Indices
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.evidence.unknowns.relevance_model._relevance import TopicGrades
from poolwise.scores.treatments._calibration import conformal_factor, promised_level
from poolwise.scores.treatments._drawn_scores import drawn_reach, score_draws
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    fit_model,
)
from reproduce.sources import read_properties, read_qrels
from validate.pool_shape import submitted
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = [
    "Split",
    "all_judged_table",
    "case_study_table",
    "few_runs_table",
    "groups_left_out",
    "left_out_table",
    "new_kinds_table",
    "pairs_table",
    "told_table",
]

MEASURES = {"trec8": ("P@10", "nDCG@10")}
_GRADED = ("P(rel=2)@10", "nDCG@10")
_CASES = (
    *(("trec8", 5), ("trec8", 10), ("trec8", 20)),
    *(("trec-dl-2019", 10), ("trec-dl-2021", 10)),
)
_DEFAULT = RelevanceModelTreatment(draws=200)
_OTHERS = ("nonrelevant", "condensed", "bootstrap(draws=100,deep=True)", "bias-systems")
_BAR = 0.90


@dataclass(frozen=True, eq=False)
class Split:
    """Reduced judgments, and the runs whose scores are estimated from them."""

    name: str
    reduced: pw.Evidence
    full: pw.Evidence
    new: Indices

    def truth(self, measure: pw.Measure, *, shared: bool = False) -> Floats:
        """Return scores with official grades for a run's own documents, or those of all runs."""
        grades = _official(self.reduced, self.full, drawn_reach(measure))
        scores = score_draws(self.reduced, measure, grades, draws=1, shared=shared)
        return np.asarray(scores[:, :, 0])

    def known(self, measure: pw.Measure) -> Booleans:
        """Tell of which lists all that counts was officially judged, systems × topics."""
        return np.asarray(count_ungraded(measure.cut(self.full)) == 0)


def _official(reduced: pw.Evidence, full: pw.Evidence, reach: int) -> Iterator[TopicGrades]:
    """Give the documents above a rank that lost their judgment the grade they had; others 0."""
    before, now = document_codes(full), document_codes(reduced)
    best = np.full(len(now), np.inf, np.float32)
    for block in reduced.blocks:
        documents = block.documents[:, :, :reach]
        systems, topics, ranks = np.nonzero(documents >= 0)
        rows = block.document_starts[topics] + documents[systems, topics, ranks]
        np.minimum.at(best, rows, ranks + 1)
    asked = np.flatnonzero((now < 0) & (best <= reach))
    topic_of = np.searchsorted(reduced.document_starts, asked, side="right") - 1
    for topic in np.unique(topic_of).tolist():
        rows = asked[topic_of == topic]
        yield TopicGrades(topic, rows, best[rows], np.maximum(before[rows], 0)[:, None])


@dataclass(frozen=True)
class Collection:
    """The runs of an official pool, judged to some depth."""

    folder: Path
    depth: int

    @cached_property
    def runs(self) -> pw.Runs:
        """The runs that formed the pool."""
        return pw.read_runs(self.folder / "runs").select(submitted(self.folder))

    @cached_property
    def full(self) -> pw.Evidence:
        """The runs under the official judgments."""
        return pw.align(read_qrels(self.folder), self.runs)

    @cached_property
    def pool(self) -> pw.collection.Nominations:
        """Who nominates what, of the pool of all runs to this depth."""
        whole = pw.nominate(read_qrels(self.folder), self.runs).depth_pool(self.depth)
        return pw.nominate(whole, self.runs)

    @cached_property
    def groups(self) -> pw.Groups:
        """Where the runs come from."""
        return pw.collection.read_groups(self.folder / "runs.tsv").select(self.runs.systems)

    @property
    def measures(self) -> tuple[pw.Measure, ...]:
        """What runs are scored by."""
        names = MEASURES.get(self.folder.name, _GRADED)
        return tuple(pw.parse_measure(name) for name in names)

    def without(self, gone: Sequence[str], name: str) -> Split:
        """Leave some runs out of the pool."""
        left = self.pool.leave_out(gone, depth=self.depth)
        new = np.flatnonzero(np.isin(self.runs.systems, gone))
        return Split(name, self.full.regrade(left), self.full, new)

    def of_runs(self, pooled: Sequence[str], name: str) -> Split:
        """Pool some runs only; all others are new."""
        new = np.flatnonzero(~np.isin(self.runs.systems, pooled))
        left = self.pool.depth_pool(self.depth, systems=pooled)
        return Split(name, self.full.regrade(left), self.full, new)


def groups_left_out(collection: Collection) -> Iterator[Split]:
    """Leave each group out in turn."""
    for group in dict.fromkeys(collection.groups.labels):
        yield collection.without(collection.groups.members(group), group)


@dataclass(frozen=True, eq=False)
class Errors:
    """What a treatment made of new runs: errors of means, the ends of ranges about them."""

    units: Indices
    error: Floats
    low: Floats
    high: Floats

    @property
    def rmse(self) -> float:
        """Root mean square of the errors of means."""
        return float(np.sqrt((self.error**2).mean()))

    @property
    def held(self) -> float:
        """Share of means that their range holds."""
        return float(((self.low - 1e-9 <= 0) & (self.high + 1e-9 >= 0)).mean())

    @property
    def half_width(self) -> float:
        """Half of the width of ranges, on average."""
        return float((self.high - self.low).mean() / 2)

    def conformal(self, level: float) -> float:
        """Return the half-width that errors of this size ask for, the same for all runs."""
        return conformal_factor(np.abs(self.error), self.units, level)


def errors_of(
    splits: Sequence[Split],
    measure: pw.Measure,
    treatment: str | RelevanceModelTreatment,
    *,
    shared: bool = False,
    against_all: bool = False,
) -> Errors:
    """Estimate the new runs of each split, and compare means over the topics that are known."""
    rows = []
    for unit, split in enumerate(splits):
        table = pw.scores.estimate(split.reduced, measure, treatment=treatment, rng=1)
        truth, is_known = split.truth(measure, shared=shared or against_all), split.known(measure)
        low, high = table.mean_bounds()
        mean = table.means()
        for run in split.new.tolist():
            there = is_known[run] & ~np.isnan(truth[run]) & ~np.isnan(table.value[run])
            if there.any():
                off = float((table.value[run] - truth[run])[there].mean())
                # The range of the mean over all topics, about the error over the known ones.
                rows.append((unit, off, off + low[run] - mean[run], off + high[run] - mean[run]))
    units, *numbers = np.array(rows).T
    return Errors(units.astype(np.intp), *numbers)


@cache
def _untold(collection: Collection, measure: pw.Measure, treatment: str = "") -> Errors:
    """Return the errors of the default path, or of another treatment, which two tables show."""
    return errors_of(_all_left_out(collection), measure, treatment or _DEFAULT)


@lru_cache(maxsize=1)
def _all_left_out(collection: Collection) -> tuple[Split, ...]:
    """Return a split for each group; of one collection at a time, for what is fitted is kept."""
    return tuple(groups_left_out(collection))


_TOGETHER = (
    *(("trec8", 1), ("trec8", 8)),
    *(("trec-dl-2019", 1), ("trec-dl-2019", 3)),
    *(("trec-dl-2021", 1), ("trec-dl-2021", 3), ("trec-dl-2021", 5)),
)
"""Collections, and how many of their groups are left out at once."""
_EVERY = {("trec8", 1): 3}
"""Of TREC-8's 41 groups every third is left out alone."""


def all_judged_table(folders: Folders) -> ValidationTable:
    """Check the ranges of the second target: if all given runs' documents were judged."""
    rows = [
        _all_judged_row(Collection(folders.data / name, 10), count) for name, count in _TOGETHER
    ]
    missed = [
        row | {"missed": f"held by {over:.4f}" if (over := _BAR - _number(row["held"])) > 0 else ""}
        for row in rows
    ]
    return table_of_rows(
        "The default path: all given runs' documents judged",
        "nDCG@10 to depth 10, nothing told; so many groups are left out at once (of TREC-8 one "
        "alone: every third), drawn at random. The truth has the documents of all given runs "
        "judged. Ranges are calibrated by leaving as many units out at once as are new (their "
        "median is shown), in sets drawn at random, so that each unit is left out once; they hold "
        "for at least 90% of the new runs. Splits whose new units are more than half as many as "
        "the pooled ones are refused. Pooled runs, which only the ideal moves, and the first "
        "target read as the second stand beside it. Three rules were tried on DL 2019 and DL 2021 "
        "(one unit at a time; as many as are new, by units; by sets), and all held for 92% or "
        "more: taken is the one that leaves out as much as is new and promises as much as the "
        "first target does.",
        missed,
        holds=not any(row["missed"] for row in missed),
    )


def _groups_together(collection: Collection, count: int) -> Iterator[Split]:
    """Leave so many groups out at once, each group once."""
    names = list(dict.fromkeys(collection.groups.labels))
    every = _EVERY.get((collection.folder.name, count), 1)
    drawn = [names[at] for at in np.random.default_rng(3).permutation(len(names)).tolist()]
    for first in range(0, len(drawn) - count + 1, count * every):
        gone = drawn[first : first + count]
        members = [run for group in gone for run in collection.groups.members(group)]
        yield collection.without(members, ", ".join(gone))


def _all_judged_row(collection: Collection, count: int) -> Row:
    shared = RelevanceModelTreatment(draws=200, target="all")
    measure = collection.measures[1]
    splits = list(_groups_together(collection, count))
    fitted = [fit_model(split.reduced, measure, shared) for split in splits]
    new = [model.new_units(measure) for model in fitted]
    both = zip(splits, fitted, new, strict=True)
    calibrated = [
        s for s, model, k in both if not isinstance(model.errors(measure, 1, at_once=k), str)
    ]
    errors = errors_of(calibrated, measure, shared, shared=True)
    every = np.arange(len(collection.runs.systems))
    pooled = [replace(split, new=np.setdiff1d(every, split.new)) for split in calibrated]
    unmoved = errors_of(pooled, measure, shared, shared=True)
    confused = errors_of(calibrated, measure, _DEFAULT, against_all=True)
    return {
        "collection": collection.folder.name,
        "groups at once": count,
        "splits": len(splits),
        "refused": len(splits) - len(calibrated),
        "new units": float(np.median(new)),
        "runs": len(errors.error),
        "bias": float(errors.error.mean()),
        "RMSE": errors.rmse,
        "held": errors.held,
        "half-width": errors.half_width,
        "pooled runs: held": unmoved.held,
        "own as all: bias": float(confused.error.mean()),
        "own as all: held": confused.held,
    }


def left_out_table(folders: Folders) -> ValidationTable:
    """Check the bars of the default path: a group left out, nothing told."""
    rows = [
        row
        for name, depth in _CASES
        for row in _left_out_rows(Collection(folders.data / name, depth))
    ]
    missed = [row | {"missed": _missed(row)} for row in rows]
    return table_of_rows(
        "The default path: a group left out, nothing told",
        "Qrels and runs are given, and nothing else. The range of a mean holds for at least 90% of "
        "runs of left-out groups, and is narrower than those of other treatments (plain, "
        "condensed, W10 from systems) made conformal over the same groups, at the level that these "
        "can promise. RMSE is of means; "
        "level is what the ranges promise; depth found is what was read off each reduced pool. "
        "Ranges are cut to what is possible. The constants of the model were chosen on these same "
        "groups of DL 2019, DL 2021 and TREC-8, among 12 sets of features and slopes (ridge 3 to "
        "30), 4 floors, 6 ways to group runs and 7 estimates for few runs, so that the numbers are "
        "a little optimistic. Where a bar is missed, the last column says by how much.",
        missed,
        holds=not any(row["missed"] for row in missed),
    )


def _left_out_rows(collection: Collection) -> Iterator[Row]:
    splits = _all_left_out(collection)
    for measure in collection.measures:
        errors = _untold(collection, measure)
        fitted = [fit_model(s.reduced, measure, _DEFAULT) for s in splits]
        depths = sorted({model.pool.depth for model in fitted})
        what = fitted[0].units.what
        count = min(len(model.left_out(1)) for model in fitted) if what == "run" else 0
        units = count or min(model.units.kinds for model in fitted)
        level = promised_level(units)
        # As many groups as were left out promise the others, which have no ranges of their own.
        reachable = min(level, promised_level(len(splits)))
        others = {name: _untold(collection, measure, name) for name in _OTHERS}
        yield {
            "collection": collection.folder.name,
            "depth": collection.depth,
            "depth found": ", ".join(map(str, depths)),
            "measure": str(measure),
            "runs": len(errors.error),
            "units": f"{units} {what}s" if what != "kind of run" else f"{units} kinds",
            "level": level,
            "bias": float(errors.error.mean()),
            "RMSE": errors.rmse,
            **{f"RMSE {name.split('(')[0]}": of.rmse for name, of in others.items()},
            "held": errors.held,
            "half-width": errors.half_width,
            **{
                f"± {name}": others[name].conformal(reachable)
                for name in ("nonrelevant", "condensed", "bias-systems")
            },
        }


def _missed(row: Row) -> str:
    over = {"held": _BAR - _number(row["held"])}
    for name in ("nonrelevant", "condensed", "bias-systems"):
        over[f"half-width of {name}"] = _number(row["half-width"]) - _number(row[f"± {name}"])
    return ", ".join(f"{name} by {excess:.4f}" for name, excess in over.items() if excess > 0)


def _number(cell: object) -> float:
    return float(str(cell))


def told_table(folders: Folders) -> ValidationTable:
    """Check the bars of the model that is told groups and depth, beside the default path."""
    rows = []
    for name, depth in (*_CASES[1:], ("trec-dl-2019", 20)):
        rows.extend(_told_rows(Collection(folders.data / name, depth)))
    missed = [row | {"missed": _missed_told(row)} for row in rows]
    return table_of_rows(
        "What it helps to be told: groups and depth",
        "RMSE of means of left-out groups, with groups and depth told (--groups, --pool-depth) and "
        "with nothing told. Told, the RMSE of P@10 on TREC-8 is at most .012 to depth 10 and .006 "
        "to depth 20, and below that of every other treatment (DL 2019 to depth 20 has no bar: the "
        "official pool is 10 deep).",
        missed,
        holds=not any(row["missed"] for row in missed),
    )


def _told_rows(collection: Collection) -> Iterator[Row]:
    splits = _all_left_out(collection)
    treatment = RelevanceModelTreatment(collection.depth, groups=collection.groups, draws=200)
    for measure in collection.measures:
        errors, untold = errors_of(splits, measure, treatment), _untold(collection, measure)
        others = {name: _untold(collection, measure, name) for name in _OTHERS}
        yield {
            "collection": collection.folder.name,
            "depth": collection.depth,
            "measure": str(measure),
            "told": errors.rmse,
            "nothing told": untold.rmse,
            **{name.split("(")[0]: of.rmse for name, of in others.items()},
            "told: bias": float(errors.error.mean()),
            "told: held": errors.held,
            "told: half-width": errors.half_width,
        }


def _missed_told(row: Row) -> str:
    if (row["collection"], row["depth"]) == ("trec-dl-2019", 20):
        return ""
    limits = {name.split("(")[0]: _number(row[name.split("(")[0]]) for name in _OTHERS}
    if row["measure"] == "P@10":
        limits["the bar"] = 0.012 if row["depth"] == 10 else 0.006
    over = {name: _number(row["told"]) - limit for name, limit in limits.items()}
    return ", ".join(f"{name} by {excess:.4f}" for name, excess in over.items() if excess > 0)


def _kinds(data: Path) -> Iterator[tuple[Collection, Split]]:
    """Return pools of one kind of run, met by another."""
    trec8 = Collection(data / "trec8", 10)
    kinds = read_properties(trec8.folder, "type")
    automatic = [run for run in trec8.runs.systems if kinds[run] == "automatic"]
    yield trec8, trec8.of_runs(automatic, "automatic → manual")
    shallow = Collection(data / "trec8", 5)
    yield shallow, shallow.of_runs(automatic, "automatic → manual")
    dl19 = Collection(data / "trec-dl-2019", 10)
    lexical = [run for run in dl19.runs.systems if run.startswith(("bm25", "UNH_bm25"))]
    yield dl19, dl19.of_runs(lexical, "lexical → neural")
    dl21 = Collection(data / "trec-dl-2021", 10)
    lexical = ["bl_bcai_p_trad", "p_bm25", "p_bm25rm3", "paug_bm25", "paug_bm25rm3"]
    yield dl21, dl21.of_runs(lexical, "lexical → neural")


def new_kinds_table(folders: Folders) -> ValidationTable:
    """Show what becomes of the promise where new runs are not like the old ones, by target."""
    rows = [
        _kind_row(collection, split, m)
        for collection, split in _kinds(folders.data)
        for m in collection.measures
    ]
    return table_of_rows(
        "The default path: new kinds of runs on an old pool",
        "Nothing is claimed: new runs are not like pooled ones, and ranges hold less often, or are "
        "refused where the pooled runs are too alike. Own: if this run's documents were judged; "
        "all: if all given runs' were; own as all: the first read as the second. A range that is "
        "not calibrated is all that is possible. Read TREC-8 to depth 5 as the stated limit: both "
        "a new kind of run and ranks below the pool.",
        rows,
    )


def _kind_row(collection: Collection, split: Split, measure: pw.Measure) -> Row:
    fitted = fit_model(split.reduced, measure, _DEFAULT)
    own = errors_of([split], measure, _DEFAULT)
    shared = RelevanceModelTreatment(draws=200, target="all")
    both = errors_of([split], measure, shared, shared=True)
    confused = errors_of([split], measure, _DEFAULT, against_all=True)
    plain = errors_of([split], measure, "nonrelevant")
    return {
        "collection": collection.folder.name,
        "depth": collection.depth,
        "pool → new": split.name,
        "measure": str(measure),
        "pooled": len(split.reduced.systems) - len(split.new),
        "new": len(own.error),
        "kinds": fitted.units.kinds,
        "calibrated": "yes" if fitted.units.enough else "refused",
        "own: bias": float(own.error.mean()),
        "own: RMSE": own.rmse,
        "own: held": own.held,
        "own: half-width": own.half_width,
        "all: bias": float(both.error.mean()),
        "all: RMSE": both.rmse,
        "all: held": both.held if not np.isnan(both.low).any() else float("nan"),
        "own as all: bias": float(confused.error.mean()),
        "plain: RMSE": plain.rmse,
    }


_FEW = {"trec-dl-2019": "bm25base_p", "trec-dl-2021": "p_bm25"}
_POINTS = {
    "plain": "nonrelevant",
    "condensed": "condensed",
    "bootstrap": "bootstrap(draws=100)",
    "default": RelevanceModelTreatment(draws=100),
}


def few_runs_table(folders: Folders) -> ValidationTable:
    """Show the default estimate where three runs of a new group and BM25 are all that is given."""
    rows = []
    for name, baseline in _FEW.items():
        collection = Collection(folders.data / name, 10)
        splits = [s for s in _few_splits(collection, baseline) if len(s.new)]
        for measure in collection.measures:
            by_point = {key: errors_of(splits, measure, of) for key, of in _POINTS.items()}
            row: Row = {
                "collection": name,
                "measure": str(measure),
                "runs": len(by_point["default"].error),
            }
            rows.append(
                row
                | {f"RMSE {key}": of.rmse for key, of in by_point.items()}
                | {"bias default": float(by_point["default"].error.mean())}
            )
    return table_of_rows(
        "The default path: few runs",
        "At most three runs of a left-out group and one BM25 run are given: fewer than five kinds "
        "of pooled runs, so that the estimate is halfway from plain to the bootstrap (mean of the "
        "draws), with the exact range. It beats plain, condensed and the bootstrap on DL 2021, and "
        "loses a little to plain and condensed on DL 2019, where hardly any unjudged document is "
        "relevant. Seven such estimates were tried on these runs; that the model is the estimate "
        "from ten given kinds of runs on (of 5, 8 and 10) was chosen on 15 splits with one to "
        "eight groups of new runs.",
        rows,
    )


def _few_splits(collection: Collection, baseline: str) -> Iterator[Split]:
    for split in groups_left_out(collection):
        names = [split.reduced.systems[s] for s in split.new.tolist()]
        systems = [name for name in names if name != baseline][:3]
        chosen = indices([*systems, baseline], split.reduced.systems)
        few = (split.reduced.select(chosen), split.full.select(chosen))
        yield Split(split.name, *few, np.arange(len(systems)))


def indices(names: Sequence[str], systems: Sequence[str]) -> Indices:
    """Return where these systems stand."""
    return np.array([systems.index(name) for name in names])


def case_study_table(folders: Folders) -> ValidationTable:
    """Show the hard case: four runs, three of them of a kind that the pool did not know."""
    folder = folders.data / "b23-case-study"
    runs = pw.read_runs(folder / "runs", ties="docid")
    few, complete = (
        pw.align(pw.read_judgments(folder / f"{kind}-trec-covid.txt.gz"), runs)
        for kind in ("incomplete-beir", "complete-annotation")
    )
    truth = pw.score(complete, "nDCG@10", bounds="none").means()
    points = _POINTS | {"default": RelevanceModelTreatment()}
    tables = {k: pw.scores.estimate(few, "nDCG@10", treatment=t) for k, t in points.items()}
    rows: list[Row] = [
        {"run": run, "complete": float(truth[s])}
        | {kind: float(table.means()[s]) for kind, table in tables.items()}
        | {"error of default": float(tables["default"].means()[s] - truth[s])}
        for s, run in enumerate(runs.systems)
    ]
    off = {
        k: (t.means() - truth)[np.array(runs.systems) != "BBGhelani2"] for k, t in tables.items()
    }
    rows.append(
        {"run": "RMSE of the three new runs", "complete": float("nan")}
        | {kind: float(np.sqrt((of**2).mean())) for kind, of in off.items()}
        | {"error of default": float("nan")}
    )
    return table_of_rows(
        "The default path: four runs on TREC-COVID (B23 §4.3)",
        "Nothing is claimed: nDCG@10 with the judgments that BEIR has, by treatment, and with "
        "complete ones. With so few kinds of runs no range can be calibrated, and the command says "
        "so; the default is halfway from plain to the bootstrap.",
        rows,
    )


_BANDS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
_NAMES = ("<.05", ".05–.2", ".2–.5", ".5–.8", ".8–.95", ".95–<1", "1")


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of runs under draws, one entry each: what is said of the run ahead, what is true."""

    group: Indices
    share: Floats
    true: Booleans
    starred: Booleans
    kept: Booleans
    new: Indices

    @classmethod
    def of(cls, parts: Sequence["_Pairs"]) -> "_Pairs":
        names = ("group", "share", "true", "starred", "kept", "new")
        return cls(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))


def pairs_table(folders: Folders) -> ValidationTable:
    """Check that orders and stars that calibrated draws decide are right."""
    rows = []
    for name, depth in (("trec-dl-2019", 10), ("trec-dl-2021", 10), ("trec8", 10)):
        collection = Collection(folders.data / name, depth)
        splits = list(groups_left_out(collection))
        rows.extend(_pairs_row(collection, measure, splits) for measure in collection.measures)
    missed = [row | {"missed": _missed_pairs(row)} for row in rows]
    return table_of_rows(
        "Pairs decided by calibrated draws",
        "A group is left out; its runs are compared with pooled ones, and with each other, by 200 "
        "draws that are spread out by the factor f of left-out units (√2 f for two new runs), with "
        "nothing told. The truth is the order with all given runs' documents judged. By the share "
        "of draws in which the run ahead is ahead: how often it is (pairs). Decided are shares of "
        "at least .95 and at most .05: at most 3 in 1,000 of them are wrong, and the lower 95% "
        "limit of the share of right ones, clustered by group, is at least .90; the same of "
        "starred pairs (p < .05 by Holm now, ahead and significant in .95 of draws). Shares "
        "between are counts and not chances. Where a bar is missed, the last column says by how "
        "much.",
        missed,
        holds=not any(row["missed"] for row in missed),
    )


def _pairs_row(collection: Collection, measure: pw.Measure, splits: Sequence[Split]) -> Row:
    parts, factors = [], []
    for unit, split in enumerate(splits):
        part, factor = _compared(split, measure, unit)
        parts.append(part)
        factors.append(factor)
    pairs = _Pairs.of(parts)
    mixed, both = pairs.new == 1, pairs.new == 2
    decided = (pairs.share >= 0.95) | (pairs.share <= 0.05)
    right = np.where(pairs.share >= 0.5, pairs.true, ~pairs.true)
    row: Row = {
        "collection": collection.folder.name,
        "measure": str(measure),
        "f": float(np.median(factors)),
    }
    band = np.searchsorted(_BANDS, pairs.share, side="right") - 1
    for number, name in enumerate(_NAMES):
        there = mixed & (band == number)
        rate = float(pairs.true[there].mean()) if there.any() else float("nan")
        row[name] = f"{rate:.2f} ({int(there.sum())})"
    return row | {
        "decided": int((mixed & decided).sum()),
        "wrong": int((mixed & decided & ~right).sum()),
        "limit": _lower_limit(right[mixed & decided], pairs.group[mixed & decided]),
        "starred": int((mixed & pairs.starred).sum()),
        "stars lost": int((mixed & pairs.starred & ~pairs.kept).sum()),
        "two new: decided": int((both & decided).sum()),
        "two new: wrong": int((both & decided & ~right).sum()),
    }


def _compared(split: Split, measure: pw.Measure, unit: int) -> tuple[_Pairs, float]:
    """Compare new runs with pooled ones and with each other: what draws say, and the truth."""
    new = np.zeros(len(split.reduced.systems), np.bool_)
    new[split.new] = True
    comparisons = pw.compare_evidence(split.reduced, measure, draws=200, rng=1)
    means = split.truth(measure, shared=True)
    table = pw.score(split.reduced, measure, bounds="none")
    is_known = split.known(measure)
    left, right = comparisons.pairs.left, comparisons.pairs.right
    count = new[left].astype(np.int64) + new[right]
    scored = is_known & ~np.isnan(means)
    both = scored[left] & scored[right]
    total = np.maximum(both.sum(axis=1), 1)
    truth = np.where(both, means[left] - means[right], 0.0).sum(axis=1) / total
    # Turned so that the run ahead now comes first; level ones stay as they are.
    turned = comparisons.difference < 0
    share = np.where(turned, comparisons.drawn.behind, comparisons.drawn.ahead)
    truth = np.where(turned, -truth, truth)
    again = pw.compare_scores(_with(table, means))
    stays = (again.p_adjusted < 0.05) & (
        np.sign(again.difference) == np.sign(comparisons.difference)
    )
    starred = (comparisons.p_adjusted < 0.05) & (comparisons.drawn.significant >= 0.95)
    kept = (count > 0) & both.any(axis=1) & (np.abs(truth) > 1e-12)
    factor = comparisons.drawn.calibration.factor if comparisons.drawn.calibration else float("nan")
    return (
        _Pairs(
            np.full(int(kept.sum()), unit),
            share[kept],
            (truth > 0)[kept],
            starred[kept],
            stays[kept],
            count[kept],
        ),
        factor,
    )


def _with(table: pw.ScoreTable, value: Floats) -> pw.ScoreTable:
    return pw.ScoreTable.from_matrix(
        value, systems=table.systems, topics=table.topics, measure=str(table.measure)
    )


def _lower_limit(right: Booleans, groups: Indices) -> float:
    """Return the lower 95% limit of a share, with the group as the unit (linearized variance)."""
    if not len(right):
        return float("nan")
    rate = right.mean()
    off = np.bincount(groups, right - rate)
    units = len(np.unique(groups))
    error = np.sqrt(units / max(units - 1, 1) * (off**2).sum()) / len(right)
    return float(rate - 1.96 * error)


def _missed_pairs(row: Row) -> str:
    decided, starred = _number(row["decided"]), _number(row["starred"])
    over = {
        "wrong": _number(row["wrong"]) / max(decided, 1) - 0.003,
        "limit": _BAR - _number(row["limit"]),
        "stars lost": _number(row["stars lost"]) / max(starred, 1) - 0.003,
    }
    return ", ".join(f"{name} by {excess:.4f}" for name, excess in over.items() if excess > 0)
