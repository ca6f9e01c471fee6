"""Judging two systems alone."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.evidence._pairs import Pairs

DEPTH = 5


@pytest.fixture(scope="module")
def made() -> pw.collection.Simulated:
    """Return made-up runs with all documents judged."""
    return pw.simulate(systems=6, topics=12, depth=20, rng=4)


@pytest.fixture(scope="module")
def evidence(made: pw.collection.Simulated) -> pw.Evidence:
    """Return the runs met with the truth."""
    return pw.align(made.truth, made.runs)


def alone(made: pw.collection.Simulated, a: str, b: str) -> tuple[float, float]:
    """Return δ/σ of AP, and documents per topic, from a pool of the two systems alone."""
    runs = made.runs.select([a, b])
    pool = pw.nominate(made.truth, runs).depth_pool(DEPTH)
    table = pw.score(pw.align(pool, runs), f"AP@{DEPTH}", bounds="none")
    delta = np.nan_to_num(table.value[0] - table.value[1])
    return float(delta.mean() / delta.std(ddof=1)), len(pool) / len(table.topics)


def test_a_pair_is_judged_as_if_alone(made: pw.collection.Simulated, evidence: pw.Evidence) -> None:
    """Effect sizes and costs are those of a collection made of the two systems' pool."""
    pairs = Pairs.of_all(evidence.systems)
    found = pw.studies.judge_pairs(evidence, pairs, depth=DEPTH)
    expected = [
        alone(made, evidence.systems[a], evidence.systems[b])
        for a, b in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    ]
    effects, documents = np.array(expected).T
    assert found.effect_sizes == pytest.approx(effects)
    assert found.documents == pytest.approx(documents)


def test_a_system_and_itself_cost_one_list(evidence: pw.Evidence) -> None:
    """Two equal systems have one list to judge, and no effect size."""
    found = pw.studies.judge_pairs(
        evidence, Pairs(np.array([0]), np.array([0]), "itself"), depth=DEPTH
    )
    assert found.documents.tolist() == [DEPTH]
    assert np.isnan(found.effect_sizes).all()


def test_no_rank_is_refused(evidence: pw.Evidence) -> None:
    """A depth of 0 judges nothing."""
    with pytest.raises(OptionError, match="depth"):
        pw.studies.judge_pairs(evidence, Pairs.of_all(evidence.systems), depth=0)


def test_pairs_are_named(evidence: pw.Evidence) -> None:
    """Each row has the names of its two systems, and the sentence the mean cost."""
    pairs = Pairs.against(evidence.systems, [evidence.systems[2]])
    found = pw.studies.judge_pairs(evidence, pairs, depth=DEPTH)
    columns = found.columns()
    assert set(columns["b"]) == {evidence.systems[2]}
    assert columns["a"] == [s for s in evidence.systems if s != evidence.systems[2]]
    assert f"takes {found.documents.mean():.1f} documents per topic" in found.sentences()[0]
    middle = float(np.median(np.abs(found.effect_sizes)))
    assert found.sentences()[1].endswith(f"AP@{DEPTH}, is {middle:.3f}.")
