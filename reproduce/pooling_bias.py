"""W10 tables 6.1, 6.4 and 6.5: scores of TREC-8's manual runs from pools of automatic ones.

Run as ``python -m reproduce.pooling_bias``. For each width, 100 pools to depth 10 are made of
random automatic runs; each of the eleven best manual runs is scored by tRBP@10 (p = 0.8) with the
judgments of that pool, raw and adjusted, against its score with all judgments. The thesis draws
one manual run per pool, so its numbers vary more: by about 0.009, one standard error.
"""

import csv
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from poolwise.evidence.alignment import UNJUDGED

WIDTHS = (2, 4, 10, 20, 40)
COMMON = (10, 15, 20)
POOLS = 100
TOPIC_SAMPLES = 5
MEASURE = pw.parse_measure("tRBP(p=0.8)@10")

# W10 table 6.1, columns 4 and 5 (the adjusted score of width 2 is not legible), and the rows
# "Unadjusted" (0, 10, 15, 20 common topics) and "Adjusted" (10, 15, 20) of tables 6.4 and 6.5.
PUBLISHED_SYSTEMS = {
    2: (0.451, np.nan), 4: (0.384, 0.294), 10: (0.283, 0.237), 20: (0.231, 0.203),
    40: (0.177, 0.159),
}  # fmt: skip
PUBLISHED_TOPICS = {
    "non-relevant": {
        2: (0.451, 0.361, 0.316, 0.271, 0.060, 0.046, 0.037),
        4: (0.384, 0.308, 0.269, 0.231, 0.059, 0.045, 0.037),
        10: (0.283, 0.226, 0.198, 0.170, 0.054, 0.041, 0.033),
        20: (0.231, 0.185, 0.162, 0.139, 0.050, 0.038, 0.031),
        40: (0.177, 0.141, 0.124, 0.106, 0.045, 0.035, 0.028),
    },
    "condensed": {
        2: (0.154, 0.123, 0.108, 0.093, 0.054, 0.041, 0.033),
        4: (0.091, 0.073, 0.064, 0.055, 0.046, 0.035, 0.028),
        10: (0.033, 0.027, 0.023, 0.020, 0.036, 0.027, 0.022),
        20: (0.018, 0.014, 0.013, 0.011, 0.030, 0.023, 0.019),
        40: (0.013, 0.010, 0.009, 0.008, 0.026, 0.020, 0.016),
    },
}

Floats = NDArray[np.float64]


def main() -> None:
    """Print our mean absolute errors beside the published ones."""
    evidence, manual, automatic = load()
    truth = MEASURE.score(evidence)[manual]
    random = np.random.default_rng(8)
    topics: dict[str, dict[int, Floats]] = {"non-relevant": {}, "condensed": {}}
    print("table 6.1: width, raw and adjusted from systems; published raw and adjusted")
    for width in WIDTHS:
        pools = list(sample_pools(evidence, manual, automatic, width, random))
        errors = np.mean([from_systems(pool, width, truth) for pool in pools], axis=0)
        print(width, shown(errors), "|", shown(PUBLISHED_SYSTEMS[width]))
        for name, scored in (("non-relevant", score_plain), ("condensed", score_condensed)):
            found = [from_topics(truth, scored(pool, width), random) for pool in pools]
            topics[name][width] = np.mean(found, axis=0)
    for table, name in (("6.4", "non-relevant"), ("6.5", "condensed")):
        print(f"table {table} ({name}): width, unadjusted with 0, 10, 15, 20 common topics,")
        print("  adjusted with 10, 15, 20; published")
        for width in WIDTHS:
            print(width, shown(topics[name][width]), "|", shown(PUBLISHED_TOPICS[name][width]))


def load() -> tuple[pw.Evidence, NDArray[np.intp], NDArray[np.intp]]:
    """Return TREC-8, the eleven best manual runs and the automatic ones.

    As in W10 §6.1.1, documents that were never judged count as judged and not relevant, so that
    only our own pools leave documents unjudged.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POOLWISE_DATA", beside)) / "trec8"
    runs, judgments = pw.read_runs(folder / "runs"), pw.read_judgments(folder / "qrels.gz")
    evidence = pw.align(runs, judgments)
    codes = np.where(evidence.codes == UNJUDGED, 0, evidence.codes).astype(evidence.codes.dtype)
    evidence = replace(evidence, codes=codes)
    with (folder / "runs.tsv").open(encoding="utf-8") as lines:
        kind = {row["run"]: row["type"] for row in csv.DictReader(lines, delimiter="\t")}
    is_manual = np.array([kind[name] == "manual" for name in evidence.systems])
    means = np.where(is_manual, MEASURE.score(evidence).mean(axis=1), -1.0)
    return evidence, np.argsort(-means)[:11], np.flatnonzero(~is_manual)


def sample_pools(
    evidence: pw.Evidence,
    manual: NDArray[np.intp],
    automatic: NDArray[np.intp],
    width: int,
    random: np.random.Generator,
) -> Iterator[pw.Evidence]:
    """Yield the pooled runs and the manual ones, judged where one of the former has it on top."""
    rows = evidence.document_starts[:-1, None] + np.maximum(evidence.documents, 0)
    rows = np.minimum(rows, len(evidence.document_ids) - 1)
    for _ in range(POOLS):
        pooled = random.choice(automatic, width, replace=False)
        nominated = np.zeros(len(evidence.document_ids), np.bool_)
        nominated[rows[pooled, :, :10]] = True
        chosen = np.concatenate([pooled, manual])
        hidden = (evidence.codes[chosen] >= 0) & ~nominated[rows[chosen]]
        yield replace(
            evidence,
            systems=tuple(evidence.systems[i] for i in chosen),
            codes=np.where(hidden, UNJUDGED, evidence.codes[chosen]).astype(evidence.codes.dtype),
            documents=evidence.documents[chosen],
        )


def from_systems(pool: pw.Evidence, width: int, truth: Floats) -> Floats:
    """Return the mean absolute errors of raw and adjusted means (W10 algorithm 6.1)."""
    treatment = pw.BiasFromSystems(pooled=pool.systems[:width], depth=10)
    found = treatment.adjustments(pool.truncate(10), MEASURE)
    means = zip(pool.systems[width:], truth.mean(axis=1), strict=True)
    errors = [(t - found[name].raw, t - found[name].adjusted) for name, t in means]
    return np.abs(errors).mean(axis=0)


def score_plain(pool: pw.Evidence, width: int) -> Floats:
    """Return the manual runs' scores, unjudged documents taken as not relevant."""
    return MEASURE.score(pool)[width:]


def score_condensed(pool: pw.Evidence, width: int) -> Floats:
    """Return the manual runs' scores on condensed lists."""
    return MEASURE.score(pw.condense(pool.slice_systems(width, len(pool.systems))))


def from_topics(truth: Floats, unpooled: Floats, random: np.random.Generator) -> Floats:
    """Return mean absolute errors, unadjusted and adjusted from common topics (algorithm 6.2)."""
    unadjusted, adjusted = [np.abs((truth - unpooled).mean(axis=1)).mean()], []
    for n in COMMON:
        errors = []
        for _ in range(TOPIC_SAMPLES):
            common = np.isin(np.arange(truth.shape[1]), random.permutation(truth.shape[1])[:n])
            for t, u in zip(truth, unpooled, strict=True):
                mixed = np.where(common, t, u).mean()
                estimate = pw.adjust_from_topics(t, u, common).adjusted
                errors.append((t.mean() - mixed, t.mean() - estimate))
        means = np.abs(errors).mean(axis=0)
        unadjusted.append(means[0])
        adjusted.append(means[1])
    return np.array([*unadjusted, *adjusted])


def shown(values: Floats | tuple[float, ...]) -> str:
    """Return the numbers to three places."""
    return " ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    main()
