"""How often a gate errs, by simulation with real pairs of runs, and where no test on means helps.

A pair of runs is a baseline and a candidate. Its topics are drawn with weights that give it a true
difference: 0, minus the margin, or minus twice the margin. So every difference of a topic is one
that two real runs had, and the truth is known.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.findings.gating._limits import mean_limits, unseen_share
from validate.table import Folders, ValidationTable

__all__ = [
    "Rates",
    "ceiling_table",
    "gate_rates",
    "gate_table",
    "rare_losses_table",
    "real_pairs",
    "tilted_weights",
]

MARGIN = 0.02
ALPHA = 0.05
SIZES = (25, 50, 100, 200)
MEASURES = ("nDCG@10", "AP@100", "P@10")
COLLECTIONS = {"trec8": "TREC-8", "trec-dl-2019": "DL 2019"}
PAIRS, TRIALS = 60, 500
CLOSE = 0.05
"""Pairs are of runs in the better half whose means differ by no more."""
LATER = "post-hoc"
"""Not a group: runs of many that were made after the track."""
RARE = (0.01, 0.02, 0.05)


class Rates(NamedTuple):
    """How often a gate passes and fails, and how often a plain t test would let pass."""

    passed: float
    failed: float
    by_t: float

    def __str__(self) -> str:
        undecided = 1 - self.passed - self.failed
        return f"{self.passed:.1%} / {undecided:.1%} / {self.failed:.1%}"


def gate_rates(deltas: Floats, margin: float) -> Rates:
    """Return the rates over samples of topics, one in each row."""
    limits = mean_limits(deltas, margin, alpha=ALPHA)
    unchanged = ~deltas.any(axis=1)
    return Rates(
        passed=float((unchanged | (limits.low > -margin)).mean()),
        failed=float((limits.high < -margin).mean()),
        by_t=float((unchanged | (_t_limit(deltas) > -margin)).mean()),
    )


def _t_limit(deltas: Floats) -> Floats:
    from scipy.stats import t  # noqa: PLC0415 -- late: slow to import

    topics = deltas.shape[1]
    error = deltas.std(axis=1, ddof=1) / np.sqrt(topics)
    return deltas.mean(axis=1) - t.ppf(1 - ALPHA, topics - 1) * error


def tilted_weights(deltas: Floats, mean: float) -> Floats:
    """Return the weights of topics, exp(λ delta), that give them this mean.

    Examples
    --------
    >>> deltas = np.array([-0.3, 0.1, 0.2])
    >>> weights = tilted_weights(deltas, 0.05)
    >>> round(float(weights @ deltas), 6), weights.round(3).tolist()
    (0.05, [0.227, 0.364, 0.409])
    """
    low, high = -1e4, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        weights = np.exp(middle * deltas - (middle * deltas).max())
        weights /= weights.sum()
        low, high = (middle, high) if weights @ deltas < mean else (low, middle)
    return np.asarray(weights)


@cache
def real_pairs(
    folders: Folders, collection: str, measure: str, *, versions: bool = False
) -> list[Floats]:
    """Return the differences by topic of close pairs of the better runs, in either direction.

    ``versions`` are runs of one group, which are mostly versions of one system.
    """
    folder = folders.data / collection
    scores = pw.evaluate(
        folder / "qrels.gz",
        folder / "runs",
        measure,
        bounds="none",
        reading=pw.Reading(duplicates="first"),
    )[measure]
    groups = pw.collection.read_groups(folder / "runs.tsv").select(scores.systems)
    value, means = scores.value[:, scores.defined], scores.means()
    pairs = []
    for a, b in permutations(np.flatnonzero(means >= np.median(means)).tolist(), 2):
        group, other = groups.labels[a], groups.labels[b]
        wanted = (group == other != LATER) if versions else True
        deltas = value[a] - value[b]
        if wanted and abs(deltas.mean()) <= CLOSE and _can_be_tilted(deltas):
            pairs.append(deltas)
    chosen = np.random.default_rng(1).permutation(len(pairs))[:PAIRS]
    return [pairs[i] for i in chosen.tolist()]


def _can_be_tilted(deltas: Floats) -> bool:
    """Say whether weights give these differences the means that are wanted."""
    return bool(deltas.min() < -2 * MARGIN and deltas.max() > 0)


def gate_table(folders: Folders) -> ValidationTable:
    """Check how often a gate passes what it should not, and how often what it should."""
    cases = [(c, m, v) for c in COLLECTIONS for m in MEASURES for v in (False, True)]
    rows = [_row(folders, *case, topics) for case in cases for topics in SIZES]
    return ValidationTable(
        "A gate for releases: pass / undecided / fail",
        f"Close pairs of real runs, {PAIRS} for each measure or as many as there are, {TRIALS} "
        f"samples of topics for each pair, margin {MARGIN:g}, alpha {ALPHA:g}. A candidate that is "
        "worse by the margin or more passes in at most 5% of cases. The last but one column is the "
        "share that 95% of the pairs do not exceed; the last one is what a plain one-sided t limit "
        "would let pass. How often an equal candidate passes depends on how much it changes: "
        "versions of one system (runs of one group) pass more often than other pairs. How often "
        "the worst topic is counted again was chosen on these collections, so that the rates are "
        "somewhat optimistic.",
        (
            *("collection", "pairs", "measure", "topics", "equal", "worse by the margin"),
            *("worse by twice the margin", "passes, 95% of pairs", "passes by t"),
        ),
        tuple(row for row, _ in rows),
        holds=max(most for _, most in rows) <= ALPHA,
    )


def _row(
    folders: Folders,
    collection: str,
    measure: str,
    versions: bool,  # noqa: FBT001 -- one of the cases of a product
    topics: int,
) -> tuple[tuple[str, ...], float]:
    """Return a row of the table, and how often a candidate passes that should not."""
    pairs = real_pairs(folders, collection, measure, versions=versions)
    equal, margin, twice = (_simulated(pairs, topics, k * MARGIN) for k in (0, 1, 2))
    most = float(np.quantile([rate.passed for rate in margin], 0.95))
    kind = f"{len(pairs)} {'of one group' if versions else 'of any'}"
    rates = (str(_mean(some)) for some in (equal, margin, twice))
    last = (f"{most:.1%}", f"{_mean(margin).by_t:.1%}")
    row = (COLLECTIONS[collection], kind, measure, str(topics), *rates, *last)
    return row, max(_mean(margin).passed, _mean(twice).passed)


def _simulated(pairs: list[Floats], topics: int, loss: float) -> list[Rates]:
    rng = np.random.default_rng(topics)
    drawn = (rng.choice(d, (TRIALS, topics), p=tilted_weights(d, -loss)) for d in pairs)
    return [gate_rates(deltas, MARGIN) for deltas in drawn]


def _mean(rates: list[Rates]) -> Rates:
    return Rates(*np.mean(rates, axis=0).tolist())


def rare_losses_table(_: Folders) -> ValidationTable:
    """Show what no test on means sees: few topics that lose all, the others as they were."""
    rows, holds = [], True
    for topics in SIZES:
        named = unseen_share(topics, ALPHA)
        for share in (*RARE, named):
            observed, guarded, unseen = _rare(topics, share)
            holds &= guarded <= max(unseen, (1 - share) ** topics) + 0.005
            mark = " (named by a pass)" if share == named else ""
            rates = (f"{r:.1%}" for r in (unseen, observed.by_t, observed.passed, guarded))
            rows.append((str(topics), f"{share:.1%}{mark}", *rates))
    return ValidationTable(
        "A gate and rare losses: how often it passes",
        "A share of topics loses 1.0, all others stay as they were, margin 0.01: 20,000 samples "
        "each. Samples that hold none of the hurt topics pass whatever the test is, so that a pass "
        "names the share of hurt topics it cannot see: if as many are hurt, no more than 5% of "
        "samples hold none. With `--max-topic-loss` no other sample passes.",
        (
            *("topics", "hurt", "samples without a hurt topic", "passes by t"),
            *("passes", "passes with --max-topic-loss 0.5"),
        ),
        tuple(rows),
        holds,
    )


def ceiling_table(folders: Folders) -> ValidationTable:
    """Show real pairs whose losses are rare: a measure that is 1 on most topics."""
    pairs = real_pairs(folders, "trec-dl-2019", "RR@10")
    rows = []
    for topics in SIZES:
        observed = _mean(_simulated(pairs, topics, MARGIN))
        rates = (f"{rate:.1%}" for rate in (observed.passed, observed.by_t))
        rows.append((str(topics), *rates, f"{unseen_share(topics, ALPHA):.1%}"))
    return ValidationTable(
        "A gate and a measure near its ceiling: RR@10 on DL 2019",
        f"{len(pairs)} pairs of any, worse by the margin of {MARGIN:g}. Most topics score 1 in "
        "both runs, and one or two carry the whole loss, so that these are rare losses of real "
        "runs: with few topics the gate passes more than 5% of them, and no test on means can do "
        "better. The last column is the share that a pass names.",
        ("topics", "passes", "passes by t", "share of hurt topics a pass cannot see"),
        tuple(rows),
    )


def _rare(topics: int, share: float, trials: int = 20_000) -> tuple[Rates, float, float]:
    """Return the rates, those with a limit for each topic, and how many samples see no loss."""
    hurt = np.random.default_rng(topics).random((trials, topics)) < share
    deltas = -hurt.astype(np.float64)
    limits = mean_limits(deltas, 0.01, alpha=ALPHA)
    unseen = ~hurt.any(axis=1)
    guarded = (unseen | (limits.low > -0.01)) & (deltas.min(axis=1) >= -0.5)
    return gate_rates(deltas, 0.01), float(guarded.mean()), float(unseen.mean())
