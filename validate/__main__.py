"""Check our own claims, and write them down: ``python -m validate``."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from validate.table import Folders, ValidationTable
from validate.tables import TABLES, made_tables

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
    options = parser.parse_args()
    folders = Folders(options.data, Path(__file__).parent)
    page = folders.out / "VALIDATION.md"
    names = list(dict.fromkeys(options.tables or TABLES))
    by_name: dict[str, ValidationTable] = {}
    for name, table in made_tables(names, folders, options.jobs):
        by_name[name] = table
        # At once, so that a run that is stopped leaves the tables that it made.
        before = page.read_text(encoding="utf-8") if page.exists() else HEAD
        page.write_text(renewed(before, [table]), encoding="utf-8")
    in_order = [by_name[name] for name in names]
    print(*in_order, sep="\n\n")
    if not options.tables:
        page.write_text(renewed(HEAD, in_order), encoding="utf-8")
    return int(not all(table.holds for table in in_order))


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
