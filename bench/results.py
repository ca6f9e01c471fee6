"""The page of results: whole commands and calls in a process, beside peers at the same work.

Run as ``python -m bench.results``. It writes ``bench/RESULTS.md``: the machine, the versions, the
best round with the spread over all of them, and one line per release, so that a slow-down shows.
Rounds are interleaved: what else the machine does meets all tools alike.
"""

import math
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from bench.bars import ALL_CHARTS, COMMANDS, LARGE_PAGE, Bar, bars
from bench.command_parts import parts_of, parts_table
from bench.differences import Timing, timings
from bench.evaluation import LARGE_TOPICS, Measured, large, measure, plain_trec8
from bench.growth import CURVES, Growth, grown
from bench.line import (
    Least,
    Step,
    least_of_a_command,
    least_table,
    line_table,
    steps_of_a_line,
)
from bench.opening import charts_by_seconds
from bench.peers import installed
from bench.processes import Used, compile_modules, timed_process

PAGE = Path(__file__).with_name("RESULTS.md")
ROUNDS = 5
PEERS = ("pytrec_eval-terrier", "ir-measures", "ranx", "numpy")
MEASURES = "AP,nDCG,P@10,RBP(p=0.8),RR,Bpref,Rprec"
_HOW = (
    f"Written by `make bench`. Best of {ROUNDS} interleaved rounds, the slowest round beside it; × "
    "is how many times as long pytrec_eval takes for the same files. AP, nDCG, P@10, RR, Bpref and "
    "Rprec by topic; poolwise gives RBP as well."
)
RELEASES = "## One line per release"
_WHERE = (
    "In a process, over the runs of TREC-8, by processors' seconds. The system's copy is what "
    "`wc -l` waits for. A line is parsed in one piece of code: white space is found 64 bytes at a "
    "time and kept as bits, fields are found by counting zeros, a number is joined from eight "
    "digits at once, an id is two words and a hash of two products. What is left there is some "
    "300 instructions that wait for one another, a division among them, which gives a score the "
    "bits that Python would. Grades wait for memory: the judgments of 50 topics do not fit into "
    "the processor's second cache, so that only documents one bit of whose hash says that they may "
    "be judged are looked up."
)
_LEAST = (
    "What a command pays before and beside its work. A small run costs pytrec_eval little more "
    "than Python and numpy, and both load these: where loading numpy alone takes more than half of "
    "pytrec_eval's time, no command that loads it is twice as fast. One large file has one hash, "
    "and each of its blocks needs the one before: where the processor has no instructions for "
    "SHA-256, a command that records the hash of its input takes at least as long as that."
)


class Case(NamedTuple):
    """Files to score, and what they are called."""

    title: str
    qrels: str
    runs: list[str]


class Taken(NamedTuple):
    """What the rounds of one tool took."""

    seconds: list[float]
    megabytes: float
    processor: float
    """Of all processors, in the round that took least of them."""

    @property
    def best(self) -> float:
        """Seconds of the best round."""
        return min(self.seconds)


Table = dict[str, Taken]


def main() -> None:
    """Measure, and write the page."""
    compile_modules()
    with tempfile.TemporaryDirectory() as name:
        cases = list(_cases(Path(name)))
        commands = {case.title: _interleaved(case, _commands(case)) for case in cases}
        calls = {case.title: _called(case) for case in cases}
        counted = _beside_wc(cases[0])
        print("a line", file=sys.stderr, flush=True)
        steps = steps_of_a_line(cases[0].qrels, cases[0].runs)
        least = least_of_a_command(cases[0].runs)
        hashes = {case.title: least.seconds_to_hash(case.runs) for case in cases}
    print("pages, comparisons, lists", file=sys.stderr, flush=True)
    waited = [*_ratio_bars(commands), counted, *bars()]
    print("curves", file=sys.stderr, flush=True)
    curves = [grown(case) for case in CURVES]
    print("differences", file=sys.stderr, flush=True)
    differences = list(timings())
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    spent = [_WHERE, "", *line_table(steps), "", _LEAST, "", *least_table(least)]
    missed = [
        *_missed_ratios(commands, calls, least, hashes),
        *_missed_lines(counted, steps),
        *_missed_seconds(waited),
        *_missed_charts(waited),
    ]
    page = page_of(
        commands,
        calls,
        differences,
        before,
        waited=waited,
        missed=missed,
        curves=curves,
        spent=spent,
    )
    PAGE.write_text(page, encoding="utf-8")
    print(page)


def _cases(folder: Path) -> Iterator[Case]:
    qrels, runs = plain_trec8(folder)
    yield Case(f"{len(runs)} runs × 50 topics × 1000", qrels, runs)
    yield Case("one run × 50 topics × 1000", qrels, runs[1:2])
    qrels, run = large(folder)
    yield Case(f"one run × {LARGE_TOPICS:,} topics × 1000", qrels, [run])


def _commands(case: Case) -> dict[str, list[str]]:
    """Return programs that write every score of every topic."""
    program = str(Path(sys.executable).with_name("poolwise"))
    scores = str(Path(case.qrels).with_name("scores.tsv"))
    ours = [program, "evaluate", case.qrels, *case.runs, "-m", MEASURES, "--per-topic"]
    ours += ["-o", scores, "--force"]
    peer = [sys.executable, "-m", "bench.per_topic", scores, case.qrels, *case.runs]
    return {
        "poolwise, exact bounds": ours,
        "poolwise, no bounds": [*ours, "--bounds", "none"],
        "pytrec_eval": peer,
    }


def _interleaved(case: Case, commands: dict[str, list[str]]) -> Table:
    print(f"commands: {case.title}", file=sys.stderr, flush=True)
    rounds = [{name: timed_process(of) for name, of in commands.items()} for _ in range(ROUNDS)]
    return {name: _taken([taken[name] for taken in rounds]) for name in commands}


def _taken(rounds: Sequence[Used] | Sequence[Measured]) -> Taken:
    return Taken(
        [used.seconds for used in rounds],
        max(used.megabytes for used in rounds),
        min(used.processor for used in rounds),
    )


def _called(case: Case) -> Table:
    """Time calls from files to scores, imports not counted, each tool in a process of its own."""
    print(f"calls: {case.title}", file=sys.stderr, flush=True)
    tools = [tool for tool in ("poolwise", "pytrec_eval") if installed(tool)]
    rounds = [{tool: measure(tool, case.qrels, case.runs) for tool in tools} for _ in range(ROUNDS)]
    return {tool: _taken([taken[tool] for taken in rounds]) for tool in tools}


RATIOS = (
    ("129 runs × 50", "poolwise, no bounds", 14),
    ("129 runs × 50", "poolwise, exact bounds", 10),
    ("6,980", "poolwise, no bounds", 18),
    ("6,980", "poolwise, exact bounds", 14),
    ("one run × 50", "poolwise, no bounds", 2),
)
"""How many times as long pytrec_eval is to take, at least: words of the title, what, how many."""
MEGABYTES = 80
"""What the command over the largest run is to stay under."""
TIMES_WC = 8
"""How many times the processors' seconds of ``wc -l`` reading and scoring may take."""


def _ratio_bars(commands: dict[str, Table]) -> Iterator[Bar]:
    """Return how many times as long pytrec_eval takes, and what the largest run takes of memory."""
    for title, ours, times in _asked(commands):
        table = commands[title]
        yield Bar(f"{title}, {ours}", _ratio(table, ours), times, "×", reaches=True)
        if "6,980" in title:
            yield Bar(f"{title}, {ours}: memory", table[ours].megabytes, MEGABYTES, "MB")


def _asked(commands: dict[str, Table]) -> Iterator[tuple[str, str, int]]:
    for words, ours, times in RATIOS:
        yield from ((title, ours, times) for title in commands if words in title)


_PARTS = (
    "Seconds of the clock of each command that misses its bar. It starts and ends as with a run of "
    "one line: Python loads modules, numpy's and ours, one after the other on one core. Files are "
    "read and scored as by the calls below, and ranges are what exact bounds add. The rest are "
    "hashes that are waited for, rows and the file. The last columns are what the ratio would be "
    "if starting took no longer than it takes Python to load numpy, and at best: nothing but "
    "hashes can be worked on beside the start, and all else is shared out evenly among the cores."
)
_PARTS_OF_COMMANDS = (
    "Commands that take longer than is asked, part by part. Where the last column, in which every "
    "part is shared out evenly, comes to about what is asked, only less work would bring it: fewer "
    "draws, fewer kinds of runs left out, ranges of fewer pairs, and so other numbers. To work on "
    "several measures of a page at the same time was tried, and took longer: 32 to 34 s for 29 to "
    "30 s, 10 s of them the system's, for memory."
)


_CHARTS = (
    "Charts one after the other, once the first screen is there. The page draws those of many rows "
    "when they come near the screen, or when the reader rests. Each row is a mark of its own, "
    "and Vega takes about as long for each."
)


def _missed_ratios(
    commands: dict[str, Table], calls: dict[str, Table], least: Least, hashes: dict[str, float]
) -> Iterator[str]:
    """Return where the time goes of the commands that miss their bars."""
    rows = [*_parts_of_missed(commands, calls, least, hashes)]
    if rows:
        yield from (_PARTS, "")
        yield (
            "| | takes | asked | starts and ends | reads and scores | ranges | the rest "
            "| processors | × with numpy alone | × at best |"
        )
        yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        yield from (*rows, "")


def _parts_of_missed(
    commands: dict[str, Table], calls: dict[str, Table], least: Least, hashes: dict[str, float]
) -> Iterator[str]:
    for title, ours, times in _asked(commands):
        table = commands[title]
        if _ratio(table, ours) >= times:
            continue
        takes, peer = table[ours].best, table["pytrec_eval"].best
        ranges = takes - table["poolwise, no bounds"].best
        starts, reads = least.command.seconds, calls[title]["poolwise"].best
        rest = max(takes - starts - reads - ranges, 0.0)  # each part was timed by itself
        parts = (takes, peer / times, starts, reads, ranges, rest)
        seconds = " | ".join(f"{part:.3f} s" for part in parts)
        alone = peer / (takes - starts + least.numpy.seconds)
        spent = table[ours].processor
        beside = min(starts, hashes[title])
        shared = (spent - least.command.processor - beside) / (os.cpu_count() or 1)
        best = peer / (starts + max(shared, 0.0))
        yield f"| {title}, {ours} | {seconds} | {spent:.3f} s | {alone:.1f} | {best:.1f} |"


def _missed_seconds(waited: Sequence[Bar]) -> Iterator[str]:
    """Return where the time goes of commands that take longer than is asked."""
    missed = [bar.what for bar in waited if bar.what in COMMANDS and not bar.met]
    if missed:
        yield from ("", _PARTS_OF_COMMANDS)
    for what in missed:
        yield from ("", f"#### {what}", "", *parts_table(parts_of(what)))


def _missed_charts(waited: Sequence[Bar]) -> Iterator[str]:
    """Return what each chart of the large page takes, if all of them take longer than is asked."""
    if all(bar.met for bar in waited if bar.what == ALL_CHARTS):
        return
    with tempfile.TemporaryDirectory() as name:
        words = COMMANDS[LARGE_PAGE](Path(name))
        timed_process([str(Path(sys.executable).with_name("poolwise")), *words])
        charts = charts_by_seconds(Path(words[words.index("-o") + 1]))
    yield from ("", f"#### {ALL_CHARTS}", "", _CHARTS, "", "| | rows | by the clock |")
    yield "|---|---:|---:|"
    yield from (f"| {c.name} | {c.rows:,} | {c.seconds:.2f} s |" for c in charts)


def _missed_lines(counted: Bar, steps: Sequence[Step]) -> Iterator[str]:
    """Say what a line would have to take, and what of it takes that alone."""
    if counted.met:
        return
    copied, parsed = (step.nanoseconds for step in steps[:2])
    share = parsed / sum(step.nanoseconds for step in steps)
    yield (
        "`wc -l` looks at each byte of a line once, for what ends it, and takes little more than "
        f"the {copied:.1f} ns in which the system copies the line. {parsed:.1f} ns, or {share:.0%} "
        "of what reading, scoring and ranges take, go to finding what the fields are, and depend "
        "on neither judgments nor measures."
    )


def _beside_wc(case: Case) -> Bar:
    """Compare reading and scoring in a process with counting the lines, by processors' seconds."""
    ours, wc = [], []
    for _ in range(ROUNDS):
        ours.append(measure("poolwise", case.qrels, case.runs).processor)
        wc.append(timed_process(["wc", "-l", *case.runs]).processor)
    lines = sum(Path(run).read_bytes().count(b"\n") for run in case.runs)
    what = f"{case.title}, read and scored, {1e9 * min(ours) / lines:.0f} ns a line"
    return Bar(what, min(ours) / max(min(wc), 1e-3), TIMES_WC, "× wc -l", min(ours))


def page_of(
    commands: dict[str, Table],
    calls: dict[str, Table],
    differences: Sequence[Timing],
    before: str,
    *,
    waited: Sequence[Bar],
    missed: Sequence[str],
    curves: Sequence[Growth],
    spent: Sequence[str],
) -> str:
    """Return the page, with the lines of other releases that it had before."""
    ratios = [
        *(f"{_ratio(t, ours):.1f}×" for t in commands.values() for ours in list(t)[:2]),
        *(f"{_ratio(t, 'poolwise'):.1f}×" for t in calls.values()),
    ]
    line = f"| {version('poolwise')} | {datetime.now(UTC):%Y-%m-%d} | {' | '.join(ratios)} |"
    return "\n".join(
        [
            "# What poolwise takes beside its peers",
            "",
            _HOW,
            "",
            *(f"- {fact}" for fact in _facts()),
            "",
            "## What is asked of each release",
            "",
            *_bar_table(waited),
            "",
            *(["### Where a ratio is missed", "", *missed, ""] if missed else []),
            "## Whole commands: start, read, score, write every score of every topic",
            *_tables(commands),
            "",
            "## Calls in a process: from files to scores, bounds and imports not counted",
            *_tables(calls),
            "",
            "## Where each nanosecond of a line goes",
            "",
            *spent,
            "",
            "## Ranges of all differences between the runs of TREC-8, over all judgments to come",
            "",
            *_difference_table(differences),
            "",
            "## As the input grows",
            "",
            "The power of the size by which the processors' time grows: 1 is linear, 2 quadratic.",
            "",
            *_curve_table(curves),
            "",
            RELEASES,
            "",
            "How many times as long pytrec_eval takes, as above; C is a whole command.",
            "",
            _heading(commands, calls),
            "|---|---|" + "---:|" * len(ratios),
            *_other_releases(before),
            line,
            "",
        ]
    )


def _ratio(table: Table, ours: str) -> float:
    return table["pytrec_eval"].best / table[ours].best


def _facts() -> Iterator[str]:
    yield f"{os.cpu_count()} cores, {_processor()}, {platform.system()}"
    yield f"Python {platform.python_version()}, poolwise {version('poolwise')}"
    yield ", ".join(f"{name} {release}" for name in PEERS if (release := _version(name)))
    yield f"Load at the end: {os.getloadavg()[0]:.1f} processes wanted to run"


def _processor() -> str:
    """Return the name of the processor's model."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _tables(tables: dict[str, Table]) -> Iterator[str]:
    for title, table in tables.items():
        yield from (
            "",
            f"### {title}",
            "",
            "| | best | slowest | MB | × |",
            "|---|---:|---:|---:|---:|",
        )
        for tool, taken in table.items():
            yield (
                f"| {tool} | {taken.best:.3f} s | {max(taken.seconds):.3f} s "
                f"| {taken.megabytes:.0f} | {_ratio(table, tool):.1f} |"
            )


def _bar_table(waited: Sequence[Bar]) -> Iterator[str]:
    yield "| | found | asked | | processors |"
    yield "|---|---:|---:|---|---:|"
    for bar in waited:
        processors = "" if math.isnan(bar.processor) else f"{bar.processor:.2f} s"
        yield (
            f"| {bar.what} | {bar.found:.2f} {bar.unit} | {bar.asked} "
            f"| {'met' if bar.met else '**missed**'} | {processors} |"
        )


def _curve_table(curves: Sequence[Growth]) -> Iterator[str]:
    yield "| | size | seconds | MB | power |"
    yield "|---|---:|---:|---:|---:|"
    for curve in curves:
        for at, (size, (seconds, megabytes)) in enumerate(curve.points.items()):
            power = "" if not at else f"{curve.powers[at - 1]:.2f}"
            what = "" if at else curve.what
            yield f"| {what} | {size:,} | {seconds:.2f} | {megabytes:.0f} | {power} |"


def _difference_table(differences: Sequence[Timing]) -> Iterator[str]:
    yield "| judgments | measure | pairs | range | best of 3 | processors | to stay under |"
    yield "|---|---|---:|---|---:|---:|---:|"
    for timing in differences:
        yield (
            f"| {timing.pool} | {timing.measure} | {timing.pairs:,} | {timing.kind} "
            f"| {timing.seconds:.2f} s | {timing.processor:.2f} s | {timing.most:g} s |"
        )


def _heading(commands: dict[str, Table], calls: dict[str, Table]) -> str:
    names = [f"C {title}, {ours}" for title, t in commands.items() for ours in list(t)[:2]]
    return f"| release | date | {' | '.join([*names, *(f'call {title}' for title in calls)])} |"


def _other_releases(before: str) -> list[str]:
    """Return the lines of the page that tell of other releases."""
    lines = before.partition(RELEASES)[2].splitlines()
    rows = [line for line in lines if line.startswith("| ") and line[2].isdigit()]
    return [row for row in rows if not row.startswith(f"| {version('poolwise')} ")]


if __name__ == "__main__":
    main()
