"""Whether estimates by the relevance model can be trusted, beside other treatments.

Each group of runs is left out of the pool in turn: the documents that it alone nominates lose their
judgment, every treatment estimates the scores of its runs, and the truth is the score under the
pool of all groups. Half-widths are those of conformal ranges over groups. Those of the column
"nested" are what a user of the reduced collection would be given: the errors they rest on were made
without the tested group's judgments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.scores.treatments.conformal import conformal_factor, promised_level
from poolwise.scores.treatments.modelled import FittedModel, Modelled, fit_model
from reproduce.sources import read_pooled, read_properties, read_qrels

__all__ = ["Case", "case_study", "cases", "left_out", "manual_after_automatic", "nested"]

Row = dict[str, object]

_BINARY = ("P@10", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "AP@100", "AP")
_GRADED = (
    *("P(rel=2)@10", "nDCG@10", "RBP(p=0.8,rel=2)", "RBP(p=0.95,rel=2)"),
    *("AP(rel=2)@100", "AP(rel=2)"),
)
_TREATMENTS = (
    *("model(draws=200)", "nonrelevant", "condensed", "interpolation", "weibull"),
    *("bootstrap(draws=200)", "bias-systems"),
)


@dataclass(frozen=True, eq=False)
class Case:
    """A pool of all groups to some depth, which is the truth."""

    name: str
    depth: int
    judgments: pw.Judgments
    runs: pw.Runs
    groups: pw.Groups
    measures: Sequence[str]

    @classmethod
    def of(cls, folder: Path, depth: int, pooled: Sequence[str], measures: Sequence[str]) -> "Case":
        """Cut the official judgments to the pool of these runs."""
        runs = pw.read_runs(folder / "runs").select(pooled)
        whole = pw.nominate(read_qrels(folder), runs).depth_pool(depth)
        groups = pw.collection.read_groups(folder / "runs.tsv").select(runs.systems)
        return cls(folder.name, depth, whole, runs, groups, measures)

    def without(self, group: str) -> tuple[pw.Evidence, tuple[str, ...]]:
        """Return the evidence without what only this group nominates, and the other runs."""
        gone = self.groups.members(group)
        rest = tuple(run for run in self.runs.systems if run not in gone)
        found = pw.nominate(self.judgments, self.runs)
        return pw.align(found.leave_out(gone, depth=self.depth), self.runs), rest


def cases(data: Path) -> Iterator[Case]:
    """Return TREC-8 and TREC DL 2019, each to depth 10 and 20."""
    trec8, dl = data / "trec8", data / "trec-dl-2019"
    official = read_properties(dl, "official_submission")
    submitted = [run for run, answer in official.items() if answer == "yes"]
    for depth in (10, 20):
        yield Case.of(trec8, depth, read_pooled(trec8), _BINARY)
    for depth in (10, 20):
        yield Case.of(dl, depth, submitted, _GRADED)


def left_out(case: Case, treatments: Sequence[str] = _TREATMENTS) -> list[Row]:
    """Return bias, RMSE, coverage, half-width and Brier score of every treatment."""
    found = pw.studies.leave_out(
        case.judgments,
        case.runs,
        case.measures,
        reduction=pw.studies.LeaveOut(case.depth, groups=case.groups),
        treatments=_allowed(case, treatments),
    )
    names = ("measure", "treatment", "mean_bias", "mean_rmse", "mean_coverage", "mean_half_width")
    columns = found.columns()
    shown = [columns[name] for name in (*names, "brier", "coverage")]
    keys = ("measure", "treatment", "bias", "RMSE", "held", "half-width", "Brier", "topics held")
    start: Row = {"collection": case.name, "depth": case.depth}
    return [start | dict(zip(keys, row, strict=True)) for row in zip(*shown, strict=True)]


def _allowed(case: Case, treatments: Sequence[str]) -> Sequence[str]:
    """Leave out what cannot treat measures without fixed weights, if there are such."""
    weighted = all(str(m).startswith(("P", "RBP")) for m in case.measures)
    needs = ("interpolation", "weibull", "bias-systems")
    cut = all("@" in str(m) for m in case.measures)
    kept = [t for t in treatments if weighted or t not in needs[:2]]
    return [t for t in kept if cut or t != needs[2]]


def nested(case: Case) -> list[Row]:
    """Return how often, and how wide, the ranges are that the reduced collection itself gives."""
    evidence = pw.align(case.judgments, case.runs)
    held: dict[str, list[float]] = {m: [] for m in case.measures}
    widths: dict[str, list[float]] = {m: [] for m in case.measures}
    for group in dict.fromkeys(case.groups.labels):
        reduced, rest = case.without(group)
        rows = np.flatnonzero(~np.isin(reduced.systems, rest))
        options = Modelled(depth=case.depth, pooled=rest, groups=case.groups, draws=200)
        for measure in case.measures:
            table = options.table(reduced, pw.parse_measure(measure), 1)
            truth = pw.score(evidence, measure, bounds="none").means()[rows]
            low, high = (ends[rows] for ends in table.mean_bounds())
            unsure = high - low > 1e-9
            if unsure.any():
                inside = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
                held[measure].append(float(inside[unsure].mean()))
                widths[measure].append(float((high - low)[unsure].mean() / 2))
    return [
        {
            "collection": case.name,
            "depth": case.depth,
            "measure": measure,
            "groups": len(held[measure]),
            "held, nested": float(np.mean(held[measure])),
            "half-width, nested": float(np.mean(widths[measure])),
        }
        for measure in case.measures
    ]


def manual_after_automatic(data: Path, depth: int = 10) -> list[Row]:
    """Calibrate on the automatic runs of TREC-8, test on the manual ones: not exchangeable."""
    folder = data / "trec8"
    case = Case.of(folder, depth, read_pooled(folder), _BINARY)
    kinds = read_properties(folder, "type")
    manual = np.array([kinds[run] == "manual" for run in case.runs.systems])
    evidence = pw.align(case.judgments, case.runs)
    options = Modelled(depth=depth, pooled=evidence.systems, groups=case.groups)
    return [_transferred(evidence, m, options, manual) for m in case.measures]


def _transferred(evidence: pw.Evidence, name: str, options: Modelled, manual: np.ndarray) -> Row:
    measure = pw.parse_measure(name)
    fitted: FittedModel = fit_model(evidence, measure, options)
    errors = fitted.errors(measure, 1)
    if errors is None:
        raise RuntimeError("too few groups")
    known = errors.mean_deviation > 1e-9
    scaled = np.abs(errors.mean_error[known]) / errors.mean_deviation[known]
    tested, groups = manual[errors.systems[known]], errors.groups[known]
    level = promised_level(len(np.unique(groups[~tested])))
    factor = conformal_factor(scaled[~tested], groups[~tested], level)
    shares = [(scaled[tested & (groups == g)] <= factor).mean() for g in np.unique(groups[tested])]
    return {
        "measure": name,
        "automatic groups": len(np.unique(groups[~tested])),
        "manual groups": len(shares),
        "level": level,
        "held": float(np.mean(shares)),
        "bias of manual means": float(errors.mean_error[known][tested].mean()),
    }


def case_study(data: Path) -> list[Row]:
    """Return nDCG@10 of B23's three neural runs: four runs only, the hard case."""
    folder = data / "b23-case-study"
    runs = pw.read_runs(folder / "runs", ties="docid")
    qrels = {
        kind: pw.read_judgments(folder / f"{kind}-trec-covid.txt.gz")
        for kind in ("incomplete-beir", "complete-annotation")
    }
    evidence = pw.align(qrels["incomplete-beir"], runs)
    complete = pw.score(pw.align(qrels["complete-annotation"], runs), "nDCG@10", bounds="none")
    names = {"default": "nonrelevant", "condensed": "condensed", "B23's bootstrap": "bootstrap"}
    tables = {k: pw.scores.estimate(evidence, "nDCG@10", treatment=t) for k, t in names.items()}
    tables["model"] = pw.scores.estimate(evidence, "nDCG@10", treatment="model")
    tables["complete judgments"] = complete
    return [
        {"run": run} | {kind: float(table.means()[s]) for kind, table in tables.items()}
        for s, run in enumerate(runs.systems)
    ]
