"""What supports the order of every two runs."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings._pair_verdicts import PAIR_VERDICTS, PairVerdicts
from poolwise.findings.comparison._over_judgments import PairBounds
from poolwise.scores._uncertainty import Uncertainty

SCORES = np.repeat([[0.9, 0.8, 0.9, 0.8], [0.5, 0.45, 0.5, 0.4], [0.5, 0.4, 0.45, 0.55]], 2, axis=1)
TABLE = pw.ScoreTable.from_matrix(
    SCORES, systems=["old", "new", "mid"], topics="12345678", measure="AP"
)


def found(verdicts: list[str], table: pw.ScoreTable = TABLE) -> PairVerdicts:
    """Return comparisons with these verdicts over judgments, and made-up ranges."""
    compared = pw.compare_scores(table)
    low, high = compared.difference - 0.1, compared.difference + 0.2
    ranges = Uncertainty("judgments", low, high, kind="exact")
    bounds = PairBounds(ranges, np.array(verdicts), low * np.nan, low * np.nan)
    return PairVerdicts.of(replace(compared, bounds=bounds))


@pytest.mark.parametrize(
    ("judging", "states"),
    [
        ("a certain", ("order certain, significance open", "too few topics")),
        ("open", ("significant, judging unknown", "open")),
        ("unknown", ("significant, judging unknown", "open")),
    ],
)
def test_a_state_follows_from_topics_and_judgments(judging: str, states: tuple[str, str]) -> None:
    """A significant difference has the first of two states, another one the second."""
    verdicts = found([judging] * 3)
    significant = pw.compare_scores(TABLE).significant().tolist()
    assert sorted(significant) == [False, True, True]
    assert verdicts.comparisons.state.tolist() == [states[not s] for s in significant]


def test_the_run_that_is_ahead_comes_first() -> None:
    """Where a pair is turned, its range, effect, wins and losses are turned with it."""
    turned = TABLE.select(["mid", "new", "old"])
    verdicts = found(["a certain"] * 3, turned)
    columns = verdicts.columns()
    pairs = {frozenset((p.a, p.b)): p.better_first() for p in verdicts.comparisons}
    assert columns["better"] == ["old", "old", "mid"]
    for i in range(3):
        pair = pairs[frozenset((columns["better"][i], columns["worse"][i]))]
        row = {name: cells[i] for name, cells in columns.items()}
        assert (row["better"], row["worse"]) == (pair.a, pair.b)
        assert (row["lowest"], row["highest"]) == (pair.bound_low, pair.bound_high)
        assert row["lowest"] < row["difference"] < row["highest"]
        assert (row["wins"], row["ties"], row["losses"]) == (pair.wins, pair.ties, pair.losses)
        assert row["effect_size"] == pytest.approx(pair.effect_size)
        # The same pair, asked for the way round in which it comes out.
        asked = pw.compare_pair(turned, row["better"], row["worse"])
        for name in ("difference", "wins", "ties", "losses", "effect_size"):
            assert row[name] == pytest.approx(getattr(asked, name))
            assert getattr(pair, name) == pytest.approx(getattr(asked, name))
        assert pair.interval(0.9) == pytest.approx(asked.interval(0.9))


def test_counts_add_up_to_all_pairs() -> None:
    """Every pair has one verdict, and each verdict is counted, with 0 where there is none."""
    verdicts = found(["a certain", "open", "a certain"])
    assert list(verdicts.counts()) == list(PAIR_VERDICTS)
    assert verdicts.counts() == dict.fromkeys(PAIR_VERDICTS, 0) | Counter(
        verdicts.columns()["state"]
    )


def test_the_sentence_counts_the_states() -> None:
    """Significant pairs come first, and of them the worst news."""
    assert found(["open", "a certain", "open"]).sentences()[0] == (
        "In AP, 2 of 3 pairs are significantly different at 0.05: 1 rests on judged documents "
        "alone, and 1 keeps its order, but judging could take the significance. Of the others, "
        "1 is open on both counts."
    )


def test_reversals_are_the_possible_ones() -> None:
    """Significant ones come first, then the larger differences; unknown ones are not among them."""
    columns = found(["open", "unknown", "open"]).reversals()
    assert list(zip(columns["better"], columns["worse"], strict=True)) == [
        ("old", "new"),
        ("mid", "new"),
    ]
    assert found(["a certain"] * 3).reversals()["better"] == []


def test_better_than_is_a_matrix_of_significant_differences() -> None:
    """What judging could undo is apart from what survives it; by scores alone nothing does."""
    verdicts = PairVerdicts.of(pw.compare_scores(TABLE))
    assert not verdicts.better(starred=True).any()
    doubt = verdicts.better(starred=False)
    assert doubt.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    flipped = PairVerdicts.of(pw.compare_scores(TABLE.select(["mid", "old"])))
    assert flipped.better(starred=False).tolist() == [[False, False], [True, False]]


def test_a_run_that_is_never_behind_is_so_on_its_own_side() -> None:
    """Rows are never behind columns, whichever of the two was named first."""
    never = found(["a never behind", "b certain", "open"]).never_behind()
    assert never.tolist() == [[False, True, False], [False] * 3, [True, False, False]]


def test_nothing_is_said_to_hold_by_scores_alone() -> None:
    """Scores do not say what was judged, and the last sentence says so."""
    verdicts = PairVerdicts.of(pw.compare_scores(TABLE))
    assert verdicts.counts()["holds"] == 0
    assert verdicts.reversible.any() == np.False_
    assert verdicts.sentences()[-1] == (
        "Which orders judging could reverse is not known, since scores alone do not say which "
        "documents were judged."
    )
    assert verdicts.method()[-1] == verdicts.sentences()[-1]


def test_one_difference_is_not_counted() -> None:
    """Of two runs the sentence is the verdict on the pair."""
    verdicts = found(["open"], TABLE.select(["old", "new"]))
    assert verdicts.sentences() == (verdicts.comparisons[0].pair_verdict.sentence,)


def test_wrong_orders_are_counted_by_the_draws_against_them() -> None:
    """Of orders that very likely hold, each counts with the share of draws that turn it round."""
    made = pw.simulate(systems=12, topics=30, depth=20, rng=2)
    comparisons = pw.compare_evidence(pw.align(made.judgments, made.runs), "AP")
    likely = [pair for pair in comparisons if pair.state == "very likely holds"]
    assert likely
    against = sum(1 - pair.better_first().drawn_ahead for pair in likely)
    verdicts = PairVerdicts.of(comparisons)
    assert verdicts.wrong_orders() == pytest.approx(against)
    (said,) = verdicts.how_many_are_wrong()
    number = math.ceil(against - 1e-9)
    assert (f"At most about {number} wrong" in said) == (number > 0)
    assert said in verdicts.sentences()


def test_where_all_orders_hold_none_is_called_wrong() -> None:
    """Without draws nothing is starred that could turn round, and nothing is said."""
    made = pw.simulate(systems=4, topics=20, depth=30, rng=1)
    comparisons = pw.compare_evidence(pw.align(made.judgments, made.runs), "nDCG@10", draws=0)
    assert PairVerdicts.of(comparisons).how_many_are_wrong() == ()
    assert PairVerdicts.of(comparisons).wrong_orders() == 0
