"""B23: the examples of table 1, TREC-COVID's row of table 3, and the case study of table 7."""

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.b23 import BINS, MEASURE, PAPER, likeliest
from reproduce.results import Row, Section, compare, in_table, numbers
from reproduce.sources import Folders

Floats = NDArray[np.float64]
SEEDS = 12
MODELS = {
    "ANCE": "ance-09-01-2023",
    "ColBERT": "colbert-ranking-26-12-2022",
    "TAS-B": "tas-b-09-01-2023",
}
# By share of unjudged documents and model: U@10 in %; default, condensed, naïve upper, all judged;
# and what is drawn, the bootstrap and its 95th percentile.
TABLE_7 = {
    (".25 to .5", "ANCE"): (35.6, (0.489, 0.683, 0.838, 0.650), (0.660, 0.795)),
    (".25 to .5", "ColBERT"): (33.3, (0.485, 0.641, 0.770, 0.626), (0.614, 0.741)),
    (".25 to .5", "TAS-B"): (32.5, (0.597, 0.875, 0.902, 0.597), (0.847, 0.894)),
    (".5 to 1", "ANCE"): (65.6, (0.207, 0.547, 0.769, 0.357), (0.385, 0.542)),
    (".5 to 1", "ColBERT"): (62.9, (0.337, 0.679, 0.881, 0.447), (0.517, 0.645)),
    (".5 to 1", "TAS-B"): (73.8, (0.211, 0.584, 0.918, 0.330), (0.459, 0.623)),
    ("all topics", "ANCE"): (22.4, (0.652, 0.772, 0.853, 0.735), (0.747, 0.804)),
    ("all topics", "ColBERT"): (17.2, (0.680, 0.770, 0.826, 0.734), (0.741, 0.789)),
    ("all topics", "TAS-B"): (41.0, (0.481, 0.705, 0.871, 0.555), (0.633, 0.729)),
}


def table_1(_: Folders) -> Section:
    """Compute the examples of bounds that do not hold."""
    actual, reverse = _ndcg([1, 2]), _ndcg([2, 1])
    naive = pw.Evidence.from_grades([[None, 1]], judged=[1])
    low, high = (float(end.item()) for end in pw.parse_measure(EXPONENTIAL).naive_bounds(naive))
    widest = _dcg([1, 0]) / _dcg([3, 3])
    rows = [
        compare(
            "RBP-inspired", (1.00, 0.80, 0.71), (_ndcg([1, 0]), actual, _ndcg([1, 3])), digits=2
        ),
        compare("naïve", (0.63, 1.00, 0.63), (low, reverse, high), digits=2),
        compare("guaranteed", (0.09, 0.80, 1.00), (widest, actual, _ndcg([1, 0])), digits=2),
    ]
    reading = "Lower bound, actual score, upper bound of nDCG@2, exponential gains."
    title = "Table 1: bounds that do not hold"
    return Section(PAPER, title, tuple(in_table("1", rows)), reading)


EXPONENTIAL = "nDCG(dcg='exp-log2')@2"


def _ndcg(ranking: list[float]) -> float:
    evidence = pw.Evidence.from_grades([ranking])
    return float(pw.parse_measure(EXPONENTIAL).score(evidence).item())


def _dcg(ranking: list[float]) -> float:
    return float((pw.DCG(dcg="exp-log2") @ 2).score(pw.Evidence.from_grades([ranking])).item())


def table_3_trec_covid(folders: Folders) -> Section:
    """Count the grades of TREC-COVID's judgments, and of those that came later."""
    incomplete, complete = _judgments(folders)
    before, after = (np.array([_count(j, g) for g in range(5)]) for j in (incomplete, complete))
    later = after - before
    rows = [
        compare("pool: 0, 1, 2, 3, 4", (0.63, 0.16, 0.21, 0, 0), before / before.sum(), digits=2),
        compare("unjudged", (0.75, 0.02, 0.23, 0, 0), later / later.sum(), digits=2),
    ]
    title = "Table 3: grades of TREC-COVID"
    reading = "Negative grades are read as 0. Unjudged: what the complete judgments add."
    return Section(PAPER, title, tuple(in_table("3", rows)), reading)


def _count(judgments: pw.Judgments, grade: int) -> int:
    return sum(value == grade for _, _, value in judgments)


def table_7(folders: Folders) -> Section:
    """Score three neural runs with the incomplete and with the complete judgments."""
    incomplete, complete = _judgments(folders)
    runs = pw.read_runs(folders.data / "b23-case-study/runs", ties="docid")
    evidence = pw.align(incomplete, runs)
    naive = pw.score(evidence, MEASURE, bounds="naive")
    tables = (
        naive.value,
        pw.scores.estimate(evidence, MEASURE, treatment="condensed").value,
        naive.upper,
        pw.score(pw.align(complete, runs), MEASURE, bounds="none").value,
    )
    unjudged = pw.score(evidence, "Unjudged@10", bounds="none").value
    drawn = _drawn(evidence)
    rows: list[Row] = []
    for (which, model), (share, printed, bootstrapped) in TABLE_7.items():
        s = runs.systems.index(MODELS[model])
        chosen = _topics(which, unjudged[s])
        exact = [table[s, chosen].mean() for table in tables]
        draws = drawn[:, :, s, chosen].mean(axis=2)
        rows += [
            compare(
                f"{model}, {which}: % unjudged", share, 100 * unjudged[s, chosen].mean(), digits=1
            ),
            compare(
                f"{model}, {which}: default, condensed, naïve upper, all judged", printed, exact
            ),
            _bootstrapped(f"{model}, {which}: bootstrap, 95th percentile", bootstrapped, draws),
        ]
    rows.append(_best_run(runs.systems.index("BBGhelani2"), unjudged, tables, drawn))
    choices = _choices(_others(evidence), runs, unjudged)
    return Section(
        PAPER, "Table 7: TREC-COVID", tuple(in_table("7", rows)), READING, choices=choices
    )


READING = (
    "Ties by document id, linear gains, 1/log₂(i+1). Topics with 25% to 50% unjudged documents: at "
    "least 25% and less than 50%; the others have 50% or more. The prior is the one that the "
    "authors' code computes: shares over all topics, and grade 0 for a list without any judged "
    f"document. So is the mode of 1,000 draws: the scores are cut into {BINS} bins, those of the "
    "fullest bin once more, and the largest score of the fullest bin is taken. Means over "
    f"{SEEDS} seeds; the standard error is that of one seed there and of ours, from the spread."
)


def _others(evidence: pw.Evidence) -> dict[str, Floats]:
    """Return by other readings: percentiles by topics' own shares, and the most frequent scores."""
    by_topic = [pw.scores.bootstrap(evidence, MEASURE, rng=s) for s in range(SEEDS)]
    of_all = [pw.scores.bootstrap(evidence, MEASURE, rng=s, over="all") for s in range(SEEDS)]
    return {
        "by topic": np.array([d.table(percentile=95).upper for d in by_topic]),
        "most frequent": np.array([d.mode() for d in of_all]),
    }


def _choices(others: dict[str, Floats], runs: pw.Runs, unjudged: Floats) -> tuple[str, ...]:
    """Say what other readings of the prior and of the estimate give."""
    percentiles, modes, high, far = [], [], 0, 0
    for (which, model), (_, _, (mode, _)) in TABLE_7.items():
        s = runs.systems.index(MODELS[model])
        chosen = _topics(which, unjudged[s])
        ours = {name: drawn[:, s, chosen].mean(axis=1) for name, drawn in others.items()}
        percentiles.append(ours["by topic"].mean())
        modes.append(ours["most frequent"].mean())
        error = ours["most frequent"].std(ddof=1) * np.sqrt(1 + 1 / SEEDS)
        high += modes[-1] > mode
        far += modes[-1] - mode > 2 * error
    printed = [published for _, _, published in TABLE_7.values()]
    return (
        (
            f"The pool's shares by topic, as §3.2 writes: the 95th percentiles are "
            f"{numbers(percentiles)}, where {numbers([high for _, high in printed])} are printed."
        ),
        (
            "The score that is drawn most often, as §4 can be read: "
            f"{numbers(modes)} for the bootstrap, where {numbers([low for low, _ in printed])} are "
            f"printed: {high} of {len(modes)} are too high, {far} by more than two standard errors."
        ),
    )


def _topics(which: str, share: Floats) -> NDArray[np.bool_]:
    if which == "all topics":
        return np.ones(len(share), np.bool_)
    return (share >= 0.25) & (share < 0.5) if which == ".25 to .5" else share >= 0.5


def _drawn(evidence: pw.Evidence) -> Floats:
    """Return modes and 95th percentiles, seeds × 2 × systems × topics."""
    drawn = [pw.scores.bootstrap(evidence, MEASURE, rng=s, over="all") for s in range(SEEDS)]
    return np.array([(likeliest(d.values), d.table(percentile=95).upper) for d in drawn])


def _bootstrapped(what: str, published: tuple[float, ...], draws: Floats) -> Row:
    error = draws.std(axis=0, ddof=1) * np.sqrt(1 + 1 / SEEDS)
    return compare(what, published, draws.mean(axis=0), error=error)


def _best_run(s: int, unjudged: Floats, tables: tuple[Floats, ...], drawn: Floats) -> Row:
    """Compare the run that led the first round: it has no unjudged document."""
    answered = tables[0][s] > 0
    means = [table[s, answered].mean() for table in (*tables, *drawn[0])]
    ours = [unjudged[s, answered].mean(), *means]
    return compare("1st@TREC: % unjudged, and all six scores", (0.0, *[0.679] * 6), ours)


def _judgments(folders: Folders) -> tuple[pw.Judgments, pw.Judgments]:
    folder = folders.data / "b23-case-study"
    names = ("incomplete-beir-trec-covid.txt.gz", "complete-annotation-trec-covid.txt.gz")
    first, second = (pw.read_judgments(folder / name, negative="zero") for name in names)
    return first, second


SECTIONS = (table_1, table_3_trec_covid, table_7)
