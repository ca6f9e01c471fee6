"""Where the seconds of a command go, and what would be left of them if no core ever waited.

Run as ``python -m bench.command_parts compare``, with a word of what is waited for
(``bench.bars.COMMANDS``). The command runs in a process of its own, with a clock at each of its
parts: what a part asks another one for counts for the other.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, NamedTuple

from bench.bars import COMMANDS
from bench.processes import compile_modules

OVER, TREATED = "poolwise.findings.comparison._over_judgments", "poolwise.scores.treatments."
PARTS = {
    "files are read, and documents meet their judgments": (
        "poolwise.collection.files._readers:read_judgments",
        "poolwise.collection.files._readers:read_runs",
        "poolwise.workflows._inputs:as_collection",
        "poolwise.evidence._meeting:align",
        "poolwise.evidence._audit:audit_collection",
    ),
    "the relevance model is fitted to all judgments": (
        f"{TREATED}_relevance_model_treatment:fit_model",
    ),
    "kinds of runs are left out, and the model is fitted again without each": (
        f"{TREATED}_calibration:_of_left_out",
        f"{TREATED}_calibration:left_out_differences",
        f"{TREATED}_calibration:left_out_errors",
    ),
    "grades are drawn, and every run is scored under each draw": (
        f"{TREATED}_relevance_model_treatment:complete_scores",
    ),
    "every pair is tested again in each draw": (f"{OVER}:draw_pairs",),
    "every pair has its range over all judgments to come": (f"{OVER}:bound_pairs",),
    "documents are weighed and listed": ("poolwise.judging._next:list_documents",),
    "every pair is tested over topics, and what the draws say is put together": (
        "poolwise.findings.comparison._compare:compare_evidence",
    ),
    "unjudged documents are treated in other ways": (
        f"{TREATED}_estimates:estimate",
        "poolwise.findings._treatment_means:draw_topics",
    ),
    "every pair is compared by the overlap of its lists": (
        "poolwise.findings.similarity._run_similarity:overlap_matrix",
    ),
    "the page and its record are written": (
        "poolwise.views.report._page:html_page",
        "poolwise.views.report._page:page_record",
    ),
}
REST = "the rest: modules are loaded, tables and documents behind topics are written"


class Part(NamedTuple):
    """A part of the command, in seconds by the clock and of all processors."""

    what: str
    seconds: float
    processor: float


class Clock:
    """Seconds by part; those within another part are of the inner one."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._open = [REST]
        self._last = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def turn(self) -> None:
        """Count what has gone by since the last turn for the part that is open."""
        now = self._now()
        for at, (before, after) in enumerate(zip(self._last, now, strict=True)):
            self.spent[self._open[-1]][at] += after - before
        self._last = now

    def clocked(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose seconds count for a part, as far as the main thread calls it."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if current_thread() is not main_thread():
                return function(*args, **kwargs)
            self.turn()
            self._open.append(what)
            try:
                return function(*args, **kwargs)
            finally:
                self.turn()
                self._open.pop()

        return call


def main() -> None:
    """Print a table for each command that has this word in what it is called."""
    compile_modules()
    for what in COMMANDS:
        if sys.argv[1] in what:
            print(what, "", *parts_table(parts_of(what)), "", sep="\n")


def parts_of(what: str) -> list[Part]:
    """Run a command that is waited for, and return its parts, the longest first."""
    with tempfile.TemporaryDirectory() as name:
        clocked = [
            sys.executable,
            "-c",
            "import bench.command_parts as b; b.clock_command()",
        ]
        words = [*clocked, *COMMANDS[what](Path(name))]
        # As the program has it, which sets it before numpy is loaded.
        alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        ran = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=alone)
    last = ran.stdout.splitlines()[-1]  # a command says where its page is
    parts = (Part(what, *used) for what, used in json.loads(last).items())
    return sorted(parts, key=lambda part: -part.seconds)


def parts_table(parts: Sequence[Part]) -> Iterator[str]:
    """Return the parts, with what they come to and what cores that never wait would leave."""
    cores = os.cpu_count() or 1
    together = Part("together", sum(p.seconds for p in parts), sum(p.processor for p in parts))
    yield f"| | by the clock | processors | if {cores} cores never waited |"
    yield "|---|---:|---:|---:|"
    for part in (*parts, together):
        yield (
            f"| {part.what} | {part.seconds:.1f} s | {part.processor:.1f} s "
            f"| {part.processor / cores:.1f} s |"
        )


def clock_command() -> None:
    """Run the command of this process's words, and print the seconds of its parts as JSON."""
    clock = Clock()
    from poolwise.cli.main import main as command  # late: loading it is clocked

    for what, places in PARTS.items():
        for place in places:
            module, name = place.split(":")
            _put(clock, what, getattr(import_module(module), name))

    def tell() -> None:
        clock.turn()
        print(json.dumps(clock.spent), flush=True)

    # As a program, which sets up libraries and memory, and ends the process.
    atexit.register(tell)
    command(sys.argv[1:])


def _put(clock: Clock, what: str, function: Callable[..., Any]) -> None:
    """Put a clock around a function, wherever it has been imported to."""
    clocked = clock.clocked(what, function)
    for name, module in [*sys.modules.items()]:
        if name.startswith("poolwise"):
            for attribute, value in [*vars(module).items()]:
                if value is function:
                    setattr(module, attribute, clocked)


if __name__ == "__main__":
    main()
