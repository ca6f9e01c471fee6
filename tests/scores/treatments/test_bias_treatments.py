"""Unpooled runs get back what they lose by not having been pooled."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.collection.files.readers import read_judgments, read_runs
from poolwise.collection.groups import Groups
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.measures._names import parse_measure
from poolwise.scores.treatments.bias_treatments import BiasFromSystems, BiasFromTopics
from poolwise.scores.treatments.estimates import estimate_all


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
    found = BiasFromSystems().adjustments(align(judgments, runs), measure)
    assert list(found) == ["new"]
    assert found["new"].factor == pytest.approx(brute_force(runs, judgments, measure), abs=1e-12)


def test_topics_agree_with_leaving_the_run_out() -> None:
    """On common topics the biases are those of the run against the pool without it."""
    judgments, runs = collection(judge_new_on=("2", "5", "6"))
    evidence = align(judgments, runs)
    found = BiasFromTopics().adjustments(evidence, "P@5")["new"]
    without = evidence.regrade(nominate(judgments, runs).leave_out("new", depth=5))
    scored = parse_measure("P@5")
    lost = (scored.score(evidence) - scored.score(without))[-1]
    assert found.biases == pytest.approx(lost[[1, 4, 5]])
    assert found.biases.max() > 0
    assert found.raw == pytest.approx(scored.score(without)[-1].mean())


def test_tables_adjust_unpooled_runs_only() -> None:
    """Pooled runs keep their scores; the new run's mean is the adjusted one."""
    evidence = align(*collection(judge_new_on=("2", "5", "6")))
    measure = parse_measure("P@5")
    for treatment in (BiasFromSystems(), BiasFromTopics()):
        table = treatment.table(evidence, measure, 0)
        assert (table.value[:-1] == measure.score(evidence)[:-1]).all()
        adjusted = treatment.adjustments(evidence, measure)["new"].adjusted
        assert table.means()[-1] == pytest.approx(adjusted)


def test_condensed_scores_can_be_adjusted() -> None:
    """Condensed lists close up, so they lose less where the first document becomes unjudged."""
    evidence = align(*collection(judge_new_on=("2", "5", "6")))
    plain, condensed = (
        BiasFromTopics(condensed=c).adjustments(evidence, "tRBP(p=0.8)@5")["new"]
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


@pytest.mark.parametrize(
    ("treatment", "measure", "message"),
    [
        (BiasFromSystems(), "AP", "needs the depth of the pool"),
        (BiasFromSystems(depth=9), "P@5", "no deeper than the longest list; got 9"),
        (BiasFromSystems(depth=0), "P@5", "at least 1"),
        (BiasFromSystems(groups=Groups.from_dict({"s0": "a"})), "P@5", "'s1' is not known"),
        (BiasFromSystems(pooled=("x",)), "P@5", "'x' is not known"),
        (BiasFromTopics(common=("99",)), "P@5", "'99' is not known"),
        (BiasFromTopics(), "P@5", "judged to depth 5, and there are none"),
    ],
)
def test_what_cannot_be_adjusted_is_refused(
    treatment: BiasFromSystems | BiasFromTopics, measure: str, message: str
) -> None:
    """A missing or too large depth, an unknown run, group or topic: each is named."""
    with pytest.raises(OptionError, match=message):
        treatment.adjustments(align(*collection()), measure)


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
    whole = treatment(pooled=named).adjustments(align(judgments, runs), "P@5")
    del lists["s1"]["1"]
    three = treatment(pooled=named).adjustments(align(judgments, Runs.from_rankings(lists)), "P@5")
    assert set(whole) == {"new"} <= set(three)
    del lists["s2"]["3"]
    with pytest.raises(OptionError, match=r"that answer all topics.*; got 2. Hint: name"):
        treatment(pooled=named).adjustments(align(judgments, Runs.from_rankings(lists)), "P@5")


def test_one_pooled_run_adjusts_no_score_of_the_case_study(data_dir: Path) -> None:
    """The only run judged to depth 10 lacks 20 topics: nDCG@10 of 1.07 to 1.20 is not printed."""
    folder = data_dir / "b23-case-study"
    judgments = read_judgments(folder / "incomplete-beir-trec-covid.txt.gz")
    evidence = align(judgments, read_runs(folder / "runs"))
    found = estimate_all(evidence, "nDCG@10", treatments="all")
    assert {"bias-systems", "bias-topics"} <= set(found.refused)
    assert max(table.means().max() for table in found.scores.values()) < 1
