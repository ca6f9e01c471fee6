"""Time and memory as the input grows: what a hostile or a merely large file can cost.

Run as ``python -m bench.growth``, or with words that a case has in its name. Each case is run at
some sizes, each twice the one before, in a process of its own, and the best of its rounds counts.
The last columns are the power of the size by which the processor's time above that of starting
grows (1 is linear, 2 is quadratic), and the time per unit of size over that of the first size.
"""

import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import zstandard

Write = Callable[[Path, int], None]

_MEASURED = """
import sys, time
from pathlib import Path
import poolwise as pw
from bench.processes import peak_megabytes
folder = Path(sys.argv[1])
{before}
started = time.process_time()
{code}
print(time.process_time() - started, peak_megabytes())
"""


class Case(NamedTuple):
    """What is read, the code that is measured, and the sizes."""

    what: str
    write: Write
    code: str
    sizes: tuple[int, ...]
    rounds: int = 1
    before: str = ""
    """What is done before the clock starts, such as to load what is loaded late."""


def main(words: tuple[str, ...] = ()) -> None:
    """Print a table of all cases, or of those that have one of these words in their names."""
    for case in CASES:
        if not words or any(word in case.what for word in words):
            print(case.what)
            _print_growth(case)


class Growth(NamedTuple):
    """What each size took: seconds of the processors, and megabytes."""

    what: str
    points: dict[int, tuple[float, float]]

    @property
    def powers(self) -> list[float]:
        """The power of the size by which the time grows, between each size and the next."""
        return [
            math.log(after[0] / before[0]) / math.log(larger / smaller)
            for (smaller, before), (larger, after) in pairwise(self.points.items())
        ]


def grown(case: Case) -> Growth:
    """Measure a case at all its sizes."""
    return Growth(case.what, {size: measured(case, size) for size in case.sizes})


def _print_growth(case: Case) -> None:
    growth = grown(case)
    first = next(iter(growth.points))
    for (size, (seconds, megabytes)), power in zip(
        growth.points.items(), [math.nan, *growth.powers], strict=True
    ):
        each = seconds / size / (growth.points[first][0] / first)
        grows = "" if math.isnan(power) else f"  power {power:.1f}  each × {each:.2f}"
        print(f"  {size:>9,}: {seconds:6.2f} s {megabytes:7.0f} MB{grows}", flush=True)


def measured(case: Case, size: int) -> tuple[float, float]:
    """Return the processor's seconds of the best round, and the most megabytes of any."""
    with tempfile.TemporaryDirectory() as folder:
        case.write(Path(folder), size)
        rounds = [_measured_once(case, folder) for _ in range(case.rounds)]
    return min(seconds for seconds, _ in rounds), max(megabytes for _, megabytes in rounds)


def _measured_once(case: Case, folder: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED.format(code=case.code, before=case.before), folder],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes = map(float, done.stdout.split()[-2:])
    return seconds, megabytes


def one_long_list(folder: Path, size: int) -> None:
    """Write a list of this length beside fifty short ones."""
    (folder / "run").write_text(
        "".join(f"1 Q0 d{i} {i} {size - i} x\n" for i in range(size))
        + "".join(f"{t} Q0 d{i} {i} {-i} x\n" for t in range(2, 52) for i in range(100))
    )
    (folder / "qrels").write_text(
        "".join(f"{t} 0 d{i} {i % 2}\n" for t in range(1, 52) for i in range(9))
    )


def many_topics(folder: Path, size: int) -> None:
    """Write so many topics with twenty documents each."""
    with (folder / "run").open("w") as run, (folder / "qrels").open("w") as qrels:
        for t in range(size):
            run.writelines(f"{t} Q0 d{i} {i} {-i} x\n" for i in range(20))
            qrels.write(f"{t} 0 d1 1\n{t} 0 d3 0\n")


def long_topics(folder: Path, size: int) -> None:
    """Write so many topics with a thousand documents each."""
    lines = "".join(f"%s Q0 d{i} {i} {-i} x\n" for i in range(1000))
    with (folder / "run").open("w") as run, (folder / "qrels").open("w") as qrels:
        for t in range(size):
            run.write(lines.replace("%s", str(t)))
            qrels.write(f"{t} 0 d1 1\n{t} 0 d3 0\n")


def equal_lines(folder: Path, size: int) -> None:
    """Write one line again and again, compressed to nearly nothing."""
    with zstandard.open(folder / "run.zst", "wb") as file:
        for _ in range(size // 10_000):
            file.write(b"1 Q0 d1 1 1 x\n" * 10_000)


def many_runs(folder: Path, size: int) -> None:
    """Write a matrix of scores of so many systems on fifty topics."""
    rows = (
        ",".join([str(t), *(f"{(s * 7919 + t * 104729) % 1000 / 1000}" for s in range(size))])
        for t in range(50)
    )
    header = ",".join(["topic", *(f"s{s}" for s in range(size))])
    (folder / "scores.csv").write_text("\n".join([header, *rows]) + "\n")


def retrieved_by_many(folder: Path, size: int) -> None:
    """Write so many runs of fifty topics with ten documents each."""
    (folder / "runs").mkdir()
    for s in range(size):
        (folder / "runs" / f"s{s}").write_text(
            "".join(
                f"{t} Q0 d{(s * 31 + i) % 97} {i} {-i} s{s}\n" for t in range(50) for i in range(10)
            )
        )
    judged = (f"{t} 0 d{i} {i % 4 // 2}\n" for t in range(50) for i in range(0, 97, 2))
    (folder / "qrels").write_text("".join(judged))


_EVALUATE = "pw.evaluate(folder / 'qrels', folder / 'run', {measure!r})"
_THREE = "['nDCG@10', 'AP', 'RBP(p=0.8)'], stream={stream}"
_LOADED = (
    "(folder / 'few').write_text('1 Q0 d1 1 1 x\\n2 Q0 d1 1 1 x\\n')\n"
    "pw.evaluate({{'1': {{'d1': 1}}, '2': {{'d1': 1}}}}, folder / 'few', " + _THREE + ")"
)
_MILLIONS = (1_000, 2_000, 4_000, 8_000)
"""Topics of a thousand lines each."""
_READ = "runs = pw.read_runs(folder / 'run')\n"
CASES = (
    Case(
        "AP with exact bounds, one long list",
        one_long_list,
        _EVALUATE.format(measure="AP"),
        (50_000, 100_000, 200_000),
    ),
    Case(
        "nDCG@10 with exact bounds, topics of 1000 documents",
        long_topics,
        _EVALUATE.format(measure="nDCG@10"),
        (2_500, 5_000, 10_000),
    ),
    Case(
        "AP with exact bounds, topics of 1000 documents",
        long_topics,
        _EVALUATE.format(measure="AP"),
        (2_500, 5_000, 10_000),
    ),
    *(
        Case(
            f"three measures with exact bounds, {way}, topics of 1000 documents",
            long_topics,
            f"pw.evaluate(folder / 'qrels', folder / 'run', {_THREE.format(stream=stream)})",
            _MILLIONS,
            rounds=5,
            before=_LOADED.format(stream=stream),
        )
        for way, stream in (("by blocks of topics", True), ("read whole", False))
    ),
    Case(
        "audit", many_topics, "pw.audit(folder / 'qrels', folder / 'run')", (12_500, 25_000, 50_000)
    ),
    Case("Runs.to_dict", many_topics, _READ + "runs.to_dict()", (12_500, 25_000, 50_000)),
    Case(
        "write_run",
        many_topics,
        _READ + "pw.write_run(runs, 'x', folder / 'again')",
        (12_500, 25_000, 50_000),
    ),
    Case(
        "equal lines, the first kept",
        equal_lines,
        "pw.read_runs(folder / 'run.zst', duplicates='first', max_ratio=1e9)",
        (7_500_000, 15_000_000, 30_000_000),
    ),
    Case(
        "compare all pairs of runs, by their scores",
        many_runs,
        "from poolwise.scores._score_matrix import read_score_matrix\n"
        "from poolwise import compare_scores\n"
        "compare_scores(read_score_matrix(folder / 'scores.csv'))",
        (500, 1_000, 2_000),
    ),
    Case(
        "compare all pairs of runs, with their documents",
        retrieved_by_many,
        "pw.compare(folder / 'qrels', [folder / 'runs'], 'nDCG@10', draws=0)",
        (250, 500, 1_000),
    ),
)
_BASELINE = (
    "pw.compare(folder / 'qrels', [folder / 'runs'], 'nDCG@10', baseline='s0', draws=200, rng=1)"
)
CURVES = (
    *(case for case in CASES if case.what.startswith("three measures")),
    Case(
        "three measures with exact bounds, runs of 50 topics",
        retrieved_by_many,
        f"pw.evaluate(folder / 'qrels', [folder / 'runs'], {_THREE.format(stream=None)})",
        (250, 500, 1_000),
        rounds=3,
    ),
    Case(
        "compare runs with a baseline, 200 draws", retrieved_by_many, _BASELINE, (250, 500, 1_000)
    ),
    *(case for case in CASES if case.what.startswith("compare all pairs")),
)
"""What the page of results shows: lines, topics, runs, and pairs where pairs are asked for."""


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
