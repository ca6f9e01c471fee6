"""Draw the pictures of the documentation from the embedded collection: python docs/figures.py."""

from pathlib import Path

import poolwise as pw

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write one picture per kind of figure."""
    made = pw.simulate(systems=12, topics=50, depth=200, rng=8)
    overview = pw.report(made.judgments, made.runs, ["nDCG@10"], rng=8)
    part = overview["nDCG@10"]
    figures = {
        "leaderboard": pw.plot(part.table),
        "unjudged": pw.plot(overview),
        "pairs": pw.plot(part.comparisons),
        "deltas": pw.plot(part.table, "deltas", a="prf-1", b="bm25-1"),
        "topics": pw.plot(part.table, "topics"),
        "estimates": pw.plot(part.estimates),
        "similarity": pw.plot(overview.overlap),
        "tree": pw.plot(overview.tree),
        "power": pw.plot(part.power),
    }
    for name, figure in figures.items():
        figure.savefig(FOLDER / f"{name}.png", dpi=100)


if __name__ == "__main__":
    main()
