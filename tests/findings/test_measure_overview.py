"""What a report says by one measure, against every assignment of grades."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings._measure_overview import MeasureOverview

GRADES: dict[str, dict[str, float]] = {
    "1": {"a": 1, "b": 0, "c": 1},
    "2": {"d": 1, "e": 0, "f": 0},
}
RANKINGS = {
    "sure": {"1": ["a", "c", "b"], "2": ["d", "e", "f"]},
    "open": {"1": ["u", "v", "a"], "2": ["w", "d", "e"]},
    "low": {"1": ["b", "c", "x"], "2": ["f", "e", "y"]},
    "none": {"1": ["b"], "2": ["e", "f"]},
}
RUNS = pw.Runs.from_rankings(RANKINGS)
FOUND = pw.report(pw.Judgments.from_dict(GRADES), RUNS, ["P@3"], baseline="low")["P@3"]
UNJUDGED = sorted(
    {
        (t, d)
        for lists in RANKINGS.values()
        for t, ds in lists.items()
        for d in ds
        if d not in GRADES[t]
    }
)


def every_mean() -> Iterator[dict[str, float]]:
    """Yield the means of the runs under every assignment of grades."""
    for grades in product((0, 1), repeat=len(UNJUDGED)):
        complete = {t: dict(judged) for t, judged in GRADES.items()}
        for (topic, document), grade in zip(UNJUDGED, grades, strict=True):
            complete[topic][document] = grade
        table = pw.evaluate(pw.Judgments.from_dict(complete), RUNS, ["P@3"])["P@3"]
        yield dict(zip(table.systems, table.means().tolist(), strict=True))


MEANS = list(every_mean())


def test_no_assignment_of_grades_leaves_the_possible_places() -> None:
    """Under every one, each run is between its best and its worst place."""
    for s, run in enumerate(FOUND.systems):
        for means in MEANS:
            above = sum(mean > means[run] for mean in means.values())
            below = sum(mean < means[run] for mean in means.values())
            assert FOUND.best_place[s] <= len(means) - below
            assert 1 + above <= FOUND.worst_place[s]
    assert FOUND.best_place.tolist() == [1, 1, 2, 4]
    assert FOUND.worst_place.tolist() == [2, 3, 3, 4]


def test_the_runs_that_could_lead_are_those_that_some_grades_put_above() -> None:
    """A run could lead if, and only if, some assignment of grades puts it above the first."""
    leader = FOUND.systems[FOUND.leader]
    assert leader == "sure"
    above = [any(means[run] > means[leader] + 1e-9 for means in MEANS) for run in FOUND.systems]
    assert FOUND.could_lead.tolist() == above
    (said,) = FOUND.standings[0].what_judging_does()
    assert "judging could put 1 other run above sure: open" in said


def test_reversible_pairs_are_those_that_some_grades_reverse() -> None:
    """Since ranges of P@3 are exact, a pair is reversible just where some grades reverse it."""
    verdicts = FOUND.verdicts
    assert verdicts is not None
    now = dict(zip(FOUND.systems, FOUND.table.means().tolist(), strict=True))
    for pair, reversible in zip(verdicts.comparisons, verdicts.reversible.tolist(), strict=True):
        sign = np.sign(now[pair.a] - now[pair.b])
        turned = {np.sign(round(means[pair.a] - means[pair.b], 9)) for means in MEANS}
        assert reversible == ({-1, 1} <= turned), (pair.a, pair.b, sign)
    count = int(verdicts.reversible.sum())
    said = f"judging the unjudged documents could reverse {count} of 6 comparisons"
    assert said in FOUND.what_could_turn()[0]


def test_the_residual_is_the_width_of_all_means() -> None:
    """The coverage table has the distance of the lowest and highest mean that judging leaves."""
    columns = FOUND.run_coverage()
    for run, residual in zip(columns["run"], columns["residual"], strict=True):
        means = [means[run] for means in MEANS]
        assert residual == pytest.approx(max(means) - min(means))
    assert columns["run"] == ["open", "low", "sure", "none"]
    assert columns["judged_at_10"] == pytest.approx([0.5, 2 / 3, 1, 1])
    assert columns["first_unjudged_min"] == [1, 3, 4, 2]


def test_cautions_name_the_thinly_judged_runs() -> None:
    """Those below nine tenths whose place is open, the least judged first."""
    assert FOUND.cautions() == (
        (
            "The judgments do not settle where open stands: 50% of its first 10 documents are "
            "judged, and depending on the others its place is anything from 1 to 3 of 4."
        ),
        (
            "The judgments do not settle where low stands: 67% of its first 10 documents are "
            "judged, and depending on the others its place is anything from 2 to 3 of 4."
        ),
    )


def test_a_thinly_judged_run_whose_place_is_settled_needs_no_caution() -> None:
    """What is unjudged below the ranks that the measure looks at leaves no place open."""
    deep = {t: [*documents, *"ghijklm"] for t, documents in RANKINGS["sure"].items()}
    judged = {"sure": RANKINGS["sure"], "none": RANKINGS["none"]}
    runs = pw.Runs.from_rankings(judged | {"deep": {**deep, "1": ["b", *deep["1"][:1], *"ghij"]}})
    overview = pw.report(pw.Judgments.from_dict(GRADES), runs, ["P@2"])["P@2"]
    at = overview.systems.index("deep")
    assert overview.coverage.judged_at_10[at] < 0.5
    assert overview.best_place[at] == overview.worst_place[at] == 2
    assert overview.cautions() == ()


def test_more_cautions_than_are_named_are_counted() -> None:
    """Five are named, and the others are counted."""
    lists = {f"r{i}": {"1": [f"u{i}", "a"], "2": ["d", f"v{i}"]} for i in range(7)}
    more = RANKINGS | lists
    overview = pw.report(pw.Judgments.from_dict(GRADES), pw.Runs.from_rankings(more), ["P@3"])[
        "P@3"
    ]
    assert len(overview.cautions()) == 6
    assert overview.cautions()[-1] == "The same is true of 4 more runs."


def test_the_worst_case_is_not_the_verdict() -> None:
    """Two runs that are nearly judged have no share of comparisons, and no caution."""
    documents = [f"d{i}" for i in range(10)]
    lists = {"x": {"1": documents}, "y": {"1": [*documents[1:], "u"]}}
    grades = {"1": {d: i % 2 for i, d in enumerate(documents)}}
    overview = pw.report(grades, pw.Runs.from_rankings(lists), ["P@10"])["P@10"]
    assert overview.coverage.judged_at_10.tolist() == [1.0, 0.9]
    assert overview.cautions() == ()
    assert not any("100%" in said for said in overview.sentences())


def test_a_measure_without_a_cut_off_is_wide_by_nature() -> None:
    """Of uncut AP the caution says that what is possible says little."""
    made = pw.simulate(systems=4, topics=10, depth=30, rng=1)
    overview = pw.report(made.judgments, made.runs, ["AP", "AP@10"])
    assert "wide by nature" in overview["AP"].cautions()[0]
    assert not any("wide by nature" in said for said in overview["AP@10"].cautions())


def test_the_baseline_sentence_counts_both_sides() -> None:
    """Better and worse runs are those of a test against the baseline."""
    made = pw.simulate(systems=8, topics=30, depth=40, rng=6)
    overview = pw.report(made.judgments, made.runs, ["AP"], baseline="ql-1")["AP"]
    pairs = list(pw.compare_scores(overview.table, baseline="ql-1"))
    better = sum(p.p_adjusted < 0.05 and p.difference > 0 for p in pairs)
    worse = sum(p.p_adjusted < 0.05 and p.difference < 0 for p in pairs)
    assert better + worse > 0
    said, supported = overview.who_beats_the_baseline()
    assert said.startswith(f"{better} of 7 runs ")
    assert supported.startswith(f"Of these {better + worse}, ")
    assert f" better than ql-1, and {worse} " in said
    columns = overview.against_baseline()
    assert columns["a"] == [p.a for p in sorted(pairs, key=lambda p: -p.difference)]


def test_topics_are_described_by_judgments_and_scores() -> None:
    """Counts are those of the judgments, the best run has the highest score."""
    columns = FOUND.topic_scores()
    assert columns["topic"] == ["1", "2"]
    assert columns["judged"] == [3, 3]
    assert columns["relevant"] == [2, 1]
    assert columns["best_run"] == ["sure", "sure and 1 more"]
    assert columns["highest"] == pytest.approx([2 / 3, 1 / 3])


def test_tiers_and_places_are_in_the_columns() -> None:
    """Programs get the leaderboard with places, tiers, and what judging leaves open."""
    columns = FOUND.columns()
    assert columns["place"] == [1, 2, 3, 4]
    assert columns["run"] == [FOUND.systems[s] for s in FOUND.table.order()]
    assert columns["tier"] == [1, 1, 1, 1]
    assert columns["best_place"] == [1, 1, 2, 4]
    assert columns["worst_place"] == [2, 3, 3, 4]


def test_the_runs_of_the_first_tier_are_named() -> None:
    """Those that no test tells from the leader, the best first."""
    made = pw.simulate(systems=4, topics=20, depth=30, rng=1)
    overview = pw.report(made.judgments, made.runs, ["P@5"])["P@5"]
    beside = [
        r for s, r in enumerate(overview.systems) if overview.tier[s] == 1 and s != overview.leader
    ]
    assert len(beside) == 2
    assert overview.who_leads()[1] == (
        f"2 more runs are in its tier, not significantly different from it: {', '.join(beside)}."
    )


def test_on_too_few_topics_there_is_no_test() -> None:
    """On two topics nothing is said of tiers, of significance or of p values, and why is said."""
    assert not FOUND.tested
    assert FOUND.who_leads()[1].startswith("No test: 2 topics are too few for any difference")
    assert FOUND.what_tiers_are() == FOUND.who_beats_the_baseline() == ()
    assert FOUND.verdicts is not None
    assert FOUND.verdicts.method()[0] == FOUND.who_leads()[1]


def test_runs_that_share_the_highest_mean_are_all_named() -> None:
    """The headline does not call one of several level runs the best."""
    lists = {name: {"1": ["a", "c"]} for name in ("one", "two", "three")} | {"z": {"1": ["b"]}}
    overview = pw.report({"1": GRADES["1"]}, pw.Runs.from_rankings(lists), ["P@2"])["P@2"]
    assert overview.who_leads()[0] == (
        "one, two and three share the highest mean P@2, 1.0000, over 1 topic."
    )
    assert overview.level_with_leader() == ["two", "three"]


def test_with_a_baseline_the_headline_is_about_the_baseline() -> None:
    """Its mean and place come first, then who is better, then who leads."""
    made = pw.simulate(systems=8, topics=30, depth=40, rng=6)
    overview = pw.report(made.judgments, made.runs, ["P@10"], baseline="bm25-1")["P@10"]
    mean = overview.table.means()[overview.systems.index("bm25-1")]
    place = overview.leaderboard()["run"].index("bm25-1") + 1
    assert overview.headline() == (
        f"bm25-1, the baseline, has a mean P@10 of {mean:.4f} over 30 topics: place {place} of 8.",
        *overview.who_beats_the_baseline(),
        *overview.who_leads(),
    )
    assert [standing.run for standing in overview.standings] == [
        overview.systems[overview.leader],
        "bm25-1",
    ]
    assert overview.outlook() == overview.standings[-1].sentences()


def test_of_two_runs_the_other_is_named() -> None:
    """The headline says whether it is significantly different, and that it cannot catch up."""
    topics = [str(t) for t in range(8)]
    grades = {t: {"a": 1, "b": 0} for t in topics}
    rankings = {"best": {t: ["a"] for t in topics}, "next": {t: ["b"] for t in topics[:7]}}
    rankings["next"][topics[7]] = ["a"]
    overview = pw.report(pw.Judgments.from_dict(grades), pw.Runs.from_rankings(rankings), ["P@1"])
    said = overview["P@1"].who_leads()
    assert said[1] == "next, the other run, is significantly different from it."
    assert overview["P@1"].outlook() == (
        "No judging of the unjudged documents could put next above best.",
    )
    (verdict,) = overview["P@1"].what_could_turn()
    assert verdict == overview["P@1"].comparisons[0].pair_verdict.sentence
    assert verdict.startswith("best is ahead of next by 0.8750 in P@1, and no unjudged document")


def test_a_run_in_a_tier_of_its_own_names_the_next() -> None:
    """Where the second of three runs is significantly different, it is named."""
    topics = [str(t) for t in range(8)]
    lists = {name: {t: [d] for t in topics} for name, d in {"best": "a", "next": "b"}.items()}
    lists["last"] = {t: ["c"] for t in topics}
    lists["next"]["7"] = lists["last"]["6"] = ["a"]
    grades = {t: {"a": 1, "b": 0, "c": 0} for t in topics}
    overview = pw.report(grades, pw.Runs.from_rankings(lists), ["P@1"])["P@1"]
    assert overview.who_leads()[1] == (
        "No other run is in its tier: the next, next, is significantly different."
    )
    assert overview.outlook() == (
        "No judging of the unjudged documents could put another run above best.",
    )


def of_lists(**heads: str) -> MeasureOverview:
    """Report on runs that rank these documents first, one letter for each topic; a is relevant."""
    topics = [str(t) for t in range(8)]
    lists = {name: dict(zip(topics, map(list, of), strict=True)) for name, of in heads.items()}
    grades = {t: {"a": 1, "b": 0, "c": 0} for t in topics}
    return pw.report(grades, pw.Runs.from_rankings(lists), ["P@1"])["P@1"]


def test_runs_that_share_the_lead_are_not_named_again_in_their_tier() -> None:
    """The sentence on the tier is about the others, and is left out where there are none."""
    overview = of_lists(one="aaaaaaab", two="baaaaaaa", three="bbaaaaaa", four="bbbbbbbb")
    assert overview.who_leads() == (
        "one and two share the highest mean P@1, 0.8750, over 8 topics.",
        "1 more run is in their tier, not significantly different from them: three.",
    )
    level = of_lists(one="aaaaaaab", two="baaaaaaa")
    assert level.who_leads() == ("one and two share the highest mean P@1, 0.8750, over 8 topics.",)


def test_where_no_order_is_open_there_is_nothing_to_judge() -> None:
    """It is said by the measure, and of whom."""
    overview = of_lists(one="aaaaaaab", two="bbbaaaaa")
    assert overview.nothing_to_judge() == ("By P@1, no order of the first run is open to judging.",)


def test_of_a_lone_run_nothing_is_said_of_orders() -> None:
    """Where there is no other run, there is no order that judging could leave open."""
    overview = of_lists(one="aaaaaaab")
    assert overview.comparisons is None
    assert overview.nothing_to_judge() == ()


def test_without_scores_there_is_one_sentence() -> None:
    """Where no topic has a score for every run, nobody leads, and judging decides."""
    runs = pw.Runs.from_rankings({"x": {"1": ["a"]}, "y": {"1": ["b"]}})
    overview = pw.report(pw.Judgments.from_dict({"1": {"a": 0}}), runs, ["nDCG@10"])["nDCG@10"]
    assert overview.who_leads() == ("No topic has a score by nDCG@10 for every run.",)
    assert overview.what_could_turn() == ()
    assert overview.standings == ()
    assert overview.verdicts is not None
    (said,) = overview.verdicts.sentences()
    assert said.startswith("Neither x nor y has a score in nDCG@10 yet; y is never behind x, and")
