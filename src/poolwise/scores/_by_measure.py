"""What was found by each of several measures, as one result."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, Protocol, TypeVar

from poolwise.errors import MissingMeasureError
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.provenance._provenance import Provenance
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table

__all__ = ["ByMeasure", "OfOneMeasure"]


class OfOneMeasure(Protocol):
    """A finding about one measure."""

    @property
    def measure(self) -> Measure:
        """The measure that it is about."""

    @property
    def provenance(self) -> Provenance:
        """The inputs, options and seed that it came from."""

    def columns(self) -> Columns:
        """Return the numbers as named columns."""

    def sentences(self) -> tuple[str, ...]:
        """Say what was found."""

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers as tables."""


Part = TypeVar("Part", bound=OfOneMeasure)


@finding
class ByMeasure(Finding, Generic[Part]):
    """Findings of one kind, one for each measure.

    Iterating gives the findings in their order, and ``found["AP"]`` the one of a measure.

    Attributes
    ----------
    parts : tuple of findings

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=50, rng=3)
    >>> tables = pw.evaluate(made.judgments, made.runs, ["AP", "RR"], bounds="none").values()
    >>> found = ByMeasure.of(pw.studies.swap_rates(table, draws=200) for table in tables)
    >>> [round(part.rate, 3) for part in found], round(found["RR"].rate, 3)
    ([0.128, 0.326], 0.326)
    """

    parts: tuple[Part, ...]
    recorded_parts: ClassVar[tuple[str, ...]] = ("parts",)

    @classmethod
    def of(cls, parts: Iterable[Part]) -> "ByMeasure[Part]":
        """Join findings that were made alike, with the provenance of the first."""
        joined = tuple(parts)
        return cls(joined, provenance=joined[0].provenance if joined else Provenance())

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, measure: Measure | str) -> Part:
        wanted = measure_named(measure)
        for part in self.parts:
            if part.measure == wanted or str(part.measure) == measure:
                return part
        raise MissingMeasureError(measure, (part.measure for part in self.parts))

    def columns(self) -> Columns:
        """Return the rows of every part, one part below the other."""
        return stack_columns([part.columns() for part in self.parts]) if self.parts else {}

    def sentences(self) -> tuple[str, ...]:
        """Say what was found, measure by measure."""
        return tuple(sentence for part in self.parts for sentence in part.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return the tables of every part."""
        return tuple(table for part in self.parts for table in part.tables())
