"""Whether one run with the card of its collection gets what it would get beside all pooled runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.arrays import Indices
from poolwise.collection._identifiers import HashedRandom
from poolwise.scores.cards._card import CollectionCard, JudgedContent
from poolwise.scores.cards._card_file import card_bytes
from poolwise.scores.cards._making import card_of_evidence
from poolwise.scores.treatments._calibration import (
    LeftOutErrors,
    calibrate,
    leave_units_out,
    left_out_errors,
)
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    fit_model,
)
from validate.default_path import Collection, Split, groups_left_out
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["cards_table"]

_CASES = (("trec8", 10), ("trec-dl-2019", 10), ("trec-dl-2021", 10))
_EVERY = {"trec8": 3}
"""Of TREC-8's 41 groups every third is left out: each of its runs is met with 70 others again."""
_NEAR, _WIDER, _HELD, _MEGABYTES = 0.0005, 0.05, 0.90, 5.0
_ROUNDING = 1e-9
_NOTHING = JudgedContent("", {}, ())


def cards_table(folders: Folders) -> ValidationTable:
    """Check the bars of a card: the point, the width and the promise of one new run."""
    pairs = [
        pair for name, depth in _CASES for pair in _of_measures(folders.data / name, name, depth)
    ]
    missed = [row | {"missed": _missed(row)} for row, _ in pairs]
    remarks = [_remark(row, runs) for row, runs in pairs if _number(row["held"]) < _HELD]
    return table_of_rows(
        "One run with a card",
        " ".join([_CLAIM, *remarks, _WIDER_UNITS]),
        missed,
        holds=not any(row["missed"] for row in missed),
    )


_CLAIM = (
    "Each group (of TREC-8 every third) is left out of the pool in turn, and a card is made of "
    "the others with nothing told. Each run of the group is then estimated alone with the "
    "card, and beside all pooled runs (1,000 draws). The largest difference of the points is "
    "at most .0005; the mean half-width with the card is within 5% of that beside all runs; "
    "the range holds for at least 90% of runs; a card has at most 5 MB. Errors of left-out "
    "runs are those of the pool without the new run, so that the width of a single run differs "
    "more: the share of runs within 5% is shown beside it. Rounding the qualities of groups on "
    "the card was tried at three steps (none, .02, .05); .02 is taken. Where a bar is missed, the "
    "last column says by how much."
)
_WIDER_UNITS = (
    "The model is calibrated on kinds of runs that are left out while all their runs are given; "
    "here a run is given without its kin. Stretched: what the card's ranges would be, and hold, if "
    "single runs were left out as well and the larger of the two factors taken (where single runs "
    "are what is left out, nothing changes). That is one of six rules that were tried on DL 2021 "
    "(single runs; single runs, a kind counting once; runs without their kin, counted by run or by "
    "kind; the larger factor of kinds and of either). It was looked for where the bar is missed, "
    "and is not the default: by six measures of DL 2021 that no rule was looked for, run by run "
    "beside all pooled ones (200 draws), the default held .952 by P(rel=1)@10, .921 by "
    "P(rel=3)@10, .917 by P(rel=2)@5, .883 by nDCG@5, .885 by nDCG@3 and .984 by ERR@10, and the "
    "larger factor .984 by the first and the same by all others, with ranges 0 to 12% wider; by "
    "nDCG@10 it added three runs of one group."
)


def _remark(row: Row, runs: "list[_Found]") -> str:
    """Say of the runs that the card misses how many are missed beside all pooled runs, too."""
    lost = [run for run in runs if not run.held]
    alone = [run.outside for run in lost if run.held_beside]
    others = f"; the others by at most {max(alone):.4f}" if alone else ""
    groups = [len({run.group for run in some}) for some in (lost, runs)]
    return (
        f"On {row['collection']}, {row['measure']}, {len(lost)} of {len(runs)} runs are missed "
        f"with the card, {len(lost) - len(alone)} of them beside all pooled runs, too{others}. "
        f"They are of {groups[0]} of {groups[1]} groups."
    )


@dataclass(frozen=True)
class _Found:
    """One run by one measure: with the card, and beside all pooled runs."""

    group: str
    difference: float
    half: float
    half_beside: float
    held: bool
    held_beside: bool
    outside: float
    held_stretched: bool


def _of_measures(folder: Path, name: str, depth: int) -> Iterator[tuple[Row, list[_Found]]]:
    """Return the row of each measure, and the runs it is of."""
    collection = Collection(folder, depth)
    by_measure: dict[str, list[_Found]] = {str(measure): [] for measure in collection.measures}
    stretched: dict[str, list[float]] = {str(measure): [] for measure in collection.measures}
    size = 0
    for split in islice(groups_left_out(collection), 0, None, _EVERY.get(name, 1)):
        others = np.setdiff1d(np.arange(len(collection.runs.systems)), split.new)
        pooled = split.reduced.select(others)
        card = card_of_evidence(
            pooled, collection.measures, judgments=_NOTHING, options=RelevanceModelTreatment()
        )
        size = max(size, len(card_bytes(card)))
        for measure, stretch in zip(
            collection.measures, _stretches(pooled, collection.measures), strict=True
        ):
            for run in split.new.tolist():
                outcome = _of_run(split, run, others, card=card, measure=measure, stretch=stretch)
                by_measure[str(measure)].append(outcome)
                stretched[str(measure)].append(stretch * outcome.half)
    for by, runs in by_measure.items():
        yield _row(name, by, runs, float(np.mean(stretched[by])), size), runs


def _stretches(evidence: pw.Evidence, measures: Sequence[pw.Measure]) -> list[float]:
    """Return by how much ranges would be wider if single runs were left out as well as kinds."""
    fitted = fit_model(evidence, measures[0], RelevanceModelTreatment())
    if fitted.units.what == "run":
        return [1.0] * len(measures)
    seed = HashedRandom.of(1).seed
    alone = replace(fitted.pooled, unit_of=np.arange(len(fitted.pool.groups)))
    left_out = leave_units_out(alone, fitted.model, rng=seed)
    return [
        max(1.0, _factor(left_out_errors(alone, left_out, m)) / _factor(fitted.errors(m, seed)))
        for m in measures
    ]


def _factor(errors: LeftOutErrors | str) -> float:
    calibration = errors if isinstance(errors, str) else calibrate(errors, 0.95)
    if isinstance(calibration, str):
        raise TypeError(calibration)
    return calibration.of_means


def _of_run(
    split: Split,
    run: int,
    others: Indices,
    *,
    card: CollectionCard,
    measure: pw.Measure,
    stretch: float,
) -> _Found:
    alone = pw.scores.estimate(
        split.reduced.select(np.array([run])),
        measure,
        treatment=RelevanceModelTreatment(card=card),
        rng=1,
    )
    both = pw.scores.estimate(
        split.reduced.select(np.append(others, run)),
        measure,
        treatment=RelevanceModelTreatment(),
        rng=1,
    )
    truth, is_known = split.truth(measure)[run], split.known(measure)[run]
    there = is_known & ~np.isnan(truth)
    halves, outside, stretched = [], [], []
    for table, at in ((alone, 0), (both, -1)):
        low, high = (float(end[at]) for end in table.mean_bounds())
        off = float((table.value[at] - truth)[there].mean()) if there.any() else 0.0
        mean = float(table.means()[at])
        halves.append((high - low) / 2)
        below, above = low - mean, high - mean
        outside.append(max(off + below, -off - above, 0.0))
        stretched.append(max(off + stretch * below, -off - stretch * above, 0.0))
    return _Found(
        split.name,
        float(alone.means()[0] - both.means()[-1]),
        half=halves[0],
        half_beside=halves[1],
        held=outside[0] <= _ROUNDING,
        held_beside=outside[1] <= _ROUNDING,
        outside=outside[0],
        held_stretched=stretched[0] <= _ROUNDING,
    )


def _row(name: str, measure: str, runs: list[_Found], stretched: float, size: int) -> Row:
    half, beside = (np.array([getattr(r, of) for r in runs]) for of in ("half", "half_beside"))
    wide = beside > 0
    return {
        "collection": name,
        "measure": measure,
        "runs": len(runs),
        "largest difference": max(abs(r.difference) for r in runs),
        "half-width": float(half.mean()),
        "beside all": float(beside.mean()),
        "ratio": float(half.mean() / beside.mean()),
        "within 5%": float((np.abs(half[wide] / beside[wide] - 1) <= _WIDER).mean()),
        "held": float(np.mean([r.held for r in runs])),
        "held beside all": float(np.mean([r.held_beside for r in runs])),
        "stretched: ratio": float(stretched / half.mean()),
        "stretched: held": float(np.mean([r.held_stretched for r in runs])),
        "MB": size / 1e6,
    }


def _missed(row: Row) -> str:
    over = {
        "difference": _number(row["largest difference"]) - _NEAR,
        "half-width": abs(_number(row["ratio"]) - 1) - _WIDER,
        "held": _HELD - _number(row["held"]),
        "MB": _number(row["MB"]) - _MEGABYTES,
    }
    return ", ".join(f"{name} by {excess:.4f}" for name, excess in over.items() if excess > 0)


def _number(cell: object) -> float:
    return float(str(cell))
