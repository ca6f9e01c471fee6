"""Compute the papers' tables and figures again: ``python -m reproduce [--data PATH] [--only d10]``.

Writes ``reproduce/RESULTS.md`` and plots under ``out/reproduce``. The papers:

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
from pathlib import Path

import joblib

from poolwise.errors import InputError
from reproduce import (
    b23,
    b23_unjudged,
    d10,
    d10_figures,
    g16,
    u18,
    u18_figures,
    u18_persistence,
    w10_collections,
    w10_measures,
    w10_pooling_bias,
    w10_power,
    w10_similarity,
    w10_standardization,
)
from reproduce.results import Section, render
from reproduce.sources import Folders

HERE = Path(__file__).resolve().parent
PAPERS = {
    "d10": (*d10.SECTIONS, *d10_figures.SECTIONS),
    "u18": (*u18.SECTIONS, *u18_figures.SECTIONS, *u18_persistence.SECTIONS),
    "w10": (
        *w10_measures.SECTIONS,
        *w10_standardization.SECTIONS,
        *w10_collections.SECTIONS,
        *w10_power.SECTIONS,
        *w10_pooling_bias.SECTIONS,
        *w10_similarity.SECTIONS,
    ),
    "g16": g16.SECTIONS,
    "b23": (*b23.SECTIONS, *b23_unjudged.SECTIONS),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute the chosen papers and write the page."""
    options = _options(arguments)
    folders = Folders(options.data.resolve(), options.out.resolve())
    if not folders.data.is_dir():
        sys.exit(f"reproduce: no data at {folders.data}. Hint: give its folder by --data.")
    sections, lacking = compute(folders, options.only or list(PAPERS), workers=options.workers)
    options.results.write_text(render(sections, lacking), encoding="utf-8")
    print(f"wrote {options.results}")


def compute(
    folders: Folders, papers: Sequence[str], *, workers: int
) -> tuple[list[Section], list[str]]:
    """Compute all sections of the papers, several at a time, and say how far it is.

    Sections whose data is not there are named apart.
    """
    tasks = [(paper, task) for paper in papers for task in PAPERS[paper]]
    calls = (joblib.delayed(_attempt)(task, folders) for _, task in tasks)
    results = joblib.Parallel(n_jobs=workers, return_as="generator")(calls)
    started, sections, lacking = time.perf_counter(), [], []
    for done, ((paper, task), result) in enumerate(zip(tasks, results, strict=True), 1):
        name = f"{paper} {task.__name__}"
        if isinstance(result, Section):
            sections.append(result)
        else:
            lacking.append(name)
            name = f"{name}: left out, no {result}"
        seconds = time.perf_counter() - started
        print(f"[{done}/{len(tasks)} {seconds:.0f} s] {name}", file=sys.stderr, flush=True)
    return sections, lacking


def _attempt(task: Callable[[Folders], Section], folders: Folders) -> Section | Path:
    """Return the section, or the file that it needs and that is not there."""
    try:
        return task(folders)
    except (FileNotFoundError, InputError) as error:
        named = error.where if isinstance(error, InputError) else error.filename
        if Path(named).exists():
            raise
        return Path(named)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    beside = HERE.parents[1] / "shared" / "data"
    parser = argparse.ArgumentParser(prog="reproduce", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("POOLWISE_DATA", beside)))
    parser.add_argument("--only", choices=list(PAPERS), action="append", help="compute this paper")
    parser.add_argument("--out", type=Path, default=HERE.parent / "out" / "reproduce")
    parser.add_argument("--results", type=Path, default=HERE / "RESULTS.md")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
