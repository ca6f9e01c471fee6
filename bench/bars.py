"""What people wait for, beside how long they should: pages, comparisons, what to judge next.

Run as ``python -m bench.bars``, or with words that a bar has in its name. The bars are seconds of
the clock on two quiet cores, best of a few rounds; the processors' seconds stand beside them, since
these mean something on a busy machine, too. TREC-8 comes from ``POOLWISE_DATA`` or from beside the
checkout, and a made-up collection of its size stands in for it.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

import poolwise as pw
from bench.evaluation import pack, plain_trec8
from bench.opening import seconds_to_open
from bench.processes import compile_modules, timed_process
from bench.trec8 import trec8_folder
from poolwise.judging import ORDERS, candidates_of, proposals

ROUNDS, ROUNDS_OF_MANY = 5, 2
SYSTEMS, TOPICS, DEPTH = 200, 250, 100
"""The large page, of a simulated collection."""
LARGE_PAGE = f"page of {SYSTEMS} runs × {TOPICS} topics × {DEPTH}"
ALL_CHARTS = f"{LARGE_PAGE}: all its charts in a browser"
COMPARED, LISTED = "compare, 129 runs with a baseline", "next, 129 runs"
BATCH = 100


class Bar(NamedTuple):
    """What was found, and what it has to stay under, or to reach."""

    what: str
    found: float
    bar: float
    unit: str = "s"
    processor: float = float("nan")
    reaches: bool = False

    @property
    def met(self) -> bool:
        """Whether it does."""
        return self.found >= self.bar if self.reaches else self.found <= self.bar

    @property
    def asked(self) -> str:
        """What is asked, in words."""
        return f"{'at least' if self.reaches else 'under'} {self.bar:g} {self.unit}"


def main(words: tuple[str, ...] = ()) -> None:
    """Print every bar, or those that have one of these words in their names."""
    compile_modules()
    for bar in bars(words):
        said = "met" if bar.met else "missed"
        print(
            f"{bar.what:<44}{bar.found:>8.2f} {bar.unit:<3} {bar.asked}: {said}"
            f", {bar.processor:.2f} s of processors",
            flush=True,
        )
    print(f"load at the end: {os.getloadavg()[0]:.1f} processes wanted to run")


def bars(words: tuple[str, ...] = ()) -> Iterator[Bar]:
    """Measure, and yield what was found."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, make in _PARTS.items():
            if not words or any(word in title for word in words):
                yield from make(folder)


def _commands(folder: Path) -> Iterator[Bar]:
    """Time commands over all runs of TREC-8."""
    for what in (COMPARED, LISTED):
        yield _command(what, 3.0 if what == COMPARED else 1.0, COMMANDS[what](folder))


def _compare(folder: Path) -> list[str]:
    qrels, runs, baseline = _trec8(folder)
    return ["compare", qrels, *runs, "--baseline", baseline, *_written_to(folder, "compare.tsv")]


def _next(folder: Path) -> list[str]:
    qrels, runs, _ = _trec8(folder)
    return ["next", qrels, *runs, *_written_to(folder, "next.tsv")]


def _large_page(folder: Path) -> list[str]:
    qrels, runs = written(folder / "many", systems=SYSTEMS, topics=TOPICS)
    return ["report", str(qrels), *map(str, runs), *_written_to(folder, "large.html")]


def _written_to(folder: Path, name: str) -> list[str]:
    return ["-o", str(folder / name), "--force", "--quiet"]


COMMANDS = {COMPARED: _compare, LISTED: _next, LARGE_PAGE: _large_page}
"""What makes the words of the commands that are waited for, whose files are in a folder."""


def _trec8(folder: Path) -> tuple[str, list[str], str]:
    """Return judgments and runs of TREC-8, compressed, and the name of a run."""
    real = trec8_folder()
    if real is not None:
        runs = sorted((real / "runs").glob("*.gz"))
        return str(real / "qrels.gz"), [*map(str, runs)], runs[1].stem
    plain, paths = plain_trec8(folder)
    return plain, [pack(path) for path in paths], Path(paths[1]).stem


def _command(what: str, most: float, words: list[str], rounds: int = ROUNDS) -> Bar:
    program = str(Path(sys.executable).with_name("poolwise"))
    best = min(timed_process([program, *words]) for _ in range(rounds))
    return Bar(what, best.seconds, most, processor=best.processor)


def _batches(folder: Path) -> Iterator[Bar]:
    """Time one more batch, by an order that has learned all the grades before it."""
    qrels, runs, _ = _trec8(folder)
    evidence = pw.align(pw.read_judgments(qrels), pw.read_runs(runs))
    order = ORDERS["blend"](candidates_of(evidence, depth=100))
    more = proposals(order)
    listed = [*islice(more, BATCH)]
    timings = []
    for _ in range(ROUNDS):
        started, worked = time.perf_counter(), time.process_time()
        for topic in sorted({step.topic for step in listed}):
            documents = np.array([s.document for s in listed if s.topic == topic], np.intp)
            order.learn(topic, documents, np.zeros(len(documents), np.bool_))
        listed = [*islice(more, BATCH)]
        timings.append((time.perf_counter() - started, time.process_time() - worked))
    seconds, processor = min(timings)
    yield Bar(f"one more batch of {BATCH} documents", seconds, 0.2, processor=processor)


def _pages(folder: Path) -> Iterator[Bar]:
    """Time pages, weigh the one of many runs, and open it."""
    qrels, runs, _ = _trec8(folder)
    two = ["report", qrels, *runs[:2], *_written_to(folder, "two.html")]
    yield _command("page of two runs of TREC-8", 1.0, two)
    yield _command(LARGE_PAGE, 20.0, _large_page(folder), ROUNDS_OF_MANY)
    page = folder / "large.html"
    yield Bar(f"{LARGE_PAGE}: its size", page.stat().st_size / 1e6, 5.0, "MB")
    for moment, opened in seconds_to_open(page).items():
        yield Bar(f"{LARGE_PAGE}: {moment} in a browser", opened, 1.5)


def written(folder: Path, *, systems: int, topics: int) -> tuple[Path, list[Path]]:
    """Simulate a collection, and return the files of its judgments and of its runs."""
    made = pw.simulate(systems=systems, topics=topics, depth=DEPTH, rng=1)
    folder.mkdir()
    pw.write_judgments(made.judgments, folder / "qrels")
    paths = [folder / f"{name}.run" for name in made.runs.systems]
    for name, path in zip(made.runs.systems, paths, strict=True):
        pw.write_run(made.runs, name, path)
    return folder / "qrels", paths


_PARTS: dict[str, Callable[[Path], Iterator[Bar]]] = {
    "compare next commands": _commands,
    "batches": _batches,
    "pages": _pages,
}


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
