"""Scores as distances from what reference runs achieve, from tables of scores."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from poolwise.errors import OptionError
from poolwise.provenance._recorded import recorded
from poolwise.scores._factor_files import factors_bytes, load_factors
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import Evaluation
from poolwise.scores._standardization import (
    DOMAINS,
    UNIFORM_PRIOR,
    StandardizationFactors,
    standardize,
)

__all__ = ["factors_file", "standardize_tables"]


@recorded
def standardize_tables(
    tables: Iterable[ScoreTable],
    *,
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    smoothing: str = "none",
    mapping: str = "none",
    weight: float = 0.5,
    prior: tuple[float, float, int] = UNIFORM_PRIOR,
) -> Evaluation:
    """Standardize the scores of each table.

    Parameters
    ----------
    references
        The runs that the factors come from; all by default.
    factors
        A file of factors to use in place of references.
    smoothing, mapping, weight, prior
        As for :func:`~poolwise.standardize`.

    Returns
    -------
    Evaluation
        One table of standardized scores per measure, whose names begin with ``s``.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> (found,) = standardize_tables([table]).values()
    >>> found.measure, found.value.round(6).tolist()
    (sAP, [[-1.0, -1.0], [1.0, 1.0]])
    """
    plain = tuple(tables)
    return Evaluation.of(
        standardize(table, by, smoothing=smoothing, mapping=mapping, weight=weight, prior=prior)
        for table, by in zip(plain, _all_factors(plain, references, factors, mapping), strict=True)
    )


def _all_factors(
    tables: Sequence[ScoreTable],
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    mapping: str = "none",
) -> list[StandardizationFactors]:
    """Return the factors of each table: from a file, or from reference runs, by default all."""
    if factors and references:
        raise OptionError(
            "factors: they come from a file or from reference runs, not from both. Hint: leave one "
            "of the two out."
        )
    if factors:
        _require_one(tables)
    return [_factors(table, references, factors, mapping) for table in tables]


@recorded
def factors_file(
    tables: Sequence[ScoreTable],
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    mapping: str = "none",
) -> bytes:
    """Return the file of the factors that :func:`standardize_tables` takes for one table.

    Parameters
    ----------
    tables : sequence of ScoreTable
        One table of scores.
    references : sequence of str
        The runs that the factors come from; all by default.
    factors : str or Path, optional
        A file of factors to use in place of references.
    mapping : str
        As for :func:`~poolwise.standardize`; a mapping of raw scores is part of the factors.

    Returns
    -------
    bytes
        The content of the file, which :func:`~poolwise.scores.load_factors` reads.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.0, 0.5], [0.25, 0.75]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> print(factors_file([table]).decode().expandtabs(8).splitlines()[-1])
    2       0.625   0.125
    """
    _require_one(tables)
    return factors_bytes(_all_factors(tables, references, factors, mapping)[0])


def _require_one(tables: Sequence[ScoreTable]) -> None:
    if len(tables) > 1:
        raise OptionError(
            f"factors: a file of factors is for one measure; got {len(tables)}. Hint: name one "
            "measure."
        )


def _factors(
    table: ScoreTable, references: Sequence[str], path: str | Path | None, mapping: str
) -> StandardizationFactors:
    if path:
        return load_factors(path, measure=table.measure)
    chosen = table.select(runs=references) if references else table
    # Some mappings transform scores before they are standardized: factors must be of the same.
    domain = mapping if mapping in DOMAINS else "none"
    return StandardizationFactors.from_table(chosen, domain=domain)
