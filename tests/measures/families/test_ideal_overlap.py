"""Compatibility."""

import ir_measures
import numpy as np
import pytest

import poolwise as pw
from poolwise import Compat, Evidence


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
