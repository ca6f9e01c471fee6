"""B23: Fröbe, Gienapp, Potthast, Hagen, Bootstrapped nDCG estimation, 2023."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from poolwise.studies._reductions import ReducedJudgments
from reproduce.results import Row, Section, checked, numbers, pattern
from reproduce.sources import Collection, Folders, read_collection, read_properties

PAPER = "B23: bootstrapped nDCG"
Floats = NDArray[np.float64]
FOLDERS = {"TREC-8": "trec8", "DL 2019": "trec-dl-2019"}
MEASURE = "nDCG@10"
# Robust04, ClueWeb09, ClueWeb12: lower, actual and upper RMSE. The rows of the two priors stand
# here as the authors' code names them; the paper has them the other way round.
TABLE_4 = {
    "naïve lower": ".004 .058 .058; .009 .076 .076; .007 .113 .113",
    "condensed": ".062 .068 .027; .081 .087 .034; .081 .092 .043",
    "naïve upper": ".210 .210 .002; .338 .338 .000; .307 .307 .001",
    "bootstrap, pool": ".007 .058 .058; .021 .077 .075; .059 .108 .091",
    "bootstrap, run": ".078 .083 .027; .086 .097 .046; .093 .105 .048",
    "bootstrap, pool+run": ".037 .056 .041; .046 .074 .058; .058 .083 .060",
}
# The same collections, and their mean: τ, priors as above.
TABLE_5 = {
    "naïve lower": ".936 .821 .646 .801",
    "condensed": ".924 .610 .786 .773",
    "naïve upper": ".189 -.411 -.097 -.106",
    "bootstrap, pool": ".943 .721 .764 .810",
    "bootstrap, run": ".911 .644 .781 .779",
    "bootstrap, pool+run": ".966 .716 .814 .832",
}
# The same collections: precision, recall, F1.
TABLE_6 = {
    "naïve lower": ".954 .954 .954; .921 .921 .921; .866 .866 .866",
    "condensed": ".931 .931 .931; .886 .886 .886; .891 .891 .891",
    "bootstrap, pool+run": ".946 .946 .946; .916 .916 .916; .903 .903 .903",
    "range to naïve upper": ".987 .775 .865; .995 .606 .741; .998 .547 .693",
    "range to condensed": ".973 .906 .936; .969 .833 .892; .957 .791 .862",
    "range to bootstrap 75%": ".977 .868 .917; .972 .822 .888; .971 .758 .847",
    "range to bootstrap 90%": ".985 .831 .898; .985 .766 .857; .986 .707 .817",
    "range to bootstrap 95%": ".986 .815 .890; .988 .739 .840; .990 .673 .793",
}
READING = (
    "The judgments are those of the pool to depth 10, since table 3 gives {pool:.2f} as the "
    "share of Robust04's documents that are not relevant, and of all judgments it is {all:.2f}. "
    "Each group in turn is left out: what no other pooled run has in its first ten ranks is "
    "unjudged; the three quarters of the pooled runs with the best nDCG@10 are scored and "
    "compared. Ties by document id; linear gains and 1/log₂(i+1), as TrecTools' defaults are; "
    "1,000 draws; the prior over all topics, and the mode by bins, as the authors' code has "
    "them (table 7). Rows P and R of tables 4 and 5 are put right (see errata); table 5's ρ is "
    "Pearson's r in that code, and left out. Published: Robust04; ClueWeb09; ClueWeb12."
)


@dataclass(frozen=True)
class NaiveUpper:
    """The naive upper bound, as an estimate (B23 §3.3)."""

    name: ClassVar[str] = "naive upper"
    summary: ClassVar[str] = "unjudged documents take the best grades left in the pool"

    def table(
        self, evidence: pw.Evidence, measure: pw.Measure, rng: int | np.random.Generator
    ) -> pw.ScoreTable:
        """Return the upper bounds, with the range below them."""
        del rng
        bounded = pw.score(evidence, measure, bounds="naive")
        return replace(bounded, value=bounded.upper)


BINS = 20


def likeliest(drawn: Floats) -> Floats:
    """Return the likeliest score of each list, as the authors' code finds it."""
    return np.apply_along_axis(fullest_bin, 2, drawn)


def fullest_bin(scores: Floats) -> float:
    """Return the largest score of the fullest bin of the fullest bin.

    Examples
    --------
    >>> fullest_bin(np.array([0.1, 0.49, 0.5, 0.9]))
    0.5
    """
    for _ in range(2):
        low, high = scores.min(), scores.max()
        if high - low <= 1e-4:
            break
        # A score on the border of two bins is in the lower one, whatever its rounding.
        bins = np.maximum(np.ceil(np.round(BINS * (scores - low) / (high - low), 9)), 1).astype(int)
        counts = np.bincount(bins)
        scores = scores[counts[bins] == counts.max()]
    return float(scores.max())


@dataclass(frozen=True)
class AuthorsBootstrap:
    """The bootstrap as the authors' code has it: the prior of all topics, the mode by bins."""

    name: ClassVar[str] = "bootstrap of the authors"
    summary: ClassVar[str] = "unjudged documents draw grades; the fullest bin of 1000 scores"

    prior: str = "pool+run"
    percentile: float = 95

    def table(
        self, evidence: pw.Evidence, measure: pw.Measure, rng: int | np.random.Generator
    ) -> pw.ScoreTable:
        """Return the likeliest scores, from the plain score to the percentile."""
        drawn = pw.scores.bootstrap(evidence, measure, rng=rng, prior=self.prior, over="all")
        return replace(drawn.table(percentile=self.percentile), value=likeliest(drawn.values))


METHODS: dict[str, pw.scores.Treatment] = {
    "naïve lower": pw.scores.NonRelevant(),
    "condensed": pw.scores.Condensed(ranged=True),
    "naïve upper": NaiveUpper(),
    "bootstrap, pool": AuthorsBootstrap(prior="pool"),
    "bootstrap, run": AuthorsBootstrap(prior="run"),
    "bootstrap, pool+run": AuthorsBootstrap(percentile=95),
    "75%": AuthorsBootstrap(percentile=75),
    "90%": AuthorsBootstrap(percentile=90),
}
RANGES = {
    "range to naïve upper": "naïve upper",
    "range to condensed": "condensed",
    "range to bootstrap 75%": "75%",
    "range to bootstrap 90%": "90%",
    "range to bootstrap 95%": "bootstrap, pool+run",
}


def tables_on_trec8(folders: Folders) -> Section:
    """Leave groups of TREC-8 out, estimate, and compare with the scores under all judgments."""
    return _tables("TREC-8", folders.data / "trec8")


def tables_on_dl_2019(folders: Folders) -> Section:
    """Do the same with the official runs of the Deep Learning track, whose grades are 0 to 3."""
    return _tables("DL 2019", folders.data / "trec-dl-2019")


def _tables(name: str, folder: Path) -> Section:
    c, groups, best = pooled_and_best(folder)
    study = pw.studies.leave_out(
        c.judgments,
        c.runs,
        [MEASURE],
        reduction=ScoredOnly(pw.studies.LeaveOut(depth=10, groups=groups), best),
        treatments=list(METHODS.values()),
        cells="all",
        told=True,
        rng=1,
    )
    accuracy = dict(zip(METHODS, (row.accuracy for row in study.rows), strict=True))
    size = f"{name}: {len(best)} of {len(c.runs.systems)} runs, {len(groups.names)} groups."
    rows = (
        *_errors(accuracy),
        _tests(study),
        *_orders(accuracy),
        *_preferences(accuracy),
        *_preference_tests(study),
    )
    reading = f"{size} {READING.format(**not_relevant(folder.parent))}"
    return Section(PAPER, f"Tables 4–6: groups left out, {name}", rows, reading)


def not_relevant(data: Path) -> dict[str, float]:
    """Return the share of Robust04's documents of grade 0, in the pool and of all judgments."""
    path = data / "b23-authors" / "overview-over-qrels.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        counted = [row["qrels"] for row in map(json.loads, lines) if row["corpus"] == "Robust04"]
    return {
        name: sum(row[part]["0"] for row in counted)
        / sum(sum(row[part].values()) for row in counted)
        for name, part in (("pool", "incomplete"), ("all", "complete"))
    }


@dataclass(frozen=True)
class ScoredOnly:
    """Judgments taken away with regard to all runs, and some of the runs scored (B23 §4.1)."""

    reduction: pw.studies.LeaveOut
    scored: tuple[str, ...]

    @property
    def recorded_as(self) -> str:
        """What a record says of it."""
        return f"{self.reduction.recorded_as}, {len(self.scored)} runs scored"

    def reduce(
        self, nominations: pw.collection.Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield one set of judgments per group that has a run to score."""
        kept = np.flatnonzero(np.isin(nominations.systems, self.scored))
        for reduced in self.reduction.reduce(nominations, rng):
            estimated, rivals = (
                np.intersect1d(x, kept) for x in (reduced.estimated, reduced.rivals)
            )
            if len(estimated):
                yield replace(reduced, estimated=estimated, rivals=rivals)


def pooled_and_best(folder: Path) -> tuple[Collection, pw.Groups, tuple[str, ...]]:
    """Return the pooled runs, ties by document id, their groups, and the best three quarters."""
    c = read_collection(folder, "docid")
    column = "judged_to_depth100" if folder.name == "trec8" else "official_submission"
    pooled = [run for run, answer in read_properties(folder, column).items() if answer == "yes"]
    scores = pw.score(c.evidence, MEASURE, bounds="none").select(runs=pooled)
    order = scores.order()[: round(0.75 * len(pooled))]
    best = tuple(scores.systems[i] for i in order.tolist())
    runs = c.runs.select(pooled)
    groups = pw.read_groups(folder / "runs.tsv").select(runs.systems)
    return Collection.of(runs, c.nominations.depth_pool(10, systems=pooled)), groups, best


Accuracies = dict[str, pw.studies.Accuracy]


def _errors(accuracy: Accuracies) -> tuple[Row, ...]:
    actual = {name: a.rmse for name, a in accuracy.items()}
    claims = {
        "naïve lower": ("violated rarely", accuracy["naïve lower"].lower_rmse < 0.02),
        "condensed": (
            "over-estimates more than it under-estimates",
            accuracy["condensed"].lower_rmse > accuracy["condensed"].upper_rmse,
        ),
        "naïve upper": (
            "violated rarely, and the largest error",
            accuracy["naïve upper"].upper_rmse < 0.02
            and actual["naïve upper"] == max(actual.values()),
        ),
        "bootstrap, pool": (
            "over-estimates less than the run's prior does",
            accuracy["bootstrap, pool"].lower_rmse < accuracy["bootstrap, run"].lower_rmse,
        ),
        "bootstrap, run": (
            "a larger error than condensed lists",
            actual["bootstrap, run"] > actual["condensed"],
        ),
        "bootstrap, pool+run": (
            "the smallest error of all",
            actual["bootstrap, pool+run"] == min(actual.values()),
        ),
    }
    return tuple(
        pattern(
            f"table 4, {name}: lower, actual, upper RMSE",
            TABLE_4[name],
            numbers([accuracy[name].lower_rmse, actual[name], accuracy[name].upper_rmse]),
            claim,
            holds=holds,
        )
        for name, (claim, holds) in claims.items()
    )


def _tests(study: pw.studies.LeaveOutStudy) -> Row:
    """Test the errors of the six methods of table 4 against each other, over topics."""
    of_method = {n: row.topic_errors["rmse"] for n, row in zip(TABLE_4, study.rows, strict=False)}
    tested = pw.studies.compare_errors(of_method, measure=MEASURE, condition="groups left out")
    pairs = tested.columns()
    best = "bootstrap, pool+run"
    p = {
        a if b == best else b: value
        for a, b, value in zip(pairs["a"], pairs["b"], pairs["p_adjusted"], strict=True)
        if best in (a, b)
    }
    others = ("naïve lower", "condensed", "naïve upper")
    return pattern(
        f"table 4, p of {best} beside {', '.join(others)}: t over topics, Bonferroni",
        "different: condensed, upper; condensed, upper; upper",
        numbers([p[name] for name in others], 4),
        "significantly different from the naïve upper bound",
        holds=p["naïve upper"] < 0.05,
    )


def _orders(accuracy: Accuracies) -> tuple[Row, ...]:
    taus = {name: accuracy[name].tau for name in TABLE_5}
    claims = {
        "naïve upper": ("the worst order", taus["naïve upper"] == min(taus.values())),
        "bootstrap, pool+run": (
            "the best order, as in the mean of the three",
            taus["bootstrap, pool+run"] == max(taus.values()),
        ),
    }
    means = {name: float(printed.split()[-1]) for name, printed in TABLE_5.items()}
    near = checked(
        "between the naïve upper bound and the prior of both, as in the mean of the three",
        holds=sorted(means, key=means.__getitem__)[:: len(means) - 1]
        == ["naïve upper", "bootstrap, pool+run"],
    )
    return tuple(
        pattern(
            f"table 5, {name}: τ",
            published,
            numbers([accuracy[name].tau]),
            claims[name][0] if name in claims else near,
            holds=claims[name][1]
            if name in claims
            else taus["naïve upper"] < taus[name] <= taus["bootstrap, pool+run"],
        )
        for name, published in TABLE_5.items()
    )


def _preferences(accuracy: Accuracies) -> tuple[Row, ...]:
    points = {
        n: (accuracy[n].precision, accuracy[n].recall, accuracy[n].f1)
        for n in TABLE_6
        if n in accuracy
    }
    ranges = {
        n: (accuracy[m].range_precision, accuracy[m].range_recall, accuracy[m].range_f1)
        for n, m in RANGES.items()
    }
    ours = {**points, **ranges}
    precise = max(precision for precision, _, _ in points.values())
    least, naive = min(recall for _, recall, _ in points.values()), ours["range to naïve upper"]
    return tuple(
        pattern(
            f"table 6, {name}: precision, recall, F1",
            published,
            numbers(ours[name]),
            "more recall than any range"
            if name in points
            else "more precision than any point, less recall"
            if name == "range to naïve upper"
            else "more precision than any point, and more recall than the naïve range",
            holds=ours[name][1] > max(recall for _, recall, _ in ranges.values())
            if name in points
            else ours[name][0] > precise and ours[name][1] < least
            if name == "range to naïve upper"
            else ours[name][0] > precise and ours[name][1] > naive[1],
        )
        for name, published in TABLE_6.items()
    )


def _preference_tests(study: pw.studies.LeaveOutStudy) -> Iterator[Row]:
    """Test the preferences of the tightened range against those of the naïve one (table 6)."""
    errors = dict(zip(METHODS, (row.topic_errors for row in study.rows), strict=True))
    published = {"precision": "not different, all three", "recall": "different, all three"}
    for kind, said in published.items():
        of_range = {name: errors[method][f"range-{kind}"] for name, method in RANGES.items()}
        tested = pw.studies.compare_errors(of_range, measure=MEASURE, condition="groups left out")
        less, more, p = _between(tested, "range to bootstrap 95%", "range to naïve upper")
        better = less == "range to bootstrap 95%"
        yield pattern(
            f"table 6, {kind} of {less} above that of {more}: p, t over topics, Bonferroni",
            said,
            numbers([p], 4),
            "recall is significantly better" if kind == "recall" else "the loss is not significant",
            holds=better and p < 0.05 if kind == "recall" else better or p >= 0.05,
        )


def _between(tested: pw.studies.ComparedErrors, left: str, right: str) -> tuple[str, str, float]:
    """Return which of two errs less, which more, and the corrected p value."""
    columns = tested.columns()
    rows = zip(columns["a"], columns["b"], columns["p_adjusted"], strict=True)
    return next((a, b, p) for a, b, p in rows if {a, b} == {left, right})


LABELS = ("gpt4-umbrela", "llama3-70b-four-prompts", "llama3-8b-four-prompts")
SHUFFLED = "shuffled"
_SEEN = 0.001


def predicted_labels(folders: Folders) -> Section:
    """Make the priors of the bootstrap more informed by predicted labels, as §5 wishes."""
    folder = folders.data / "trec-dl-2019"
    c, groups, best = pooled_and_best(folder)
    sets = {name: _labels(folder, name) for name in LABELS}
    sets[SHUFFLED] = _shuffled(sets[LABELS[0]])
    treatments = [pw.scores.Bootstrap(labels=labels) for labels in (None, *sets.values())]
    study = pw.studies.leave_out(
        c.judgments,
        c.runs,
        [MEASURE],
        reduction=ScoredOnly(pw.studies.LeaveOut(depth=10, groups=groups), best),
        treatments=treatments,
        cells="all",
        told=True,
        rng=1,
    )
    plain, *others = (row.accuracy for row in study.rows)
    rows = [
        pattern(
            f"prior pool+run, labels by {name}: RMSE by topic, of means; recall of ranges",
            "might be tighter",
            numbers([a.rmse, a.mean_rmse, a.range_recall]),
            _CLAIMS[name == SHUFFLED],
            holds=_holds(name, a, plain),
        )
        for name, a in zip(sets, others, strict=True)
    ]
    reading = (
        "Groups left out as above; the prior of a document is multiplied by how often judged "
        "documents of a grade have its label. Without labels: "
        f"{numbers([plain.rmse, plain.mean_rmse, plain.range_recall])}."
    )
    title = "§5: priors from predicted labels, DL 2019"
    return Section(PAPER, title, tuple(rows), reading)


_CLAIMS = (
    "nearer to the true scores and means, and tighter",
    "labels that mean nothing change no number by 0.001",
)


def _holds(name: str, ours: pw.studies.Accuracy, plain: pw.studies.Accuracy) -> bool:
    """Say whether estimates are nearer and ranges tighter; by shuffled labels, whether neither."""
    gained = (
        plain.rmse - ours.rmse,
        plain.mean_rmse - ours.mean_rmse,
        ours.range_recall - plain.range_recall,
    )
    return max(map(abs, gained)) < _SEEN if name == SHUFFLED else min(gained) >= _SEEN


def _labels(folder: Path, name: str) -> pw.collection.Labels:
    return pw.collection.read_labels(folder / "machine-labels" / f"{name}.gz")


def _shuffled(labels: pw.collection.Labels) -> pw.collection.Labels:
    return replace(labels, grade=np.random.default_rng(5).permutation(labels.grade))


SECTIONS = (tables_on_trec8, tables_on_dl_2019, predicted_labels)
