"""What pools are made of: votes, and how often the documents are relevant."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import are, counted

__all__ = [
    "BANDS",
    "MultiplicityBand",
    "MultiplicityRelevance",
    "graded_rows",
    "named_systems",
    "relevance_by_multiplicity",
    "systems_option",
]

BANDS = (1, 2, 3, 5, 9, 17, 33)
"""The smallest number of nominating systems of each multiplicity band (U18 table 4)."""


class MultiplicityBand(NamedTuple):
    """The judged documents that between ``low`` and ``high`` systems nominate.

    Attributes
    ----------
    low, high : int
        The fewest and the most systems that nominate a document of the band; ``high`` is None for
        the last band, which has no end.
    documents, relevant : int
        How many judged documents there are in the band, and how many of them are relevant.

    Examples
    --------
    >>> band = MultiplicityBand(low=3, high=4, documents=20, relevant=5)
    >>> band.label, band.rate
    ('3–4', 0.25)
    """

    low: int
    high: int | None
    documents: int
    relevant: int

    @property
    def rate(self) -> float:
        """Share of them that is relevant; NaN where there are none."""
        return self.relevant / self.documents if self.documents else float("nan")

    @property
    def label(self) -> str:
        """The band as U18 table 4 prints it.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).label for a, b in [(2, 2), (3, 4), (33, None)]]
        ['2', '3–4', '33+']
        """
        if self.high is None:
            return f"{self.low}+"
        return f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"

    @property
    def systems(self) -> str:
        """Who nominates, with the verb.

        Examples
        --------
        >>> [MultiplicityBand(a, b, 0, 0).systems for a, b in [(1, 1), (3, 4), (33, None)]]
        ['1 system nominates', '3 to 4 systems nominate', '33 or more systems nominate']
        """
        if self.high is None:
            return f"{self.low} or more systems nominate"
        if self.low < self.high:
            return f"{self.low} to {self.high} systems nominate"
        return f"{counted(self.low, 'system')} nominate{'s' if self.low == 1 else ''}"


@finding
class MultiplicityRelevance(Finding):
    """How often judged documents are relevant, by how many systems nominate them.

    It is a sequence of bands.

    Attributes
    ----------
    bands : tuple of MultiplicityBand
        From few nominating systems to many.

    Examples
    --------
    >>> found = MultiplicityRelevance(
    ...     (MultiplicityBand(1, 1, 40, 4), MultiplicityBand(2, None, 50, 20))
    ... )
    >>> [band.rate for band in found]
    [0.1, 0.4]
    >>> print(found)
    systems  documents  relevant    rate
    1               40         4  0.1000
    2+              50        20  0.4000
    <BLANKLINE>
    10.0% of the documents that 1 system nominates are relevant, and 40.0% of those that 2 or more
    systems nominate.
    The bands hold 90 judged documents, of which 24 are relevant.
    """

    bands: tuple[MultiplicityBand, ...]

    def __iter__(self) -> Iterator[MultiplicityBand]:
        return iter(self.bands)

    def __len__(self) -> int:
        return len(self.bands)

    def __getitem__(self, place: int) -> MultiplicityBand:
        return self.bands[place]

    def columns(self) -> Columns:
        """Return one row per band: where it starts and ends, and the documents in it."""
        return {
            "low": [band.low for band in self],
            "high": [band.high for band in self],
            "documents": [band.documents for band in self],
            "relevant": [band.relevant for band in self],
            "rate": [band.rate for band in self],
        }

    def sentences(self) -> tuple[str, ...]:
        """Compare the documents of the fewest and of the most votes."""
        held = [band for band in self if band.documents]
        documents = sum(band.documents for band in held)
        relevant = sum(band.relevant for band in held)
        total = (
            f"The bands hold {counted(documents, 'judged document')}, of which {relevant:,} "
            f"{are(relevant)} relevant."
        )
        if not held:
            return (total,)
        few, many = held[0], held[-1]
        rate = f"{few.rate:.1%} of the documents that {few.systems} are relevant"
        if len(held) > 1:
            rate += f", and {many.rate:.1%} of those that {many.systems}"
        return (f"{rate}.", total)

    def tables(self) -> tuple[Table, ...]:
        """Return the bands as U18 table 4 prints them."""
        columns = self.columns()
        shown = {name: columns[name] for name in ("documents", "relevant", "rate")}
        return (table_of({"systems": [band.label for band in self], **shown}),)


def relevance_by_multiplicity(
    nominations: Nominations,
    depth: int,
    *,
    systems: str | Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = BANDS,
) -> MultiplicityRelevance:
    """Return how often a judged document is relevant, by how many systems nominate it.

    U18 table 4; the first band alone gives the single-vote documents of U18 table 3.

    Parameters
    ----------
    nominations
        Ranks of the judged documents.
    depth
        A system nominates what it has among its first ``depth``.
    systems
        The pooled systems.
    rel
        Smallest grade of a relevant document.
    bands
        Where each band starts.

    Returns
    -------
    MultiplicityRelevance
        The bands, each with its documents and the share of relevant ones.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, nominate
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "dense": {"1": ["c", "a"]}})
    >>> found = nominate(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> [(b.label, b.documents, b.rate) for b in relevance_by_multiplicity(found, 2, bands=(1, 2))]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    qrels, pooled = nominations.judgments, named_systems(systems)
    votes = nominations.multiplicities(depth, systems=pooled)
    band = np.searchsorted(bands, votes, side="right")
    size = len(bands) + 1
    documents = np.bincount(band[graded_rows(qrels)], minlength=size).tolist()
    relevant = np.bincount(band[graded_rows(qrels, at_least=rel)], minlength=size).tolist()
    highs = [*(low - 1 for low in bands[1:]), None]
    rows = zip(bands, highs, documents[1:], relevant[1:], strict=True)
    return MultiplicityRelevance(
        tuple(MultiplicityBand(*row) for row in rows),
        provenance=nominations.provenance.with_options(
            depth=depth, systems=systems_option(pooled), rel=rel, bands=tuple(bands)
        ),
    )


def named_systems(systems: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of the systems, so that an iterator is read once; None stays None."""
    if systems is None:
        return None
    return (systems,) if isinstance(systems, str) else tuple(systems)


def systems_option(pooled: tuple[str, ...] | None) -> object:
    """Return how provenance names the pooled systems."""
    return "all" if pooled is None else pooled


def graded_rows(judgments: Judgments, *, at_least: float = 0) -> Booleans:
    """Return which rows have at least this grade; below 0 is pooled and not judged."""
    return judgments.judged & (judgments.scale[judgments.codes] >= at_least)
