"""The block of what papers ask to be reported with every score, told what a command shows."""

from typing import TYPE_CHECKING, Any, NamedTuple

from poolwise.cli._output import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.collection._reading import Reading
    from poolwise.findings.comparison._comparisons import Comparisons
    from poolwise.results._tables import Table

__all__ = ["Block", "checklist_block"]

_OF_INPUT = ("topics", "universe", "universe_depth", "grades")


class Block(NamedTuple):
    """A table for each measure, and its sentences alone, for whoever gets rows and no tables."""

    tables: "tuple[Table, ...]" = ()
    remarks: tuple[str, ...] = ()


def checklist_block(
    options: dict[str, Any], *, reading: "Reading", compared: "Iterable[Comparisons]" = ()
) -> Block:
    """Gather the checklist of each measure from what a command was given."""
    from poolwise import workflows

    how = {name: options[name] for name in _OF_INPUT}
    if options["residual"] is not None:
        how["residual"] = options["residual"]
    inputs = options["qrels"], options["runs"], options["measures"]
    checklists = list(workflows.checklist(*inputs, compared=compared, reading=reading, **how))
    tables = (table for checklist in checklists for table in told(checklist))
    remarks = (
        f"{checklist.measure}: {said}" for checklist in checklists for said in checklist.sentences()
    )
    return Block(tuple(tables), tuple(remarks))
