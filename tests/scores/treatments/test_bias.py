"""Scores adjusted for the bias against unpooled runs."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.each import over

from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._groups import Groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.measures._names import parse_measure
from poolwise.scores.treatments._bias import (
    BiasFromSystems,
    BiasFromTopics,
    adjust_from_systems,
    adjust_from_topics,
)
from poolwise.scores.treatments._estimates import estimate_all

# W10 fig. 6.4: pooled and unpooled scores of three systems on six topics, and the new system's.
POOLED = np.array(
    [
        [0.26, 0.11, 0.08, 0.12, 0.12, 0.15],
        [0.31, 0.25, 0.09, 0.12, 0.35, 0.27],
        [0.25, 0.35, 0.14, 0.48, 0.42, 0.41],
    ]
)
UNPOOLED = np.array(
    [
        [0.23, 0.09, 0.07, 0.08, 0.07, 0.12],
        [0.28, 0.19, 0.08, 0.10, 0.31, 0.24],
        [0.17, 0.22, 0.11, 0.42, 0.38, 0.35],
    ]
)
NEW = np.array([0.28, 0.18, 0.15, 0.21, 0.31, 0.37])


def test_systems_as_in_the_thesis() -> None:
    """W10 fig. 6.4: means .14 .23 .34 and .11 .20 .28; a = .04; .25 becomes .29."""
    adjustment = adjust_from_systems(POOLED, UNPOOLED, NEW)
    assert POOLED.mean(axis=1) == pytest.approx([0.14, 0.23, 0.34], abs=0.0051)
    assert UNPOOLED.mean(axis=1) == pytest.approx([0.11, 0.20, 0.28], abs=0.0051)
    # The figure prints the differences of the rounded means: .03, .03, .06.
    assert adjustment.biases == pytest.approx([0.03, 0.03, 0.06], abs=0.01)
    assert [round(x, 2) for x in (adjustment.factor, adjustment.raw, adjustment.adjusted)] == [
        0.04,
        0.25,
        0.29,
    ]
    assert adjustment.estimates.mean() == pytest.approx(adjustment.adjusted)


def test_topics_as_in_the_thesis() -> None:
    """W10 fig. 6.5: biases .08, .10 on two common topics; a = .09; .25 becomes .34."""
    pooled = np.array([0.36, 0.28, *NEW[2:]])
    adjustment = adjust_from_topics(pooled, NEW, np.arange(6) < 2)
    assert adjustment.biases.round(2).tolist() == [0.08, 0.10]
    assert [round(x, 2) for x in (adjustment.factor, adjustment.raw, adjustment.adjusted)] == [
        0.09,
        0.25,
        0.34,
    ]
    assert adjustment.estimates.mean() == pytest.approx(adjustment.adjusted)
    assert adjustment.sampled == pytest.approx(0.32)


def test_the_standard_error_over_systems_is_that_of_one_more() -> None:
    """The error of the factor is the spread of the biases over the root of their number."""
    adjustment = adjust_from_systems(POOLED, UNPOOLED, NEW)
    assert adjustment.standard_error == pytest.approx(
        adjustment.biases.std(ddof=1) * np.sqrt(1 + 1 / 3)
    )
    assert np.isnan(adjust_from_systems(POOLED[:1], UNPOOLED[:1], NEW).standard_error)


def test_a_unit_counts_once() -> None:
    """Two runs left out together are one observation: the mean of their biases."""
    adjustment = adjust_from_systems(POOLED, UNPOOLED, NEW, units=np.array([4, 9, 9]))
    alone = adjust_from_systems(POOLED, UNPOOLED, NEW).biases
    assert adjustment.biases == pytest.approx([alone[0], (alone[1] + alone[2]) / 2])


def test_adjustment_from_topics_is_unbiased_and_its_error_is_right() -> None:
    """Over random common topics the mean error is near 0, its spread that of W10 eq. 6.5."""
    random = np.random.default_rng(6)
    true = random.beta(2, 3, 60)
    unpooled = true * random.uniform(0.4, 1.0, 60)
    adjusted, variances, sampled = [], [], []
    for _ in range(3000):
        common = np.isin(np.arange(60), random.choice(60, 15, replace=False))
        adjustment = adjust_from_topics(true, unpooled, common)
        adjusted.append(adjustment.adjusted)
        sampled.append(adjustment.sampled)
        variances.append((adjustment.standard_error**2, adjustment.sampled_error**2))
    spread = np.std(adjusted) / np.sqrt(3000)
    assert np.mean(adjusted) == pytest.approx(true.mean(), abs=4 * spread)
    # W10 eq. 6.5 and 6.7, with the variances over all 60 topics.
    expected = [45 / 60 * x.var(ddof=1) / 15 for x in (true - unpooled, true)]
    assert np.mean(variances, axis=0) == pytest.approx(expected, rel=0.03)
    assert [np.var(adjusted), np.var(sampled)] == pytest.approx(expected, rel=0.12)


def test_all_topics_common_leave_nothing_to_estimate() -> None:
    """Where every topic is common the adjusted mean is the known one, without error."""
    adjustment = adjust_from_topics(NEW + 0.1, NEW, np.ones(6, np.bool_))
    assert adjustment.adjusted == pytest.approx((NEW + 0.1).mean())
    assert adjustment.standard_error == 0


def test_known_topics_make_the_error_smaller() -> None:
    """W10 eq. 6.5: with 2 of 6 topics known, 4/6 of the variance of a mean of 2 is left."""
    pooled = np.array([0.36, 0.28, *NEW[2:]])
    adjustment = adjust_from_topics(pooled, NEW, np.arange(6) < 2)
    variance = np.var([0.08, 0.10], ddof=1)
    assert adjustment.standard_error**2 == pytest.approx((6 - 2) / 6 * variance / 2)
    assert adjustment.sampled_error**2 == pytest.approx(
        (6 - 2) / 6 * np.var([0.36, 0.28], ddof=1) / 2
    )
    everything = adjust_from_topics(pooled, NEW, np.ones(6, bool))
    assert everything.standard_error == 0


def test_an_adjustment_says_what_it_did() -> None:
    """The sentence has the mean before and after, the bias, and from how many observations."""
    adjustment = adjust_from_systems(POOLED, UNPOOLED, NEW)
    # Biases .18/6, .19/6 and .40/6 have the mean .77/18, and a standard deviation of .0207.
    assert adjustment.sentences() == (
        "The mean score of 0.2500 is adjusted to 0.2928, by a bias of +0.0428 from 3 observations.",
        "The standard error of the adjusted mean is 0.0239.",
    )
    alone = adjust_from_systems(POOLED[:1], UNPOOLED[:1], NEW)
    assert alone.sentences()[1] == "One observation gives no standard error."
    assert adjustment.columns()["adjusted"] == [adjustment.raw + adjustment.factor]


def collection(*, judge_new_on: tuple[str, ...] = ()) -> tuple[Judgments, Runs]:
    """Four pooled runs and a new one; what only the new one has is judged on some topics."""
    random = np.random.default_rng(7)
    topics = [str(t) for t in range(1, 9)]
    lists: dict[str, dict[str, list[str]]] = {}
    for s in range(4):
        lists[f"s{s}"] = {t: [f"d{i}" for i in random.permutation(12)[:5]] for t in topics}
    lists["new"] = {t: ["n1", *(f"d{i}" for i in random.permutation(12)[:3]), "n2"] for t in topics}
    runs = Runs.from_rankings(lists)
    grades = {t: {f"d{i}": int(random.random() < 0.4) for i in range(12)} for t in topics}
    whole = Judgments.from_dict({t: {**g, "n1": 1, "n2": 0} for t, g in grades.items()})
    pool = nominate(whole, runs).depth_pool(5, systems=[f"s{s}" for s in range(4)])
    names = [whole.topics[t] for t in whole.topic_of_row]
    return whole.keep(pool.judged | np.isin(names, judge_new_on)), runs


def brute_force(runs: Runs, judgments: Judgments, measure: str) -> float:
    """W10 algorithm 6.1, step by step, with sets."""
    tops = {s: {t: runs.ranking(s, t)[:5] for t in runs.topics} for s in runs.systems}
    pooled = [s for s in runs.systems if s != "new"]
    rows = list(zip(judgments.topic_of_row.tolist(), judgments.documents, strict=True))
    scored, biases = parse_measure(measure), []
    for index, s in enumerate(pooled):
        others = [o for o in runs.systems if o != s]
        keep = [
            d not in tops[s][judgments.topics[t]]
            or any(d in tops[o][judgments.topics[t]] for o in others)
            for t, d in rows
        ]
        pair = (judgments, judgments.keep(np.array(keep) & judgments.judged))
        t_s, u_s = (scored.score(align(j, runs))[index].mean() for j in pair)
        biases.append(t_s - u_s)
    return float(np.mean(biases))


@pytest.mark.parametrize("measure", ["P@5", "tRBP(p=0.8)@5", "AP@5"])
def test_systems_agree_with_the_algorithm_step_by_step(measure: str) -> None:
    """The factor is that of W10 algorithm 6.1 carried out with sets of documents."""
    judgments, runs = collection()
    adjustments = BiasFromSystems().adjustments(align(judgments, runs), measure)
    assert list(adjustments) == ["new"]
    assert adjustments["new"].factor == pytest.approx(
        brute_force(runs, judgments, measure), abs=1e-12
    )


def test_topics_agree_with_leaving_the_run_out() -> None:
    """On common topics the biases are those of the run against the pool without it."""
    judgments, runs = collection(judge_new_on=("2", "5", "6"))
    evidence = align(judgments, runs)
    adjustment = BiasFromTopics(("2", "5", "6")).adjustments(evidence, "P@5")["new"]
    without = evidence.regrade(nominate(judgments, runs).leave_out("new", depth=5))
    scored = parse_measure("P@5")
    lost = (scored.score(evidence) - scored.score(without))[-1]
    assert adjustment.biases == pytest.approx(lost[[1, 4, 5]])
    assert adjustment.biases.max() > 0
    assert adjustment.raw == pytest.approx(scored.score(without)[-1].mean())


def test_tables_adjust_unpooled_runs_only() -> None:
    """Pooled runs keep their scores; the new run's mean is the adjusted one."""
    evidence = align(*collection(judge_new_on=("2", "5", "6")))
    measure = parse_measure("P@5")
    for treatment in (BiasFromSystems(), BiasFromTopics(("2", "5", "6"))):
        table = treatment.table(evidence, measure, 0)
        assert (table.value[:-1] == measure.score(evidence)[:-1]).all()
        adjusted = treatment.adjustments(evidence, measure)["new"].adjusted
        assert table.means()[-1] == pytest.approx(adjusted)


def test_condensed_scores_can_be_adjusted() -> None:
    """Condensed lists close up, so they lose less where the first document becomes unjudged."""
    evidence = align(*collection(judge_new_on=("2", "5", "6")))
    plain, condensed = (
        BiasFromTopics(("2", "5", "6"), condensed=c).adjustments(evidence, "tRBP(p=0.8)@5")["new"]
        for c in (False, True)
    )
    assert condensed.sampled == pytest.approx(plain.sampled)
    assert condensed.factor < plain.factor


def test_groups_of_runs_are_left_out_together() -> None:
    """With groups there are as many observed biases as pooled groups, and they are larger."""
    evidence = align(*collection())
    groups = Groups.from_dict({"s0": "a", "s1": "a", "s2": "b", "s3": "b", "new": "c"})
    single, grouped = (
        BiasFromSystems(groups=g).adjustments(evidence, "P@5")["new"] for g in (None, groups)
    )
    assert (len(single.biases), len(grouped.biases)) == (4, 2)
    assert grouped.factor > single.factor


@over(
    "treatment, measure, message",
    [
        (BiasFromSystems(depth=9), "P@5", "no deeper than the longest list; got 9"),
        (BiasFromSystems(depth=0), "P@5", "at least 1"),
        (BiasFromSystems(groups=Groups.from_dict({"s0": "a"})), "P@5", "'s1' is not known"),
        (BiasFromSystems(pooled=("x",)), "P@5", "'x' is not known"),
        (BiasFromTopics(common=("99",)), "P@5", "'99' is not known"),
        (
            BiasFromTopics(),
            "P@5",
            "for its own sake; new has none. Hint: .*--goal common:10 --save",
        ),
        (BiasFromTopics(("2",)), "P@5", "new has unjudged documents on all of them"),
    ],
)
def test_what_cannot_be_adjusted_is_refused(
    treatment: BiasFromSystems | BiasFromTopics, measure: str, message: str
) -> None:
    """A missing or too large depth, an unknown run, group or topic: each is named."""
    with pytest.raises(OptionError, match=message):
        treatment.adjustments(align(*collection()), measure)


def test_without_any_depth_there_is_no_pool() -> None:
    """Where neither the judgments nor the measure say how deep the pool is, it must be said."""
    with pytest.raises(OptionError, match=r"needs the depth of the pool, since none shows"):
        BiasFromSystems().adjustments(Evidence.from_grades([[None, 1, 0, None]]), "AP")


def test_without_pooled_runs_there_is_nothing_to_learn_from() -> None:
    """Where every run has unjudged documents the pooled ones must be named."""
    with pytest.raises(OptionError, match=r"needs at least 3 pooled runs .*; got 0"):
        BiasFromSystems().adjustments(Evidence.from_grades([[None, 1]]), "P@2")


@pytest.mark.parametrize("treatment", [BiasFromSystems, BiasFromTopics])
@pytest.mark.parametrize("named", [None, ("s0", "s1", "s2", "s3")])
def test_a_run_that_lacks_topics_is_not_pooled(
    treatment: type[BiasFromSystems | BiasFromTopics], named: tuple[str, ...] | None
) -> None:
    """Four pooled runs of which two lack a topic are two, and two are too few."""
    judgments, runs = collection(judge_new_on=("2", "5", "6"))
    lists = {s: {t: runs.ranking(s, t) for t in runs.topics} for s in runs.systems}
    common = {"common": ("2", "5", "6")} if treatment is BiasFromTopics else {}
    treated = treatment(pooled=named, **common)  # type: ignore[arg-type] # of one of them alone
    whole = treated.adjustments(align(judgments, runs), "P@5")
    del lists["s1"]["1"]
    three = treated.adjustments(align(judgments, Runs.from_rankings(lists)), "P@5")
    assert set(whole) == {"new"} <= set(three)
    del lists["s2"]["3"]
    with pytest.raises(OptionError, match=r"that answer all topics.*; got 2. Hint: name"):
        treated.adjustments(align(judgments, Runs.from_rankings(lists)), "P@5")


def test_topics_that_happen_to_be_judged_are_not_counted() -> None:
    """Of four judged topics two were drawn: their mean bias counts, and not that of all four."""
    evidence = align(*collection(judge_new_on=("2", "3", "5", "6")))
    record = CommonTopics.of(["new"], ["2", "5"], depth=5, seed=1)
    by_name, by_record, more = (
        BiasFromTopics(common).adjustments(evidence, "P@5")["new"]
        for common in (("2", "5"), record, ("2", "3", "5", "6"))
    )
    assert by_record.biases.tolist() == by_name.biases.tolist()
    assert (len(by_name.biases), len(more.biases)) == (2, 4)
    assert by_name.biases == pytest.approx(more.biases[[0, 2]])


def test_common_topics_without_a_bias_are_counted() -> None:
    """A topic on which the run gains nothing is one of the sample, and lowers the mean bias."""
    judgments, runs = collection(judge_new_on=("2", "5"))
    grades = judgments.to_dict()
    grades["5"]["n1"] = 0
    evidence = align(Judgments.from_dict(grades), runs)
    adjustment = BiasFromTopics(("2", "5")).adjustments(evidence, "P@5")["new"]
    assert adjustment.biases == pytest.approx([0.2, 0.0])
    assert adjustment.factor == pytest.approx(0.1)


def test_a_run_without_a_record_has_no_score() -> None:
    """Of two new runs one was judged for its own sake; the other has neither score nor row."""
    judgments, runs = collection(judge_new_on=("2", "5", "6"))
    lists = {s: {t: list(runs.ranking(s, t)) for t in runs.topics} for s in runs.systems}
    lists["other"] = {t: ["m1", "n1", *lists["s0"][t][:3]] for t in runs.topics}
    record = CommonTopics.of(["new"], ["2", "5", "6"], depth=5, seed=1)
    evidence = align(judgments, Runs.from_rankings(lists))
    estimates = estimate_all(
        evidence, "P@5", treatments=["nonrelevant", "bias-topics"], common=record
    )
    rows = estimates.columns(per_topic=False)
    adjusted = [
        r for r, t in zip(rows["run"], rows["treatment"], strict=True) if t != "nonrelevant"
    ]
    assert sorted(adjusted) == ["new", "s0", "s1", "s2", "s3"]
    assert "bias-topics has no score for other" in str(estimates)


def test_the_standard_error_of_equation_6_5_is_shown() -> None:
    """Columns and table have the standard error of the adjusted mean, and its t interval."""
    evidence = align(*collection(judge_new_on=("2", "5", "6")))
    by = BiasFromTopics(("2", "5", "6"))
    adjustment = by.adjustments(evidence, "P@5")["new"]
    estimates = estimate_all(evidence, "P@5", treatments=[by])
    errors = estimates.columns(per_topic=False)["standard_error"]
    assert (
        errors[-1]
        == adjustment.standard_error
        == pytest.approx(np.sqrt((8 - 3) / 8 * adjustment.biases.var(ddof=1) / 3))
    )
    row = dict(
        zip(
            [c.title for c in estimates.tables()[1].columns],
            estimates.tables()[1].rows[0],
            strict=True,
        )
    )
    assert row["standard error"] == adjustment.standard_error
    half = stats.t.ppf(0.975, 2) * adjustment.standard_error
    assert adjustment.interval() == pytest.approx(
        (adjustment.adjusted - half, adjustment.adjusted + half)
    )


def test_ten_common_topics_of_trec_8(data_dir: Path) -> None:
    """A pool of 20 runs: each new run's mean moves by its mean bias on ten topics, by hand."""
    measure, folder = "tRBP(p=0.8)@10", data_dir / "trec8"
    truth, runs = read_judgments(folder / "qrels.gz"), read_runs(folder / "runs")
    pooled = _twenty_pooled(folder / "runs.tsv")
    sub = nominate(truth, runs).depth_pool(10, systems=pooled)
    common = truth.topics[::5]
    judged = Judgments.from_dict({**sub.to_dict(), **{t: truth.to_dict()[t] for t in common}})
    by = BiasFromTopics(common, pooled=pooled, depth=10)
    adjustment = by.adjustments(align(judged, runs), measure)["READWARE2"]
    by_all, raw = (
        parse_measure(measure).score(align(j, runs))[runs.systems.index("READWARE2")]
        for j in (truth, sub)
    )
    assert by_all.mean() == pytest.approx(0.825, abs=5e-4)
    assert adjustment.adjusted == pytest.approx(raw.mean() + (by_all - raw)[::5].mean(), abs=1e-12)
    with pytest.raises(OptionError, match="105 more have none"):
        BiasFromTopics(pooled=pooled, depth=10).adjustments(align(sub, runs), measure)


def _twenty_pooled(path: Path) -> tuple[str, ...]:
    """Return twenty pooled runs, none of READWARE2's group."""
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    names = sorted(r[0] for r in rows if r[-1] == "yes" and not r[0].startswith("READWARE"))
    return tuple(names[::3][:20])


def test_one_pooled_run_adjusts_no_score_of_the_case_study(data_dir: Path) -> None:
    """The only run judged to depth 10 lacks 20 topics: nDCG@10 of 1.07 to 1.20 is not printed."""
    folder = data_dir / "b23-case-study"
    judgments = read_judgments(folder / "incomplete-beir-trec-covid.txt.gz")
    evidence = align(judgments, read_runs(folder / "runs"))
    estimates = estimate_all(evidence, "nDCG@10", treatments="all")
    assert {"bias-systems", "bias-topics"} <= set(estimates.refused)
    assert max(table.means().max() for table in estimates.scores.values()) < 1
