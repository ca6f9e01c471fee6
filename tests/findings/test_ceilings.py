"""The best score that anybody could reach: no ranking exceeds it, and one reaches it."""

from itertools import permutations

import numpy as np
import pytest

import poolwise as pw
from poolwise.workflows import ceilings

QRELS = {"1": {"a": 1, "b": 3, "c": 0, "d": 2}, "2": {"a": 0, "b": 1}, "3": {"c": 0}}
RUN = {"1": {"c": 4.0, "x": 3.0, "a": 2.0, "d": 1.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"c": 1.0}}
MEASURES = (
    *("P@2", "P@10", "R@2", "AP", "nDCG@3", "RR", "RBP(p=0.8)", "DCG@3", "ERR@3", "P(rel=2)@3"),
    *("SetP", "SetF", "Success@1", "Rprec"),
)


def orders(documents: list[str]) -> list[tuple[str, ...]]:
    """Return every ranking of some of the documents."""
    return [order for n in range(len(documents) + 1) for order in permutations(documents, n)]


def best(topic: str, documents: list[str], measure: str, *, whole: bool) -> float:
    """Return the best score of any ranking, by trying all of them."""
    tried = permutations(documents) if whole else orders(documents)
    lists = {str(i): {topic: list(order)} for i, order in enumerate(tried) if order}
    evidence = pw.align(
        pw.Judgments.from_dict(QRELS), pw.Runs.from_rankings(lists), topics=(topic,)
    )
    return float(pw.score(evidence, measure, bounds="none").value.max())


@pytest.mark.parametrize("measure", MEASURES)
def test_no_ranking_exceeds_the_ceiling_and_one_reaches_it(measure: str) -> None:
    """Over all rankings of the judged documents, and over all orders of the run's own."""
    ceiling = ceilings(QRELS, {"bm25": RUN}, measure).parts[0]
    for t, topic in enumerate(ceiling.table.topics):
        if not ceiling.table.defined[t]:
            continue
        possible = best(topic, list(QRELS[topic]), measure, whole=False)
        assert ceiling.attainable[t] == pytest.approx(possible), topic
        own = best(topic, list(RUN[topic]), measure, whole=True)
        assert ceiling.reordered[0, t] == pytest.approx(own), topic


def test_a_measure_that_divides_by_its_cut_off_cannot_reach_one() -> None:
    """Three and one relevant documents give 0.3 and 0.1 by P@10, and 1 by nDCG@10."""
    by_measure = ceilings(QRELS, {"bm25": RUN}, ["P@10", "nDCG@10"], topics=["1", "2"])
    assert by_measure["P@10"].mean() == pytest.approx(0.2)
    assert by_measure["nDCG@10"].mean() == pytest.approx(1.0)
    assert "the best score is below 1 on 2 topics of 2" in by_measure["P@10"].sentences()[0]
    assert "below" not in by_measure["nDCG@10"].sentences()[0]


def test_real_scores_are_between_their_own_and_the_attainable_ceiling() -> None:
    """Score ≤ the same documents reordered ≤ what is attainable, on every topic."""
    made = pw.simulate(systems=4, topics=12, depth=30, rng=5)
    for ceiling in ceilings(made.judgments, made.runs, ["P@10", "AP", "nDCG@10", "RBP(p=0.8)"]):
        assert (ceiling.table.value <= ceiling.reordered + 1e-12)[:, ceiling.table.defined].all()
        assert (ceiling.reordered <= ceiling.attainable + 1e-12)[:, ceiling.table.defined].all()
        rows = ceiling.columns()
        assert rows["share"] == pytest.approx((np.array(rows["mean"]) / ceiling.mean()).tolist())
