"""Compute the papers' tables and figures again: ``python -m reproduce [--data PATH] [--only d10]``.

Writes ``reproduce/RESULTS.md`` and ``reproduce/figures``. ``--only d10`` computes a paper,
``--only w10.table_5_2`` a section of it, and prints what it finds instead. ``--count`` counts the
cells of the page that is there. The papers:

- D10: Webber, Moffat, Zobel, The effect of pooling and evaluation depth on metric stability, 2010.
- U18: Moffat, Scholer, Yang, Estimating measurement uncertainty for IR effectiveness metrics, 2018.
- W10: Webber, Measurement in information retrieval evaluation, PhD thesis, 2010.
- G16: Lu, Moffat, Culpepper, Modeling relevance as a function of retrieval rank, 2016.
- B23: Fröbe, Gienapp, Potthast, Hagen, Bootstrapped nDCG estimation in the presence of unjudged
  documents, 2023.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import joblib

from poolwise.errors import InputError
from reproduce import (
    b23,
    b23_case_study,
    b23_unjudged,
    d10,
    d10_figures,
    g16,
    u18,
    u18_figures,
    u18_persistence,
    w10_by_commands,
    w10_collections,
    w10_measures,
    w10_pooling_bias,
    w10_power,
    w10_similarity,
    w10_standardization,
)
from reproduce.page import count, render
from reproduce.results import Section
from reproduce.sources import Folders

HERE = Path(__file__).resolve().parent
Task = Callable[[Folders], Section]
PAPERS: dict[str, tuple[Task, ...]] = {
    "d10": (*d10.SECTIONS, *d10_figures.SECTIONS),
    "u18": (*u18.SECTIONS, *u18_figures.SECTIONS, *u18_persistence.SECTIONS),
    "w10": (
        *w10_measures.SECTIONS,
        *w10_standardization.SECTIONS,
        *w10_collections.SECTIONS,
        *w10_by_commands.SECTIONS,
        *w10_power.SECTIONS,
        *w10_pooling_bias.SECTIONS,
        *w10_similarity.SECTIONS,
    ),
    "g16": g16.SECTIONS,
    "b23": (*b23_case_study.SECTIONS, *b23.SECTIONS, *b23_unjudged.SECTIONS),
}
TASKS = {f"{paper}.{task.__name__}": task for paper, tasks in PAPERS.items() for task in tasks}


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute what is asked for, and write the page; or print what a part of it holds."""
    options = _options(arguments)
    if options.count:
        print(count(options.results.read_text(encoding="utf-8")))
        return
    folders = Folders(options.data.resolve(), options.out.resolve())
    if not folders.data.is_dir():
        sys.exit(f"reproduce: no data at {folders.data}. Hint: give its folder by --data.")
    sections, lacking = compute(folders, chosen(options.only), workers=options.workers)
    page = render(sections, lacking, hashes(folders.data))
    if options.only and options.results == RESULTS:
        print(page)
        return
    options.results.write_text(page, encoding="utf-8")
    write_seconds(sections)
    print(f"wrote {options.results}: {count(page)}")


RESULTS = HERE / "RESULTS.md"
SECONDS = HERE.parent / "out" / "reproduce-seconds.tsv"


def write_seconds(sections: Sequence[Section]) -> None:
    """Write how long each section took: beside the page, which is the same on every machine."""
    SECONDS.parent.mkdir(exist_ok=True)
    lines = (f"{s.paper}\t{s.title}\t{s.seconds:.0f}\n" for s in sections)
    SECONDS.write_text("".join(lines), encoding="utf-8")


def chosen(only: Sequence[str] | None) -> list[str]:
    """Return the names of the sections asked for: all, those of papers, or single ones."""
    return [
        name
        for name in TASKS
        if not only or any(name == wanted or name.startswith(f"{wanted}.") for wanted in only)
    ]


def compute(
    folders: Folders, names: Sequence[str], *, workers: int
) -> tuple[list[Section], list[str]]:
    """Compute sections, several at a time, and say how far it is.

    Sections whose data is not there are named apart.
    """
    calls = (joblib.delayed(_attempt)(TASKS[name], folders) for name in names)
    results = joblib.Parallel(n_jobs=workers, return_as="generator")(calls)
    started, sections, lacking = time.perf_counter(), [], []
    for done, (name, result) in enumerate(zip(names, results, strict=True), 1):
        said = name
        if isinstance(result, Section):
            sections.append(result)
            said = f"{name}: {result.seconds:.0f} s"
        else:
            lacking.append(name)
            said = f"{name}: left out, no {result}"
        seconds = time.perf_counter() - started
        print(f"[{done}/{len(names)} {seconds:.0f} s] {said}", file=sys.stderr, flush=True)
    return sections, lacking


def _attempt(task: Task, folders: Folders) -> Section | Path:
    """Return the section and its seconds, or the file that it needs and that is not there."""
    started = time.perf_counter()
    try:
        return replace(task(folders), seconds=time.perf_counter() - started)
    except (FileNotFoundError, InputError) as error:
        named = error.where if isinstance(error, InputError) else error.filename
        if Path(named).exists():
            raise
        return Path(named)


INPUTS = (
    *("trec8/qrels.gz", "trec8/runs.tsv", "trec-dl-2019/qrels.gz", "trec-dl-2019/runs.tsv"),
    *("trec8/runs", "trec-dl-2019/runs", "scores", "standardization-factors", "b23-case-study"),
    *("b23-authors", "trec-dl-2019/machine-labels"),
)


def hashes(data: Path) -> dict[str, str]:
    """Return the first digits of the hash of every input; of a folder, over all its files."""
    return {name: _hash(data / name)[:16] for name in INPUTS if (data / name).exists()}


def _hash(path: Path) -> str:
    """Return SHA-256 of a file; of a folder, that of the names and hashes of its files."""
    if path.is_file():
        return sha256(path.read_bytes()).hexdigest()
    files = sorted(file for file in path.rglob("*") if file.is_file())
    lines = "".join(f"{file.relative_to(path).as_posix()} {_hash(file)}\n" for file in files)
    return sha256(lines.encode()).hexdigest()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    beside = HERE.parents[1] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="reproduce", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("POOLWISE_DATA", beside)))
    parser.add_argument(
        "--only",
        choices=[*PAPERS, *TASKS],
        metavar="PART",
        action="append",
        help="compute this paper or section alone, and print it: " + ", ".join([*PAPERS, *TASKS]),
    )
    parser.add_argument("--count", action="store_true", help="count the cells of the page")
    parser.add_argument("--out", type=Path, default=HERE / "figures")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
