"""Whether intervals hold that rest on machine labels and some labels by people.

TREC Deep Learning 2019 and 2021 have grades by people for every document that counts, and grades by
machines for the same ones: people's labels are taken away at random, and what is estimated from the
rest is compared with what all of them say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from unittest.mock import patch

import numpy as np

import poolwise as pw
from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection import Labels, join_labels, read_labels
from poolwise.evidence._first_ranks import FirstRanks, first_ranks
from poolwise.evidence._ungraded import condense
from poolwise.findings.labels import _document_estimates
from poolwise.findings.labels._agreement_counts import KAPPAS, confusions, jackknife, kappa
from poolwise.findings.labels._document_design import (
    DocumentWeights,
    chances,
    classes_of_grades,
    document_weights,
    expected_spread,
)
from poolwise.findings.labels._document_estimates import DocumentEstimates, document_estimates
from poolwise.findings.labels._favoured_runs import ExcessTest
from poolwise.findings.labels._topic_estimates import PredictionPowered, prediction_powered
from poolwise.scores.treatments._calibration import CALIBRATED
from validate.table import Folders, ValidationTable

__all__ = [
    "constants_table",
    "documents_table",
    "favoured_table",
    "few_table",
    "holes_table",
    "kappa_table",
    "topics_table",
]

YEARS = {
    2019: ("gpt4-umbrela", "llama3-70b-four-prompts", "llama3-8b-four-prompts"),
    2021: ("gpt4-umbrela", "gpt4-exam", "llama32-binary"),
}
"""The sets of labels by year; the first is the best, the last the weakest."""
NONE, SHUFFLED, REVERSED = "no labels", "shuffled", "reversed"
"""No labels, those of GPT-4 on other documents, and made-up ones: the better, the lower."""
SPLITS, SAMPLES, DRAWS = 1000, 1000, 400
PAIRS = 300
MEASURES = ("P(rel=2)@10", "SDCG(top=3)@10")
_Z = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Track:
    """A year's runs with grades by people and machines, over the documents of first ranks."""

    evidence: pw.Evidence
    labels: Labels
    runs: pw.Runs
    folder: Path = Path()

    @classmethod
    def read(cls, folder: Path, sets: tuple[str, ...]) -> "Track":
        """Read a year of the track."""
        qrels = pw.read_judgments(folder / "qrels.gz")
        runs = pw.read_runs(folder / "runs", ties="trec_eval9", names="file")
        machines = [read_labels(folder / "machine-labels" / f"{name}.gz") for name in sets]
        people = Labels.of(qrels, "people", machine=False)
        return cls(pw.align(qrels, runs), join_labels([people, *machines]), runs, folder)

    @cached_property
    def grades(self) -> Floats:
        """The grades of all labelled documents, authors × documents."""
        return self.labels.matrix()

    @cached_property
    def ranks(self) -> FirstRanks:
        """The first ten ranks of all runs."""
        return first_ranks(self.evidence, 10)

    @cached_property
    def rows(self) -> Indices:
        """The row of the labels of each document in first ranks; −1 where nobody labelled it."""
        return self.evidence.judgment_rows[self.ranks.rows].astype(np.intp)

    def of_documents(self, author: int) -> Floats:
        """Return an author's grades of the documents in first ranks; NaN where there is none."""
        return np.append(self.grades[author], np.nan)[self.rows]

    def weights(self, measure: pw.Measure) -> DocumentWeights:
        """Return what documents weigh in runs by a measure."""
        by_rank = measure.weights(10)  # type: ignore[attr-defined] # static weights
        return document_weights(self.evidence, self.ranks, by_rank)

    def gains(self, measure: pw.Measure) -> Floats:
        """Return people's gains of the documents in first ranks; without a judgment 0."""
        grades = np.nan_to_num(self.of_documents(0))
        scale = np.unique(grades)
        return measure.gain_table(scale)[np.searchsorted(scale, grades)]  # type: ignore[attr-defined]


def tracks(folders: Folders) -> dict[int, Track]:
    """Read both years."""
    return {
        year: Track.read(folders.data / f"trec-dl-{year}", sets) for year, sets in YEARS.items()
    }


@dataclass
class Tally:
    """How often intervals covered, how wide they were, and how far estimates were off."""

    truth: Floats
    covered: list[Booleans] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    errors: list[Floats] = field(default_factory=list)
    narrowest: float = np.inf

    def add(self, estimate: Floats, half: Floats) -> None:
        """Count one sample."""
        error = estimate - self.truth
        self.covered.append(np.abs(error) <= half + 1e-12)
        self.widths.append(float(half.mean()))
        self.errors.append(error)
        self.narrowest = min(self.narrowest, float(half.min()))

    @property
    def coverage(self) -> float:
        """The share of intervals that cover."""
        return float(np.mean(self.covered))

    @property
    def worst(self) -> float:
        """The coverage of the run that is covered least."""
        return float(np.mean(self.covered, axis=0).min())

    @property
    def width(self) -> float:
        """The mean half-width."""
        return float(np.mean(self.widths))

    @property
    def bias(self) -> float:
        """The mean error."""
        return float(np.mean(self.errors))

    @property
    def bias_error(self) -> float:
        """The standard error of the mean error, over pairs of opposite samples."""
        of_samples = np.mean(self.errors, axis=1)
        of_pairs = of_samples.reshape(-1, 2).mean(axis=1)
        return float(of_pairs.std(ddof=1) / np.sqrt(len(of_pairs)))

    @property
    def is_unbiased(self) -> bool:
        """Whether the mean error is small."""
        return abs(self.bias) <= 0.003


# People on some topics.


def topics_table(folders: Folders, splits: int = SPLITS) -> ValidationTable:
    """Check prediction-powered intervals over topics, on random splits of them."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        for measure in ("nDCG@10", "P(rel=2)@10"):
            human = by_people(track, measure)
            for name, machine in by_machines(track, measure):
                for n in (10, 20):
                    split = _split(human, machine, n, splits)
                    rows.append((str(year), measure, name, str(n), *split.cells()))
                    right = right and split.holds(n, shuffled=name == SHUFFLED)
    return ValidationTable(
        f"People on some topics and machines on all, over {splits:,} splits",
        "Runs of DL 2019 and 2021: people's labels on n topics drawn at random, a machine's on "
        "all; the truth is the mean over all topics by people. Intervals of level 0.95 cover "
        "0.935 at 10 topics, 0.94 at 20, or no less than t on people's topics alone by 0.003. "
        "The ratio is that of half-widths to people's alone. Differences are those of every "
        "fourth split.",
        ("year", "measure", "labels", "n", "means", "t alone", "ratio", "differences", "ratio"),
        tuple(rows),
        right,
    )


def by_people(track: Track, measure: str) -> Floats:
    return np.nan_to_num(pw.score(track.evidence, measure, bounds="none").value)


def by_machines(track: Track, measure: str) -> Iterator[tuple[str, Floats]]:
    judged = ~np.isnan(track.grades[0])
    first: Floats | None = None
    for name in track.labels.names[1:]:
        predicted = track.labels.predictions(name, within=judged)
        # A binary machine has no grade 2: what it calls relevant counts.
        level = measure if predicted.scale[-1] >= 2 else measure.replace("(rel=2)", "")
        scored = pw.score(pw.align(predicted, track.runs), level, bounds="none").value
        first = np.nan_to_num(scored) if first is None else first
        yield name, np.nan_to_num(scored)
    if first is not None:
        order = np.random.default_rng(0).permutation(first.shape[1])
        yield SHUFFLED, first[:, order]


@dataclass
class Split:
    """What many splits said of one set of labels."""

    means: Tally
    alone: Tally
    pairs: Tally
    pairs_alone: Tally

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row."""
        return (
            f"{self.means.coverage:.3f}",
            f"{self.alone.coverage:.3f}",
            f"×{self.means.width / self.alone.width:.3f}",
            f"{self.pairs.coverage:.3f}",
            f"×{self.pairs.width / self.pairs_alone.width:.3f}",
        )

    def holds(self, n: int, *, shuffled: bool) -> bool:
        """Say whether the bars are met."""
        least = 0.935 if n == 10 else 0.94
        enough = self.means.coverage >= min(least, self.alone.coverage - 0.003)
        narrow = self.means.width <= self.alone.width * (1.03 if shuffled else 1)
        return enough and narrow and self.pairs.coverage >= least


def _split(human: Floats, machine: Floats, n: int, splits: int) -> Split:
    random = np.random.default_rng(0)
    runs, topics = human.shape
    pairs = np.triu_indices(runs, 1)
    truth = human.mean(axis=1)
    apart = truth[pairs[0]] - truth[pairs[1]]
    split = Split(Tally(truth), Tally(truth), Tally(apart), Tally(apart))
    for number in range(splits):
        judged = np.sort(random.choice(topics, n, replace=False))
        _add(split.means, split.alone, prediction_powered(human[:, judged], machine, judged))
        if number % 4 == 0:
            made = prediction_powered(human[:, judged], machine, judged, pairs=pairs)
            _add(split.pairs, split.pairs_alone, made)
    return split


def _add(both: Tally, alone: Tally, made: PredictionPowered) -> None:
    both.add(made.estimate, made.half_width())
    alone.add(made.human, made.human_half_width())


# People on some documents.


@dataclass(frozen=True, eq=False)
class Situation:
    """A measure on a track with one set of labels: all that a sample is drawn from."""

    weights: DocumentWeights
    gain: Floats
    grade: Indices
    spread: Floats
    known: Booleans
    pairs: tuple[Indices, Indices]

    @property
    def truth(self) -> Floats:
        """The mean of each run by people's labels of all documents."""
        return np.asarray(self.weights.sums(self.gain).mean(axis=1))

    def chances(self, budget: float) -> Floats:
        """Return the chance of each document; documents that are known are certain."""
        open_ = ~self.known
        of_documents = np.ones(len(self.gain))
        of_documents[open_] = chances(self.weights.size()[open_], self.spread[open_], budget)
        return of_documents

    def estimates(self, chance: Floats, samples: int, rng: int = 1) -> Iterator[DocumentEstimates]:
        """Draw samples, and estimate from each.

        Every second sample is the opposite of the one before it: each is a sample as any other, and
        together they tell a bias of 0.003 from none, which as many on their own do not.
        """
        random = np.random.default_rng(rng)
        for _ in range(samples // 2):
            uniform = random.random(len(chance))
            for drawn in (uniform < chance, 1 - uniform <= chance):
                yield document_estimates(
                    self.weights, drawn, chance, self.gain, self.grade, known=self.known
                )


def situation(track: Track, measure: str, name: str, *, known: Booleans | None = None) -> Situation:
    """Return what a sample is drawn from, with labels by one set, none, or shuffled ones."""
    chosen = pw.parse_measure(measure)
    weights = track.weights(chosen)
    nothing = np.full(weights.documents, np.nan)
    names = track.labels.names
    grades = (
        nothing if name == NONE else track.of_documents(names.index(name) if name in names else 1)
    )
    if name == SHUFFLED:
        grades = np.random.default_rng(5).permutation(grades)
    if name == REVERSED:
        grades = _reversed(track.of_documents(0))
    scale = np.unique(grades[~np.isnan(grades)])
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(weights.runs, 2, replace=False) for _ in range(PAIRS)])
    return Situation(
        weights=weights,
        gain=track.gains(chosen),
        grade=classes_of_grades(grades),
        spread=expected_spread(grades, scale),
        known=np.zeros(weights.documents, np.bool_) if known is None else known,
        pairs=(pairs[:, 0], pairs[:, 1]),
    )


UNLIKE = ((0.1, 0.1, 0.2, 0.6), (0.2, 0.2, 0.3, 0.3), (0.4, 0.3, 0.2, 0.1), (0.6, 0.2, 0.1, 0.1))
"""A confusion unlike those of real judges."""


def _reversed(human: Floats) -> Floats:
    """Draw labels of a judge that grades the better documents lower."""
    steps = np.cumsum(UNLIKE, axis=1)[np.nan_to_num(human).astype(int)]
    uniform = np.random.default_rng(6).random(len(human))
    drawn = (uniform[:, None] > steps[:, :-1]).sum(axis=1).astype(np.float64)
    return np.where(np.isnan(human), np.nan, drawn)


@dataclass
class Sampled:
    """What many samples said of one situation."""

    means: Tally
    pairs: Tally
    plain: float = 0.0
    few: float = 1.0
    """The coverage of runs of which fewer than five labels are expected."""


def study(case: Situation, budget: float, samples: int, *, rng: int = 1) -> Sampled:
    """Draw many samples of documents, and count what their intervals cover."""
    truth, (a, b) = case.truth, case.pairs
    chance = case.chances(budget)
    n = case.weights.topics
    sampled = Sampled(Tally(truth), Tally(truth[a] - truth[b]))
    for made in case.estimates(chance, samples, rng):
        means = made.value.mean(axis=1)
        sampled.means.add(means, _Z * np.sqrt(made.mean_variances()))
        half = _Z * np.sqrt(made.difference_variances(case.pairs))
        sampled.pairs.add(means[a] - means[b], half)
    variance = (1 - chance) / chance * case.gain**2
    sampled.plain = float((_Z * np.sqrt(case.weights.variances(variance).sum(axis=1)) / n).mean())
    expected = np.bincount(
        case.weights.run, chance[case.weights.document], minlength=case.weights.runs
    )
    thin = expected < 5
    if thin.any():
        sampled.few = float(np.mean(np.array(sampled.means.covered)[:, thin]))
    return sampled


def documents_table(folders: Folders, samples: int = SAMPLES) -> ValidationTable:
    """Check intervals from labels on some documents of every topic."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        n = len(track.evidence.topics)
        for measure in MEASURES:
            for each in (4, 8, 15):
                alone = 0.0
                for name in (NONE, *track.labels.names[1:], SHUFFLED, REVERSED):
                    sampled = study(situation(track, measure, name), each * n, samples)
                    alone = sampled.means.width if name == NONE else alone
                    ratio = sampled.means.width / alone
                    rows.append((str(year), measure, str(each), name, *_cells(sampled, ratio)))
                    right = right and _is_right(sampled, ratio, name, measure)
    return ValidationTable(
        f"People on some documents and machines on all, over {samples:,} samples",
        "Runs of DL 2019 and 2021: people label 4, 8 or 15 documents per topic of those in the "
        "first ten ranks, drawn by weight and machine grade; the truth is what all people's "
        "labels say. Intervals of level 0.95 cover 0.94 to 0.965 of means and of 300 "
        "differences, the worst run 0.90; half-widths with the labels of GPT-4 are at most 0.87"
        " (P@10) and 0.81 (SDCG@10) of those without labels, with shuffled ones at most 1.05, "
        "and always below plain Horvitz–Thompson's; the mean bias is at most 0.003, and no "
        "interval has no width.",
        (
            *("year", "measure", "per topic", "labels", "means", "worst run", "differences"),
            *("half-width", "ratio", "of plain HT", "bias"),
        ),
        tuple(rows),
        right,
    )


def _cells(sampled: Sampled, ratio: float) -> tuple[str, ...]:
    return (
        f"{sampled.means.coverage:.3f}",
        f"{sampled.means.worst:.3f}",
        f"{sampled.pairs.coverage:.3f}",
        f"{sampled.means.width:.3f}",
        f"×{ratio:.3f}",
        f"×{sampled.means.width / sampled.plain:.2f}",
        f"{sampled.means.bias:+.4f} ± {sampled.means.bias_error:.4f}",
    )


def _is_right(sampled: Sampled, ratio: float, name: str, measure: str) -> bool:
    limits = {"gpt4-umbrela": 0.87 if measure.startswith("P") else 0.81, SHUFFLED: 1.05}
    covers = all(0.94 <= t.coverage <= 0.965 for t in (sampled.means, sampled.pairs))
    return (
        covers
        and sampled.means.worst >= 0.90
        and ratio <= limits.get(name, 1.05)
        and sampled.means.width < sampled.plain
        and sampled.means.is_unbiased
        and sampled.means.narrowest > 0
    )


def few_table(folders: Folders, samples: int = SAMPLES) -> ValidationTable:
    """Check intervals where people label one document per topic: some runs get hardly any."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        for measure in MEASURES:
            alone = 0.0
            for name in (NONE, "gpt4-umbrela", SHUFFLED):
                sampled = study(
                    situation(track, measure, name), len(track.evidence.topics), samples
                )
                alone = sampled.means.width if name == NONE else alone
                cells = (sampled.means.coverage, sampled.few, sampled.pairs.coverage)
                ratio = f"×{sampled.means.width / alone:.3f}"
                rows.append((str(year), measure, name, *(f"{cell:.3f}" for cell in cells), ratio))
                right = right and min(cells[0], cells[2]) >= 0.925 and sampled.few >= 0.90
    return ValidationTable(
        f"People on few documents, over {samples:,} samples",
        "One label per topic, 43 and 53 in all: of some runs fewer than five documents are "
        "expected to be labelled. Intervals of level 0.95 cover 0.925 of means and differences at "
        "least, and 0.90 of the means of those runs. Labels that are noise cost more here than "
        "with four per topic and up.",
        (
            *("year", "measure", "labels", "means", "runs with fewer than 5", "differences"),
            "ratio",
        ),
        tuple(rows),
        right,
    )


def constants_table(folders: Folders, samples: int = 300) -> ValidationTable:
    """Check that intervals do not hang on the constants of the calibration."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        for measure in MEASURES:
            for each in (4, 15):
                cells = []
                for factor in (0.5, 2.0):
                    changed = {
                        name: factor * getattr(_document_estimates, name) for name in CONSTANTS
                    }
                    with patch.multiple(_document_estimates, **changed):
                        case = situation(track, measure, "gpt4-umbrela")
                        sampled = study(case, each * len(track.evidence.topics), samples)
                    cells += [f"{sampled.means.coverage:.3f}", f"{sampled.pairs.coverage:.3f}"]
                    right = right and min(sampled.means.coverage, sampled.pairs.coverage) >= 0.93
                rows.append((str(year), measure, str(each), *cells))
    return ValidationTable(
        f"Labels on some documents, with other constants, over {samples} samples",
        "The constants of the calibration and of the variance were chosen on these collections."
        " Halved or doubled, all of them together, they leave intervals with the labels of "
        "GPT-4 that cover 0.93 or more.",
        (
            "year",
            "measure",
            "per topic",
            "means, halved",
            "differences",
            "means, doubled",
            "differences",
        ),
        tuple(rows),
        right,
    )


CONSTANTS = ("_PRIOR_MEAN", "_CELL_PRIOR", "_SPREAD_PRIOR", "_CELL_SPREAD_PRIOR")


# An old pool, new runs, and a sample of the holes.


def holes_table(folders: Folders, samples: int = SAMPLES) -> ValidationTable:
    """Check what can be said of new runs whose documents an old pool does not hold."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        pool = _old_pool(track)
        for measure in MEASURES:
            rows += [(str(year), measure, *row) for row in _without_sample(track, measure, pool)]
            for each in (2, 5):
                sampled = _with_sample(track, measure, pool, each, samples)
                right = right and sampled.means.is_unbiased
                right = right and sampled.means.coverage >= (0.925 if each == 2 else 0.94)
                right = right and sampled.means.worst >= 0.90
                rmse = float(np.sqrt(np.mean(np.square(sampled.means.errors))))
                covered = (sampled.means.width, sampled.means.coverage, sampled.means.worst)
                rows.append(
                    (
                        *(str(year), measure, f"estimate, {each} labels per topic"),
                        *(f"{sampled.means.bias:+.3f}", f"{rmse:.3f}"),
                        "±{:.3f}, {:.3f}, {:.3f}".format(*covered),
                    )
                )
    return ValidationTable(
        f"New runs on an old pool, over {samples:,} samples of the holes",
        "The pool is the first ten ranks of ten runs, of those with bm25 in their name on DL 2019, "
        "and the first by name on DL 2021, which has fewer; the other runs are new. Raw labels of "
        "GPT-4 in the holes, and labels calibrated on the pool, are off with either sign, and "
        "nobody can tell which without a sample. The default estimate knows the pool alone, which "
        "holds no run of the new kinds. The estimate from a few labels by people on a random "
        "sample of the holes has no bias (0.003 at most), and its interval covers (0.925 at 2 per "
        "topic, 0.94 at 5, the worst run 0.90).",
        ("year", "measure", "what", "bias", "RMSE", "half-width, coverage, of the worst run"),
        tuple(rows),
        right,
    )


_POOLED = 10


def _old_pool(track: Track) -> tuple[Booleans, Booleans]:
    """Return which documents were judged, and which runs are new."""
    systems = track.evidence.systems
    lexical = [s for s, name in enumerate(systems) if "bm25" in name]
    by_name = sorted(range(len(systems)), key=lambda s: systems[s])
    pooled = (lexical if len(lexical) >= _POOLED else by_name)[:_POOLED]
    judged = np.zeros(len(track.ranks.rows), np.bool_)
    judged[track.ranks.place[np.isin(track.ranks.run, pooled)]] = True
    return judged, ~np.isin(np.arange(len(systems)), pooled)


def _without_sample(
    track: Track, measure: str, pool: tuple[Booleans, Booleans]
) -> Iterator[tuple[str, str, str, str]]:
    judged, new = pool
    case = situation(track, measure, "gpt4-umbrela", known=judged)
    truth = case.truth[new]
    machine = track.of_documents(1)
    scale = np.arange(4.0)
    table = pw.parse_measure(measure).gain_table(scale)  # type: ignore[attr-defined]
    raw = np.where(judged, case.gain, np.nan_to_num(table[np.nan_to_num(machine).astype(int)]))
    counts = np.bincount(case.grade[judged], minlength=case.grade.max() + 1)
    sums = np.bincount(case.grade[judged], case.gain[judged], minlength=len(counts))
    calibrated = np.where(judged, case.gain, (sums / np.maximum(counts, 1))[case.grade])
    means = {
        "plain": case.weights.sums(np.where(judged, case.gain, 0.0)).mean(axis=1),
        "condensed": _condensed(track, measure, judged),
        "raw labels of GPT-4": case.weights.sums(raw).mean(axis=1),
        "calibrated on the pool": case.weights.sums(calibrated).mean(axis=1),
    }
    for name, of_runs in means.items():
        yield name, *_off(of_runs[new] - truth), "no interval"
    # With the pool and the runs alone, as most people have them.
    table = pw.scores.estimate(_old_evidence(track, judged), measure)
    (said,) = table.of_means
    low, high = said.low[new], said.high[new]
    half, held = (high - low).mean() / 2, ((low <= truth) & (truth <= high)).mean()
    kind = "" if said.kind == CALIBRATED else " (all that is possible)"
    error = table.value.mean(axis=1)[new] - truth
    yield "default estimate, nothing told", *_off(error), f"±{half:.3f}, {held:.3f}{kind}"


def _off(error: Floats) -> tuple[str, str]:
    """Return bias and RMSE of means."""
    return f"{error.mean():+.3f}", f"{np.sqrt(np.mean(error**2)):.3f}"


def _old_evidence(track: Track, judged: Booleans) -> pw.Evidence:
    """Return all runs under the judgments of the old pool."""
    kept = np.zeros(len(track.labels.documents) + 1, np.bool_)
    kept[track.rows[judged]] = True
    # The last place is that of documents which nobody labelled.
    old = track.labels.predictions(track.labels.names[0], within=kept[:-1])
    return pw.align(old, track.runs, topics=track.evidence.topics)


def _condensed(track: Track, measure: str, judged: Booleans) -> Floats:
    """Return means where the documents that the pool does not hold are taken out of the lists."""
    lists = condense(_old_evidence(track, judged))
    return np.nan_to_num(pw.score(lists, measure, bounds="none").value).mean(axis=1)


def _with_sample(
    track: Track, measure: str, pool: tuple[Booleans, Booleans], each: int, samples: int
) -> Sampled:
    judged, new = pool
    case = situation(track, measure, "gpt4-umbrela", known=judged)
    chance = case.chances(each * case.weights.topics)
    truth = case.truth[new]
    sampled = Sampled(Tally(truth), Tally(truth))
    for made in case.estimates(chance, samples):
        half = _Z * np.sqrt(made.mean_variances())
        sampled.means.add(made.value.mean(axis=1)[new], half[new])
    return sampled


# Favoured runs.


def favoured_table(folders: Folders, draws: int = DRAWS) -> ValidationTable:
    """Check how often neutral judges are said to favour a run, and a biased one is caught."""
    rows, right = [], True
    for year, track in tracks(folders).items():
        test = _excess_test(track)
        human, machine = track.grades[0], track.grades[1]
        for name, judge in NEUTRAL.items():
            random = np.random.default_rng(1)
            flags = [
                bool(test.test(judge(track, test, human, machine, random)).favoured)
                for _ in range(draws)
            ]
            rows.append((str(year), f"neutral: {name}", f"{np.mean(flags):.3f}", ""))
            right = right and np.mean(flags) <= 0.08
    named, others = _power(tracks(folders)[2019])
    rows.append(("2019", "raises what TU-Vienna alone found", f"{others:.3f}", f"{named:.2f}"))
    return ValidationTable(
        f"Favoured runs, over {draws} draws of neutral judges",
        "Three kinds of judges that favour nobody, made from the labels of GPT-4: the share of "
        "draws in which any run is flagged is at most 0.08. A judge that raises by one grade "
        "the documents that only the six runs of TU-Vienna (and at most five others) found is "
        "caught in at least 0.7 of 30 draws.",
        ("year", "judge", "any other run flagged", "the six flagged"),
        tuple(rows),
        right and named >= 0.7,
    )


def _excess_test(track: Track) -> ExcessTest:
    return ExcessTest(track.evidence, track.grades[0], track.labels.topic_of_document)


def _from_confusion(
    track: Track, test: ExcessTest, human: Floats, machine: Floats, random: np.random.Generator
) -> Floats:
    """Draw each label from those of all documents with the same grade by people."""
    del track, test
    return _permuted(human, machine, random, replace=True)


def _within_topics(
    track: Track, test: ExcessTest, human: Floats, machine: Floats, random: np.random.Generator
) -> Floats:
    """Permute labels within topic and grade by people."""
    del test
    group = track.labels.topic_of_document * 10 + np.nan_to_num(human)
    return _permuted(group, machine, random, replace=False)


def _by_popularity(
    track: Track, test: ExcessTest, human: Floats, machine: Floats, random: np.random.Generator
) -> Floats:
    """Draw labels from those of documents with the same grade and popularity."""
    del track
    return _permuted(human * 10 + test.popularity, machine, random, replace=True)


NEUTRAL = {
    "by the confusion": _from_confusion,
    "permuted within topics": _within_topics,
    "by grade and popularity": _by_popularity,
}


def _permuted(
    group: Floats, machine: Floats, random: np.random.Generator, *, replace: bool
) -> Floats:
    permuted = np.full(len(machine), np.nan)
    both = np.flatnonzero(~np.isnan(machine) & ~np.isnan(group))
    order = both[np.argsort(group[both], kind="stable")]
    edges = np.flatnonzero(np.diff(group[order])) + 1
    for part in np.split(order, edges):
        permuted[part] = random.choice(machine[part], len(part), replace=replace)
    return permuted


def _power(track: Track, draws: int = 30) -> tuple[float, float]:
    """Return how often the six are all caught together, as a group, and others flagged."""
    test = _excess_test(track)
    six = [s for s, run in enumerate(track.evidence.systems) if run.startswith("TUW19")]
    six_names = {track.evidence.systems[s] for s in six}
    by_six = np.bincount(
        track.rows[track.ranks.place[np.isin(track.ranks.run, six)]],
        minlength=len(track.grades[0]),
    )[: len(track.grades[0])]
    others = test.retrieved - by_six
    own = (by_six > 0) & (others <= 5)
    caught, wrong = [], []
    random = np.random.default_rng(1)
    for _ in range(draws):
        neutral = _from_confusion(track, test, track.grades[0], track.grades[1], random)
        biased = np.where(own, np.minimum(neutral + 1, 3), neutral)
        flagged = set(test.test(biased).favoured)
        caught.append(bool(flagged & six_names))
        wrong.append(bool(flagged - six_names))
    return float(np.mean(caught)), float(np.mean(wrong))


# κ.


def kappa_table(folders: Folders, draws: int = DRAWS) -> ValidationTable:
    """Check how often the interval of κ holds the κ of all topics."""
    rows = []
    for year, track in tracks(folders).items():
        labels = track.labels
        scale = np.arange(4.0)
        counts = confusions(
            track.grades[0], track.grades[1], labels.topic_of_document, (scale, scale)
        )
        for n in (10, 20, len(counts)):
            cells = [f"{_covers(counts, w(scale), n, draws):.3f}" for w in KAPPAS.values()]
            rows.append((str(year), str(n), *cells))
    return ValidationTable(
        f"Intervals of κ over topics, {draws} draws of topics",
        "Topics are drawn with replacement, and the interval of GPT-4's κ with people is "
        "compared with the κ of all of them. That of the plain κ covers 0.92 or more from 10 "
        "topics on; that of the quadratic κ about 0.91, and is said to.",
        ("year", "topics", *KAPPAS),
        tuple(rows),
        all(float(row[2]) >= 0.92 and float(row[4]) >= 0.87 for row in rows),
    )


def _covers(counts: Floats, weights: Floats, n: int, draws: int) -> float:
    random = np.random.default_rng(3)
    truth = float(kappa(counts.sum(axis=0), weights))
    held = []
    for _ in range(draws):
        seen = jackknife(counts[random.integers(0, len(counts), n)], lambda c: kappa(c, weights))
        held.append(seen.low <= truth <= seen.high)
    return float(np.mean(held))
