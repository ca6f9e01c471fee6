"""The tables of the validation, and how several are made at a time."""

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

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
from validate.fronts import fronts_table
from validate.gate import ceiling_table, gate_table, rare_losses_table
from validate.gate_labels import gate_documents_table, gate_topics_table
from validate.gate_releases import releases_table
from validate.gold_sets import origin_table
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

__all__ = ["TABLES", "made_tables"]

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
    "fronts": fronts_table,
    "gold-sets": origin_table,
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
    *("model", "model-pairs", "cards", "over-time", "gate-labels-topics", "gate-labels-documents"),
    *("model-all", "judging", "labels-documents", "labels-topics", "campaign", "model-labels"),
)
"""Those that take longest, which begin first where several are made at a time."""

SHARING = {"model-told": "model"}
"""Tables that are made after another one, of whose results they show some."""


def made_tables(
    names: Sequence[str], folders: Folders, jobs: int
) -> Iterator[tuple[str, ValidationTable]]:
    """Make tables, each with seeds of its own, as they become ready; say how long each took."""
    if jobs == 1:
        yield from (_one(name, folders) for name in names)
        return
    slow_first = sorted(names, key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))
    together: dict[str, list[str]] = {}
    for name in slow_first:
        together.setdefault(SHARING.get(name, name), []).append(name)
    # A process for each: what it read is given back before the next begins.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=fresh, max_tasks_per_child=1) as processes:
        tasks = [processes.submit(_several, some, folders) for some in together.values()]
        for made in as_completed(tasks):
            yield from made.result()


def _several(names: Sequence[str], folders: Folders) -> list[tuple[str, ValidationTable]]:
    return [_one(name, folders) for name in names]


def _one(name: str, folders: Folders) -> tuple[str, ValidationTable]:
    clock, used = time.perf_counter(), time.process_time()
    table = TABLES[name](folders)
    clock, used = time.perf_counter() - clock, time.process_time() - used
    said = "holds" if table.holds else "DOES NOT HOLD"
    print(f"{name}: {said}, {clock:.0f} s ({used:.0f} CPU s)", file=sys.stderr, flush=True)
    return name, table
