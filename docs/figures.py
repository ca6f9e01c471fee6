# ruff: noqa: INP001 -- a script
"""Draw the pictures of the documentation from the embedded collection: python docs/figures.py."""

from pathlib import Path

import poolwise as pw

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write one picture per kind of figure."""
    made = pw.simulate(systems=12, topics=50, depth=200, rng=8)
    evidence = pw.align(made.judgments, made.runs)
    table = pw.score(evidence, "nDCG@10")
    overlap = pw.findings.overlap_matrix(made.runs)
    figures = {
        "leaderboard": pw.plot_leaderboard(table),
        "unjudged": pw.plot_unjudged(evidence),
        "pairs": pw.plot_pairs(pw.compare_evidence(evidence, "nDCG@10", draws=0)),
        "deltas": pw.plot_deltas(table, "prf-1", "bm25-1"),
        "topics": pw.plot_topics(table),
        "estimates": pw.plot_estimates(evidence, "nDCG@10", rng=8),
        "similarity": pw.plot_similarity(overlap),
        "tree": pw.plot_tree(pw.findings.cluster_runs(overlap)),
        "power": pw.plot_power(pw.findings.collection_power(table)),
    }
    for name, figure in figures.items():
        figure.savefig(FOLDER / f"{name}.png", dpi=100)


if __name__ == "__main__":
    main()
