"""What an experiment with a journal finds where nothing differs, and where something does."""

import csv
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

import poolwise as pw
from poolwise.arrays import Booleans, Floats, Integers
from poolwise.findings.planning._calibrated import stopped_deviations, t_reached
from poolwise.findings.planning._designs import DESIGNS, Experiments, Plan
from poolwise.findings.planning._iterative import Moments
from poolwise.findings.planning._journal import JournalPlan, journal_plan
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["boundary_table", "journal_table"]

EXPERIMENTS, BATCH = 400_000, 2_000
LEVEL, NEAR, POWER = 0.05, 0.002, 0.8
SEED, SEED_LOOKS = 3201, 3202
"""Seeds that no design was settled on."""
GRID, LONGEST = 60, 4
PLANS = {
    "the median of the pairs": (0.05, 0.155),
    "half of it": (0.05, 0.08),
    "a smaller difference": (0.03, 0.13),
}
"""By what sigma is expected: the difference to detect, and that sigma."""


@cache
def robust_pairs(folders: Folders) -> Floats:
    """Return centred differences in AP of Robust 2004: second-quartile baselines with others."""
    path = folders.data / "scores" / "newbestsub" / "R04.csv"
    with path.open(encoding="utf-8") as lines:
        head, *rows = csv.reader(lines)
    table = pw.ScoreTable.from_matrix(
        [[float(cell) for cell in row[1:]] for row in rows],
        systems=[row[0] for row in rows], topics=head[1:], measure="AP",
    )  # fmt: skip
    pairs = pw.findings.baseline_pairs(table, experimental="upper")
    deltas = table.value[pairs.left] - table.value[pairs.right]
    deltas = deltas[np.ptp(deltas, axis=1) > 0]
    return np.asarray(deltas - deltas.mean(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Critical:
    """The |t| that is at the level by design and deviation: of many deviations, interpolated."""

    sigma: Floats
    t: Floats

    @classmethod
    def of(cls, plan: JournalPlan, simulated: Plan, highest: float) -> "Critical":
        """Calibrate the design for deviations up to this one."""
        sigma = np.linspace(highest / GRID, highest, GRID)
        t = [t_reached(LEVEL, stopped_deviations(s, plan.first, simulated)) for s in sigma]
        return cls(sigma, np.array(t))

    def reached(self, seen: Moments, topics: Integers) -> Booleans:
        """Say which experiments are significant, the design allowed for."""
        size = np.abs(seen.mean) * np.sqrt(topics)
        return np.asarray(size > np.interp(seen.deviation, self.sigma, self.t) * seen.deviation)


def journal_table(folders: Folders) -> ValidationTable:
    """Count what the hybrid design of a journal finds, by the plain and the calibrated test."""
    by_plan = {name: _rates(robust_pairs(folders), *plan) for name, plan in PLANS.items()}
    missed = [name for name, rates in by_plan.items() if not rates.hold]
    return table_of_rows(
        "Design journal",
        f"An experiment by a journal finds a difference in {LEVEL:.1%} ± {NEAR:.1%} of cases where "
        f"there is none, and in {POWER:.0%} or more where it is as large as was planned for. "
        f"{EXPERIMENTS:,} experiments, each with a pair of Robust 2004 (a second-quartile baseline "
        "and another run of the best three quarters, AP), its differences centred, its topics "
        "drawn with replacement; rates with their 95% intervals, by a seed that nothing was "
        "settled on. The plain t test after the same rounds stands beside it, and the calibrated "
        "one on normal differences with the deviations of the same pairs, which it is made for."
        + (
            f" Outside the bar, with the sigma that is expected: {', '.join(missed)}."
            * bool(missed)
        ),
        [{"sigma expected": name, **rates.row()} for name, rates in by_plan.items()],
        holds=not missed,
    )


@dataclass(frozen=True)
class Rates:
    """What experiments by one plan come to: by the plain and the calibrated test, and normal."""

    delta: float
    first: int
    topics: float
    false: tuple[float, float]
    found: tuple[float, float]
    normal: float

    @property
    def hold(self) -> bool:
        """Whether the calibrated test keeps what is claimed."""
        return abs(self.false[1] - LEVEL) <= NEAR and self.found[1] >= POWER

    def row(self) -> Row:
        """Return the numbers as cells."""
        return {
            "delta": self.delta,
            "first topics": self.first,
            "topics, mean": f"{self.topics:.1f}",
            "false positives, plain": self.false[0],
            "false positives, calibrated": with_error(self.false[1]),
            "of normal differences": with_error(self.normal),
            "power, plain": self.found[0],
            "power, calibrated": self.found[1],
        }


def with_error(share: float) -> str:
    """Return a share of the experiments with the half-width of its 95% interval."""
    return f"{share:.4f} ± {1.96 * np.sqrt(share * (1 - share) / EXPERIMENTS):.4f}"


def _rates(deltas: Floats, delta: float, sigma: float) -> Rates:
    """Run the experiments of one plan, each without and with the difference."""
    deviations = deltas.std(axis=1)
    most = float(deviations.max())
    needed = journal_plan(delta=delta, sigma=most, measure="AP").first
    # a limit that no experiment comes near
    plan = journal_plan(delta=delta, sigma=sigma, measure="AP", most=LONGEST * needed)
    simulated = plan.simulated(0)
    critical = Critical.of(plan, simulated, 2 * most)
    rng, counts = np.random.default_rng(SEED), np.zeros(9)
    for _ in range(EXPERIMENTS // BATCH):
        drawn, pair = Experiments.drawn(deltas, BATCH, simulated.longest, rng)
        normal = _normal(rng, deviations[pair], simulated.longest)
        kinds = (drawn, drawn.with_difference(delta), normal)
        counts += np.concatenate(
            [_counts(experiments, simulated, critical) for experiments in kinds]
        )
    share = counts / EXPERIMENTS
    return Rates(delta, plan.first, share[2], (share[0], share[1]), (share[3], share[4]), share[7])


def _counts(experiments: Experiments, plan: Plan, critical: Critical) -> Floats:
    """Count the experiments found significant by the plain and the calibrated test, and topics."""
    topics = DESIGNS["hybrid"].stop(experiments, plan).topics
    if not topics.all():
        raise RuntimeError("an experiment came to its limit: it must be set higher")
    seen = experiments.moments(topics)
    plain = seen.are_significant(topics, LEVEL)
    return np.array([plain.sum(), critical.reached(seen, topics).sum(), topics.sum()], np.float64)


def boundary_table(folders: Folders) -> ValidationTable:
    """Count what an experiment finds that tests at every look, by the boundary and without it."""
    deltas, sigma = robust_pairs(folders), 0.155
    looks = [_looks(deltas, 0.05, sigma, every) for every in (5, 10, 20, 40)]
    near = all(abs(false - LEVEL) <= NEAR for _, false, _ in looks)
    powerful = all(power >= POWER for _, _, power in looks)
    return table_of_rows(
        "Design journal with looks",
        "Tests at planned looks, by the boundary, find a difference in "
        f"{LEVEL:.1%} ± {NEAR:.1%} of cases where there is none, and in {POWER:.0%} or more "
        "where it is as large as was planned for and sigma is as expected (normal differences). "
        f"{EXPERIMENTS:,} experiments as above, by a seed that nothing was settled on; “no "
        f"boundary” tests at level {LEVEL:g} at every look.",
        [row for row, _, _ in looks],
        holds=near and powerful,
    )


def _looks(deltas: Floats, delta: float, sigma: float, every: int) -> tuple[Row, float, float]:
    """Return a row, the rate of false positives, and the power where sigma is as expected."""
    plan = journal_plan(delta=delta, sigma=sigma, measure="AP", look_every=every)
    rng, counts = np.random.default_rng(SEED_LOOKS), np.zeros(6)
    for _ in range(EXPERIMENTS // BATCH):
        drawn, _ = Experiments.drawn(deltas, BATCH, plan.looks[-1], rng)
        normal = _normal(rng, sigma, plan.looks[-1])
        counts[:3] += _at_looks(drawn, plan)
        counts[3:5] += _at_looks(drawn.with_difference(delta), plan)[1:]
        counts[5] += _at_looks(normal.with_difference(delta), plan)[1]
    share = counts / EXPERIMENTS
    row: Row = {
        "a look every": every,
        "looks": len(plan.looks),
        "topics at most": plan.looks[-1],
        "false positives, no boundary": share[0],
        "false positives": with_error(share[1]),
        "power": share[3],
        "topics, mean, with it": f"{share[4]:.1f}",
        "power, sigma as expected": share[5],
    }
    return row, share[1], share[5]


def _normal(rng: np.random.Generator, sigma: ArrayLike, topics: int) -> Experiments:
    """Return experiments whose differences are normal with these deviations."""
    drawn = np.zeros((BATCH, topics + 1))
    drawn[:, 1:] = rng.normal(0, np.broadcast_to(sigma, BATCH)[:, None], (BATCH, topics))
    return Experiments(drawn.cumsum(axis=1), (drawn**2).cumsum(axis=1))


def _at_looks(experiments: Experiments, plan: JournalPlan) -> Floats:
    """Count experiments that are ever at alpha, those that reach the boundary, and their topics."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    ever, crossed = (np.zeros(len(experiments.sums), np.bool_) for _ in range(2))
    topics = np.full(len(experiments.sums), plan.looks[-1])
    for n, level in zip(plan.looks, plan.boundary.level.tolist(), strict=True):
        seen = experiments.moments(np.full(len(topics), n))
        size = np.abs(seen.mean) * np.sqrt(n)
        ever |= size > -stdtrit(n - 1, LEVEL / 2) * seen.deviation
        now = size > -stdtrit(n - 1, level / 2) * seen.deviation
        topics = np.where(now & ~crossed, n, topics)
        crossed |= now
    return np.array([ever.sum(), crossed.sum(), topics.sum()], np.float64)
