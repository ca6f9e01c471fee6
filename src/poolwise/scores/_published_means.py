"""Means that somebody published, without the scores of topics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from poolwise.collection.files._sources import named_rows
from poolwise.errors import InputError
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.provenance._recorded import recorded

__all__ = ["PublishedMean", "read_published_means"]

_NEEDED = ("run", "measure", "mean")
_COLLECTION = ("conference", "track")
"""Columns whose cells, with a hyphen between, name a collection where no column does."""


@dataclass(frozen=True)
class PublishedMean:
    """One mean of a published table.

    Attributes
    ----------
    collection, run : str
        What was scored.
    measure : Measure
        What it was scored by.
    mean : float
        The number as it was printed.
    year : int, optional
        When the run was made.

    Examples
    --------
    >>> from poolwise import AP
    >>> PublishedMean("trec8", "bm25", AP, 0.25).year is None
    True
    """

    collection: str
    run: str
    measure: Measure
    mean: float
    year: int | None = None


@recorded
def read_published_means(path: str | Path, *, collection: str = "") -> tuple[PublishedMean, ...]:
    r"""Read a table of published means: one row per run and measure, with a header.

    The columns are ``run``, ``measure`` and ``mean``; ``year`` and ``collection`` may be there, or
    ``conference`` and ``track`` in place of a collection. Tabs, semicolons or commas part them.

    Parameters
    ----------
    path
        The file, compressed or not.
    collection
        The collection of all means, where the file has no column for it.

    Returns
    -------
    tuple of PublishedMean
        The means in the order of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "means.tsv"
    ...     _ = path.write_text("run\tmeasure\tmean\tyear\nbm25\tmap\t0.25\t1999\n")
    ...     (mean,) = read_published_means(path, collection="trec8")
    >>> mean.measure, mean.mean, mean.year
    (AP, 0.25, 1999)
    """
    of_measure: dict[str, Measure] = {}
    means = []
    for where, row in named_rows(path, _NEEDED):
        name = row["measure"]
        if not row["run"] or not name:
            rule = "published means must name a run and a measure"
            raise InputError(where, rule, remedy="complete the line")
        if name not in of_measure:
            of_measure[name] = measure_named(name)
        means.append(
            PublishedMean(
                _collection(row, collection, where),
                row["run"],
                of_measure[name],
                _number(row["mean"], where),
                _year(row.get("year"), where),
            )
        )
    return tuple(means)


def _collection(row: Mapping[str, str], collection: str, where: str) -> str:
    name = row.get("collection") or collection
    parts = [row[column] for column in _COLLECTION if row.get(column)]
    if not name and not parts:
        raise InputError(
            where,
            "published means must say which collection they are of",
            remedy="name it with --collection, or in a column",
        )
    return name or "-".join(parts)


def _number(cell: str | None, where: str) -> float:
    try:
        # Python would take 1_000 for a number, too.
        number = float(cell or "") if "_" not in (cell or "") else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        rule = "a mean must be a finite number"
        raise InputError(where, rule, value=cell, remedy="correct the line")
    return number


def _year(cell: str | None, where: str) -> int | None:
    if cell and not cell.isdecimal():
        raise InputError(where, "a year must be a whole number", value=cell, remedy="correct it")
    return int(cell) if cell else None
