"""Scores as distances from what reference runs achieve, from tables of scores."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.provenance._provenance import Notice
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
from poolwise.scores.cards._card import CollectionCard
from poolwise.scores.cards._card_file import require_card
from poolwise.words import counted
from poolwise.workflows._cards import require_same_judgments

__all__ = ["factors_file", "standardize_tables"]


@recorded
def standardize_tables(
    tables: Iterable[ScoreTable],
    *,
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    reference_count: int = 0,
    card: Any = None,
    judgments: Any = None,
    smoothing: str | None = None,
    mapping: str = "none",
    weight: float = 0.5,
    prior: tuple[float, float, int] = UNIFORM_PRIOR,
    ddof: int | None = None,
    level_by: Sequence[str] = (),
    reading: Reading = Reading(),
) -> Evaluation:
    """Standardize the scores of each table.

    Parameters
    ----------
    references
        The runs that the factors come from; all by default.
    factors
        A file of factors to use in place of references.
    reference_count
        How many runs published factors come from, which smoothing and ``ddof`` need.
    card
        The card of the collection, or its file, whose factors to use in place of references.
    judgments
        What the scores come from, to see whether the card is of the same.
    smoothing
        As for :func:`~poolwise.standardize`; by default that of the card, or none.
    mapping, weight, prior, ddof, level_by
        As for :func:`~poolwise.standardize`.

    Returns
    -------
    Evaluation
        One table of standardized scores per measure, whose names begin with ``s``.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.5], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> (standardized,) = standardize_tables([table]).values()
    >>> standardized.measure, standardized.value.round(6).tolist()
    (sAP, [[-1.0, -1.0], [1.0, 1.0]])
    """
    plain = tuple(tables)
    opened = None if card is None else _card(card, judgments, reading)
    by = (
        _of_card(plain, opened, references, factors)
        if opened
        else _all_factors(plain, references, factors, mapping, reference_count)
    )
    how: dict[str, Any] = {
        "smoothing": smoothing or (opened.smoothing if opened else "none"),
        "mapping": mapping,
        "weight": weight,
        "prior": prior,
        "ddof": ddof,
        "level_by": tuple(level_by),
    }
    notices = opened.reference_notices() if opened else ()
    return Evaluation.of(
        _noticed(standardize(table, of, **how), notices)
        for table, of in zip(plain, by, strict=True)
    )


def _noticed(table: ScoreTable, notices: tuple[Notice, ...]) -> ScoreTable:
    return replace(table, provenance=table.provenance.with_notices(*notices))


def _card(card: Any, judgments: Any, reading: Reading) -> CollectionCard:
    """Return a card; raise where it is not of these judgments."""
    opened = require_card(card)
    if judgments is not None:
        require_same_judgments(opened, reading.judgments(judgments))
    return opened


def _of_card(
    tables: Sequence[ScoreTable],
    card: CollectionCard,
    references: Sequence[str],
    factors: str | Path | None,
) -> list[StandardizationFactors]:
    """Return the factors that a card has for each table."""
    if factors or references:
        raise OptionError(
            "card: the factors come from it, not from a file or from reference runs as well. Hint: "
            "leave one of them out."
        )
    return [card.of(table.measure).factors for table in tables]


def _all_factors(
    tables: Sequence[ScoreTable],
    references: Sequence[str] = (),
    factors: str | Path | None = None,
    mapping: str = "none",
    reference_count: int = 0,
) -> list[StandardizationFactors]:
    """Return the factors of each table: from a file, or from reference runs, by default all."""
    if factors and references:
        raise OptionError(
            "factors: they come from a file or from reference runs, not from both. Hint: leave one "
            "of the two out."
        )
    if factors:
        _require_one(tables)
    return [_factors(table, references, factors, mapping, reference_count) for table in tables]


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


def _require_same_count(factors: StandardizationFactors, asked: int) -> None:
    if asked and factors.references != asked:
        raise OptionError(
            f"reference_count: the factors of the file come from "
            f"{counted(factors.references, 'run')}; got {asked}. Hint: leave --references out."
        )


def _require_one(tables: Sequence[ScoreTable]) -> None:
    if len(tables) > 1:
        raise OptionError(
            f"factors: a file of factors is for one measure; got {len(tables)}. Hint: name one "
            "measure."
        )


def _factors(
    table: ScoreTable,
    references: Sequence[str],
    path: str | Path | None,
    mapping: str,
    reference_count: int,
) -> StandardizationFactors:
    if path:
        factors = load_factors(path, measure=table.measure, references=reference_count)
        _require_same_count(factors, reference_count)
        return factors
    chosen = table.select(runs=references) if references else table
    # Some mappings transform scores before they are standardized: factors must be of the same.
    domain = mapping if mapping in DOMAINS else "none"
    return StandardizationFactors.from_table(chosen, domain=domain)
