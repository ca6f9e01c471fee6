"""Whether estimates from a sample are right on average, and their intervals cover the truth.

The official judgments of TREC-8 are complete for its pool of 71 runs to depth 100, so that the
truth of every estimate is known. Samples of the pool are drawn many times by a design, and each is
scored as a user would score it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.collection._pools import nominate
from poolwise.findings.comparison._over_judgments import sample_pairs
from poolwise.judging import DepthStrata, draw_sample
from reproduce.sources import read_pooled
from validate.table import Folders, ValidationTable

__all__ = ["Study", "sampling_table", "study_samples"]

RUNS = (
    *("CL99XT", "INQ604", "READWARE2", "UT810", "apl8c221"),
    *("isa25t", "ok8amxc", "pir9Aatd", "surffal2", "tno8d3"),
)
SAMPLES = 1000
_COMPARED = 5
"""Differences are looked at in every fifth sample."""
LENGTH = 200
"""Ranks of each list."""
STRATA = "depths:10=1,30=0.4,100=0.1"
WEIGHTS = "rbp:200,p=0.98,depth=100"
UNBIASED = {
    "HT(P@30)": "P@30",
    "HT(RBP(p=0.95))": "RBP(p=0.95)",
    "HT(SDCG@100)": "SDCG@100",
}
"""Horvitz–Thompson estimates, and what they are estimates of."""
RATIOS = {"statAP": "AP"}
INFERRED = {"xinfAP": "AP", "infNDCG": "nDCG", "iP@30": "P@30"}
_LEVEL = 0.95
_COLUMNS = (
    *("design", "estimate", "cells", "beyond 2 s.e.", "beyond 4 s.e.", "mean bias"),
    *("largest bias of a mean", "means covered", "differences covered"),
)

Draw = Callable[[np.random.Generator], pw.Judgments]

SEED = 2026
"""Of the samples: one that had no part in choosing how intervals are made."""


@dataclass(frozen=True, eq=False)
class Study:
    """What a measure said of many samples, and the truth.

    Attributes
    ----------
    values : float array, samples × systems × topics
    truth : float array, systems × topics
    means_covered, differences_covered : float
        The share of intervals over samples that cover the true mean, or the true mean difference;
        NaN where there are none.
    """

    values: Floats
    truth: Floats
    means_covered: float
    differences_covered: float

    @property
    def has_intervals(self) -> bool:
        """Whether there are intervals over samples at all."""
        return not np.isnan([self.means_covered, self.differences_covered]).all()

    @property
    def bias(self) -> Floats:
        """The mean error of each cell."""
        return np.asarray(np.nanmean(self.values, axis=0) - self.truth)

    @property
    def deviations(self) -> Floats:
        """The bias of each cell in standard errors, of the cells that vary at all."""
        error = np.nanstd(self.values, axis=0, ddof=1) / np.sqrt(len(self.values))
        varies = error > 1e-12
        return np.asarray(np.abs(self.bias[varies]) / error[varies])

    def row(self, design: str, name: str) -> tuple[str, ...]:
        """Return a row of the table."""
        far = self.deviations
        bias = self.bias.mean(axis=1)
        return (
            design,
            name,
            f"{len(far):,}",
            f"{(far > 2).mean():.1%}",
            f"{int((far > 4).sum()):,}",
            f"{bias.mean():+.4f}",
            f"{bias[np.abs(bias).argmax()]:+.4f}",
            *(_share(covered) for covered in (self.means_covered, self.differences_covered)),
        )


def sampling_table(folders: Folders) -> ValidationTable:
    """Check bias and coverage of estimates from samples of TREC-8's pool."""
    studies = [*_studies(folders, SAMPLES)]
    return ValidationTable(
        f"Estimates from {SAMPLES:,} samples of the pool of TREC-8",
        f"{len(RUNS)} runs on 50 topics, cut to {LENGTH} ranks, against the official judgments. "
        "Horvitz–Thompson estimates are unbiased: at most 7% of the cells (a run on a topic) have "
        "a mean error beyond two standard errors, and none beyond four. Estimates that are ratios "
        "have a bias, which is printed; that, and their skew, is why they have no interval over "
        "samples. Intervals of level 0.95 over samples cover 93% to 97% of the true means; how "
        "much their variance borrows was chosen on these runs and designs with other seeds, so "
        "that other collections may be covered somewhat worse. The true differences are looked at "
        "in every fifth sample.",
        _COLUMNS,
        tuple(study.row(design, name) for design, name, study in studies),
        all(_is_right(study) for _, name, study in studies if name in UNBIASED)
        and not any(study.has_intervals for _, name, study in studies if name not in UNBIASED),
    )


def _is_right(study: Study) -> bool:
    far = study.deviations
    unbiased = (far > 2).mean() <= 0.07 and not (far > 4).any()
    return bool(unbiased and 0.93 <= study.means_covered <= 0.97)


def _share(covered: float) -> str:
    return "no interval" if np.isnan(covered) else f"{covered:.3f}"


def _studies(folders: Folders, samples: int) -> Iterator[tuple[str, str, Study]]:
    """Go through the designs and the estimates that each allows."""
    folder = folders.data / "trec8"
    official = pw.read_judgments(folder / "qrels.gz")
    evidence = pw.align(
        official,
        pw.read_runs(*(folder / "runs" / f"{run}.gz" for run in RUNS), duplicates="first"),
    ).truncate(LENGTH)
    pooled = pw.read_runs(
        *(folder / "runs" / f"{run}.gz" for run in read_pooled(folder)), duplicates="first"
    )
    by_strata, by_weights = _strata_draw(official, pooled), _weights_draw(official, pooled)
    designs = (
        (STRATA, by_strata, UNBIASED | RATIOS | INFERRED),
        (WEIGHTS, by_weights, UNBIASED | RATIOS),
    )
    for design, draw, measures in designs:
        by_measure = study_samples(evidence, draw, measures, samples=samples)
        yield from ((design, name, study) for name, study in by_measure.items())


def study_samples(
    evidence: pw.Evidence, draw: Draw, measures: dict[str, str], *, samples: int, rng: int = SEED
) -> dict[str, Study]:
    """Score many samples, and compare what was estimated with the truth.

    Parameters
    ----------
    evidence
        Runs met with complete judgments.
    draw
        Draws a sample of these judgments.
    measures
        Estimates, and what they are estimates of.
    samples, rng
        How many, and from which seed.
    """
    random = np.random.default_rng(rng)
    tallies = {
        name: _Tally(name, pw.score(evidence, of, bounds="none").value)
        for name, of in measures.items()
    }
    for number in range(samples):
        sampled = evidence.regrade(draw(random))
        for tally in tallies.values():
            tally.add(sampled, compares=number % _COMPARED == 0)
    return {name: tally.study() for name, tally in tallies.items()}


@dataclass(frozen=True, eq=False)
class _Tally:
    """What one estimate said of the samples so far."""

    name: str
    truth: Floats
    values: list[Floats] = field(default_factory=list)
    means: list[Floats] = field(default_factory=list)
    differences: list[Floats] = field(default_factory=list)

    def add(self, sampled: pw.Evidence, *, compares: bool) -> None:
        """Score one more sample."""
        table = pw.score(sampled, self.name, bounds="none")
        self.values.append(table.value)
        self.means.append(_covers(table.sample_interval(_LEVEL), self.truth.mean(axis=1)))
        if not compares:
            return
        pairs = pw.Pairs.against(sampled.systems, sampled.systems[:1])
        apart = sample_pairs(sampled, table.measure, pairs, level=_LEVEL)
        # The first is over samples; a measure that is no estimate has none.
        for over_samples in apart[:1]:
            true = pairs.difference(self.truth).mean(axis=1)
            self.differences.append(_covers((over_samples.low, over_samples.high), true))

    def study(self) -> Study:
        """Return what all samples said."""
        covered = (float(np.mean(shares)) for shares in (self.means, self.differences))
        return Study(np.array(self.values), self.truth, *covered)


def _covers(interval: tuple[Floats, Floats], truth: Floats) -> Floats:
    """Return 1 where the truth is covered, else 0; NaN where there is no interval."""
    low, high = interval
    covered = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    return np.where(np.isnan(low), np.nan, covered)


def _strata_draw(official: pw.Judgments, pooled: pw.Runs) -> Draw:
    """Return what draws from strata by the best rank in the pool."""
    design = pw.judging.parse_design(STRATA)
    if not isinstance(design, DepthStrata):
        raise TypeError(design)
    best = nominate(official, pooled).best_ranks().astype(np.int64)
    # A second scale, with the grade of what was not drawn, so that codes go up by one.
    labelled = replace(official, scale=np.append(-1.0, official.scale)).with_sampling(
        stratum=design.strata(best)
    )

    def draw(rng: np.random.Generator) -> pw.Judgments:
        uniform, drawn = rng.random(len(best)), np.zeros(len(best), np.bool_)
        for first, past in zip(official.starts[:-1], official.starts[1:], strict=True):
            drawn[first:past] = design.draw(best[first:past], uniform[first:past])
        return replace(labelled, codes=np.where(drawn, official.codes + 1, 0).astype(np.int16))

    return draw


def _weights_draw(official: pw.Judgments, pooled: pw.Runs) -> Draw:
    """Return what draws documents one by one, with chances by their ranks in the pool."""
    pool = draw_sample(pooled, WEIGHTS)
    if list(pool.documents) != list(official.documents):
        raise ValueError("the judgments are not those of the pool to depth 100")
    labelled = official.with_sampling(probability=pool.probability)
    return lambda rng: labelled.keep(rng.random(len(pool.probability)) < pool.probability)
