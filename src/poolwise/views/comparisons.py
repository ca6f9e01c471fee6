"""Comparisons of systems as tables: both uncertainties on every row."""

from collections.abc import Callable, Sequence

import numpy as np

from poolwise.findings.comparison.comparisons import TwoUncertainties
from poolwise.findings.comparison.discrimination import (
    Discrimination,
    agreement,
    pvalue_correlation,
)
from poolwise.findings.comparison.pair_comparison import PairComparison
from poolwise.printout.columns import Columns
from poolwise.printout.tables import Cell, Column, Table

__all__ = [
    "comparison_table",
    "discrimination_columns",
    "leading_pairs",
]

QUOTED = 3
"""How many pairs are also put into words."""

UNKNOWN = "–"


def comparison_table(found: TwoUncertainties, *, most: int = 20) -> Table:
    """Return one row per pair, the system that is ahead first, the best systems' pairs on top.

    Parameters
    ----------
    found
        The comparisons.
    most
        How many pairs to show; the notes say how many there are.

    Examples
    --------
    >>> from poolwise import ScoreTable, compare, render
    >>> table = ScoreTable.from_matrix([[0.3, 0.3, 0.4], [0.5, 0.4, 0.7]], systems=["old", "new"],
    ...                                topics="123", measure="AP")
    >>> print(render(comparison_table(compare(table))))
    AP: paired t test, Holm; all pairs of 2 systems: 1 comparisons
    <BLANKLINE>
    a    b    difference  95% over topics  p       p corrected  effect size  order    w/t/l
    new  old      0.2000  −0.0484–0.4484   0.0742  0.0742              2.00  unknown  3/0/0
    <BLANKLINE>
    0 of 1 pairs significant at 0.05
    nothing known of the judgments: scores alone do not say which documents were judged
    new is ahead of old by 0.2000 in AP. Over topics: 95% interval -0.0484 to 0.4484, p = 0.07418
    (paired t test, 3 topics). Over judgments: not known, since scores alone do not say which
    documents were judged.
    """
    pairs = [found[i].better_first() for i in leading_pairs(found, most)]
    cells = {column: [write(pair) for pair in pairs] for column, write in _columns(found).items()}
    known = {column: texts for column, texts in cells.items() if set(texts) != {UNKNOWN}}
    shown = f"{len(pairs)} of {len(found):,} pairs, those of the best systems; tsv has all of them"
    return Table(
        columns=tuple(known),
        rows=tuple(zip(*known.values(), strict=True)),
        title=f"{found.measure}: {found.over_topics.findings.test}, {found.over_topics.label}",
        notes=(
            *([shown] if len(pairs) < len(found) else []),
            *str(found).split("\n  ")[1:],
            *map(str, pairs[:QUOTED]),
        ),
    )


def _columns(found: TwoUncertainties) -> dict[Column, Callable[[PairComparison], Cell]]:
    """Return the columns, and how each is filled."""
    return {
        Column("a"): lambda pair: pair.finding.a,
        Column("b"): lambda pair: pair.finding.b,
        Column("difference", digits=4): lambda pair: pair.finding.difference,
        Column(f"{1 - found.alpha:.0%} over topics"): lambda pair: _range(
            *pair.finding.interval(1 - pair.alpha)
        ),
        Column("p"): lambda pair: _p(pair.finding.pvalue),
        Column("p corrected"): lambda pair: _p(pair.finding.p_adjusted),
        Column("effect size", digits=2): lambda pair: pair.finding.effect_size,
        Column("range if judged"): lambda pair: _range(pair.bound_low, pair.bound_high),
        Column("order"): lambda pair: pair.verdict,
        Column("p if judged"): _p_range,
        Column("kept in draws"): _kept,
        Column("w/t/l"): lambda pair: (
            f"{pair.finding.wins}/{pair.finding.ties}/{pair.finding.losses}"
        ),
    }


def _kept(pair: PairComparison) -> str:
    """Return the share of draws in which a significant difference stays so."""
    if not pair.draws or not pair.is_significant:
        return UNKNOWN
    return f"{pair.drawn_significant:.0%}"


def _p_range(pair: PairComparison) -> str:
    if np.isnan(pair.p_low):
        return UNKNOWN
    return f"{_p(pair.p_low)}–{_p(pair.p_high)}"


def _p(value: float | None) -> str:
    """Return a p value; one that would print as 0 is below the last digit."""
    if value is None or np.isnan(value):
        return UNKNOWN
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _range(low: float, high: float) -> str:
    return UNKNOWN if np.isnan(low) else f"{low:.4f}–{high:.4f}".replace("-", "−")


def leading_pairs(found: TwoUncertainties, most: int) -> list[int]:
    """Return the positions of the pairs of the best systems, by mean score."""
    sample = found.over_topics.findings.sample
    means = np.nanmean(sample.scores, axis=1)
    place = np.empty(len(means), np.intp)
    place[np.argsort(-means, kind="stable")] = np.arange(len(means))
    left, right = place[sample.pairs.left], place[sample.pairs.right]
    order = np.lexsort((np.minimum(left, right), np.maximum(left, right)))
    return list(map(int, order[:most]))


def discrimination_columns(found: Sequence[Discrimination]) -> Columns:
    """Return one row per setting: how many pairs it tells apart, and how it agrees with the first.

    Examples
    --------
    >>> from poolwise import ScoreTable, discriminate
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.4, 0.7, 0.6], [0.3, 0.3, 0.4, 0.5], [0.2, 0.3, 0.1, 0.2]],
    ...     systems="abc", topics="1234", measure="AP")
    >>> columns = discrimination_columns([discriminate(table)])
    >>> columns["pairs"], columns["significant"], columns["tp"]
    ([3], [2], [2])
    """
    rows = [_discrimination_row(setting, found[0]) for setting in found]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _discrimination_row(found: Discrimination, reference: Discrimination) -> dict[str, Cell]:
    same = agreement(found, reference)
    return {
        "measure": str(found.findings.measure),
        "pairs": len(found.findings),
        "significant": int(found.significant.sum()),
        "power": found.power,
        "without_p": found.undefined,
        "difference_median": found.difference_needed(0.5),
        "difference_all": found.difference_needed(),
        "tp": same.true_positives,
        "fp": same.false_positives,
        "contradictions": same.contradictions,
        "fn": same.false_negatives,
        "tn": same.true_negatives,
        "p_tau": pvalue_correlation(found, reference),
    }
