"""What a gate with an anchor does with many releases that each lose a little.

Every release changes the scores of topics as two real versions of a system differ (runs of one
group, with either of them first), and its true mean difference is known: the differences are moved
to it. All releases of a chain are gated on the same topics, as they are in practice.
"""

from dataclasses import dataclass, field

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.findings.gating._limits import mean_limits
from validate.gate import ALPHA, COLLECTIONS, MARGIN, real_pairs
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["releases_table"]

CHAINS, RELEASES, SEED = 1_000, 20, 3206
TWICE = 4
"""Releases at half the margin after which twice the margin is lost."""
CASES = (("trec8", "AP@100"), ("trec-dl-2019", "nDCG@10"))
SIZES = (50, 200, 1000)
NEVER = RELEASES + 1


@dataclass(eq=False)
class Chains:
    """When each chain first fails, and first does not pass: the number of the release."""

    failed: Integers = field(default_factory=lambda: np.full(CHAINS, NEVER))
    stopped: Integers = field(default_factory=lambda: np.full(CHAINS, NEVER))

    def see(self, release: int, fails: Booleans, passes: Booleans) -> None:
        """Note the verdicts of one release."""
        self.failed = np.where(fails, np.minimum(self.failed, release), self.failed)
        self.stopped = np.where(passes, self.stopped, np.minimum(self.stopped, release))

    def share(self, which: str, by: int) -> float:
        """Return the share that failed, or was stopped, by this release."""
        releases: Integers = getattr(self, which)
        return float((releases <= by).mean())


def gated(pairs: Floats, topics: int, loss: float) -> tuple[Chains, Chains]:
    """Gate chains of releases that each lose so much, by their neighbours and by the anchor."""
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(pairs.shape[1], size=(CHAINS, topics))
    neighbours, anchored, lost = Chains(), Chains(), np.zeros((CHAINS, topics))
    for release in range(1, RELEASES + 1):
        pair, side = rng.integers(len(pairs), size=CHAINS), rng.choice([-1.0, 1.0], size=CHAINS)
        step = side[:, None] * pairs[pair[:, None], drawn] - loss
        lost += step
        own = mean_limits(step, MARGIN, alpha=ALPHA)
        since = mean_limits(lost, MARGIN, alpha=ALPHA / release)
        neighbours.see(release, own.high < -MARGIN, own.low > -MARGIN)
        anchored.see(release, since.high < -MARGIN, since.low > -MARGIN)
    return neighbours, anchored


def releases_table(folders: Folders) -> ValidationTable:
    """Count the chains that fail, or no longer pass, before twice the margin is lost."""
    rows, holds = [], True
    for collection, measure in CASES:
        pairs = np.array(real_pairs(folders, collection, measure, versions=True))
        pairs -= pairs.mean(axis=1, keepdims=True)
        for topics in SIZES:
            neighbours, anchored = gated(pairs, topics, MARGIN / 2)
            _, equal = gated(pairs, topics, 0.0)
            holds &= anchored.share("stopped", TWICE) >= 1 - ALPHA
            holds &= equal.share("failed", RELEASES) <= ALPHA
            case: Row = {
                "collection": COLLECTIONS[collection],
                "measure": measure,
                "topics": topics,
            }
            rows.append(case | _shares(neighbours, anchored, equal))
    return table_of_rows(
        "A gate over many releases",
        f"{CHAINS:,} chains of {RELEASES} releases, each of which truly loses half the margin of "
        f"{MARGIN:g}; every release changes topics as two versions of a real system differ, and "
        "all releases of a chain have the same topics. With `--anchor` and `--looks`, at least 95% "
        "of chains no longer pass before twice the margin is lost (release 4), and where nothing "
        "is lost, at most 5% fail over all twenty looks. How soon a chain does not only stop "
        "passing but *fails* depends on the topics: with 50 topics a few chains fail by then, "
        "and most are undecided from the start; with 1,000 topics most fail. By neighbours alone, "
        "few chains ever fail.",
        rows,
        holds=holds,
    )


def _shares(neighbours: Chains, anchored: Chains, equal: Chains) -> Row:
    shares = {
        "no longer pass by release 4": anchored.share("stopped", TWICE),
        "fail by release 4": anchored.share("failed", TWICE),
        "fail by release 20": anchored.share("failed", RELEASES),
        "fail by release 20, no anchor": neighbours.share("failed", RELEASES),
        "pass all 20, no anchor": 1 - neighbours.share("stopped", RELEASES),
        "nothing lost: fail by release 20": equal.share("failed", RELEASES),
    }
    return {name: f"{share:.1%}" for name, share in shares.items()}
