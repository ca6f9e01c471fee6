"""Where each nanosecond of a line of a run goes, and what no command can do without.

Run as ``python -m bench.line``. Steps add up: each does what the one before does, and more. They
are told by the processors' seconds of one process, the best of a few rounds.
"""

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import poolwise as pw
from bench.evaluation import plain_trec8
from bench.processes import compile_modules, timed_process
from poolwise.provenance._hashing import LaneHasher, _library
from poolwise.scores._scoring import score_all
from poolwise.workflows._evaluate import grade_runs

ROUNDS = 5
MEASURES = ("AP", "nDCG", "P@10", "RBP(p=0.8)", "RR", "Bpref", "Rprec")
_BLOCK = 1 << 18


class Step(NamedTuple):
    """What is done, and the processors' seconds that it takes beyond the step before."""

    what: str
    seconds: float


def main() -> None:
    """Print both tables."""
    compile_modules()
    with tempfile.TemporaryDirectory() as name:
        qrels, runs = plain_trec8(Path(name))
        print(*line_table(qrels, runs), "", *least_table(runs), sep="\n")


def line_table(qrels: str, runs: list[str]) -> Iterator[str]:
    """Return the steps of reading and scoring, in nanoseconds a line."""
    lines = sum(Path(run).read_bytes().count(b"\n") for run in runs)
    yield "| | ns a line |"
    yield "|---|---:|"
    steps = steps_of_a_line(qrels, runs)
    for step in steps:
        yield f"| {step.what} | {1e9 * step.seconds / lines:.1f} |"
    yield f"| together | {1e9 * sum(step.seconds for step in steps) / lines:.1f} |"


def steps_of_a_line(qrels: str, runs: list[str]) -> list[Step]:
    """Time the steps from bytes to scores, and then counting and ranges."""
    judgments = pw.read_judgments(qrels)
    first_topic = judgments.select(topics=judgments.topics[:1])

    def graded(*, against: pw.Judgments = judgments, counted: bool = False) -> pw.Grades:
        return grade_runs(against, runs, counts_unknown=counted)

    without, ranged = graded(), graded(counted=True)
    copied = _best(lambda: _copy(runs))
    parsed = _best(lambda: graded(against=first_topic))
    joined, counting = _best(graded), _best(lambda: graded(counted=True))
    scored = _best(lambda: score_all(without, MEASURES, bounds="none"))
    bounded = _best(lambda: score_all(ranged, MEASURES, bounds="exact"))
    return [
        Step("the system copies the bytes of the files", copied),
        Step("white space, fields, numbers, hashes, order, documents named twice", parsed - copied),
        Step("grades of the documents, from the judgments of their topic", joined - parsed),
        Step(f"scores by {len(MEASURES)} measures", scored),
        Step("with exact bounds: documents of all runs that have no grade", counting - joined),
        Step("with exact bounds: both ends of the ranges", bounded - scored),
    ]


_NEEDED = "import poolwise.cli.main, poolwise.cli.evaluate, poolwise.workflows._evaluate"


def least_table(runs: list[str]) -> Iterator[str]:
    """Return what every command pays, whatever it does, in processors' seconds."""
    yield "| | processors |"
    yield "|---|---:|"
    for what, program in (
        ("Python starts", "pass"),
        ("and loads numpy, as pytrec_eval does", "import numpy"),
        ("and loads what `evaluate` needs", _NEEDED),
    ):
        words = [sys.executable, "-c", program]
        seconds = min(timed_process(words).processor for _ in range(ROUNDS))
        yield f"| {what} | {seconds:.3f} s |"
    content = Path(runs[0]).read_bytes()
    rate = 1e9 * _best(lambda: hashlib.sha256(content)) / len(content)
    yield f"| SHA-256 of one file, one byte after another | {rate:.2f} s per GB |"
    native, size = _library(), sum(Path(run).stat().st_size for run in runs)
    if native is not None:
        rate = 1e9 * _best(lambda: LaneHasher(native, runs).assign([])) / size
        yield f"| SHA-256 of {len(runs)} files, several at a time | {rate:.2f} s per GB |"


def _copy(paths: list[str]) -> None:
    for path in paths:
        file, block = os.open(path, os.O_RDONLY), bytearray(_BLOCK)
        while os.readv(file, [block]):
            pass
        os.close(file)


def _best(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return min(seconds)


if __name__ == "__main__":
    main()
