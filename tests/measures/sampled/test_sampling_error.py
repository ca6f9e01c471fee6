"""Estimates and their variances, against every sample that could have been drawn."""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import numpy as np
import pytest

from poolwise import Evidence, Judgments, Runs, align, parse_measure
from poolwise.measures.sampled._sampled_measure import SampledMeasure

GRADES = {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1, "f": 0, "g": 2, "h": 0, "i": 1, "j": 0, "k": 1}
STRATA = {"top": "abc", "middle": "defgh", "deep": "ijk"}
DRAWN = {"top": 3, "middle": 3, "deep": 2}
RUNS = Runs.from_rankings(
    {"one": {"1": list("cdaigx")}, "two": {"1": list("gcxebj")}, "three": {"1": ["h"]}}
)
LINEAR = ("HT(P@4)", "HT(RBP(p=0.8))", "HT(DCG(dcg='exp-log2')@5)", "HT(P(rel=2)@5)")


def sampled(name: str) -> SampledMeasure:
    """Return a measure that is an estimate."""
    measure = parse_measure(name)
    assert isinstance(measure, SampledMeasure)
    return measure


def with_strata(
    grades: Mapping[str, float], strata: Mapping[str, str], drawn: set[str]
) -> Judgments:
    """Return judgments of one topic in which only the documents drawn have a grade."""
    of = {document: name for name, documents in strata.items() for document in documents}
    judgments = Judgments.from_dict({"1": {d: grades[d] if d in drawn else -1 for d in of}})
    return judgments.with_grades([0, 1, 2]).with_sampling(stratum=[of[d] for d in sorted(of)])


def every_sample() -> Iterator[Evidence]:
    """Go through all samples of the design, which are equally likely."""
    choices = [combinations(documents, DRAWN[name]) for name, documents in STRATA.items()]
    for parts in product(*choices):
        drawn = {document for part in parts for document in part}
        yield align(with_strata(GRADES, STRATA, drawn), RUNS)


def truth(name: str) -> np.ndarray:
    """Return the scores under complete judgments."""
    complete = align(Judgments.from_dict({"1": GRADES}).with_grades([0, 1, 2]), RUNS)
    return parse_measure(name).score(complete)[:, 0]


@pytest.mark.parametrize("name", LINEAR)
def test_a_stratified_estimate_is_unbiased_and_so_is_its_variance(name: str) -> None:
    """Over all samples, the mean estimate is the truth, and the mean covariance the true one."""
    measure, samples = sampled(name), [*every_sample()]
    values = np.array([measure.score(sample)[:, 0] for sample in samples])
    assert np.allclose(values.mean(axis=0), truth(name[3:-1]), atol=1e-12)
    covariance = np.mean([next(measure.covariances(sample)) for sample in samples], axis=0)
    assert np.allclose(covariance, np.cov(values.T, ddof=0), atol=1e-12)


def test_the_estimated_number_of_relevant_documents_is_unbiased() -> None:
    """Over all samples, R has the right mean, and its variance, too."""
    measure, samples = sampled("iNumRel"), [*every_sample()]
    values = np.array([measure.score(sample)[0, 0] for sample in samples])
    assert values.mean() == pytest.approx(sum(grade > 0 for grade in GRADES.values()))
    variances = [next(measure.covariances(sample))[0, 0] for sample in samples]
    assert np.mean(variances) == pytest.approx(values.var())


CHANCES = {"a": 1.0, "c": 0.5, "e": 0.25, "g": 0.8, "i": 0.4, "b": 0.3}


@pytest.mark.parametrize("name", LINEAR)
def test_an_estimate_by_probabilities_is_unbiased_and_so_is_its_variance(name: str) -> None:
    """Where each document is drawn by itself, means over all samples are the true ones."""
    measure, sizes, values, covariances = sampled(name), [], [], []
    for taken in product([False, True], repeat=len(CHANCES)):
        kept = {d: p for (d, p), t in zip(CHANCES.items(), taken, strict=True) if t}
        size = np.prod([p if t else 1 - p for p, t in zip(CHANCES.values(), taken, strict=True)])
        if size:
            sizes.append(size)
            evidence = align(with_chances(kept), RUNS)
            values.append(measure.score(evidence)[:, 0])
            covariances.append(next(measure.covariances(evidence)))
    mean, raw = np.average(values, axis=0, weights=sizes), np.array(values)
    complete = {d: GRADES[d] for d in CHANCES}
    true = parse_measure(name[3:-1]).score(
        align(Judgments.from_dict({"1": complete}).with_grades([0, 1, 2]), RUNS)
    )
    assert np.allclose(mean, true[:, 0], atol=1e-12)
    spread = np.einsum("n,ni,nj->ij", sizes, raw - mean, raw - mean)
    assert np.allclose(np.average(covariances, axis=0, weights=sizes), spread, atol=1e-12)


def with_chances(chances: Mapping[str, float]) -> Judgments:
    """Return judgments of one topic with the probabilities of their documents."""
    judgments = Judgments.from_dict({"1": {d: GRADES[d] for d in chances}})
    ordered = [chances[d] for d in sorted(chances)]
    return judgments.with_grades([0, 1, 2]).with_sampling(probability=ordered)


def test_the_influence_on_statap_is_its_derivative() -> None:
    """A little more weight of a document moves statAP by its influence, retrieved or not."""
    measure, chances = sampled("statAP"), {d: p * 0.9 for d, p in CHANCES.items()}
    evidence = align(with_chances(chances), RUNS)
    (block,) = evidence.blocks
    influence = measure.influence_block(block)
    assert influence is not None
    for document, chance in chances.items():
        moved = chances | {document: 1 / (1 / chance + 1e-6)}
        after = measure.score(align(with_chances(moved), RUNS))
        slope = (after - measure.score(evidence))[:, 0] * 1e6
        for system, ranking in enumerate(RUNS.ranking(s, "1") for s in RUNS.systems):
            expected = (
                influence.cells[system, 0, ranking.index(document)]
                if document in ranking
                else influence.lacking[system, 0, GRADES[document]]
            )
            assert slope[system] == pytest.approx(expected, abs=1e-5)


def test_without_sampling_an_estimate_is_the_score() -> None:
    """Where everything was drawn, estimates are the plain scores, and have no variance."""
    everything = set("abcdefghijk")
    evidence = align(with_strata(GRADES, STRATA, everything), RUNS)
    pairs = {"HT(P@4)": "P@4", "statAP": "AP", "xinfAP": "AP", "infNDCG": "nDCG", "iP@4": "P@4"}
    for name, plain in pairs.items():
        measure = sampled(name)
        assert np.allclose(
            measure.score(evidence), parse_measure(plain).score(evidence), atol=1e-4
        ), name
        assert np.allclose(next(measure.covariances(evidence)), 0), name


def test_the_variances_of_ratios_are_near_the_true_ones() -> None:
    """Linearized variances are within a third of those seen over 300 samples."""
    rng = np.random.default_rng(5)
    names = [f"d{i:03}" for i in range(120)]
    grades = dict(zip(names, (rng.random(120) < 0.3).astype(float), strict=True))
    strata = {name: "1" if i < 40 else "2" for i, name in enumerate(names)}
    ranking = [names[i] for i in np.argsort(np.arange(120) + rng.normal(0, 30, 120))]
    runs = Runs.from_rankings({"one": {"1": ranking[:80]}})
    measures = [sampled(name) for name in ("xinfAP", "infNDCG", "iP@50", "iNumRelRet", "statAP")]
    values, variances = [], []
    for _ in range(300):
        drawn = {*rng.choice(names[:40], 20, replace=False), *rng.choice(names[40:], 32, False)}
        judgments = Judgments.from_dict({"1": {d: grades[d] if d in drawn else -1 for d in names}})
        evidence = align(judgments.with_sampling(stratum=[strata[d] for d in names]), runs)
        values.append([measure.score(evidence).item() for measure in measures])
        variances.append([next(measure.covariances(evidence)).item() for measure in measures])
    ratio = np.mean(variances, axis=0) / np.var(values, axis=0)
    assert ((ratio > 2 / 3) & (ratio < 4 / 3)).all(), ratio


@pytest.mark.parametrize("name", ["HT(P@4)", "xinfAP", "infNDCG", "statAP"])
def test_other_systems_and_blocks_change_no_estimate(name: str) -> None:
    """A system alone, in another order, or in blocks of another size, has the same numbers."""
    judgments = with_strata(GRADES, STRATA, set("abcdegij"))
    several = Judgments.from_dict({"1": judgments.to_dict()["1"], "2": judgments.to_dict()["1"]})
    runs = Runs.from_rankings(
        {s: {t: RUNS.ranking(s, "1") for t in ("1", "2")} for s in RUNS.systems}
    )
    assert judgments.stratum is not None
    strata = np.tile(judgments.stratum, 2)
    whole = align(several.with_grades([0, 1, 2]).with_sampling(stratum=strata), runs)
    measure = sampled(name)
    value, covariance = measure.score(whole), [*measure.covariances(whole)]
    assert np.array_equal(value[:, 0], value[:, 1])
    assert np.array_equal(measure.score(whole.recut(cells=1)), value)
    part = whole.select(["three", "one"])
    assert np.array_equal(measure.score(part), value[[2, 0]])
    for one, other in zip(measure.covariances(part), covariance, strict=True):
        assert np.allclose(one, other[np.ix_([2, 0], [2, 0])])


def test_topics_without_a_relevant_document_have_no_ratio() -> None:
    """Where nothing that was sampled is relevant, a ratio and its variance are undefined."""
    evidence = align(with_strata(dict.fromkeys(GRADES, 0), STRATA, set("abcdefij")), RUNS)
    for name in ("xinfAP", "infNDCG", "statAP", "iIPrec@0.5"):
        assert np.isnan(sampled(name).score(evidence)).all(), name
        assert np.isnan(next(sampled(name).covariances(evidence))).all(), name
    assert not sampled("HT(P@4)").score(evidence).any()


def test_one_document_of_a_stratum_has_no_variance() -> None:
    """One drawn document says nothing of the spread of its stratum, unless it is all of it."""
    evidence = align(with_strata(GRADES, STRATA, set("abcdi")), RUNS)
    assert np.isnan(next(sampled("HT(P@4)").covariances(evidence))).all()


def test_documents_that_could_not_be_drawn_stay_unknown() -> None:
    """What is outside the universe, or in a stratum without a sample, may add its whole weight."""
    evidence = align(with_strata(GRADES, STRATA, set("abcij")), RUNS)
    (block,) = evidence.blocks
    # The runs' first five hold c d a i g, g c x e b and h, of which d, g, e and h were never drawn.
    assert sampled("HT(P@5)").never_drawn_block(block).ravel().tolist() == pytest.approx(
        [0.4, 0.6, 0.2]
    )
    assert sampled("HT(P@5)").score_block(block).ravel().tolist() == pytest.approx([0.7, 0.2, 0])


def shared(name: str, evidence: Evidence) -> np.ndarray:
    """Return the variances of intervals, topics × systems."""
    return np.array([np.diag(c) for c in sampled(name).interval_covariances(evidence)])


def test_the_variance_of_intervals_is_near_the_true_one_and_steadier() -> None:
    """Where relevance has nothing to do with rank, its mean is right; unequal weights it evens."""
    rng = np.random.default_rng(3)
    names = [f"d{i:03}" for i in range(150)]
    grades = {t: (rng.random(150) < 0.2).astype(int) for t in ("1", "2", "3", "4")}
    runs = Runs.from_rankings({"one": {t: [*rng.permutation(names)[:90]] for t in grades}})
    values, plain, steady, uneven = [], [], [], []
    for _ in range(120):
        drawn = {t: set(rng.choice(150, 40, replace=False).tolist()) for t in grades}
        judged = {
            t: {names[i]: int(g) if i in drawn[t] else -1 for i, g in enumerate(of)}
            for t, of in grades.items()
        }
        sample = Judgments.from_dict(judged).with_sampling(stratum=["1"] * 600)
        evidence = align(sample, runs)
        values.append(sampled("HT(P@60)").score(evidence)[0])
        plain.append(np.ravel([*sampled("HT(P@60)").covariances(evidence)]).sum())
        steady.append(shared("HT(P@60)", evidence).sum())
        direct = np.ravel([*sampled("HT(RBP(p=0.9))").covariances(evidence)]).sum()
        uneven.append((direct, shared("HT(RBP(p=0.9))", evidence).sum()))
    # The true variance by Cochran 1977 eq. 2.9, within what is left out: N/(N - 1) and the mean.
    assert np.mean(steady) == pytest.approx(np.mean(plain), rel=0.15)
    assert np.mean(steady) == pytest.approx(np.var(values, axis=0).sum(), rel=0.25)
    before, after = np.std(uneven, axis=0) / np.mean(uneven, axis=0)
    assert after < 0.8 * before


@pytest.mark.parametrize("name", LINEAR)
def test_intervals_of_a_system_depend_on_its_own_lists(name: str) -> None:
    """Another system, or blocks of another size, change no variance that intervals are by."""
    evidence = align(with_strata(GRADES, STRATA, set("abcdei")), RUNS)
    whole = shared(name, evidence)
    assert np.allclose(shared(name, evidence.select(["two"])), whole[:, [1]])
    assert np.allclose(shared(name, evidence.recut(cells=1)), whole)
    census = align(with_strata(GRADES, STRATA, set("abcdefghijk")), RUNS)
    assert not shared(name, census).any()


def test_an_interval_has_a_width_where_no_gain_was_drawn() -> None:
    """One document of a stratum, or none with a gain, makes no estimate certain."""
    evidence = align(with_strata(dict.fromkeys(GRADES, 0), STRATA, set("abcdi")), RUNS)
    assert (shared("HT(P@4)", evidence) > 0).all()
