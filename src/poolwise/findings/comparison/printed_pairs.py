"""Comparisons as a table for people: both uncertainties on every row."""

from collections.abc import Callable, Sequence

from poolwise.findings.comparison.comparison_words import (
    PLAUSIBLE,
    PLAUSIBLE_RANGE,
    p_range_text,
    plausible_text,
)
from poolwise.findings.comparison.single_comparison import Comparison
from poolwise.findings.levels import level_text
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import UNKNOWN, counted, p_text, range_text

__all__ = ["pair_table"]


def pair_table(
    pairs: Sequence[Comparison], *, of: int, title: str, alpha: float, interval: str
) -> Table:
    """Return one row per pair, without columns of which nothing is known.

    Parameters
    ----------
    pairs
        Those to show, in this order.
    of
        How many pairs there are.
    title
        Of the table.
    alpha
        The significance level; intervals have the level 1 − alpha.
    interval
        Which intervals they are.
    """
    one_baseline = len(pairs) > 1 and len({pair.b for pair in pairs}) == 1
    columns = _columns(alpha, interval, one_baseline=one_baseline)
    cells = {column: [write(pair) for pair in pairs] for column, write in columns.items()}
    known = {column: texts for column, texts in cells.items() if set(texts) != {UNKNOWN}}
    shown = (
        f"{len(pairs):,} of {counted(of, 'pair')} are shown, those of the best systems; the "
        "columns hold all of them."
    )
    return Table(
        columns=tuple(known),
        rows=tuple(zip(*known.values(), strict=True)),
        title=title,
        notes=(shown,) if len(pairs) < of else (),
    )


def _columns(
    alpha: float, interval: str, *, one_baseline: bool
) -> dict[Column, Callable[[Comparison], Cell]]:
    """Return the columns, and how each is filled."""
    over_topics = f"{level_text(1 - alpha)} over topics ({interval})"
    return {
        Column("a"): lambda pair: pair.a,
        # The title names the one system that all others are compared with.
        Column("b", rank=3 if one_baseline else 0): lambda pair: pair.b,
        Column("difference", digits=4): lambda pair: pair.difference,
        Column(over_topics, rank=2): lambda pair: range_text(pair.ci_low, pair.ci_high),
        Column("p", rank=4): lambda pair: p_text(pair.pvalue),
        Column("p corrected", rank=1): lambda pair: p_text(pair.p_adjusted),
        Column("effect size", digits=2, rank=6): lambda pair: pair.effect_size,
        Column(f"{level_text(1 - alpha)} over samples", rank=1): lambda pair: range_text(
            pair.sample_low, pair.sample_high
        ),
        Column("range if judged", rank=1): lambda pair: range_text(pair.bound_low, pair.bound_high),
        Column("order", rank=1): lambda pair: pair.verdict,
        Column("p if judged, uncorrected", rank=7): lambda pair: p_range_text(
            pair.p_low, pair.p_high
        ),
        Column(PLAUSIBLE_RANGE, rank=3): plausible_text,
        Column(PLAUSIBLE, rank=3): _kept,
        Column("w/t/l", rank=5): lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}",
        Column("topics answered", rank=2): _answered,
    }


def _answered(pair: Comparison) -> str:
    """Return how many topics each system answers, where one lacks some that the other has."""
    if pair.answered_a == pair.answered_b:
        return UNKNOWN
    return f"{pair.answered_a} and {pair.answered_b}"


def _kept(pair: Comparison) -> str:
    """Return in how many completions of the judgments a significant difference stays so."""
    if not pair.draws or not pair.is_significant:
        return UNKNOWN
    return f"{round(pair.drawn_significant * pair.draws):,} of {pair.draws:,}"
