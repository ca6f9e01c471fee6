"""Check our own claims, and write them down: ``python -m validate``."""

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from validate.bounds import bounds_table
from validate.campaign import campaign_table, random_share_table
from validate.cards import cards_table
from validate.claims import claims_table
from validate.default_path import (
    all_judged_table,
    case_study_table,
    few_runs_table,
    left_out_table,
    new_kinds_table,
    pairs_table,
    told_table,
)
from validate.gate import ceiling_table, gate_table, rare_losses_table
from validate.gate_labels import gate_documents_table, gate_topics_table
from validate.gate_releases import releases_table
from validate.intervals import correlations_table, deviations_table, differences_table
from validate.journal import boundary_table, journal_table
from validate.judging import leader_table, orders_table
from validate.labels import (
    constants_table,
    documents_table,
    favoured_table,
    few_table,
    holes_table,
    kappa_table,
    topics_table,
)
from validate.model_labels import model_labels_table
from validate.over_time import over_time_table
from validate.pool_shape import pool_shape_table
from validate.ranks import ranks_table
from validate.sampling import sampling_table
from validate.table import Folders, ValidationTable
from validate.witnesses import witnesses_table

TABLES: dict[str, Callable[[Folders], ValidationTable]] = {
    "bounds": bounds_table,
    "claims": claims_table,
    "witnesses": witnesses_table,
    "intervals": differences_table,
    "correlations": correlations_table,
    "deviations": deviations_table,
    "pool-shape": pool_shape_table,
    "model": left_out_table,
    "model-told": told_table,
    "model-all": all_judged_table,
    "model-kinds": new_kinds_table,
    "model-few-runs": few_runs_table,
    "model-case-study": case_study_table,
    "model-pairs": pairs_table,
    "cards": cards_table,
    "model-labels": model_labels_table,
    "gate": gate_table,
    "gate-rare-losses": rare_losses_table,
    "gate-ceiling": ceiling_table,
    "gate-releases": releases_table,
    "sampling": sampling_table,
    "ranks": ranks_table,
    "campaign": campaign_table,
    "campaign-random-share": random_share_table,
    "judging": orders_table,
    "judging-leaders": leader_table,
    "journal": journal_table,
    "journal-looks": boundary_table,
    "over-time": over_time_table,
    "labels-kappa": kappa_table,
    "labels-favoured": favoured_table,
    "labels-topics": topics_table,
    "labels-documents": documents_table,
    "labels-few": few_table,
    "labels-constants": constants_table,
    "labels-holes": holes_table,
    "gate-labels-topics": gate_topics_table,
    "gate-labels-documents": gate_documents_table,
}
"""The tables, in their order on the page."""

SLOW = (
    *("model-pairs", "cards", "model", "model-told", "model-all", "judging", "labels-documents"),
    *("gate-labels-documents", "labels-topics", "gate-labels-topics", "model-labels"),
)
"""Those that take longest, which begin first where several are made at a time."""

HEAD = """# Validation

What poolwise claims of its own numbers, checked against real data and by simulation. The papers'
numbers are in `reproduce/RESULTS.md`. `make validate` writes this page.
"""


def main() -> int:
    """Make the tables that are asked for, and write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m validate", description=__doc__)
    parser.add_argument("tables", nargs="*", help=f"only these tables: {', '.join(TABLES)}")
    parser.add_argument("--data", type=Path, default=_data(), help="the folder of real data")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many tables at a time")
    given = parser.parse_args()
    folders = Folders(given.data, Path(__file__).parent)
    page = folders.out / "VALIDATION.md"
    names = list(dict.fromkeys(given.tables or TABLES))
    found: dict[str, ValidationTable] = {}
    for name, table in _made(names, folders, given.jobs):
        found[name] = table
        # At once, so that a run that is stopped leaves the tables that it made.
        before = page.read_text(encoding="utf-8") if page.exists() else HEAD
        page.write_text(renewed(before, [table]), encoding="utf-8")
    in_order = [found[name] for name in names]
    print(*in_order, sep="\n\n")
    if not given.tables:
        page.write_text(renewed(HEAD, in_order), encoding="utf-8")
    return int(not all(table.holds for table in in_order))


def _made(
    names: Sequence[str], folders: Folders, jobs: int
) -> Iterator[tuple[str, ValidationTable]]:
    """Make tables, each with seeds of its own, as they become ready; say how long each took."""
    if jobs == 1:
        yield from (_one(name, folders) for name in names)
        return
    # A process for each table: what it read is given back before the next begins.
    fresh = multiprocessing.get_context("spawn")
    slow_first = sorted(names, key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))
    with ProcessPoolExecutor(jobs, mp_context=fresh, max_tasks_per_child=1) as processes:
        for made in as_completed(processes.submit(_one, name, folders) for name in slow_first):
            yield made.result()


def _one(name: str, folders: Folders) -> tuple[str, ValidationTable]:
    clock, used = time.perf_counter(), time.process_time()
    table = TABLES[name](folders)
    clock, used = time.perf_counter() - clock, time.process_time() - used
    said = "holds" if table.holds else "DOES NOT HOLD"
    print(f"{name}: {said}, {clock:.0f} s ({used:.0f} CPU s)", file=sys.stderr, flush=True)
    return name, table


def renewed(page: str, tables: Sequence[ValidationTable]) -> str:
    """Return the page with these tables in place of those that had their titles."""
    head, *sections = f"\n{page.strip()}".split("\n## ")
    by_title = {section.partition("\n")[0]: section.strip() for section in sections}
    for table in tables:
        by_title[table.title] = str(table).removeprefix("## ").strip()
    return "\n\n## ".join([head.strip(), *by_title.values()]) + "\n"


def _data() -> Path:
    """Return where real data is looked for: beside the checkout, unless told otherwise."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("POOLWISE_DATA", beside))


if __name__ == "__main__":
    sys.exit(main())
