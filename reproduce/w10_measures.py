"""W10 chapter 3: measures and significance on TREC-8."""

import numpy as np

import poolwise as pw
from reproduce.results import Row, Section, compare, numbers, pattern
from reproduce.sources import Folders, read_collection

PAPER = "W10: the thesis"
MEASURES = ("AP", "RBP(p=0.95)", "nDCG(dcg='jk')", "P@10", "RR")
TABLE_3_1 = ((0.81, 0.88, 0.74, 0.52), (0.79, 0.87, 0.61), (0.75, 0.54), (0.65,))
PREDICTORS = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG(dcg='jk')")
# Of TREC 2004 Terabyte systems.
TABLE_3_2 = (
    (0.64, 0.48, 0.64, 0.64, 0.64),
    (0.36, 0.48, 0.47, 0.47),
    (0.68, 0.70, 0.69),
    (0.80, 0.79),
    (0.80,),
)
A, B = "CL99XT", "apl8c221"


def table_3_1(folders: Folders) -> Section:
    """Compute τ between measures over the better systems."""
    evidence = read_collection(folders.data / "trec8").evidence
    tables = [pw.score(evidence, measure, bounds="none") for measure in MEASURES]
    kept = pw.studies.top_systems(tables)
    means = [table.select(runs=kept).means() for table in tables]
    rows = [compare("systems kept", 102, len(kept), digits=0)]
    rows += [
        compare(MEASURES[i], p, pw.correlate(means[i], means[i + 1 :]), digits=2, table="3.1")
        for i, p in enumerate(TABLE_3_1)
    ]
    last, systems = len(evidence.systems) // 4, len(evidence.systems)
    reading = (
        f"Left out are the systems among the last quarter ({last} of {systems}) under all five "
        "measures. "
        "nDCG with the jk discount; τ_b. Columns: RBP.95, nDCG, P@10, RR."
    )
    return Section(PAPER, "Table 3.1: τ between measures", tuple(rows), reading)


def table_3_2(folders: Folders) -> Section:
    """Compute how well measures foretell each other on other topics."""
    evidence = read_collection(folders.data / "trec8").evidence
    tables = [pw.score(evidence, measure, bounds="none") for measure in PREDICTORS]
    kept = pw.studies.top_systems(tables)
    predicted = pw.studies.predictivity([t.select(runs=kept) for t in tables], rng=1).means()
    rows = [
        pattern(
            f"{PREDICTORS[i]} (published: TREC 2004 Terabyte)",
            numbers(published, 2),
            numbers(predicted[i, i:], 2),
            claim,
            holds=holds,
        )
        for i, (published, (claim, holds)) in enumerate(
            zip(TABLE_3_2, _claims(predicted), strict=True)
        )
    ]
    reading = "2,000 random halves of 25 topics, over the systems of table 3.1. Columns as rows."
    return Section(PAPER, "Table 3.2: predictivity, on TREC-8", tuple(rows), reading)


def _claims(taus: np.ndarray) -> tuple[tuple[str, bool], ...]:
    p10, rr, rbp, ap, ndcg = range(5)
    return (
        (
            "the complex measures foretell P@10 as well as it does itself (to 0.02)",
            bool(taus[p10, [rbp, ap, ndcg]].min() > taus[p10, p10] - 0.02),
        ),
        (
            "every other measure foretells RR as well as it does itself (to 0.02; there, better)",
            bool(taus[rr].min() > taus[rr, rr] - 0.02),
        ),
        (
            "AP foretells RBP as well as RBP does (to 0.02)",
            bool(taus[rbp, ap] >= taus[rbp, rbp] - 0.02),
        ),
        (
            "AP and nDCG are the most predictive of themselves",
            bool(min(taus[ap, ap], taus[ndcg, ndcg]) > max(np.diag(taus)[:3])),
        ),
        ("nDCG is as predictive as AP", bool(abs(taus[ap, ap] - taus[ndcg, ndcg]) < 0.03)),
    )


def running_example(folders: Folders) -> Section:
    """Compare CL99XT with apl8c221 (figures 3.10 to 3.14)."""
    evidence = read_collection(folders.data / "trec8").evidence
    table = pw.score(evidence, "AP", bounds="none").select(runs=[A, B])
    finding = pw.compare_pair(table, A, B)
    deltas = table.value[0] - table.value[1]
    rbp = pw.score(evidence, "RBP(p=0.95)", bounds="none").select(runs=[A])
    low, high = table.interval()
    rows = [
        compare("figure 3.10: mean RBP.95 of CL99XT", 0.49, rbp.means(), digits=2),
        compare("figure 3.11: mean AP of both", (0.37, 0.31), table.means(), digits=2),
        compare("topics won, of 50", 35, finding.wins, digits=0),
        compare("mean and median delta", (0.058, 0.053), (deltas.mean(), np.median(deltas))),
        *(_tested(table, what, *test) for what, test in TESTS.items()),
        *_bootstrapped(table),
        compare("§3.3.5: t interval of apl8c221", (0.249, 0.381), (low[1], high[1])),
        compare("§3.3.5: t interval of CL99XT", (0.311, 0.435), (low[0], high[0])),
    ]
    reading = "AP to depth 1000, ties as `trec_eval` breaks them; bootstrap seed 1."
    return Section(PAPER, "Figures 3.10–3.14: the running example", tuple(rows), reading)


TESTS = {
    "figure 3.13: sign test, one-tailed": ("sign", "greater", 0.0033),
    "sign test, two-tailed": ("sign", "two-sided", 0.0066),
    "paired t test": ("t", "two-sided", 0.035),
    "two-sample t test": ("pooled-t", "two-sided", 0.202),
}


def _tested(table: pw.ScoreTable, what: str, test: str, alternative: str, p: float) -> Row:
    pair = pw.compare_pair(table, A, B, test=test, alternative=alternative)
    return compare(f"{what}: p", p, pair.pvalue, digits=4 if p < 0.01 else 3)


def _bootstrapped(table: pw.ScoreTable) -> list[Row]:
    pair = pw.compare_pair(table, A, B, test="bootstrap", resamples=50_000, rng=1)
    tails = np.quantile(pair.resampled, (0.025, 0.975))
    # The errors are those of 5,000 resamples: of a share of 0.03, and of a 2.5th percentile where
    # the density is that of a normal distribution with deviation 0.027.
    return [
        compare("figure 3.14: bootstrap p", 0.0298, pair.pvalue, digits=4, error=0.0024),
        compare("§3.3.5: 2.5th and 97.5th percentile", (-0.051, 0.053), tails, error=0.001),
        compare("§3.3.5: bootstrap interval", (0.005, 0.109), pair.interval(), error=0.001),
    ]


SECTIONS = (table_3_1, table_3_2, running_example)
