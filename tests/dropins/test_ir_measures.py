"""ir_measures and PyTerrier score by poolwise, and get the numbers that they get without it."""

import random
import warnings
from collections.abc import Iterator
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, ERR, NERR9, RBP, RR, Compat, Judged, NumRel, P, Qrel, R, ScoredDoc, nDCG

import poolwise as pw
import poolwise.ir_measures as provided

MEASURES = (
    *(AP, AP @ 5, AP(rel=2), nDCG, nDCG @ 10, P @ 5, RR, RR @ 10, R @ 5, RBP(rel=1), Judged @ 10),
    *(NumRel, Compat(p=0.8), NERR9(max_rel=2) @ 10, ir_measures.Bpref, ir_measures.Rprec),
    *(ir_measures.SetF, ir_measures.NumRet, ir_measures.NumQ, ir_measures.Success @ 5),
    *(ir_measures.IPrec @ 0.1, ir_measures.infAP),
)


def collection() -> tuple[list[Any], list[Any]]:
    """Return judgments and a run: one topic is missing in it, and one is not judged."""
    rng = random.Random(5)  # noqa: S311 -- no secret
    documents = [f"d{i}" for i in range(30)]
    qrels = [
        Qrel(str(t), d, rng.choice([0, 0, 1, 2]))
        for t in range(6)
        for d in rng.sample(documents, 12)
    ]
    run = [
        ScoredDoc(str(t), d, rng.random()) for t in range(1, 7) for d in rng.sample(documents, 20)
    ]
    return qrels, run


@pytest.fixture
def default_providers() -> Iterator[list[Any]]:
    """Lend the providers of ir_measures, and put them back."""
    pipeline = ir_measures.DefaultPipeline.providers
    before = list(pipeline)
    pipeline[:] = [provider for provider in before if provider.NAME != "poolwise"]
    yield pipeline
    pipeline[:] = before


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_measure_has_the_value_of_ir_measures(measure: Any) -> None:
    """Means and values by topic are those of the provider that ir_measures would ask."""
    qrels, run = collection()
    result = provided.PoolwiseProvider().calc([measure], qrels, run)
    expected = ir_measures.calc([measure], qrels, run)
    assert result.aggregated[measure] == pytest.approx(expected.aggregated[measure], abs=1e-12)
    values = {metric.query_id: metric.value for metric in expected.per_query}
    assert {m.query_id: m.value for m in result.per_query} == pytest.approx(values, abs=1e-12)


def test_gains_that_only_gdeval_has_are_equal_to_the_digits_it_prints() -> None:
    """The tool gdeval prints five digits of nDCG and ERR, and takes 4 for the highest grade."""
    qrels, run = collection()
    for measure in (ERR @ 20, nDCG(dcg="exp-log2") @ 5):
        metrics = provided.PoolwiseProvider().calc([measure], qrels, run).per_query
        expected = {m.query_id: m.value for m in ir_measures.calc([measure], qrels, run).per_query}
        assert {m.query_id: m.value for m in metrics} == pytest.approx(expected, abs=6e-6)


def test_what_ir_measures_lacks_is_found_after_registering(default_providers: list[Any]) -> None:
    """RBP of grades has no provider there; once registered, poolwise scores it."""
    qrels, run = collection()
    with pytest.raises(ValueError, match="Unsupported"):
        ir_measures.calc_aggregate([RBP], qrels, run)
    provider = provided.register()
    assert default_providers[-1] is provider
    assert ir_measures.calc_aggregate([RBP], qrels, run)[RBP] > 0
    assert provided.register(first=True) is default_providers[0]
    assert default_providers.count(provider) == 1


def test_any_measure_of_poolwise_becomes_one_of_ir_measures() -> None:
    """Its mean is that of evaluate, missing topics counted as 0."""
    qrels, run = collection()
    made = provided.measure("tRBP(p=0.8)@10")
    judged: dict[str, dict[str, int]] = {}
    ranked: dict[str, dict[str, float]] = {}
    for qrel in qrels:
        judged.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    for entry in run:
        ranked.setdefault(entry.query_id, {})[entry.doc_id] = entry.score
    table = pw.evaluate(judged, {"run": ranked}, "tRBP(p=0.8)@10")["tRBP(p=0.8)@10"]
    assert ir_measures.calc_aggregate([made], qrels, run)[made] == pytest.approx(table.means()[0])
    assert str(made) == "tRBP(p=0.8)@10"


def test_an_experiment_of_pyterrier_takes_it() -> None:
    """PyTerrier shows a column by it beside its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pt = pytest.importorskip("pyterrier", reason="python-terrier is not installed")
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    ranked = pd.DataFrame(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]}
    )
    qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["b", "a", "c"], "label": [1, 0, 1]})
    shown = pt.Experiment(
        [ranked], topics, qrels, eval_metrics=[AP, provided.measure("aAP@10")], names=["mine"]
    )
    assert shown["AP"].tolist() == shown["aAP@10"].tolist() == [0.75]


def test_unknown_measures_are_left_to_others() -> None:
    """A provider says which measures it has, and never fails for one that it has not."""
    provider = provided.PoolwiseProvider()
    assert not provider.supports(ir_measures.Accuracy)
    assert not provider.supports(ir_measures.alpha_nDCG @ 10)
