"""``trec_eval -Z``: scores as distances from the mean of reference runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from poolwise.collection.files._sources import read_text
from poolwise.errors import InputError

__all__ = ["MISSING", "ReferenceScores", "read_references", "to_zscores"]

MISSING = -1_000_000.0
"""What trec_eval prints where a topic and measure have no reference."""

ReferenceScores = Mapping[tuple[str, str], tuple[float, float]]
"""By topic and printed name of the measure: mean and standard deviation."""


def read_references(path: str | Path) -> ReferenceScores:
    r"""Read lines of topic, measure, mean and standard deviation.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("301 map 0.12 0.15\n")
    ...     file.flush()
    ...     read_references(file.name)
    {('301', 'map'): (0.12, 0.15)}
    """
    found = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        try:
            topic, measure, mean, deviation = fields
            found[topic, measure] = float(mean), float(deviation)
        except ValueError:
            raise InputError(
                f"{path}:{number}",
                "a line must hold topic, measure, mean and standard deviation",
                value=line,
                remedy="correct the line",
            ) from None
    return found


def to_zscores(
    values: Sequence[float], name: str, topics: Sequence[str], references: ReferenceScores
) -> list[float]:
    """Return each topic's distance from its mean, in standard deviations.

    Examples
    --------
    >>> to_zscores([0.5, 0.5, 0.5], "map", ["1", "2", "3"], {("1", "map"): (0.3, 0.1),
    ...                                                      ("2", "map"): (0.5, 0.0)})
    [2.0, 0.0, -1000000.0]
    """
    pairs = (references.get((topic, name)) for topic in topics)
    return [_zscore(value, pair) for value, pair in zip(values, pairs, strict=True)]


def _zscore(value: float, reference: tuple[float, float] | None) -> float:
    if reference is None:
        return MISSING
    mean, deviation = reference
    if deviation:
        return (value - mean) / deviation
    return 0.0 if value == mean else MISSING
