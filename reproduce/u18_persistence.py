"""U18 §3.3 and §3.4: the persistence of RBP that matches other measures, on TREC-8."""

import numpy as np

import poolwise as pw
from reproduce.figures import panels
from reproduce.results import Row, Section, pattern
from reproduce.sources import Folders, read_collection
from reproduce.u18 import PAPER

MEASURES = ("RR", "P@10", "Rprec", "R@1000", "AP@1000", "nDCG@1000")
# Of TREC-13, 249 topics: topics below 0.8, below 0.9, from 0.9; τ with R; mean φ.
TABLE_2 = {
    ("AP@1000", "tau_b"): ("23 110 116", 0.66, 0.958),
    ("AP@1000", "rbo"): ("36 90 123", 0.59, 0.953),
    ("nDCG@1000", "tau_b"): ("58 131 60", 0.51, 0.956),
    ("nDCG@1000", "rbo"): ("99 95 55", 0.46, 0.943),
}


def figure_2(folders: Folders) -> Section:
    """Plot how alike RBP and six measures order the systems, over the residual of RBP."""
    evidence = read_collection(folders.data / "trec8", "rank").evidence
    matches = {name: pw.studies.match_persistence(evidence, name) for name in MEASURES}
    path = "u18-figure-2.svg"
    with panels(folders.out / path, 1, 1, size=5) as (ax,):
        for name, match in matches.items():
            ax.plot(match.residuals, match.correlations, label=name)
        ax.set(xscale="log", xlabel="mean residual of RBP", ylabel="Kendall's τ_b")
        ax.tick_params(axis="x", which="minor", labelbottom=False)
        ax.legend()
    rows = [_match(name, match, matches["P@10"].p) for name, match in matches.items()]
    reading = (
        "All 129 runs, ties by rank; τ_b of the orders by mean score, over φ from 0.500 to 0.999. "
        "The paper plots TREC-7 and TREC-13, and finds the same on TREC-8."
    )
    return Section(PAPER, "Figure 2: the matching persistence", tuple(rows), reading, path)


def _match(name: str, match: pw.studies.PersistenceMatch, of_precision: float) -> Row:
    claims = {
        "RR": ("shallower than P@10", match.p < of_precision),
        "P@10": ("near 0.9, an expected depth of 10", 0.85 <= match.p <= 0.95),
    }
    deep = (
        "0.98 or more, and so a residual of 0.1 or more",
        match.p >= 0.98 and match.residual >= 0.1,
    )
    claim, holds = claims.get(name, deep)
    ours = f"φ = {match.p:.3f}, τ {match.correlation:.3f}, residual {match.residual:.3f}"
    published = {"RR": "small φ", "P@10": "φ ≈ 0.9"}.get(name, "φ ≥ 0.98, residual ≥ 0.1")
    return pattern(name, published, ours, claim, holds=holds)


def figure_3_and_table_2(folders: Folders) -> Section:
    """Match the persistence topic by topic, and relate it to the number of relevant documents."""
    evidence = read_collection(folders.data / "trec8", "rank").evidence
    matches = {
        key: pw.studies.match_persistence_by_topic(evidence, key[0], by=key[1]) for key in TABLE_2
    }
    path = "u18-figure-3.svg"
    with panels(folders.out / path, 2, 2) as axes:
        for ax, (key, match) in zip(axes, matches.items(), strict=True):
            ax.scatter(match.relevant, match.p, c=match.correlations, s=10, vmin=0.6, vmax=1)
            ax.set(xscale="log", title=" ".join(key), xlabel="R", ylabel="best φ")
    rows = tuple(_by_topic(key, match) for key, match in matches.items())
    reading = (
        "All 129 runs and 50 topics of TREC-8, ties by rank; the smallest of equally good φ. "
        "Topics below 0.8, below 0.9 and from 0.9; τ of φ with R; mean φ. Published: the 249 "
        "topics of TREC-13."
    )
    title = "Figure 3 and table 2: the persistence by topic"
    return Section(PAPER, title, rows, reading, path)


def _by_topic(key: tuple[str, str], match: pw.studies.TopicMatches) -> Row:
    row = {name: values[0] for name, values in match.summary().items()}
    counts, tau, mean = TABLE_2[key]
    ours = (
        f"{row['below_0.8']} {row['below_0.9']} {row['from_0.9']}; "
        f"{row['tau_with_R']:.2f}; {row['mean_p']:.3f}"
    )
    return pattern(
        " ".join(key),
        f"{counts}; {tau}; {mean}",
        ours,
        "the more relevant documents a topic has, the deeper the matching RBP (p < 0.0001 there)",
        holds=np.greater(row["tau_with_R"], 0) and np.less(row["pvalue"], 0.001),
    )


SECTIONS = (figure_2, figure_3_and_table_2)
