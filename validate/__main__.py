"""Check our own claims, and write them down: ``python -m validate``."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
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

HEAD = """# Validation

What poolwise claims of its own numbers, checked against real data and by simulation. The papers'
numbers are in `reproduce/RESULTS.md`. `make validate` writes this page.
"""


def main() -> int:
    """Make the tables that are asked for, and write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m validate", description=__doc__)
    parser.add_argument("tables", nargs="*", help=f"only these tables: {', '.join(TABLES)}")
    parser.add_argument("--data", type=Path, default=_data(), help="the folder of real data")
    given = parser.parse_args()
    folders = Folders(given.data, Path(__file__).parent)
    page = folders.out / "VALIDATION.md"
    found = []
    for name in given.tables or TABLES:
        found.append(_made(name, folders))
        # At once, so that a run that is stopped leaves the tables that it made.
        before = page.read_text(encoding="utf-8") if page.exists() else HEAD
        page.write_text(renewed(before, found[-1:]), encoding="utf-8")
    print(*found, sep="\n\n")
    if not given.tables:
        page.write_text(renewed(HEAD, found), encoding="utf-8")
    return int(not all(table.holds for table in found))


def _made(name: str, folders: Folders) -> ValidationTable:
    """Make one table, and say how long it took."""
    started = time.perf_counter()
    table = TABLES[name](folders)
    seconds = time.perf_counter() - started
    said = "holds" if table.holds else "DOES NOT HOLD"
    print(f"{name}: {said}, {seconds:.0f} s", file=sys.stderr, flush=True)
    return table


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
