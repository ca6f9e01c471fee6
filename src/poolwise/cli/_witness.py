"""What ``--witness`` of two commands does: it writes judgments, and says what they change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._delivery import current_delivery
from poolwise.cli._output import progress, show, show_file

if TYPE_CHECKING:
    from poolwise.workflows import Reading

__all__ = ["end_of", "show_witness"]

_OPTIONS = ("topics", "universe", "universe_depth", "grades")
"""Those of the two commands that a range depends on."""

_PLAIN = {
    "mean": "arithmetic",
    "bounds": "exact",
    "treatment": None,
    "card": None,
    "residual": None,
}
"""Options that make another range, or none, unless they have these values."""


def end_of(text: str) -> dict[str, str]:
    """Read ``RUN:low`` or ``RUN:high``; the name of a run may hold colons itself.

    Examples
    --------
    >>> end_of("bm25:k1=0.9:low")
    {'run': 'bm25:k1=0.9', 'end': 'low'}
    """
    run, _, end = text.rpartition(":")
    if not run:
        raise click.UsageError(f"--witness takes a run and an end, as in bm25:low; got {text!r}")
    return {"run": run, "end": end}


def show_witness(
    options: Mapping[str, Any],
    form: str | None,
    *,
    reading: "Reading",
    run: str | None = None,
    pair: Sequence[str] = (),
    end: str | None = None,
) -> None:
    """Write the judgments to the file of -o, and print what they do topic by topic.

    ``options`` has the inputs and options of the command.
    """
    from poolwise import workflows

    delivery = current_delivery()
    if delivery.output is None:
        raise click.UsageError("--witness needs a file for its judgments: -o FILE")
    if len(options["measures"]) != 1:
        raise click.UsageError("--witness is about one measure: name it with -m")
    for name, usual in _PLAIN.items():
        if options.get(name, usual) != usual:
            raise click.UsageError(f"--witness is about exact ranges of means: leave out --{name}")
    inputs = (options["qrels"], options["runs"], options["measures"][0])
    how = {name: options[name] for name in _OPTIONS}
    with progress("assigning grades"):
        witness = workflows.witness(*inputs, run=run, pair=pair, end=end, **how, reading=reading)
    path = delivery.output
    # As the record of other files of judgments has it: compressing a file changes no number.
    plain = workflows.qrels_bytes(witness.judgments, "")
    show_file(path, workflows.qrels_bytes(witness.judgments, path), plain)
    # The file has the judgments; what follows is printed.
    delivery.output = delivery.provenance = None
    if not delivery.is_replay:
        show([replace(witness, path=str(path))], form)
