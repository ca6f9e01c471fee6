"""Scores as distances from what reference runs achieve, from tables of scores."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from poolwise.errors import OptionError
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import Evaluation
from poolwise.scores.standardization.factor_files import load_factors, save_factors
from poolwise.scores.standardization.factors import StandardizationFactors, standardize

__all__ = ["standardize_tables"]


def standardize_tables(
    tables: Iterable[ScoreTable],
    *,
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    save: str | Path | None = None,
    smoothing: str = "none",
    mapping: str = "none",
) -> Evaluation:
    """Standardize the scores of each table.

    Parameters
    ----------
    tables
        Scores, one table per measure.
    references
        The runs that the factors come from; all by default.
    factors
        A file of factors to use in place of references.
    save
        A file to write the factors to.
    smoothing, mapping
        As for :func:`~poolwise.standardize`.
    """
    plain = tuple(tables)
    if factors and references:
        raise OptionError(
            "factors: they come from a file or from reference runs, not from both. Hint: leave one "
            "of the two out."
        )
    if (factors or save) and len(plain) > 1:
        raise OptionError(
            f"factors: a file of factors is for one measure; got {len(plain)}. Hint: name one "
            "measure."
        )
    used = [_factors(table, references, factors) for table in plain]
    if save:
        save_factors(used[0], save)
    return Evaluation.of(
        standardize(table, by, smoothing=smoothing, mapping=mapping)
        for table, by in zip(plain, used, strict=True)
    )


def _factors(
    table: ScoreTable, references: Sequence[str], path: str | Path | None
) -> StandardizationFactors:
    if path:
        return load_factors(path, measure=table.measure)
    chosen = table.select(systems=references) if references else table
    return StandardizationFactors.from_table(chosen)
