"""Reading and scoring run files, beside pytrec_eval, ir_measures and ranx.

Each tool runs in a process of its own, on the same files; rounds are interleaved, and the best of
them counts. ``POOLWISE_DATA`` (or the folder beside the checkout) gives TREC-8; a made-up
collection of the same size stands in where it is not there. The large run is made up.
"""

import gzip
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import poolwise as pw
from bench.peers import TOOLS, installed
from bench.trec8 import trec8_folder

ROUNDS = 5
SLOW = 15  # seconds
LARGE_TOPICS, DEPTH, DOCUMENTS = 6980, 1000, 8_841_823  # MS MARCO's dev set and passages


class Measured(NamedTuple):
    """The best round of one tool."""

    seconds: float
    megabytes: float
    process_seconds: float
    mean: float
    processor: float


def main() -> None:
    """Time every tool on every set of files, and print ratios to poolwise."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = plain_trec8(folder)
        show(f"{len(runs)} runs × 50 topics × 1000, plain", qrels, runs)
        show("one run × 50 topics × 1000, plain", qrels, runs[1:2])
        compressed = [pack(path) for path in runs]
        show(f"{len(runs)} runs × 50 topics × 1000, gz", qrels, compressed, leave_out=("ranx",))
        qrels, run = large(folder)
        show(f"one run × {LARGE_TOPICS} topics × {DEPTH}, plain", qrels, [run])
    start_up()


def show(title: str, qrels: str, runs: list[str], leave_out: tuple[str, ...] = ()) -> None:
    """Print one table: seconds, ratio, memory."""
    print(f"\n{title}")
    print(f"{'':14}{'seconds':>9}{'ratio':>8}{'process s':>11}{'ratio':>8}{'peak MB':>9}")
    tools = [tool for tool in TOOLS if installed(tool) and tool not in leave_out]
    best = interleaved(tools, qrels, runs)
    ours = best["poolwise"]
    for tool, measured in best.items():
        np.testing.assert_allclose(measured.mean, ours.mean, atol=5e-3, err_msg=tool)
        ratios = measured.seconds / ours.seconds, measured.process_seconds / ours.process_seconds
        print(
            f"{tool:14}{measured.seconds:9.3f}{ratios[0]:7.1f}×{measured.process_seconds:11.3f}"
            f"{ratios[1]:7.1f}×{measured.megabytes:9.0f}",
            flush=True,
        )


def interleaved(tools: list[str], qrels: str, runs: list[str]) -> dict[str, Measured]:
    """Run the tools in turn and keep the best round of each; a slow tool gets one round."""
    best: dict[str, Measured] = {}
    for _ in range(ROUNDS):
        for tool in tools:
            if tool not in best or best[tool].process_seconds < SLOW:
                measured = measure(tool, qrels, runs)
                best[tool] = min(measured, best.get(tool, measured))
    return best


def measure(tool: str, qrels: str, runs: list[str]) -> Measured:
    """Run one tool in a process of its own."""
    started = time.perf_counter()
    command = [sys.executable, "-W", "ignore", "-m", "bench.peers", tool, qrels, *runs]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{tool} failed:\n{ran.stderr[-2000:]}")
    whole = time.perf_counter() - started
    seconds, processor, megabytes, mean = map(float, ran.stdout.split()[-4:])
    return Measured(seconds, megabytes, whole, mean, processor)


def plain_trec8(folder: Path) -> tuple[str, list[str]]:
    """Unpack TREC-8, or make up a collection of its size."""
    target = folder / "trec8"
    target.mkdir()
    source = trec8_folder()
    if source is None:
        made = pw.simulate(systems=129, topics=50, depth=1000, pool_depth=100, rng=1)
        pw.write_judgments(made.judgments, folder / "qrels.txt")
        for system in made.runs.systems:
            pw.write_run(made.runs, system, target / f"{system}.trec")
    else:
        unpack(source / "qrels.gz", folder / "qrels.txt")
        for path in sorted((source / "runs").glob("*.gz")):
            unpack(path, target / f"{path.stem}.trec")
    return str(folder / "qrels.txt"), [str(path) for path in sorted(target.iterdir())]


def unpack(source: Path, target: Path) -> None:
    """Decompress a gz file."""
    with gzip.open(source) as compressed, target.open("wb") as plain:
        shutil.copyfileobj(compressed, plain)


def pack(path: str) -> str:
    """Compress a file as gz, beside itself."""
    with Path(path).open("rb") as plain, gzip.open(f"{path}.gz", "wb", 6) as compressed:
        shutil.copyfileobj(plain, compressed)
    return f"{path}.gz"


def large(folder: Path) -> tuple[str, str]:
    """Make up one run of MS MARCO's size, one judged document a topic."""
    rng = np.random.default_rng(1)
    qrels, run = folder / "large-qrels.txt", folder / "large.trec"
    with qrels.open("w") as judged, run.open("w") as ranked:
        for topic in range(LARGE_TOPICS):
            documents = rng.choice(DOCUMENTS, DEPTH, replace=False)
            scores = np.sort(rng.normal(20, 5, DEPTH))[::-1]
            judged.write(f"{topic} 0 {documents[rng.integers(50)]} 1\n")
            ranked.writelines(
                f"{topic} Q0 {d} {i} {s:.6f} large\n"
                for i, (d, s) in enumerate(zip(documents.tolist(), scores.tolist(), strict=True), 1)
            )
    return str(qrels), str(run)


def start_up() -> None:
    """Time ``poolwise --help`` beside an empty program."""
    bare = [sys.executable, "-c", "pass"]
    help_ = [str(Path(sys.executable).with_name("poolwise")), "--help"]
    times = {name: best_time(words) for name, words in (("pass", bare), ("--help", help_))}
    print(f"\nstart-up: python -c pass {times['pass']:.3f} s, poolwise --help "
          f"{times['--help']:.3f} s, {times['--help'] - times['pass']:.3f} s more")  # fmt: skip


def best_time(command: list[str]) -> float:
    """Return the shortest of several runs of a command."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        taken.append(time.perf_counter() - started)
    return min(taken)


if __name__ == "__main__":
    main()
