"""Names of measures as a user types them, which a shell completes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from poolwise.cli.parameters.registry import Registry

__all__ = ["ANY_MEASURES", "DIVERSITY_MEASURES", "MEASURES", "TREC_EVAL_MEASURES", "MeasureNames"]

_PARAMETERS = re.compile(r"\(.*\)")


class MeasureNames(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """The name of a measure, or several with commas between them; whoever scores reads them.

    Parameters
    ----------
    places
        Modules and names of the catalogues whose names a shell offers.

    Examples
    --------
    >>> [item.value for item in MEASURES.shell_complete(None, None, "AP,ndcg@")]
    ['AP,nDCG@10', 'AP,nDCG@100']
    """

    name = "measure"

    def __init__(self, *places: str) -> None:
        self._catalogues = [Registry(place) for place in places]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return what was typed."""
        del param, ctx
        return str(value)

    def shell_complete(
        self, ctx: click.Context | None, param: click.Parameter | None, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin as the last one typed does, in whatever case.

        Names with parameters come once a parenthesis is typed: before that there are no quotes
        around the word, and a shell would take the parenthesis for its own.
        """
        del ctx, param
        before, comma, last = incomplete.rpartition(",")
        if last.count("(") < incomplete.count("("):  # the comma stands between parameters
            before, comma, last = "", "", incomplete
        return [
            CompletionItem(f"{before}{comma}{name}", help=meaning)
            for name, meaning in self._names(with_parameters="(" in last)
            if name.lower().startswith(last.lower())
        ]

    def _names(self, *, with_parameters: bool) -> Iterator[tuple[str, str]]:
        """Go through the names that are offered, each with what the measure is."""
        for catalogue in self._catalogues:
            if isinstance(catalogue.entries, Mapping):
                yield from ((name, "") for name in catalogue.entries)
                continue
            for entry in catalogue.entries:
                plain = (_PARAMETERS.sub("", name) for name in entry.examples)
                for name in entry.examples if with_parameters else dict.fromkeys(plain):
                    yield name, _summary(entry.measure)


def _summary(measure: Any) -> str:
    """Return the first line of what a measure says of itself."""
    return str(type(measure).__doc__ or "").partition("\n")[0].replace("``", "")


_RETRIEVAL = ("measures._catalogue:CATALOGUE", "measures.sampled._catalogue:SAMPLED")
_DIVERSITY = "measures._diversity:DIVERSITY"
_TREC_EVAL = "workflows.as_trec_eval.measure_families"

MEASURES = MeasureNames(*_RETRIEVAL)
DIVERSITY_MEASURES = MeasureNames(_DIVERSITY)
ANY_MEASURES = MeasureNames(*_RETRIEVAL, _DIVERSITY)
TREC_EVAL_MEASURES = MeasureNames(f"{_TREC_EVAL}:NICKNAMES", f"{_TREC_EVAL}:FAMILIES")
