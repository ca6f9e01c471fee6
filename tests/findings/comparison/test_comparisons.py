"""Many comparisons: each item is a row, and each sentence has the numbers of the columns."""

import re
from collections import Counter

import numpy as np
import pytest
from tests.each import over

from poolwise import (
    Comparison,
    Comparisons,
    Judgments,
    Runs,
    ScoreTable,
    align,
    compare,
    compare_evidence,
    compare_pair,
    compare_scores,
    simulate,
)
from poolwise.errors import OptionError
from poolwise.findings import tiers
from poolwise.findings.comparison._comparison import COLUMNS
from poolwise.findings.comparison._significance import TESTS

MADE = simulate(systems=5, topics=12, depth=30, rng=4)
# The best runs are not the first ones, so that some pairs have to be turned.
EVIDENCE = align(MADE.judgments, MADE.runs.select(MADE.runs.systems[::-1]))


@pytest.fixture(
    scope="module",
    params=["P@5", "nDCG@10", "AP@10", "Bpref", "scores", "welch-t", "one-sided", "tukey"],
)
def found(request: pytest.FixtureRequest) -> Comparisons:
    """Compare all pairs of five runs in one of many ways."""
    made = {
        "scores": lambda: compare_scores(table()),
        "welch-t": lambda: compare_evidence(EVIDENCE, "P@5", test="welch-t", draws=10),
        "one-sided": lambda: compare_evidence(EVIDENCE, "P@5", alternative="less", draws=10),
        "tukey": lambda: compare_evidence(
            EVIDENCE, "P@5", correction="tukey", resamples=200, draws=5, alpha=0.1
        ),
    }
    name = str(request.param)
    return made[name]() if name in made else compare_evidence(EVIDENCE, name, draws=20)


def table() -> ScoreTable:
    """Return six systems, two of them twins, on ten topics, one of them undefined."""
    values = np.random.default_rng(3).random((6, 10)) + np.arange(6)[:, None] / 10
    values[1], values[:, 4] = values[0], np.nan
    return ScoreTable.from_matrix(
        values, systems="abcdef", topics=[str(t) for t in range(10)], measure="AP"
    )


def test_an_item_is_a_row_in_every_column(found: Comparisons) -> None:
    """Comparison i has the value of row i in each of the columns, and under each attribute."""
    columns = found.columns()
    assert list(columns) == list(COLUMNS)
    for i, pair in enumerate(found):
        np.testing.assert_equal(pair.columns(), {name: [c[i]] for name, c in columns.items()})
        for name, attribute in COLUMNS.items():
            own = getattr(pair, attribute)
            np.testing.assert_equal(str(own) if name == "measure" else own, columns[name][i])


def test_the_columns_are_plain_values(found: Comparisons) -> None:
    """No cell is of numpy's making, so that any format takes them."""
    cells = [cell for column in found.columns().values() for cell in column]
    assert {type(cell) for cell in cells} <= {str, int, float}


def test_the_short_form_has_the_same_cells(found: Comparisons) -> None:
    """The main columns are the first of all columns."""
    columns, main = found.columns(), found.main_columns()
    assert list(main) == list(columns)[: len(main)]
    np.testing.assert_equal(main, {name: columns[name] for name in main})


def numbers(text: str) -> list[str]:
    """Return the numbers of a text as they are written, a minus as a hyphen."""
    return re.findall(r"-?\d+\.\d+|\d+(?=%)|\d+(?= (?:topic|drawn))", text.replace("−", "-"))


def test_the_sentences_have_the_numbers_of_the_columns(found: Comparisons) -> None:
    """Difference, interval, p values, range and draws are said as the columns hold them."""
    for pair in found:
        row = {name: cells[0] for name, cells in pair.better_first().columns().items()}
        verdict, topics, *_ = pair.sentences()
        if row["difference"] > 0:
            assert f"by {row['difference']:.4f} in {pair.measure}" in verdict
        if not np.isnan(row["p"]):
            ends = [f"{row[end]:.4f}" for end in ("ci_low", "ci_high")]
            level = f"{100 * (1 - pair.alpha):g}"
            for number in (level, *ends, shown_p(row["p"]), shown_p(row["p_adjusted"])):
                assert number in numbers(topics)
            assert str(row["n"]) in numbers(topics)
        if "draws suggest" in verdict:
            run = pair.better_first().a if row["drawn_ahead"] > 0.5 else pair.better_first().b
            most = round(max(row["drawn_ahead"], row["drawn_behind"]) * row["draws"])
            assert f"draws suggest {run}, {most} of {row['draws']}, not calibrated" in verdict
        if row["verdict"] == "open" and row["state"] != "level":
            ends = [f"{row[end]:.4f}" for end in ("bound_low", "bound_high")]
            assert f"({ends[0]} to {ends[1]})".replace("-", "−") in verdict
            assert "could reverse that" in verdict


def shown_p(p: float) -> str:
    """Return a p value as it is printed."""
    return f"{p:.4f}" if p >= 0.0001 else "0.0001"


def test_the_summary_counts_the_rows(found: Comparisons) -> None:
    """The first sentence says how many corrected p values are below alpha, and their states."""
    columns = found.columns()
    small = np.array(columns["p_adjusted"]) < found.alpha
    said = found.sentences()[0]
    assert f"{small.sum()} of {len(found)} pairs are significantly different" in said
    assert found.significant().tolist() == small.tolist()
    states = Counter(columns["state"])
    if found.bounds.reason:
        assert said.endswith("what judging could do is not known.")
    else:
        for state, word in (("holds", "hold"), ("too few topics", "more topics"), ("open", "open")):
            match = re.search(rf"(\d+) \w+ ?{word}|(\d+) {word}", said)
            assert int((match and (match[1] or match[2])) or 0) == states[state]


@pytest.mark.parametrize(
    ("relevant", "unjudged", "state", "said"),
    [
        (1, 0, "holds", "one is ahead of two by 0.9167 in P@1, and no unjudged document"),
        (
            *(1, 1, "significant, judging unknown"),
            (
                "one leads two by 0.9167 in P@1 on judged documents, significantly (p < 0.0001, "
                "12 topics), but judging could reverse that (−0.0833 to 0.9167): 100% of two's "
                "first documents are unjudged"
            ),
        ),
        (0, 0, "level", "one and two are level in P@1, and no unjudged document counts here."),
    ],
)
def test_one_pair_is_not_counted(relevant: int, unjudged: int, state: str, said: str) -> None:
    """Of two runs the first sentence is the verdict, and names the doubt."""
    topics = [str(t) for t in range(12)]
    lists = {
        "one": {t: ["a", "b"] for t in topics},
        "two": {t: ["x" if unjudged else "b", "b" if unjudged else "c"] for t in topics},
    }
    grades = {t: {"a": relevant, "b": 0, "c": 0} for t in topics} | {"0": {"a": 0, "b": 0, "c": 0}}
    comparisons = compare_evidence(
        align(Judgments.from_dict(grades), Runs.from_rankings(lists)), "P@1"
    )
    assert comparisons.state.tolist() == [state]
    assert comparisons.sentences()[0].startswith(said)


def signed_parts(pair: Comparison) -> dict[str, float]:
    """Return all that changes its sign with the order of the two systems."""
    low, high = pair.interval(0.8)
    return {
        "difference": pair.difference,
        "effect": pair.effect_size,
        "middle of the interval": low + high,
        "middle of the columns' interval": pair.ci_low + pair.ci_high,
        "middle of the range": pair.bound_low + pair.bound_high,
        "wins": pair.wins - pair.losses,
    }


def test_better_first_turns_all_that_has_a_sign(found: Comparisons) -> None:
    """The better system is a; signs and ends are turned, and what has no sign stays."""
    turned_round = 0
    for pair in found:
        turned = pair.better_first()
        assert turned.difference >= 0
        sign = 1 if turned is pair else -1
        turned_round += turned is not pair
        for name, value in signed_parts(pair).items():
            np.testing.assert_allclose(signed_parts(turned)[name], sign * value, err_msg=name)
        ends = [pair.interval(0.8), (pair.bound_low, pair.bound_high)]
        for (low, high), (new_low, new_high) in zip(
            ends, [turned.interval(0.8), (turned.bound_low, turned.bound_high)], strict=True
        ):
            expected = (low, high) if sign > 0 else (0 - high, 0 - low)
            np.testing.assert_equal((new_low, new_high), expected)
        other = {"a certain": "b certain", "a never behind": "b never behind"}
        other |= {b: a for a, b in other.items()}
        expected = pair.verdict if sign > 0 else other.get(pair.verdict, pair.verdict)
        assert turned.verdict == expected
        same = ("pvalue", "p_adjusted", "p_low", "p_high", "n", "ties", "state", "draws")
        for name in (*same, "drawn_significant", "drawn_same_order", "null", "reason"):
            np.testing.assert_equal(getattr(turned, name), getattr(pair, name))
    assert turned_round


@over("test", TESTS)
@over("sided", ["two-sided", "greater", "less"])
def test_a_turned_pair_is_the_other_pair(test: str, sided: str) -> None:
    """Turning a−b gives what b−a says: alternative, interval of the test, sentences."""
    opposite = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    options = {"test": test, "resamples": 199, "rng": 2}
    one = compare_pair(table(), "c", "f", alternative=sided, **options)  # type: ignore[arg-type]
    other = compare_pair(
        table(),
        "f",
        "c",
        alternative=opposite[sided],
        **options,  # type: ignore[arg-type]
    )
    assert one.difference < 0
    turned = one.better_first()
    assert (turned.a, turned.b) == (other.a, other.b)
    assert turned.alternative == other.alternative
    assert turned.pvalue == pytest.approx(other.pvalue, rel=1e-12)
    assert turned.interval(method="t") == pytest.approx(other.interval(method="t"))
    # A bootstrap's order statistics differ by one from end to end.
    assert turned.interval() == pytest.approx(other.interval(), abs=0.02)
    assert turned.resampled == pytest.approx(other.resampled)


def test_provenance_has_every_option_that_changes_a_number() -> None:
    """Test, correction, level, draws, prior and seed are kept; a seed only where one was used."""
    plain = dict(compare_scores(table()).provenance.options)
    assert plain == {
        "test": "t",
        "alternative": "two-sided",
        "correction": "holm",
        "alpha": 0.05,
    }
    drawn = dict(compare_evidence(EVIDENCE, "P@5", draws=3, rng=7).provenance.options)
    assert (drawn["draws"], drawn["prior"], drawn["seed"]) == (3, "model", 7)
    random = compare_scores(table(), test="randomization", resamples=50, baseline="a", rng=9)
    kept = dict(random.provenance.options)
    assert (kept["resamples"], kept["seed"], kept["baseline"]) == (50, 9, "a")
    assert random[0].provenance is random.provenance


def test_one_seed_is_the_default() -> None:
    """Without a seed the numbers are those of seed 1."""
    options = {"test": "bootstrap", "resamples": 50}
    first = compare_scores(table(), **options)  # type: ignore[arg-type]
    second = compare_scores(table(), rng=1, **options)  # type: ignore[arg-type]
    np.testing.assert_array_equal(first.pvalue, second.pvalue)
    unseeded = compare_evidence(EVIDENCE, "P@5", draws=3)
    two = compare_evidence(EVIDENCE, "P@5", draws=3, rng=1)
    np.testing.assert_array_equal(unseeded.drawn.pvalue, two.drawn.pvalue)


def test_a_level_is_a_share() -> None:
    """A wrong significance level is refused wherever it is given."""
    comparisons = compare_scores(table())
    for ask in (
        lambda: comparisons.significant(5),
        lambda: compare_scores(table(), alpha=0),
        lambda: compare_pair(table(), "a", "c", alpha=1),
    ):
        with pytest.raises(OptionError, match="alpha: a significance level is between 0 and 1"):
            ask()
    with pytest.raises(OptionError, match="level: a confidence level is between 0 and 1"):
        comparisons.interval(95)


@pytest.fixture
def rising() -> ScoreTable:
    """Return six systems whose means rise with their number."""
    values = np.random.default_rng(2).normal(0, 0.1, (6, 20)) + np.arange(6)[:, None] / 5
    return ScoreTable.from_matrix(
        values, systems="abcdef", topics=[str(t) for t in range(20)], measure="AP"
    )


def test_the_best_systems_pairs_come_first(rising: ScoreTable) -> None:
    """Three rows are the three pairs of the three best, the way round that the columns have."""
    comparisons = compare_scores(rising)
    (shown,) = comparisons.tables(most=3)
    assert [row[:2] for row in shown.rows] == [("e", "f"), ("d", "f"), ("d", "e")]
    columns = comparisons.columns()
    by_pair = dict(
        zip(zip(columns["a"], columns["b"], strict=True), columns["difference"], strict=True)
    )
    assert [row[2] for row in shown.rows] == [by_pair[row[:2]] for row in shown.rows]


def test_what_is_not_shown_is_counted(rising: ScoreTable) -> None:
    """The notes say how many pairs there are, unless all are shown."""
    comparisons = compare_scores(rising)
    said = "pairs are shown, those of the best systems"
    assert f"3 of 15 {said}" in comparisons.tables(most=3)[0].notes[0]
    assert not any(said in note for note in comparisons.tables(most=15)[0].notes)


def test_with_a_baseline_the_others_come_by_rank(rising: ScoreTable) -> None:
    """Every other system is a row, the best first."""
    comparisons = compare_scores(rising, baseline="c")
    others = [comparisons[i].a for i in comparisons.leading(5)]
    assert sorted(others) == ["a", "b", "d", "e", "f"]
    assert others.index("f") < others.index("d") < others.index("a")


def test_columns_without_anything_known_are_left_out(rising: ScoreTable) -> None:
    """Scores alone have no columns about judgments but the state."""
    titles = [column.title for column in compare_scores(rising).tables()[0].columns]
    assert "state" in titles
    assert "range if judged" not in titles
    assert "a ahead in draws" not in titles


def test_a_small_p_value_is_not_printed_as_0(rising: ScoreTable) -> None:
    """A p value below the last digit says so."""
    (shown,) = compare_scores(rising).tables(most=15)
    p = [column.title for column in shown.columns].index("p")
    assert "<0.0001" in {row[p] for row in shown.rows}
    assert "0.0000" not in {row[p] for row in shown.rows}


def test_a_tier_ends_where_the_test_separates() -> None:
    """Tiers follow the means, and each begins with a run separated from the first before it."""
    scores = [[0.9] * 9 + [0.8], [0.5] * 9 + [0.45], [0.89] * 9 + [0.82], [0.51] * 9 + [0.4]]
    table = ScoreTable.from_matrix(scores, systems="abcd", topics="0123456789", measure="AP")
    assert tiers(table, compare_scores(table)).tolist() == [1, 2, 1, 2]


def test_systems_that_do_not_differ_share_a_tier() -> None:
    """Without any significant difference there is one tier."""
    table = ScoreTable.from_matrix(
        [[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]], systems="abc", topics="12", measure="AP"
    )
    assert tiers(table, compare_scores(table)).tolist() == [1, 1, 1]


def test_a_headline_says_the_states_of_significant_pairs_before_those_of_the_others() -> None:
    """Two runs that agree and one that is far off: two pairs that hold, and one that does not."""
    judged = {str(t): {"a": 1, "b": 0} for t in range(12)}
    good = {topic: {"a": 2.0, "b": 1.0 + 2 * (topic == "0")} for topic in judged}
    bad = {topic: {"b": 1.0} for topic in judged}
    comparisons = compare(judged, {"x": good, "y": good, "z": bad}, "P@1")["P@1"]
    said = comparisons.headline()
    assert "2 of 3 pairs are significantly different at 0.05: 2 hold" in said
    assert said.index("2 hold") < said.index("Of the others, 1 ")
