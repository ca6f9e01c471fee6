"""The model of relevance: what it learns, and what its draws obey."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

import poolwise as pw
from poolwise import Evidence, Judgments, OptionError, Runs
from poolwise.arrays import Floats
from poolwise.evidence._grades import UNJUDGED
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence.unknowns.relevance_model._features import (
    PooledDocuments,
    _clusters,
    gather_documents,
    group_quality,
)
from poolwise.evidence.unknowns.relevance_model._relevance import (
    RelevanceModel,
    draw_grades,
    fit_relevance,
)
from reproduce.sources import read_pooled

SEEDS = range(1, 7)


def collection(order: int = 1) -> tuple[Evidence, pw.Judgments]:
    """Return sixteen runs of which eight were pooled to depth 10, and the truth."""
    made = pw.simulate(systems=16, topics=20, depth=40, rng=2)
    systems = made.runs.systems
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=systems[:8])
    return pw.align(pool, made.runs.select(systems[::order])), made.truth


@cache
def exchangeable(seed: int) -> tuple[Evidence, pw.Judgments]:
    """Return twelve runs, each of a family of its own, of which six were pooled, and the truth."""
    made = pw.simulate(systems=12, topics=40, depth=40, groups=12, unpooled=0, rng=seed)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[:6])
    return pw.align(pool, made.runs), made.truth


def made_runs(seed: int) -> Runs:
    """Return the runs of that collection."""
    return pw.simulate(systems=12, topics=40, depth=40, groups=12, unpooled=0, rng=seed).runs


def documents_of(evidence: Evidence) -> PooledDocuments:
    return gather_documents(evidence, find_pool(evidence, depth=10), reach=10)


def model_of(evidence: Evidence) -> RelevanceModel:
    return fit_relevance(documents_of(evidence))


def true_grades(model: RelevanceModel, truth: Judgments) -> Floats:
    """Return the true grade of each document that the model is asked about."""
    evidence, grades = model.documents.evidence, truth.to_dict()
    ids = evidence.document_ids.take(model.documents.rows)
    topics = [evidence.topics[t] for t in model.documents.topics.tolist()]
    return np.array([grades[t].get(d, 0) for t, d in zip(topics, ids, strict=True)])


def test_it_is_asked_about_every_unjudged_document_within_its_reach() -> None:
    """No judged document is asked about; below the pool's depth the others are, too."""
    evidence, _ = collection()
    shape = find_pool(evidence, depth=10)
    for reach in (10, 15):
        documents = fit_relevance(gather_documents(evidence, shape, reach=reach)).documents
        assert (documents.codes == UNJUDGED).all()
        assert documents.best.max() == reach
        (block,) = evidence.blocks
        open_to = block.ungraded[:, :, :reach]
        rows = block.rows(block.documents[:, :, :reach])[open_to]
        assert documents.rows.tolist() == np.unique(rows).tolist()


def test_it_predicts_better_than_the_rate_of_the_pool() -> None:
    """Its Brier score on documents nobody judged is below that of the topic's share of relevant."""
    evidence, truth = collection()
    model = model_of(evidence)
    relevant = true_grades(model, truth) >= 1
    predicted = model.probabilities()[:, 1:].sum(axis=1)
    rate = evidence.relevant(1) / evidence.pool.sum(axis=1)
    brier = ((predicted - relevant) ** 2).mean()
    assert brier < 0.8 * ((rate[model.documents.topics] - relevant) ** 2).mean()


def test_it_predicts_as_many_relevant_documents_as_there_are() -> None:
    """The sum of probabilities is near the number of relevant documents, to four in a hundred."""
    evidence, truth = collection()
    assert excess(model_of(evidence), truth) == pytest.approx(0, abs=0.04)


def excess(model: RelevanceModel, truth: Judgments) -> float:
    """Return by how much the predicted share of relevant documents is above the true one."""
    relevant = true_grades(model, truth) >= 1
    return float(model.probabilities()[:, 1:].sum(axis=1).mean() - relevant.mean())


def test_over_many_collections_half_of_whose_runs_are_new_it_is_hardly_biased() -> None:
    """The predicted share of relevant documents is right to three in a hundred on average."""
    excesses = [excess(model_of(e), truth) for e, truth in map(exchangeable, SEEDS)]
    assert np.mean(excesses) == pytest.approx(0, abs=0.03)


def test_new_groups_seem_as_good_as_pooled_ones_that_are_as_good() -> None:
    """What is shared with new groups only is judged for pooled ones alone, and counts for none."""
    gaps = []
    for seed in SEEDS:
        documents = documents_of(exchangeable(seed)[0])
        (quality,) = group_quality(documents, [1])
        pooled = np.isin(np.arange(len(quality)), documents.pool.pooled_groups)
        gaps.append(quality[~pooled].mean() - quality[pooled].mean())
    assert np.mean(gaps) == pytest.approx(0, abs=0.1)


def test_a_left_out_group_is_to_the_others_as_a_new_one() -> None:
    """Left out, it seems as good as where it was never pooled, and so do the others."""
    evidence = exchangeable(1)[0]
    whole = documents_of(evidence)
    last = int(whole.pool.pooled_groups[-1])
    reduced = whole.without_unit(last)
    rest = [whole.pool.groups[g] for g in whole.pool.pooled_groups.tolist() if g != last]
    unjudged = evidence.document_ids.take(reduced.rows[~reduced.judged])
    judged = {
        topic: {d: 1 if g else 0 for d, g in of.items() if d not in set(unjudged)}
        for topic, of in pw.nominate(exchangeable(1)[1], made_runs(1))
        .depth_pool(10, systems=made_runs(1).systems[:6])
        .to_dict()
        .items()
    }
    again = pw.align(Judgments.from_dict(judged), made_runs(1))
    late = gather_documents(again, find_pool(again, depth=10, pooled=tuple(rest)), reach=10)
    expected = group_quality(late, [1])
    assert group_quality(reduced, [1]) == pytest.approx(expected)
    assert np.array_equal(reduced.owner[reduced.judged], late.owner[late.judged])


def test_what_a_left_out_group_changes_is_counted_as_if_all_were_counted_anew() -> None:
    """Nominators, owners and shared grades without a group are those of a count from the start."""
    whole = documents_of(exchangeable(1)[0])
    for group in whole.pool.pooled_groups.tolist():
        reduced = whole.without_unit(group)
        held = reduced.held
        left = held.nominates & (held.groups != group)
        assert np.array_equal(reduced.nominators, held.sums(left.astype(int)))
        alone = reduced.owner >= 0
        assert np.array_equal(alone, reduced.nominators == 1)
        assert np.array_equal(
            reduced.owner[alone], held.sums(np.where(left, held.groups, 0).astype(int))[alone]
        )
        counts, total = reduced.shared_grades
        anew, again = replace(reduced, before=None).shared_grades
        assert np.array_equal(counts, anew)
        assert np.array_equal(total, again)


@pytest.mark.parametrize("apart", [0.0, 0.4, 0.4 + 1e-9, 0.41, 1.0])
def test_two_runs_are_of_the_kinds_that_a_dendrogram_gives(apart: float) -> None:
    """Two runs are told apart as scipy's average linkage does, which is not loaded for them."""
    clusters = fcluster(linkage(np.array([apart]), "average"), 0.4 + 1e-9, criterion="distance")
    assert _clusters(np.array([apart]), 0.4 + 1e-9).tolist() == (clusters - 1).tolist()


def test_higher_grades_are_never_more_probable_than_lower_thresholds() -> None:
    """The probabilities of the grades are none of them negative, and sum to 1."""
    chances = model_of(collection()[0]).probabilities()
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(1)


def test_draws_follow_the_probabilities() -> None:
    """Over many draws a grade is about as frequent as the model says."""
    model = model_of(collection()[0])
    labels = np.concatenate([d.labels for d in draw_grades(model, rng=1, draws=400)])
    predicted = model.probabilities()[:, 1:].sum(axis=1)
    assert (labels > 0).mean() == pytest.approx(predicted.mean(), abs=0.03)
    assert np.corrcoef((labels > 0).mean(axis=1), predicted)[0, 1] > 0.97


def test_draws_depend_on_neither_the_order_of_runs_nor_their_number() -> None:
    """Runs in reverse give every document the same grades; fewer draws are the first of more."""
    forth, back = (model_of(collection(order)[0]) for order in (1, -1))
    for one, other in zip(draw_grades(forth, rng=7, draws=30), draw_grades(back, rng=7, draws=30),
                          strict=True):  # fmt: skip
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.labels, other.labels)
    fewer = next(draw_grades(forth, rng=8, draws=30))
    assert not np.array_equal(fewer.labels, next(draw_grades(forth, rng=7, draws=30)).labels)


def test_a_left_out_group_loses_its_own_documents_and_no_others() -> None:
    """What only this group nominates becomes unjudged; what another pooled group has stays."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}})
    evidence = pw.align(Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 1}}), runs)
    documents = gather_documents(evidence, find_pool(evidence, depth=2))
    reduced = documents.without_unit(0)
    ids = list(evidence.document_ids)
    assert [ids[r] for r in reduced.rows[~reduced.judged]] == ["x"]
    assert reduced.counts.tolist() == [[1, 1]]


def test_judgments_of_relevant_documents_only_are_refused() -> None:
    """Without a judged non-relevant document there is nothing to learn, and the error says so."""
    evidence = Evidence.from_grades([[1, None, 2]])
    with pytest.raises(OptionError, match=r"non-relevant.*Hint: use the exact range"):
        fit_relevance(gather_documents(evidence, find_pool(evidence, depth=2)))


@pytest.mark.parametrize("lists", [[[1, None, 0]], [[None, None], [0, None]], [[0, 0, None]]])
def test_the_smallest_collections_have_probabilities(lists: list[list[int | None]]) -> None:
    """One run, one topic, nothing relevant: the model still says something between 0 and 1."""
    evidence = Evidence.from_grades(lists, judged=[0, 0, 1])
    model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=2)))
    chances = model.probabilities()
    assert ((chances >= 0) & (chances <= 1)).all()
    assert chances.sum(axis=1) == pytest.approx(1)


def test_brier_scores_on_trec8_are_those_of_a_prototype(data_dir: Path) -> None:
    """Left out group by group from the pool to depth 10, .053 against .096 by the pool's rate."""
    folder = data_dir / "trec8"
    runs = pw.read_runs(folder / "runs").select(read_pooled(folder))
    judgments = pw.nominate(pw.read_judgments(folder / "qrels.gz"), runs).depth_pool(10)
    evidence = pw.align(judgments, runs)
    groups = pw.collection.read_groups(folder / "runs.tsv")
    documents = gather_documents(evidence, find_pool(evidence, depth=10, groups=groups))
    whole, errors, usual = fit_relevance(documents), [], []
    for group in documents.pool.pooled_groups.tolist():
        reduced = documents.without_unit(group)
        relevant = documents.codes[documents.judged & (documents.owner == group)] > 0
        predicted = fit_relevance(reduced, start=whole).probabilities()[:, 1]
        rate = reduced.counts[:, 1] / reduced.counts.sum(axis=1)
        errors.append((predicted - relevant) ** 2)
        usual.append((rate[reduced.topics[~reduced.judged]] - relevant) ** 2)
    assert np.concatenate(errors).mean() < 0.06
    assert np.concatenate(errors).mean() < 0.65 * np.concatenate(usual).mean()
