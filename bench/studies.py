"""What each study costs on all of TREC-8, as the example of its help has it.

Run as ``python -m bench.studies``, or with the names of some studies. It writes
``bench/STUDIES.md``: the processors' seconds and the most memory of each command, the costliest
first. TREC-8 comes from ``POOLWISE_DATA`` or from beside the checkout, and a made-up collection of
its size stands in for it.
"""

import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import poolwise as pw
from bench.evaluation import plain_trec8
from bench.processes import Used, compile_modules, timed_process
from poolwise.cli.main import main as program
from poolwise.studies import STUDIES

PAGE = Path(__file__).with_name("STUDIES.md")
HEAD = """# What studies cost

Written by `python -m bench.studies`: each study once, as the example of its help has it, on all
{runs} runs of TREC-8 (50 topics, 1,000 documents each). Seconds are those of all processors
together, start and reading included (an `evaluate` by one measure takes {least:.1f}).

| command | seconds of processors | by the clock | MB |
|---|---:|---:|---:|"""
EXAMPLE_RUNS = ("bm25-1", "prf-1", "maverick-1")
"""The runs that examples name."""
EXAMPLE_FILES = {name: f"../{name}" for name in ("qrels.txt", "dates.txt", "variants.txt")}


class Cost(NamedTuple):
    """A command, and what it took."""

    command: str
    used: Used


def main(names: Sequence[str] = ()) -> None:
    """Time every study, or those named, and write the page."""
    compile_modules()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, paths = plain_trec8(folder)
        with chdir(Path(paths[0]).parent):
            systems = _further_files(folder, qrels, paths)
            least = _used(["evaluate", qrels, *paths, "-m", "AP"])
            costs = [*_costs(names or [study.name for study in STUDIES], systems)]
    page = page_of(costs, runs=len(paths), least=least.processor)
    if not names:
        PAGE.write_text(page, encoding="utf-8")
    print(page)


def page_of(costs: Iterable[Cost], *, runs: int, least: float) -> str:
    """Return the page, the costliest study first."""
    rows = [
        f"| `{command}` | {used.processor:.1f} | {used.seconds:.1f} | {used.megabytes:.0f} |"
        for command, used in sorted(costs, key=lambda cost: -cost.used.processor)
    ]
    return "\n".join([HEAD.format(runs=runs, least=least), *rows, ""])


def _further_files(folder: Path, qrels: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Write what examples name beside runs and judgments; return the names of the runs."""
    systems, topics = pw.read_runs(*paths).systems, pw.read_judgments(qrels).topics
    first = date(2026, 1, 1)
    days = [(first + timedelta(n // 3)).isoformat() for n in range(len(systems))]
    dates = (f"{name} engine-{n % 3} {days[n]}" for n, name in enumerate(systems))
    (folder / "dates.txt").write_text("\n".join(dates))
    variants = (f"{topic} {int(topic) // 2} {1 + int(topic) % 2}" for topic in topics)
    (folder / "variants.txt").write_text("\n".join(variants))
    return systems


def _costs(names: Iterable[str], systems: Sequence[str]) -> Iterator[Cost]:
    for name in names:
        example = _example(name)
        places = EXAMPLE_FILES | dict(zip(EXAMPLE_RUNS, systems, strict=False)) | {"runs": "."}
        words = [places.get(word, word) for word in example]
        cost = Cost(shlex.join(["poolwise", *example]), _used(words))
        print(*cost, file=sys.stderr, flush=True)
        yield cost


def _example(name: str) -> list[str]:
    """Return the words of the first example in the help of a study."""
    studies: Any = program.commands["study"]
    return shlex.split(studies.commands[name].examples(f"study {name}")[0])


def _used(words: Sequence[str]) -> Used:
    poolwise = str(Path(sys.executable).with_name("poolwise"))
    return timed_process([poolwise, *words, "--quiet"])


if __name__ == "__main__":
    main(sys.argv[1:])
