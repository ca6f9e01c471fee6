"""Which pairs are significantly different on smaller pools, or with fewer judged."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Pairs

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
    judged = pw.studies.judge_pairs(evidence, pairs, depth=DEPTH)
    expected = [
        alone(made, evidence.systems[a], evidence.systems[b])
        for a, b in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    ]
    effects, documents = np.array(expected).T
    assert judged.effect_sizes == pytest.approx(effects)
    assert judged.documents == pytest.approx(documents)


def test_a_system_and_itself_cost_one_list(evidence: pw.Evidence) -> None:
    """Two equal systems have one list to judge, and no effect size."""
    judged = pw.studies.judge_pairs(
        evidence, Pairs(np.array([0]), np.array([0]), "itself"), depth=DEPTH
    )
    assert judged.documents.tolist() == [DEPTH]
    assert np.isnan(judged.effect_sizes).all()


def test_no_rank_is_refused(evidence: pw.Evidence) -> None:
    """A depth of 0 judges nothing."""
    with pytest.raises(OptionError, match="depth"):
        pw.studies.judge_pairs(evidence, Pairs.of_all(evidence.systems), depth=0)


def test_pairs_are_named(evidence: pw.Evidence) -> None:
    """Each row has the names of its two systems, and the sentence the mean cost."""
    pairs = Pairs.against(evidence.systems, [evidence.systems[2]])
    judged = pw.studies.judge_pairs(evidence, pairs, depth=DEPTH)
    columns = judged.columns()
    assert set(columns["b"]) == {evidence.systems[2]}
    assert columns["a"] == [s for s in evidence.systems if s != evidence.systems[2]]
    assert f"takes {judged.documents.mean():.1f} documents per topic" in judged.sentences()[0]
    middle = float(np.median(np.abs(judged.effect_sizes)))
    assert judged.sentences()[1].endswith(f"AP@{DEPTH}, is {middle:.3f}.")


TABLE_5 = (69.6, 71.2, 71.7, 72.1, 72.2, 72.5)
"""U18: the share of pairs of TREC-8 that RBP with p = 0.98 finds different, in percent."""
MADE = pw.simulate(systems=8, topics=15, depth=40, rng=6)


def test_each_pool_is_tested_by_itself() -> None:
    """Powers and agreements are those of the pools' own scores."""
    study = pw.studies.discriminate_pools(MADE.truth, MADE.runs, ["AP", "RR"], pool_depths=[40, 5])
    assert study.pools == ("depth 5", "depth 40")
    nominations = pw.nominate(MADE.truth, MADE.runs)
    shallow, deep = (
        pw.findings.discriminate(
            pw.score(pw.align(nominations.depth_pool(d), MADE.runs), "AP", bounds="none")
        )
        for d in (5, 40)
    )
    columns = study.columns()
    assert columns["power"][:2] == [shallow.power, deep.power]
    agreed = pw.findings.significance_agreement(shallow, deep)
    assert columns["tp"][0] == agreed.true_positives
    assert study.agreement("AP", "depth 5").columns() == agreed.columns()
    assert columns["measure"] == ["AP", "AP", "RR", "RR"]


def test_other_judgments_are_compared_on_their_topics() -> None:
    """A reference that lacks a topic leaves it out of both."""
    kept = {t for t in MADE.truth.topics if t != MADE.truth.topics[0]}
    truth = pw.Judgments.from_dict(
        {t: {d: g for name, d, g in MADE.truth if name == t} for t in kept}
    )
    study = pw.studies.discriminate_pools(MADE.judgments, MADE.runs, ["P@10"], reference=truth)
    assert study.pools == ("as given", "reference")
    assert {discrimination.tests.sample.topics for discrimination in study.found[0]} == {14}


def test_one_pool_has_nothing_to_be_compared_with() -> None:
    """It takes two pools, or a reference."""
    with pytest.raises(OptionError, match="two pools"):
        pw.studies.discriminate_pools(MADE.truth, MADE.runs, ["AP"], pool_depths=[5])


def test_u18_table_5_and_section_3_6(data_dir: Path) -> None:
    """TREC-8's 71 deeply judged runs: the ratios of table 5, and three contradictions of §3.6."""
    folder = data_dir / "trec8"
    runs = pw.read_runs(folder / "runs", ties="rank")
    judgments = pw.read_judgments(folder / "qrels.gz")
    deep = pw.nominate(judgments, runs).deeply_judged(50)
    study = pw.studies.discriminate_pools(
        judgments, runs.select(deep), ["RBP(p=0.98)"], pool_depths=[5, 10, 15, 20, 25, 50]
    )
    columns = study.columns()
    assert columns["contradictions"] == [3, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(100 * np.array(columns["power"]), TABLE_5, atol=0.05)


def test_a_randomized_test_on_pools_says_its_seed_and_its_resamples() -> None:
    """What was drawn, and how often, is part of where the numbers come from."""
    made = pw.simulate(systems=4, topics=8, depth=20, rng=3)
    how = {"test": "randomization", "resamples": 50, "rng": 5}
    study = pw.studies.discriminate_pools(
        made.truth, made.runs, ["P@5"], pool_depths=[5, 20], **how
    )
    options = dict(study.provenance.options)
    assert (options["test"], options["resamples"], options["seed"]) == ("randomization", 50, 5)


def test_a_misspelt_option_is_an_error_of_ours() -> None:
    """The error names the study, and the option that may have been meant."""
    table = pw.ScoreTable.from_matrix([[0.1, 0.2]], systems="a", topics="12", measure="AP")
    with pytest.raises(pw.OptionError, match=r"swap_rates: there is no option 'draw'.*use draws"):
        pw.studies.swap_rates(table, draw=5)
