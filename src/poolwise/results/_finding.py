"""What every result can do: give its columns, say what they mean, and print itself."""

import textwrap
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from poolwise.provenance._provenance import Provenance
from poolwise.results._columns import Backend, Columns, row_of, to_frame
from poolwise.results._layout import render
from poolwise.results._tables import Table, record_of, table_of
from poolwise.words import claim_attribute, claims_of

__all__ = ["Finding", "FindingByTopic", "finding"]

_WIDTH = 100
"""Characters to which sentences are wrapped, and a repr is cut."""
_ROWS = 30
"""Rows of a table that a printout shows; programs get all of them."""
_NOTEBOOK_STYLE = (
    "<style>"
    ".poolwise td, .poolwise th { text-align: left !important; white-space: nowrap } "
    ".poolwise .number { text-align: right !important }"
    "</style>"
)
"""A notebook aligns every cell to the right, and breaks ranges and names into lines."""

Result = TypeVar("Result")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def finding(cls: type[Result]) -> type[Result]:
    """Make a class of results immutable, with its fields as arguments, and one printout.

    Examples
    --------
    >>> @finding
    ... class Answer(Finding):
    ...     value: int
    ...
    ...     def sentences(self) -> tuple[str, ...]:
    ...         return (f"The answer is {self.value}.",)
    >>> Answer(42)
    <Answer: The answer is 42.>
    >>> print(Answer(42))
    The answer is 42.
    <BLANKLINE>
    value  42
    """
    # No eq: fields hold arrays, whose comparison has no single answer.
    return dataclass(frozen=True, eq=False, repr=False)(cls)


@dataclass(frozen=True, eq=False, repr=False)
class Finding(ABC):
    """An immutable result.

    Attributes
    ----------
    provenance : Provenance
        The inputs, options and seed that it came from.

    Examples
    --------
    >>> from poolwise import power
    >>> plan = power(delta=0.05, sigma=0.13, power=0.8)
    >>> plan.columns()["delta"], plan.columns()["power"]
    ([0.05], [0.8])
    >>> plan.sentences()[0]
    '56 topics (55.01 before rounding up) are needed to detect a difference of 0.0500.'
    """

    provenance: Provenance = field(default=Provenance(), kw_only=True)

    def columns(self) -> Columns:
        """Return the numbers as named columns of one length, for programs.

        A finding that is one row, with a column for each attribute, has no other.
        """
        return row_of(self)

    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """Say what was found, as a person would; the first sentence says the most."""

    def answer(self) -> str:
        """Return the sentence that stands above all else; none where the rows are the answer."""
        return next(iter(self.sentences()), "")

    def claims(self) -> tuple[Any, ...]:
        """Return what the sentences claim whatever is unknown: see :class:`~poolwise.Claim`."""
        return claims_of(self.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers as tables for people: lines of name and value for a single row."""
        columns = self.columns()
        rows = len(next(iter(columns.values()), ()))
        return (record_of(columns) if rows == 1 else table_of(columns),)

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the columns as a frame: of pandas, polars or pyarrow, whichever is installed."""
        return to_frame(self.columns(), backend=backend)

    def __str__(self) -> str:
        answer, *others = (textwrap.fill(said, _WIDTH) for said in self._answer_and_others())
        tables = [render(table.head(_ROWS), "text") for table in self.tables()]
        return "\n\n".join(filter(None, [answer, *tables, "\n".join(others)]))

    def __repr__(self) -> str:
        said = next(iter(self.sentences()), "")
        short = textwrap.shorten(said, _WIDTH - len(type(self).__name__) - 4, placeholder="…")
        return f"<{type(self).__name__}: {short}>"

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415, late: slow to import

        answer, *others = (
            f"<p{claim_attribute(said)}>{escape(said)}</p>" if said else ""
            for said in self._answer_and_others()
        )
        tables = [render(table.head(_ROWS), "html") for table in self.tables()]
        parts = ['<div class="poolwise">', _NOTEBOOK_STYLE, answer, *tables, "".join(others)]
        return "\n".join([*filter(None, parts), "</div>"])

    def _answer_and_others(self) -> tuple[str, ...]:
        """Return what stands above the tables, if anything, and then what stands below them."""
        answer = self.answer()
        return (answer, *(said for said in self.sentences() if said != answer))


@dataclass(frozen=True, eq=False, repr=False)
class FindingByTopic(Finding):
    """A result that has rows of topics besides those of means.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3]], systems=["a"], topics=["1", "2"], measure="AP")
    >>> isinstance(table, FindingByTopic), len(table.to_frame(per_topic=False))
    (True, 1)
    """

    @abstractmethod
    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return the numbers as named columns of one length; those of topics may be left out."""

    def to_frame(self, *, backend: Backend | None = None, per_topic: bool = True) -> Any:
        """Return the columns as a frame: of pandas, polars or pyarrow, whichever is installed."""
        return to_frame(self.columns(per_topic=per_topic), backend=backend)
