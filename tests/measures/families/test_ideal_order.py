"""Compatibility."""

from itertools import product

import ir_measures
import numpy as np
import pytest

import poolwise as pw
from poolwise import Accuracy, Compat, Evidence


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("seed", range(4))
def test_ir_measures_has_the_same_compatibility(p: float, seed: int) -> None:
    """Topic by topic, the numbers are those of ir_measures, for short and for long lists."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(25)]
    qrels = {str(t): {d: int(rng.integers(-1, 4)) for d in documents[:18]} for t in range(6)}
    lists = {t: rng.permutation(documents)[: rng.integers(1, 25)].tolist() for t in qrels}
    runs = {t: {d: 100.0 - i for i, d in enumerate(ds)} for t, ds in lists.items()}
    measure = ir_measures.Compat(p=p)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, runs)}
    (table,) = pw.evaluate(qrels, {"x": runs}, [f"Compat(p={p})"]).scores
    assert dict(zip(table.topics, table.value[0], strict=True)) == pytest.approx(theirs, abs=1e-12)


def test_an_ideal_ranking_is_compatible_with_itself() -> None:
    """All documents with gain, best first, score 1; without any there is no score."""
    evidence = Evidence.from_grades([[3, 3, 1, 0], [0, 0]], judged=[3, 3, 1, 0])
    assert Compat.score(evidence).ravel() == pytest.approx([1, 0])
    assert np.isnan(Compat.score(Evidence.from_grades([[0, None]]))).all()


def share_in_order(grades: tuple[int, ...], level: int = 1) -> float:
    """Go through all pairs of a relevant document and one that is not."""
    pairs = [
        i < j
        for i, one in enumerate(grades)
        for j, other in enumerate(grades)
        if one >= level > other
    ]
    return float(np.mean(pairs)) if pairs else np.nan


@pytest.mark.parametrize("level", [1, 2])
def test_accuracy_is_the_share_of_pairs_in_order(level: int) -> None:
    """Accuracy equals a walk over all pairs, and is undefined where there is none."""
    rankings = list(product([0, 1, 2], repeat=4))
    evidence = Evidence.from_grades(rankings, scale=[0, 1, 2])
    expected = [share_in_order(ranking, level) for ranking in rankings]
    np.testing.assert_allclose(Accuracy(rel=level).score(evidence).ravel(), expected)
    assert Accuracy(rel=level) @ 2 != Accuracy(rel=level)


@pytest.mark.parametrize("change", [{}, {"cutoff": 4}, {"rel": 2}], ids=repr)
def test_ir_measures_has_the_same_accuracy(change: dict[str, int]) -> None:
    """Topic by topic, the numbers are those of ir_measures, and the topics left out the same."""
    rng = np.random.default_rng(3)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): {d: int(g) for d, g in zip(documents, rng.integers(0, 3, 7), strict=False)}
             for t in range(6)}  # fmt: skip
    runs = {t: {d: float(s) for d, s in zip(documents, rng.random(12), strict=True)} for t in qrels}
    # Not by name: ir_measures' parser uses what Python 3.13 warns of and 3.14 lacks.
    measure = ir_measures.Accuracy(**change)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, runs)}
    (table,) = pw.evaluate(qrels, {"x": runs}, [measure]).scores
    ours = {t: v for t, v in zip(table.topics, table.value[0], strict=True) if not np.isnan(v)}
    assert ours == pytest.approx(theirs)
    assert (table.lower != table.lower).all(), "there is no range"
