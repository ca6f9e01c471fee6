"""What supports the order of every two runs."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings._pair_verdicts import PAIR_VERDICTS, PairVerdicts
from poolwise.findings.comparison._over_judgments import PairBounds
from poolwise.scores._uncertainty import Uncertainty

SCORES = np.repeat([[0.9, 0.8, 0.9, 0.8], [0.5, 0.45, 0.5, 0.4], [0.5, 0.4, 0.45, 0.5]], 2, axis=1)
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
    ("judging", "verdict"),
    [
        ("a certain", ("holds", "too few topics")),
        ("open", ("unjudged could undo it", "open on both counts")),
        ("unknown", ("unjudged could undo it", "open on both counts")),
    ],
)
def test_a_verdict_follows_from_topics_and_judgments(
    judging: str, verdict: tuple[str, str]
) -> None:
    """A significant difference has the first of two verdicts, another one the second."""
    verdicts = found([judging] * 3)
    significant = pw.compare_scores(TABLE).significant().tolist()
    assert sorted(significant) == [False, True, True]
    assert [PAIR_VERDICTS[v] for v in verdicts.verdict] == [verdict[not s] for s in significant]


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
        verdicts.columns()["verdict"]
    )


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            ["a certain"] * 3,
            (
                "2 of 3 differences in AP hold: they are significant over topics after correction, "
                "and certain over judgments: no judging of the unjudged documents makes them "
                "level or reverses them."
            ),
        ),
        (
            ["a certain", "open", "a certain"],
            (
                "1 of 3 differences in AP holds: it is significant over topics after correction, "
                "and certain over judgments: no judging of the unjudged documents makes it "
                "level or reverses it."
            ),
        ),
        (
            ["open"] * 3,
            (
                "0 of 3 differences in AP hold: none is both significant after correction and "
                "beyond reversal."
            ),
        ),
    ],
)
def test_the_sentence_counts_what_holds(verdicts: list[str], said: str) -> None:
    """One holds, two hold, and none is said to be none."""
    assert found(verdicts).how_many_hold() == said


def test_what_the_others_need_is_counted() -> None:
    """Topics, judgments or both, each with its own verb."""
    assert found(["open", "a certain", "open"]).sentences()[1] == (
        "0 need more topics, 1 needs more judgments and 1 needs both."
    )


def test_reversals_are_the_possible_ones() -> None:
    """Significant ones come first, then the larger differences; unknown ones are not among them."""
    columns = found(["open", "unknown", "open"]).reversals()
    assert list(zip(columns["better"], columns["worse"], strict=True)) == [
        ("old", "new"),
        ("new", "mid"),
    ]
    assert found(["a certain"] * 3).reversals()["better"] == []


def test_better_than_is_a_matrix_of_significant_differences() -> None:
    """A row's system is better than a column's where the difference is significant and positive."""
    better = PairVerdicts.of(pw.compare_scores(TABLE)).significantly_better()
    assert better.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    flipped = PairVerdicts.of(pw.compare_scores(TABLE.select(["mid", "old"])))
    assert flipped.significantly_better().tolist() == [[False, False], [True, False]]


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


HOLDS = (
    "The difference in AP holds: it is significant over topics after correction, and certain over "
    "judgments: no judging of the unjudged documents makes it level or reverses it."
)
OPEN = (
    "The difference in AP does not hold: it is not both significant after correction and beyond "
    "reversal."
)


@pytest.mark.parametrize(
    ("judging", "said"),
    [("a certain", (HOLDS,)), ("open", (OPEN, "It needs more judgments."))],
)
def test_one_difference_is_not_counted(judging: str, said: tuple[str, ...]) -> None:
    """Of two runs it is said whether the difference holds, and what it needs."""
    assert found([judging], TABLE.select(["old", "new"])).sentences() == said
