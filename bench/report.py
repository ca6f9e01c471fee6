"""The page of ``poolwise report``: of two runs, and of 200 runs on 250 topics, beside the goals.

Run as ``python -m bench.report``. The two runs are of TREC-8 where it is there (see
``POOLWISE_DATA``), and of a simulated collection otherwise and besides. No other tool makes such a
page, so that the goals stand in for a peer: whole commands, in seconds of the clock on two cores.
"""

import compileall
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import poolwise as pw
from bench.results import timed_process
from bench.trec8 import trec8_folder

GOAL_TWO, GOAL_MANY = 1.5, 30.0
ROUNDS_TWO, ROUNDS_MANY = 5, 1
SYSTEMS, TOPICS, DEPTH = 200, 250, 100


class Case(NamedTuple):
    """What a report is made of, and how soon it should be there."""

    title: str
    qrels: Path
    runs: list[Path]
    goal: float
    rounds: int


def main() -> None:
    """Time the commands, and print the best round of each."""
    # An installed package has its modules compiled; a source tree that has just changed has not.
    compileall.compile_dir(Path(pw.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        for case in _cases(Path(name)):
            wall, cpu, size = min(_timed(case, Path(name)) for _ in range(case.rounds))
            goal = f"{wall / case.goal:.2f} of the goal of {case.goal:g} s"
            print(f"{case.title:<28}{wall:>7.2f} s{cpu:>7.2f} s CPU  {goal}, {size:.1f} MB")
    print(f"load at the end: {os.getloadavg()[0]:.1f} processes wanted to run")


def _cases(folder: Path) -> Iterator[Case]:
    if (real := trec8_folder()) is not None:
        two = sorted((real / "runs").glob("*.gz"))[:2]
        yield Case("two runs of TREC-8", real / "qrels.gz", two, GOAL_TWO, ROUNDS_TWO)
    qrels, runs = _written(folder / "few", systems=8, topics=50)
    # The last one was not pooled, so that grades are drawn for it, and their order is open.
    yield Case("two simulated runs", qrels, [runs[0], runs[-1]], GOAL_TWO, ROUNDS_TWO)
    many = _written(folder / "many", systems=SYSTEMS, topics=TOPICS)
    title = f"{SYSTEMS} runs × {TOPICS} topics"
    yield Case(title, *many, goal=GOAL_MANY, rounds=ROUNDS_MANY)


def _written(folder: Path, *, systems: int, topics: int) -> tuple[Path, list[Path]]:
    """Simulate a collection, and return the files of its judgments and of its runs."""
    made = pw.simulate(systems=systems, topics=topics, depth=DEPTH, rng=1)
    folder.mkdir()
    pw.write_judgments(made.judgments, folder / "qrels")
    paths = [folder / f"{name}.run" for name in made.runs.systems]
    for name, path in zip(made.runs.systems, paths, strict=True):
        pw.write_run(made.runs, name, path)
    return folder / "qrels", paths


def _timed(case: Case, folder: Path) -> tuple[float, float, float]:
    """Return seconds by the clock, seconds of all cores, and megabytes of the page."""
    program = Path(sys.executable).with_name("poolwise")
    page = folder / "report.html"
    words = [program, "report", case.qrels, *case.runs, "-o", page, "--force", "--quiet"]
    seconds, used = timed_process([*map(str, words)])
    return seconds, used.ru_utime + used.ru_stime, page.stat().st_size / 1e6


if __name__ == "__main__":
    main()
