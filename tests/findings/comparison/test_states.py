"""The state of a pair: one of eleven, the first that fits, in one sentence, worst news first."""

import numpy as np
import pytest
from tests.each import over

import poolwise as pw
from poolwise.findings.comparison._differences import VERDICTS
from poolwise.findings.comparison._states import (
    NEWS,
    STARRED,
    STATES,
    SUPPORT,
    PairFacts,
    Plausibility,
    StateFacts,
    counts_in_words,
    sentence_of,
    states_of,
)

NAN = float("nan")


def draws(
    ahead: float = NAN, behind: float = NAN, significant: float = NAN, *, calibrated: bool = True
) -> Plausibility:
    """Return what draws say of one pair."""
    shares = (np.array([share]) for share in (ahead, behind, significant))
    return Plausibility(*shares, np.array([calibrated]), draws=200)


def state(
    verdict: str,
    difference: float,
    *,
    rests: bool = False,
    significant: bool = True,
    stays: bool = False,
    p_range: bool = True,
    drawn: Plausibility | None = None,
) -> str:
    """Return the state of one pair."""
    flags = (np.array([flag]) for flag in (rests, significant, stays, p_range))
    facts = StateFacts(
        np.array([verdict]), np.array([difference]), *flags, drawn or Plausibility.none(1)
    )
    (name,) = states_of(facts).tolist()
    return str(name)


def test_every_state_is_reached_as_the_methods_say() -> None:
    """Each row of the table of METHODS, section 17, once."""
    assert state("a certain", 0.1, rests=True, stays=True) == "rests on missing topics"
    assert state("a certain", NAN) == "undefined now"
    assert state("a certain", 0.1, stays=True) == "holds"
    assert state("a certain", 0.1) == "order certain, significance open"
    assert state("open", 0.1, drawn=draws(1, 0, 0.95)) == "very likely holds"
    assert state("open", 0.1, drawn=draws(0, 0.95, 0)) == "probably the other way round"
    assert state("b never behind", 0, significant=False) == "level"
    assert state("open", 0.1, drawn=draws(0.6, 0.4, 0.5)) == "doubtful"
    assert state("open", 0.1) == "significant, judging unknown"
    assert state("a certain", 0.1, significant=False) == "too few topics"
    assert state("open", 0.1, significant=False) == "open"


@pytest.mark.parametrize("turned", [False, True])
def test_the_side_of_a_state_is_that_of_the_run_ahead(*, turned: bool) -> None:
    """Whichever of the two is named first, draws for the run ahead support it."""
    sign, pair = (-1, (0.0, 1.0)) if turned else (1, (1.0, 0.0))
    for drawn, expected in ((pair, "very likely holds"), (pair[::-1], "probably the other way")):
        support = 1.0 if expected == "very likely holds" else 0.0
        name = state("open", sign * 0.1, drawn=draws(*drawn, support))
        assert name.startswith(expected)


def test_uncalibrated_draws_decide_nothing() -> None:
    """Draws that all speak for the other run are told; without calibration the state stays."""
    for significant in (True, False):
        silent = state("open", 0.1, significant=significant)
        drawn = draws(0, 1, 0, calibrated=False)
        assert state("open", 0.1, significant=significant, drawn=drawn) == silent


def test_draws_decide_of_level_runs_and_of_too_few_topics() -> None:
    """Level runs may be the other way round; an order that 95% keep needs topics alone."""
    assert state("open", 0, drawn=draws(0.96, 0.0, 0)) == "probably the other way round"
    assert state("open", 0.1, significant=False, drawn=draws(0.95, 0.05, 0)) == "too few topics"
    assert state("open", 0.1, significant=False, drawn=draws(0.94, 0.06, 0)) == "open"
    never = state("a never behind", 0.1, significant=False)
    assert never == "too few topics"


def test_without_a_range_of_p_a_certain_order_needs_draws_to_hold() -> None:
    """Another test than t, or a topic that may enter: significance in 95% of calibrated draws."""
    without = {"stays": True, "p_range": False}
    assert state("a certain", 0.1, **without) == "order certain, significance open"
    assert state("a certain", 0.1, **without, drawn=draws(1, 0, 0.97)) == "holds"
    drawn = draws(1, 0, 1, calibrated=False)
    assert state("a certain", 0.1, **without, drawn=drawn) == "order certain, significance open"


def test_an_interval_over_samples_takes_the_place_of_draws() -> None:
    """Off 0 on the side of the run ahead it supports the order; over 0 it makes it doubtful."""
    for ends, expected in (
        ((0.01, 0.2), "very likely holds"),
        ((-0.01, 0.2), "doubtful"),
        ((NAN, NAN), "significant, judging unknown"),
    ):
        low, high = (np.array([end]) for end in ends)
        interval = Plausibility.of_interval(low, high, 1e-12, over="samples")
        assert state("unknown", 0.1, drawn=interval) == expected


def test_the_correction_of_upper_ends_counts_every_pair() -> None:
    """A pair whose p value may be anything counts with 1, so that no family is too small."""
    from poolwise.findings.comparison._over_judgments import PairBounds
    from poolwise.scores._uncertainty import Uncertainty

    p_high = np.array([0.01, 0.02, NAN, NAN])
    verdict = np.array(["a certain", "a certain", "open", "equal"])
    ends = Uncertainty("judgments", np.zeros(4), np.ones(4))
    bounds = PairBounds(ends, verdict, np.zeros(4), p_high)
    pvalue = np.array([0.001, 0.001, 0.2, NAN])
    # Three p values there can be: 0.01, 0.02 and 1. The last pair never has one.
    corrected = bounds.with_correction(pvalue, "holm").p_high_adjusted
    np.testing.assert_allclose(corrected, [0.03, 0.04, NAN, NAN])
    assert bounds.with_correction(pvalue, "tukey").p_high_adjusted is None


@over("name", STATES)
@over("verdict", VERDICTS)
@over("difference", [0.0, 0.25, NAN])
def test_every_state_has_a_sentence(name: str, verdict: str, difference: float) -> None:
    """One sentence, ended once, that names both runs; nothing undefined is printed."""
    pair = PairFacts(
        pw.P @ 5,
        "A",
        "B",
        difference,
        verdict,
        low=-0.1,
        high=0.3,
        p=0.03,
        topics=50,
        rests_on="B lacks 20 of 50 topics",
    )
    said = sentence_of(name, pair)
    assert said.endswith(".")
    assert not said.endswith("..")
    assert "A" in said
    assert "B" in said
    if not np.isnan(difference) or name == "undefined now":
        assert "nan" not in said


def test_the_worst_news_stands_first() -> None:
    """What speaks against an order is said before its numbers, or in the same breath."""
    pair = PairFacts(
        pw.P @ 10,
        "prf",
        "maverick",
        0.128,
        "open",
        low=-0.4,
        high=0.14,
        p=1e-5,
        topics=50,
        behind=200,
        draws=200,
        unjudged_a=0.1,
        unjudged_b=0.55,
    )
    said = sentence_of("significant, judging unknown", pair)
    assert said == (
        "prf leads maverick by 0.1280 in P@10 on judged documents, significantly (p < 0.0001, 50 "
        "topics), but judging could reverse that (−0.4000 to 0.1400): 55% of maverick's first ten "
        "are unjudged; draws suggest maverick, 200 of 200, not calibrated."
    )


def test_a_table_marks_what_survives_judging() -> None:
    """A letter without brackets is for what holds, or very likely does."""
    assert STARRED == ("holds", "very likely holds")


def test_the_verdict_on_a_pair_has_state_sentence_and_claims() -> None:
    """What every view says of a pair comes from one value."""
    topics = [str(t) for t in range(8)]
    runs = pw.Runs.from_rankings(
        {
            "new": {t: ["x", "y"] if t > "1" else ["x", "n"] for t in topics},
            "old": {t: ["n", "m"] for t in topics},
        }
    )
    grades = {"x": 1.0, "y": 1.0, "n": 0.0, "m": 0.0}
    evidence = pw.align(pw.Judgments.from_dict(dict.fromkeys(topics, grades)), runs)
    pair = pw.compare_evidence(evidence, "P@2", draws=20)[0]
    verdict = pair.pair_verdict
    assert (verdict.state, verdict.over_judgments, verdict.starred) == ("holds", "a certain", True)
    assert [str(claim) for claim in verdict.claims] == ["new is ahead of old in P@2"]
    assert verdict.sentence.startswith("new is ahead of old by 0.8750 in P@2, and no unjudged")
    assert verdict.to_dict()["claims"][0]["relation"] == "ahead"


UNSCORED = ({"1": {"d2": 0}}, {"r2": {"1": ["d2"]}, "r1": {"1": ["d1", "d2", "d0"]}})
"""No document is known to be relevant, and only r1 can have one."""


def test_a_pair_without_a_score_has_its_state_in_every_view() -> None:
    """Before the first score, compare, table, page and next say who can never be behind."""
    judgments, runs = pw.Judgments.from_dict(UNSCORED[0]), pw.Runs.from_rankings(UNSCORED[1])
    said = (
        "Neither r2 nor r1 has a score in AP@3 yet; r1 is never behind r2, and ahead as soon as a "
        "relevant document is found."
    )
    compared = pw.compare(judgments, runs, ["AP@3"])["AP@3"]
    assert compared.state.tolist() == ["undefined now"]
    assert (compared[0].bound_low, compared[0].bound_high) == pytest.approx((-1, -1 / 3))
    views = (
        compared,
        pw.table(judgments, runs, ["AP@3"]),
        pw.report(judgments, runs, ["AP@3"]),
        pw.next(judgments, runs, "pair:r2,r1", measure="AP@3"),
    )
    for view in views:
        assert said in view.sentences(), view
        (claim,) = next(sentence for sentence in view.sentences() if sentence == said).claims
        assert (claim.relation, claim.subject, claim.object) == ("not behind", "r1", "r2")
    assert said in pw.html_page(pw.report(judgments, runs, ["AP@3"]))


def test_of_several_runs_without_a_score_the_pairs_are_counted() -> None:
    """Nobody leads, nothing is significant, and no mean is called the highest."""
    judgments = pw.Judgments.from_dict(UNSCORED[0])
    runs = pw.Runs.from_rankings(UNSCORED[1] | {"r3": {"1": ["d5"]}})
    compared = pw.compare(judgments, runs, ["AP@3"], correction="tukey")["AP@3"]
    assert compared.state_counts()["undefined now"] == 3
    assert compared.sentences()[0].endswith("3 have no score yet.")
    table = pw.table(judgments, runs, ["AP@3"])
    assert table.sentences()[0] == "No topic has a score by AP@3 for every run."
    listed = pw.next(judgments, runs, "leaders", measure="AP@3")
    assert "No run has a score in AP@3 yet; the order of 2 pairs of runs is open." in (
        listed.sentences()
    )


def test_what_rests_on_missing_topics_before_the_first_score_says_so() -> None:
    """A run that lacks a topic has no side there, whatever the other one can get."""
    judgments = pw.Judgments.from_dict({"1": {"d2": 0}, "2": {"x": 0}})
    runs = pw.Runs.from_rankings({"r2": {"1": ["d2"]}, "r1": {"1": ["d1"], "2": ["u"]}})
    pair = pw.compare(judgments, runs, ["AP@3"])["AP@3"][0]
    assert pair.state == "rests on missing topics"
    assert "neither r2 nor r1 has a score in AP@3 yet" in pair.pair_verdict.sentence
    assert "nan" not in " ".join(pair.sentences())


def test_scores_that_are_nowhere_defined_are_refused() -> None:
    """Of scores alone, without judgments, nothing can be said before there is one."""
    table = pw.ScoreTable.from_matrix([[NAN], [NAN]], systems="ab", topics="1", measure="AP")
    with pytest.raises(pw.PoolwiseError, match="a comparison needs a topic on which AP is defined"):
        pw.compare_scores(table)


def two_runs(**means: tuple[float, float]) -> pw.studies.ByMeasure[pw.Comparisons]:
    """Compare two runs by made-up scores of several measures, the same on every topic but two."""
    topics = [str(t) for t in range(8)]
    wobble = [0.0, 0.01] * 4
    return pw.workflows.compare_tables(
        pw.ScoreTable.from_matrix(
            [[mean + w for w in wobble], [other] * 8],
            systems="ab",
            topics=topics,
            measure=measure,
        )
        for measure, (mean, other) in means.items()
    )


def test_of_several_measures_the_headline_takes_the_worst() -> None:
    """Significant by one measure and level by another, two runs are level in the headline."""
    comparisons = two_runs(AP=(0.9, 0.1), RR=(0.5, 0.505))
    states = [part.state[0] for part in comparisons]
    assert states == ["significant, judging unknown", "level"]
    assert comparisons.headline() == (
        "The worst verdict of 2 measures, by RR: the means are level.",
    )
    assert comparisons.sentences()[0] == comparisons.headline()[0]


def test_one_that_all_measures_have_ahead_is_named_with_the_worst_verdict() -> None:
    """Where all measures put the same run ahead, the headline names it, whichever comes first."""
    said = (
        "; the worst verdict is that by AP: significant on judged documents; how likely judging "
        "would reverse it is not known."
    )
    assert two_runs(AP=(0.9, 0.1), RR=(0.9, 0.1)).headline() == (
        f"a is ahead of b by 2 measures{said}",
    )
    assert two_runs(AP=(0.1, 0.9), RR=(0.1, 0.9)).headline() == (
        f"b is ahead of a by 2 measures{said}",
    )


def test_a_pair_by_several_measures_is_one_table() -> None:
    """Each measure has a row with the numbers of its comparison; no sentence comes twice."""
    comparisons = two_runs(AP=(0.9, 0.1), RR=(0.1, 0.9), Rprec=(0.5, 0.4))
    assert comparisons.is_matrix
    (table,) = comparisons.tables()
    titles = [column.title for column in table.columns]
    assert titles[:2] == ["measure", "difference"]
    assert not {"a", "b"} & set(titles)
    rows = [dict(zip(titles, row, strict=True)) for row in table.rows]
    assert [row["measure"] for row in rows] == ["AP", "RR", "Rprec"]
    for row, part in zip(rows, comparisons, strict=True):
        assert row["difference"] == part.difference[0]
        assert row["state"] == part.state[0]
        assert row["wins/ties/losses"] == f"{part.wins[0]}/{part.ties[0]}/{part.losses[0]}"
    assert table.title.startswith("a − b on 8 topics: paired t test; ")
    sentences = comparisons.sentences()
    assert sentences[0] == comparisons.headline()[0]
    assert len(set(sentences)) == len(sentences)
    assert set(sentences[1:]) == {said for part in comparisons for said in part.reasons()}


def test_several_pairs_by_several_measures_keep_their_tables() -> None:
    """One row per measure is for one pair alone: three runs have a table for each measure."""
    made = pw.simulate(systems=3, topics=10, depth=20, rng=3)
    comparisons = pw.compare(made.judgments, made.runs, ["nDCG@10", "P@5"], draws=0)
    assert not comparisons.is_matrix
    assert [table.title.partition(":")[0] for table in comparisons.tables()] == ["nDCG@10", "P@5"]


def test_measures_that_disagree_are_said_to() -> None:
    """What is ahead by one measure and behind by another has no verdict in the headline."""
    comparisons = two_runs(AP=(0.9, 0.1), RR=(0.1, 0.9))
    assert comparisons.headline() == ("The measures disagree: a is ahead by AP, b by RR.",)
    assert two_runs(AP=(0.9, 0.1)).headline() == ()


def test_pairs_are_counted_by_their_worst_state() -> None:
    """The counts of the headline are those of the worst state of each pair."""
    made = pw.simulate(systems=6, topics=20, depth=20, rng=3)
    comparisons = pw.compare(made.judgments, made.runs, ["nDCG@10", "P@5"])
    worst = [
        max((SUPPORT.index(state) for state in states), default=0)
        for states in zip(*(part.state.tolist() for part in comparisons), strict=True)
    ]
    signs = np.array([np.sign(part.difference) for part in comparisons])
    apart = (signs.max(axis=0) > 0) & (signs.min(axis=0) < 0)
    (said,) = comparisons.headline()
    kept = [SUPPORT[place] for place, opposed in zip(worst, apart, strict=True) if not opposed]
    assert said.startswith("By 2 measures together, each of 15 pairs by its worst verdict: ")
    assert said.endswith(f"{counts_in_words({s: kept.count(s) for s in set(kept)})}.")
    assert (f"{apart.sum()} ha" in said) == bool(apart.any())
    overview = pw.report(made.judgments, made.runs, ["nDCG@10", "P@5"])
    assert said in overview.sentences()
    assert said in pw.html_page(overview)


def test_every_state_has_its_place_among_the_others() -> None:
    """Both orders of states, by news and by what is left of an order, name each of them once."""
    assert sorted(SUPPORT) == sorted(STATES) == sorted(NEWS)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization"])
def test_where_everything_is_judged_significance_holds_by_any_test(test: str) -> None:
    """No unjudged document counts, so that none can take a significance away."""
    made = pw.simulate(systems=5, topics=30, depth=20, rng=4)
    evidence = pw.align(made.truth, made.runs)
    comparisons = pw.compare_evidence(evidence, "P@5", test=test, draws=0, resamples=2000)
    assert comparisons.significant().any()
    assert set(comparisons.state[comparisons.significant()].tolist()) == {"holds"}
    assert "not known" not in " ".join(comparisons.sentences())
