"""Estimates from people's labels on a part and a machine's on all: exact laws and public ways."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as t_distribution

import poolwise as pw
from poolwise.collection import Labels, simulate_labels
from poolwise.errors import MeasureError, OptionError
from poolwise.findings.labels._document_design import DocumentWeights, chances
from poolwise.findings.labels._document_estimates import document_estimates
from poolwise.findings.labels._topic_estimates import PredictionPowered, prediction_powered
from poolwise.workflows import (
    compare_with_labels,
    estimate_from_scores,
    estimate_with_labels,
    labelled_sample,
    sampled_judgments,
)

MADE = pw.simulate(systems=6, topics=24, depth=20, rng=5)
CONFUSION = [[0.7, 0.2, 0.1, 0], [0.3, 0.4, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0, 0.1, 0.3, 0.6]]
MACHINE = simulate_labels(MADE.truth, CONFUSION, rng=2)


def sampled(budget: int = 200, **options: object) -> pw.Judgments:
    """Draw documents with machine labels, and let people (who know the truth) label them."""
    drawn = labelled_sample(MADE.runs, budget, labels=MACHINE, **options)  # type: ignore[arg-type]
    judgments, ungraded = sampled_judgments(drawn, MADE.truth)
    assert not ungraded
    return judgments


def test_the_estimate_is_exactly_unbiased_under_poisson_sampling() -> None:
    """Over all 2⁶ samples, weighed by their chance, the estimate is the truth."""
    run = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    document = np.array([0, 1, 2, 3, 4, 5, 1, 3, 5])
    weight = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0.5, 0.3, 0.2])
    weights = DocumentWeights(run, document, weight, 2, 6, 2, np.array([0, 0, 0, 1, 1, 1]))
    chance = np.array([0.9, 0.2, 0.5, 0.3, 0.6, 0.1])
    gain, grade = np.array([1.0, 0, 0.5, 1, 0, 1]), np.array([0, 0, 1, 1, 0, 1])
    expected = np.zeros((2, 2))
    for number in range(64):
        drawn = np.array([bool(number >> bit & 1) for bit in range(6)])
        share = np.where(drawn, chance, 1 - chance).prod()
        made = document_estimates(weights, drawn, chance, np.where(drawn, gain, 0.7), grade)
        expected += share * made.value
    np.testing.assert_allclose(expected, weights.sums(gain), atol=1e-12)


def test_no_interval_without_width_while_a_document_is_open() -> None:
    """Where no drawn document weighs in a run, its variance comes from the others."""
    weights = DocumentWeights(
        np.array([0, 1]), np.array([0, 1]), np.ones(2), 2, 2, 1, np.zeros(2, int)
    )
    drawn = np.array([True, False])
    made = document_estimates(weights, drawn, np.full(2, 0.5), np.zeros(2), np.zeros(2, int))
    assert (made.mean_variances() > 0).all()
    certain = document_estimates(
        weights, np.ones(2, bool), np.ones(2), np.ones(2), np.zeros(2, int)
    )
    assert certain.mean_variances().tolist() == [0, 0]
    assert certain.value.tolist() == [[1.0], [1.0]]


@given(st.integers(2, 60), st.floats(0.05, 0.95), st.integers(0, 1000))
def test_chances_sum_to_the_budget_and_have_a_floor(n: int, share: float, seed: int) -> None:
    """Σπ is the number of labels wanted; no document has less than a quarter of the mean chance."""
    random = np.random.default_rng(seed)
    size, spread = random.random(n) + 0.01, random.choice([0.35, 0.45, 0.5], n)
    budget = share * n
    probabilities = chances(size, spread, budget)
    assert probabilities.sum() == pytest.approx(budget, rel=1e-6)
    assert probabilities.min() >= 0.25 * budget / n - 1e-12
    assert probabilities.max() <= 1


def test_prediction_powered_by_hand() -> None:
    """λ, the residuals without each topic, and both variances, by loops."""
    random = np.random.default_rng(1)
    machine = random.random((3, 14))
    judged = np.arange(9)
    human = 0.6 * machine[:, judged] + 0.1 * random.random((3, 9))
    made = prediction_powered(human, machine, judged)

    def slope(keep: list[int]) -> float:
        y, f = human[:, keep], machine[:, keep]
        yc, fc = y - y.mean(1, keepdims=True), f - f.mean(1, keepdims=True)
        return float(np.clip((yc * fc).sum() / (fc * fc).sum(), 0, 1))

    n, topics = 9, 14
    assert made.weight == pytest.approx(slope(list(range(9))))
    for s in range(3):
        y, f = human[s], machine[s, :9]
        d = [
            n
            / (n - 1)
            * ((y[i] - y.mean()) - slope([j for j in range(9) if j != i]) * (f[i] - f.mean()))
            for i in range(9)
        ]
        residual = (n - 1) / n**2 * sum(x * x for x in d)
        assert made.residual[s] == pytest.approx(residual)
        estimate = y.mean() + made.weight * (machine[s].mean() - f.mean())
        assert made.estimate[s] == pytest.approx(estimate)
        t = 2.306004
        these = t * np.sqrt((1 / n - 1 / topics) * residual)
        like = t * np.sqrt((1 / n - 1 / topics) * residual + y.var(ddof=1) / topics)
        assert made.half_width()[s] == pytest.approx(these, rel=1e-5)
        assert made.half_width(like_these=True)[s] == pytest.approx(like, rel=1e-5)


def test_a_machine_that_never_varies_is_passed_over() -> None:
    """λ is 0 where the machine's scores do not vary, and the estimate is people's mean."""
    human = np.random.default_rng(1).random((2, 8))
    made = prediction_powered(human, np.full((2, 20), 0.5), np.arange(8))
    assert made.weight == 0
    np.testing.assert_allclose(made.estimate, human.mean(axis=1))


def test_files_of_scores_and_runs_give_the_same(tmp_path: Path) -> None:
    """Prediction-powered estimates are the same over runs and over two files of scores."""
    some = MADE.truth.select(topics=MADE.truth.topics[::2])
    by_runs = estimate_with_labels(some, MADE.runs, "nDCG@10", labels=MACHINE, assume_random=True)[
        "nDCG@10"
    ]
    paths = []
    for name, judged in (("a", some), ("b", MACHINE.predictions("machine"))):
        table = pw.score(pw.align(judged, MADE.runs), "nDCG@10", bounds="none")
        paths.append(tmp_path / f"{name}.csv")
        pw.write_score_matrix(table, paths[-1])
    by_scores = estimate_from_scores(*paths, ["nDCG@10"], assume_random=True)
    np.testing.assert_allclose(by_scores.estimate, by_runs.estimate)
    for one, other in zip(by_scores.of_means, by_runs.of_means, strict=True):
        np.testing.assert_allclose(one.low, other.low)


def test_topics_that_were_chosen_get_no_interval() -> None:
    """Nobody can tell chosen topics from drawn ones, so that drawing is to be said."""
    some = MADE.truth.select(topics=MADE.truth.topics[:12])
    estimates = estimate_with_labels(some, MADE.runs, "P@5", labels=MACHINE)["P@5"]
    assert estimates.of_means == ()
    assert "were drawn at random is not known" in estimates.sentences()[0]
    assumed = estimate_with_labels(some, MADE.runs, "P@5", labels=MACHINE, assume_random=True)[
        "P@5"
    ]
    assert "Assumed, and not known: that the topics" in " ".join(assumed.sentences())


def test_too_few_topics_are_refused() -> None:
    """Seven topics with labels by people are too few."""
    few = MADE.truth.select(topics=MADE.truth.topics[:7])
    with pytest.raises(OptionError, match="must have judged 8 topics at least; got 7"):
        estimate_with_labels(few, MADE.runs, "P@5", labels=MACHINE, assume_random=True)


def test_how_many_more_topics() -> None:
    """The number of topics for a wanted half-width is the first that gives it."""
    some = MADE.truth.select(topics=MADE.truth.topics[:10])
    estimates = estimate_with_labels(
        some, MADE.runs, "P@5", labels=MACHINE, assume_random=True, width=0.03
    )["P@5"]
    assert "people must judge" in estimates.more
    with pytest.raises(OptionError, match="a half-width is above 0"):
        estimate_with_labels(some, MADE.runs, "P@5", labels=MACHINE, assume_random=True, width=-1)


def test_a_sample_of_documents_gives_intervals_that_hold_the_truth() -> None:
    """Over 20 samples the intervals over labels cover the means by all labels."""
    truth = pw.score(pw.align(MADE.truth, MADE.runs), "P@10", bounds="none").means()
    held, errors = [], []
    for seed in range(20):
        estimates = estimate_with_labels(sampled(rng=seed), MADE.runs, "P@10", labels=MACHINE)[
            "P@10"
        ]
        over = estimates.of_means[0]
        held.append((over.low <= truth) & (truth <= over.high))
        errors.append(estimates.estimate - truth)
    assert 0.88 <= np.mean(held) <= 1
    assert abs(np.mean(errors)) < 0.02


def test_the_uncertainty_over_labels_goes_with_the_scores() -> None:
    """The score table has one more uncertainty, and columns and tables show it unasked."""
    estimates = estimate_with_labels(sampled(), MADE.runs, "P@10", labels=MACHINE)["P@10"]
    assert estimates.table is not None
    assert [uncertainty.over for uncertainty in estimates.table.uncertainties()] == [
        "topics",
        "judgments",
        "labels",
    ]
    columns = estimates.table.columns(per_topic=False)
    assert columns["label_low"] == estimates.columns()["label_low"]
    assert "95% over labels" in str(estimates.table)
    assert np.isnan(columns["lower"]).all(), "machine labels enter no range over judgments"
    assert "95% over labels" in estimates.table._repr_html_()
    paper = pw.views.paper_table(pw.table([estimates.table]), digits=4, sort="given")
    at = [column.title for column in paper.columns].index("P@10 over labels")
    over = estimates.of_means[0]
    ends = zip(over.low.tolist(), over.high.tolist(), strict=True)
    assert [row[at] for row in paper.rows] == [f"{low:.4f} to {high:.4f}" for low, high in ends]
    plain = pw.views.paper_table(pw.table([estimates.table]), uncertainty="none")
    assert "over labels" not in str(plain)


def test_differences_have_both_targets_too() -> None:
    """The difference of two runs is that of their estimates, with an interval of its own."""
    sample = sampled()
    means = estimate_with_labels(sample, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    differences = compare_with_labels(sample, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    (a, b), place = differences.pairs[0], means.systems.index
    assert differences.difference[0] == pytest.approx(
        means.estimate[place(a)] - means.estimate[place(b)]
    )
    assert [uncertainty.over for uncertainty in differences.further] == ["labels", "topics"]


def test_everything_labelled_leaves_nothing_open() -> None:
    """With a budget of all documents the estimate is the score, and the interval a point."""
    estimates = estimate_with_labels(sampled(10**6), MADE.runs, "P@10", labels=MACHINE)["P@10"]
    truth = pw.score(pw.align(MADE.truth, MADE.runs), "P@10", bounds="none").means()
    np.testing.assert_allclose(estimates.estimate, truth)
    np.testing.assert_allclose(estimates.of_means[0].low, truth)


def test_ndcg_is_refused_with_two_ways_out() -> None:
    """The ideal of nDCG cannot be estimated from a few labels."""
    with pytest.raises(
        MeasureError, match=r"use SDCG@10 or P@10, or let people judge whole\s+topics"
    ):
        estimate_with_labels(sampled(), MADE.runs, "nDCG@10", labels=MACHINE)


def test_the_top_grade_of_sdcg_must_be_declared() -> None:
    """An unseen highest grade would rescale every score; the name carries the declared one."""
    with pytest.raises(MeasureError, match="its highest grade must be declared"):
        estimate_with_labels(sampled(), MADE.runs, "SDCG@10", labels=MACHINE)
    estimates = estimate_with_labels(
        sampled(), MADE.runs, "SDCG@10", labels=MACHINE, grades=(0, 1, 2, 3)
    )
    assert [str(part.measure) for part in estimates] == ["SDCG(top=3)@10"]


def test_labels_without_chances_get_no_interval() -> None:
    """Labels that somebody chose are no sample; the points beside have no interval either."""
    chosen = MADE.judgments
    estimates = estimate_with_labels(chosen, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    assert estimates.of_means == ()
    assert np.isnan(estimates.estimate).all()
    assert "do not say with which chance" in estimates.sentences()[0]
    assert {"plain", "condensed", "machine_in_holes", "calibrated_on_pool"} <= set(estimates.beside)


def test_drawn_documents_without_a_label_are_refused() -> None:
    """What was drawn and not labelled is missing for a reason that nobody knows."""
    drawn = labelled_sample(MADE.runs, 200, labels=MACHINE)
    half = MADE.truth.keep(np.arange(len(MADE.truth.codes)) % 2 == 0)
    part, ungraded = sampled_judgments(drawn, half)
    assert ungraded
    with pytest.raises(OptionError, match="every document that was drawn needs a label"):
        estimate_with_labels(part, MADE.runs, "P@10", labels=MACHINE)
    assumed = estimate_with_labels(part, MADE.runs, "P@10", labels=MACHINE, assume_random=True)
    assert "by chance which documents people labelled" in " ".join(assumed.sentences())


def test_too_few_labels_are_refused() -> None:
    """Fewer than 30 labels by people give no interval."""
    with pytest.raises(OptionError, match="need 30 labels by people and 8 topics"):
        estimate_with_labels(sampled(12), MADE.runs, "P@10", labels=MACHINE)


def test_holes_of_an_old_pool() -> None:
    """The pool is certain, the sample is of the holes, and four plain columns stand beside."""
    old = MADE.runs.select(runs=MADE.runs.systems[:2])
    pool = pw.pool(MADE.truth, old, depth=10)
    sample = sampled(100, judged=pool)
    estimates = estimate_with_labels(sample, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    truth = pw.score(pw.align(MADE.truth, MADE.runs), "P@10", bounds="none").means()
    np.testing.assert_allclose(estimates.estimate[:2], truth[:2], err_msg="nothing is open there")
    assert np.abs(estimates.estimate - truth).max() < 0.15
    plain = pw.score(pw.align(pool, MADE.runs), "P@10", bounds="none").means()
    np.testing.assert_allclose(estimates.beside["plain"], plain)
    assert (estimates.beside["plain"][2:] < truth[2:]).all()


def test_a_run_that_the_sample_did_not_know_has_a_rest() -> None:
    """Documents that could not be drawn stay unknown: what they could add stands beside."""
    sampled_runs = MADE.runs.select(runs=MADE.runs.systems[:-1])
    drawn = labelled_sample(sampled_runs, 200, labels=MACHINE)
    sample, _ = sampled_judgments(drawn, MADE.truth)
    estimates = estimate_with_labels(sample, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    rest = next(
        uncertainty for uncertainty in estimates.of_means if uncertainty.over == "never drawn"
    )
    assert rest.high[:-1].tolist() == [0] * 5
    assert rest.high[-1] > 0.1
    truth = pw.score(pw.align(MADE.truth, MADE.runs), "P@10", bounds="none").means()[-1]
    over = estimates.of_means[0]
    assert over.low[-1] <= truth <= over.high[-1] + rest.high[-1]


def test_a_difference_that_undrawn_documents_could_turn_is_not_supported() -> None:
    """A sample of one run alone supports no difference with another, however narrow it is."""
    first, second = MADE.runs.systems[:2]
    drawn = labelled_sample(MADE.runs.select([first]), 200, labels=MACHINE)
    judged, _ = sampled_judgments(drawn, MADE.truth)
    runs = MADE.runs.select([first, second])
    (differences,) = compare_with_labels(judged, runs, "P@10", labels=MACHINE).parts
    labels, _, never = differences.further
    assert never.over == "never drawn"
    assert labels.low[0] > 0 > labels.low[0] + never.low[0]
    assert "of 1 difference, 0 are supported" in differences.sentences()[0]
    # Brute force: all of the second run's own documents are relevant, or none is.
    shares = [
        np.mean([len(set(runs.ranking(second, t)[:10]) - set(runs.ranking(first, t)[:10]))])
        for t in judged.topics
    ]
    assert (never.low[0], never.high[0]) == (pytest.approx(-np.mean(shares) / 10), 0)


def test_samples_by_strata_have_chances_too() -> None:
    """NIST's five columns say how many of a stratum were judged, which is the chance."""
    drawn = pw.workflows.sample(MADE.runs, "depths:3=1,10=0.3", rng=2)
    sample, _ = sampled_judgments(drawn, MADE.truth)
    estimates = estimate_with_labels(sample, MADE.runs, "P@10", labels=MACHINE)["P@10"]
    truth = pw.score(pw.align(MADE.truth, MADE.runs), "P@10", bounds="none").means()
    assert np.abs(estimates.estimate - truth).max() < 0.1
    assert [uncertainty.over for uncertainty in estimates.of_means] == ["labels", "topics"]


def test_a_flat_design_passes_over_the_grades() -> None:
    """With --design flat another machine's labels draw the same documents."""
    other = simulate_labels(MADE.truth, CONFUSION[::-1], rng=9)
    first, second = (
        labelled_sample(MADE.runs, 200, labels=labels, flat=True) for labels in (MACHINE, other)
    )
    np.testing.assert_allclose(first.probability, second.probability)
    by_grade = labelled_sample(MADE.runs, 200, labels=other)
    assert np.abs(by_grade.probability - first.probability).max() > 0.01


def test_labels_of_another_collection_are_refused() -> None:
    """Labels whose topics or documents are others cannot help, and are most likely a mistake."""
    strange = Labels.from_dict("machine", {"zz": {"a": 1, "b": 0}})
    with pytest.raises(OptionError, match="no document in the first ranks of the runs has a label"):
        labelled_sample(MADE.runs, 50, labels=strange)
    with pytest.raises(OptionError, match="no topic in common with the judgments"):
        estimate_with_labels(MADE.truth, MADE.runs, "P@5", labels=strange)


def test_runs_of_the_same_model_have_no_mean_by_it() -> None:
    """The column of the machine alone is empty for a run that was declared to use it."""
    estimates = estimate_with_labels(
        sampled(), MADE.runs, "P@10", labels=MACHINE, same_model=[MADE.runs.systems[1]]
    )["P@10"]
    assert np.flatnonzero(np.isnan(estimates.beside["machine"])).tolist() == [1]


def test_several_machines_need_a_name() -> None:
    """One set of labels is used, and which one is to be said."""
    other = simulate_labels(MADE.truth, CONFUSION, name="other", rng=3)
    with pytest.raises(OptionError, match="one set of labels by a machine is used"):
        estimate_with_labels(sampled(), MADE.runs, "P@10", labels=[MACHINE, other])
    estimates = estimate_with_labels(
        sampled(), MADE.runs, "P@10", labels=[MACHINE, other], by="other"
    )
    assert "by other" in " ".join(estimates.sentences())


def test_simulated_labels_have_their_confusion_and_their_bias() -> None:
    """Grades come from the row of the truth; documents that favoured runs alone have are raised."""
    made = pw.agree(MACHINE, against=MADE.truth)
    shares = made.pairs[0].confusion
    shares = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, CONFUSION, atol=0.06)
    maverick = MADE.runs.systems[-1]
    biased = simulate_labels(
        MADE.truth, CONFUSION, runs=MADE.runs, favoured=[maverick], lift=2, rng=2
    )
    agreement = pw.agree(biased, against=MADE.truth, runs=MADE.runs, resamples=0)
    assert agreement.excesses["machine"].favoured == (maverick,)
    with pytest.raises(OptionError, match="a row of probabilities for each of 4 grades"):
        simulate_labels(MADE.truth, [[1.0, 0.0]])


def test_a_machine_fills_the_holes_of_people_and_nothing_else() -> None:
    """Where people judged all of a topic, its mean is theirs, whatever the machine says."""
    wrong = {t: {d: 3 - g for d, g in graded.items()} for t, graded in MADE.truth.to_dict().items()}
    estimates = estimate_with_labels(
        MADE.truth, MADE.runs, "P@10", labels=pw.read_labels({"wrong": wrong})
    )["P@10"]
    plain = pw.evaluate(MADE.truth, MADE.runs, "P@10")["P@10"].means()
    np.testing.assert_allclose(estimates.beside["machine_in_holes"], plain)


def test_peoples_mean_alone_has_an_interval_by_t_over_their_topics() -> None:
    """With n of N topics judged: t(n − 1) √((1/n − 1/N) s²)."""
    powered = PredictionPowered(
        estimate=np.array([0.5]),
        human=np.array([0.5]),
        machine=np.array([0.5]),
        residual=np.array([0.01]),
        spread=np.array([0.04]),
        weight=1.0,
        judged=10,
        topics=50,
    )
    wanted = t_distribution.ppf(0.975, 9) * np.sqrt((1 / 10 - 1 / 50) * 0.04)
    assert powered.human_half_width() == pytest.approx(wanted)
    assert powered.half_width() == pytest.approx(
        t_distribution.ppf(0.975, 9) * np.sqrt(0.08 * 0.01)
    )
