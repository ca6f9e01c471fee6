"""Runs larger than memory: time and the most memory of ``evaluate``, by blocks of topics and whole.

Run as ``python -m bench.large_runs``, or with the number of topics, of runs and of documents per
list: ``python -m bench.large_runs 100000 1 1000`` writes one run of about 4 GB into the folder for
temporary files, and deletes it afterwards.
"""

import sys
import tempfile
from pathlib import Path

from bench.processes import Used, timed_process

_MEASURES = "nDCG@10,AP,RBP(p=0.8)"


def main(arguments: tuple[str, ...] = ()) -> None:
    """Print what one command took of time and memory, streaming and not."""
    topics, runs, depth = map(int, arguments or ("10000", "1", "1000"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_collection(folder, topics=topics, runs=runs, depth=depth)
        print(f"{runs:,} × {topics:,} × {depth:,} lines, {size / 1e9:.2f} GB")
        ways = ("--stream",) if size > 2e9 else ("--stream", "--no-stream")
        for way in ways:
            used = measured(folder, way)
            print(
                f"  {way:<12} {used.seconds:7.1f} s {used.processor:7.1f} s of processors "
                f"{used.megabytes:7.0f} MB",
                flush=True,
            )


def write_collection(folder: Path, *, topics: int, runs: int, depth: int) -> int:
    """Write runs and judgments; return how many bytes the runs have."""
    (folder / "runs").mkdir()
    for r in range(runs):
        _write_run(folder / "runs" / f"run{r}", r, topics, depth)
    with (folder / "qrels").open("w") as qrels:
        for t in range(topics):
            judged = (f"{_topic(t)} 0 D{t % 97:02d}x{i * 7:07d} {i % 3}\n" for i in range(10))
            qrels.writelines(judged)
    return sum(path.stat().st_size for path in (folder / "runs").iterdir())


def _write_run(path: Path, run: int, topics: int, depth: int) -> None:
    lines = "".join(
        f"TTTTTTT Q0 D%%x{(i * 37 + run * 11) % (depth * 3):07d} {i} {1000 - i / 8:.3f} run{run}\n"
        for i in range(depth)
    )
    by_prefix = [lines.replace("%%", f"{p:02d}") for p in range(97)]
    with path.open("w") as file:
        for t in range(topics):
            file.write(by_prefix[t % 97].replace("TTTTTTT", _topic(t)))


def _topic(t: int) -> str:
    return str(1_000_000 + t)


def measured(folder: Path, way: str) -> Used:
    """Run the command as a process of its own, and return what it took."""
    scores = folder / "scores.parquet"
    program = str(Path(sys.executable).with_name("poolwise"))
    command = [program, "evaluate", way, "-m", _MEASURES, "--per-topic", "--quiet"]
    paths = [str(folder / "qrels"), str(folder / "runs"), "-o", str(scores), "--force"]
    return timed_process([*command, *paths])


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
