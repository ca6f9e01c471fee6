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
from bench.processes import Used, compile_modules, timed_process
from poolwise.provenance._hashing import LaneHasher, _library
from poolwise.scores._scoring import score_all
from poolwise.workflows._evaluate import grade_runs

ROUNDS = 5
MEASURES = ("AP", "nDCG", "P@10", "RBP(p=0.8)", "RR", "Bpref", "Rprec")
_BLOCK = 1 << 18


class Step(NamedTuple):
    """What is done, and the nanoseconds of a line that it takes beyond the step before."""

    what: str
    nanoseconds: float


class Least(NamedTuple):
    """What every command takes, whatever it does, and what hashes take."""

    python: Used
    numpy: Used
    command: Used
    seconds_per_gigabyte: dict[str, float]

    def seconds_to_hash(self, paths: list[str]) -> float:
        """Return what the hashes of these files take: of several, as of several at a time."""
        alone, *several = self.seconds_per_gigabyte.values()
        size = sum(Path(path).stat().st_size for path in paths)
        return size / 1e9 * (several[0] if several and len(paths) > 1 else alone)


def main() -> None:
    """Print both tables."""
    compile_modules()
    with tempfile.TemporaryDirectory() as name:
        qrels, runs = plain_trec8(Path(name))
        print(*line_table(steps_of_a_line(qrels, runs)), "", sep="\n")
        print(*least_table(least_of_a_command(runs)), sep="\n")


def line_table(steps: list[Step]) -> Iterator[str]:
    """Return the steps of reading and scoring, in nanoseconds a line."""
    yield "| | ns a line |"
    yield "|---|---:|"
    for step in steps:
        yield f"| {step.what} | {step.nanoseconds:.1f} |"
    yield f"| together | {sum(step.nanoseconds for step in steps):.1f} |"


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
    seconds = {
        "the system copies the bytes of the files": copied,
        "white space, fields, numbers, hashes, order, documents named twice": parsed - copied,
        "grades of the documents, from the judgments of their topic": joined - parsed,
        f"scores by {len(MEASURES)} measures": scored,
        "with exact bounds: documents of all runs that have no grade": counting - joined,
        "with exact bounds: both ends of the ranges": bounded - scored,
    }
    lines = sum(Path(run).read_bytes().count(b"\n") for run in runs)
    return [Step(what, 1e9 * spent / lines) for what, spent in seconds.items()]


def least_of_a_command(runs: list[str]) -> Least:
    """Time Python, numpy, the command with next to nothing to do, and hashes."""
    content = Path(runs[0]).read_bytes()
    hashes = {"one file, one byte after another": _best(lambda: hashlib.sha256(content))}
    hashes = {what: 1e9 * spent / len(content) for what, spent in hashes.items()}
    native, size = _library(), sum(Path(run).stat().st_size for run in runs)
    if native is not None:
        several = _best(lambda: LaneHasher(native, runs).assign([]))
        hashes[f"{len(runs)} files, several at a time"] = 1e9 * several / size
    with tempfile.TemporaryDirectory() as name:
        return Least(
            _best_process([sys.executable, "-c", "pass"]),
            _best_process([sys.executable, "-c", "import numpy"]),
            _best_process(_command_of_one_line(Path(name))),
            hashes,
        )


def _command_of_one_line(folder: Path) -> list[str]:
    qrels, run, scores = (folder / name for name in ("qrels", "run", "scores.tsv"))
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1 x\n")
    program = str(Path(sys.executable).with_name("poolwise"))
    words = [program, "evaluate", str(qrels), str(run), "-m", ",".join(MEASURES), "--per-topic"]
    return [*words, "--quiet", "-o", str(scores), "--force"]


def _best_process(words: list[str]) -> Used:
    rounds = [timed_process(words) for _ in range(ROUNDS)]
    return Used(*(min(values) for values in zip(*rounds, strict=True)))


def least_table(least: Least) -> Iterator[str]:
    """Return what every command takes, by the clock and by processors' seconds."""
    yield "| | by the clock | processors |"
    yield "|---|---:|---:|"
    for what, used in (
        ("Python starts", least.python),
        ("and loads numpy, as pytrec_eval does", least.numpy),
        ("`evaluate` starts, scores one line, writes, ends", least.command),
    ):
        yield f"| {what} | {used.seconds:.3f} s | {used.processor:.3f} s |"
    for what, seconds in least.seconds_per_gigabyte.items():
        yield f"| SHA-256 of {what} | | {seconds:.2f} s per GB |"


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
