"""Standardization factors as small text files, our own and the published ones."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from poolwise.collection._identifiers import encode
from poolwise.collection.files._sources import csv_rows, lines_of, read_text
from poolwise.errors import InputError
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.provenance._files import write_file
from poolwise.provenance._recorded import recorded
from poolwise.scores._standardization import DOMAINS, SMOOTHINGS, StandardizationFactors

__all__ = ["factors_bytes", "load_factors", "save_factors"]

Choice = TypeVar("Choice", int, str)

TITLE = "# poolwise standardization factors"
COLUMNS = ["topic", "mean", "deviation"]
_UNDEFINED = "nan"
"""What stands for mean and deviation of a topic on which the measure is not defined."""
PUBLISHED_NAMES = {"Rprec": "RP", "RBP(p=0.8)": "RBP.8", "RBP(p=0.95)": "RBP.95"}
"""Measures whose column in the published files has another name."""


@recorded
def save_factors(factors: StandardizationFactors, path: str | Path) -> None:
    """Write factors as text: what they are, then topic, mean and deviation, by tabs.

    Bytes of topics that are not UTF-8 are written as they were read.

    Parameters
    ----------
    factors : StandardizationFactors
        Mean and deviation of reference scores, by topic.
    path : str or Path
        The file; one that is there already is replaced.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise import AP
    >>> factors = StandardizationFactors(AP, ("401",), np.array([0.25]), np.array([0.125]), 17)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "factors.tsv"
    ...     save_factors(factors, path)
    ...     print(path.read_text().replace(chr(9), " "))
    # poolwise standardization factors
    # measure: AP
    # references: 17
    # ddof: 0
    # smoothing: none
    topic mean deviation
    401 0.25 0.125
    """
    write_file(path, factors_bytes(factors))


def factors_bytes(factors: StandardizationFactors) -> bytes:
    """Return what :func:`save_factors` writes."""
    about = (
        f"# {key}: {getattr(factors, key)}"
        for key in ("measure", "references", "ddof", "smoothing", "domain")
        if key != "domain" or factors.domain != "none"
    )
    rows = zip(factors.topics, factors.mean.tolist(), factors.deviation.tolist(), strict=True)
    lines = (f"{topic}\t{mean!r}\t{deviation!r}" for topic, mean, deviation in rows)
    text = "\n".join([TITLE, *about, "\t".join(COLUMNS), *lines])
    return encode(text + "\n")


@recorded
def load_factors(
    path: str | Path, *, measure: Measure | str = "", references: int = 0
) -> StandardizationFactors:
    """Read factors that :func:`save_factors` wrote, or published ones.

    The published factors (Webber, Moffat and Zobel 2008) are pairs of files, means in
    ``NAME.mn.csv`` and deviations in ``NAME.sd.csv``, with one column per measure: give either
    file and the measure. Their deviations have the divisor n − 1 and say nothing of n, so give
    ``references``, the number of runs, to change the divisor or to smooth. Their RBP columns
    are not to be trusted.

    Parameters
    ----------
    measure
        Which column of the published files; where our own file names one it must be the same.
    references
        How many systems published factors come from, if known.

    Returns
    -------
    StandardizationFactors
        Mean and deviation by topic, as :func:`~poolwise.standardize` takes them.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise import AP
    >>> factors = StandardizationFactors(AP, ("401",), np.array([0.25]), np.array([0.125]), 17)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_factors(factors, Path(folder) / "factors.tsv")
    ...     again = load_factors(Path(folder) / "factors.tsv")
    >>> again.topics, again.mean.tolist(), again.references
    (('401',), [0.25], 17)
    """
    path = Path(path)
    if path.name.endswith((".mn.csv", ".sd.csv")):
        return _load_published(path, str(measure), references)
    factors = _load_own(path)
    if measure and str(measure) != str(factors.measure):
        raise InputError(
            str(path),
            f"the factors must be for {measure}",
            value=str(factors.measure),
            remedy="give the file of that measure",
        )
    return factors


def _load_own(path: Path) -> StandardizationFactors:
    lines = lines_of(read_text(path))
    if not lines or lines[0] != TITLE:
        raise InputError(
            f"{path}:1",
            f"a file of factors must begin with {TITLE!r}",
            value=lines[0] if lines else "an empty file",
            remedy="write it with save_factors; published files end in .mn.csv and .sd.csv",
        )
    about = dict(line[2:].partition(": ")[::2] for line in lines if line.startswith("# "))
    rows = [
        (number, line.split("\t"))
        for number, line in enumerate(lines, 1)
        if line and not line.startswith("# ") and line.split("\t") != COLUMNS
    ]
    cells = [_row(path, number, row) for number, row in rows]
    if not cells:
        rule = "a file of factors must have a row for a topic"
        raise InputError(str(path), rule, remedy="write it with save_factors")
    _check_distinct(path, rows)
    return StandardizationFactors(
        measure=measure_named(about.get("measure", "")),
        topics=tuple(topic for topic, _, _ in cells),
        mean=np.array([mean for _, mean, _ in cells]),
        deviation=np.array([deviation for _, _, deviation in cells]),
        references=_whole(path, about, "references"),
        ddof=_chosen(path, "ddof", _whole(path, about, "ddof"), (0, 1)),
        smoothing=_chosen(path, "smoothing", about.get("smoothing", "none"), (*SMOOTHINGS,)),
        domain=_chosen(path, "domain", about.get("domain", "none"), ("none", *DOMAINS)),
    )


def _row(path: Path, number: int, row: list[str]) -> tuple[str, float, float]:
    if len(row) != len(COLUMNS) or not row[0]:
        raise InputError(
            f"{path}:{number}",
            "a row must hold topic, mean and deviation, by tabs",
            value="\t".join(row),
            remedy="correct the line",
        )
    if row[1:] == [_UNDEFINED] * 2:
        return row[0], math.nan, math.nan
    return row[0], _number(path, number, row[1]), _deviation(path, number, row[2])


def _check_distinct(path: Path, rows: list[tuple[int, list[str]]]) -> None:
    seen: set[str] = set()
    for number, row in rows:
        if row[0] in seen:
            raise InputError(
                f"{path}:{number}",
                "a topic must stand once",
                value=row[0],
                remedy="keep one of its lines",
            )
        seen.add(row[0])


def _load_published(path: Path, measure: str, references: int) -> StandardizationFactors:
    stem = str(path)[: -len(".mn.csv")]
    column = PUBLISHED_NAMES.get(measure, measure)
    means = _column(Path(stem + ".mn.csv"), column)
    deviations = _column(Path(stem + ".sd.csv"), column, _deviation)
    if means.keys() != deviations.keys():
        raise InputError(
            stem + ".sd.csv",
            "both files must have the same topics",
            remedy="give the pair as published",
        )
    return StandardizationFactors(
        measure=measure_named(measure),
        topics=tuple(means),
        mean=np.array(list(means.values())),
        deviation=np.array([deviations[topic] for topic in means]),
        references=references,
        ddof=1,
    )


def _column(
    path: Path, name: str, read: Callable[[Path, int, str], float] | None = None
) -> dict[str, float]:
    (_, header), *rows = csv_rows(path, read_text(path)) or [(1, [])]
    if name not in header[1:]:
        raise InputError(
            f"{path}:1",
            "the measure must be a column of the file",
            value=name,
            remedy=f"give one of {', '.join(header[1:])}",
        )
    where = header.index(name)
    padded = ((line, [*row, *[""] * len(header)]) for line, row in rows)
    return {row[0]: (read or _number)(path, line, row[where]) for line, row in padded}


def _number(path: Path, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        rule = "a factor must be a finite number"
        raise InputError(f"{path}:{line}", rule, value=cell, remedy="correct the line")
    return value


def _deviation(path: Path, line: int, cell: str) -> float:
    value = _number(path, line, cell)
    if value < 0:
        rule = "a standard deviation must not be negative"
        raise InputError(f"{path}:{line}", rule, value=cell, remedy="correct the line")
    return value


def _chosen(path: Path, key: str, value: Choice, choices: Sequence[Choice]) -> Choice:
    if value not in choices:
        raise InputError(
            str(path),
            f"the line '# {key}: …' must hold one of {', '.join(map(str, choices))}",
            value=value,
            remedy="write it with save_factors",
        )
    return value


def _whole(path: Path, about: dict[str, str], key: str) -> int:
    if not about.get(key, "").isdecimal():
        raise InputError(
            str(path),
            f"the line '# {key}: …' must hold a whole number",
            value=about.get(key, "no such line"),
            remedy="write it with save_factors",
        )
    return int(about[key])
