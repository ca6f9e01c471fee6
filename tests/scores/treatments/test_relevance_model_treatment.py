"""Estimates by the relevance model: near the truth, possible, honest with few groups."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import poolwise as pw
from poolwise import Evidence, Groups, OptionError
from poolwise.arrays import Booleans, Integers
from poolwise.collection import Author, Labels, join_labels, simulate_labels
from poolwise.evidence._first_ranks import first_ranks
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.scores.treatments._calibration import MOST_UNITS, leave_units_out
from poolwise.scores.treatments._estimates import TREATMENTS, estimate, estimate_all
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    complete_scores,
    fit_model,
)

MEASURES = ("P@10", "nDCG@10", "RBP(p=0.8)", "AP@20", "R@20")


@cache
def collection(
    pooled: int = 20, *, systems: int = 24, order: int = 1
) -> tuple[Evidence, pw.Judgments, pw.Runs]:
    """Return runs of which the first so many were pooled to depth 10, and the pool of all."""
    made = pw.simulate(systems=systems, topics=15, depth=40, rng=3)
    nominations = pw.nominate(made.truth, made.runs)
    reduced = nominations.depth_pool(10, systems=nominations.systems[:pooled])
    runs = made.runs.select(made.runs.systems[::order])
    return pw.align(reduced, runs), nominations.depth_pool(10), made.runs


@cache
def one_new_run(new: int) -> tuple[Evidence, Evidence]:
    """Return a pool that lacks one run, and the pool of all."""
    made = pw.simulate(systems=24, topics=15, depth=40, rng=3)
    nominations = pw.nominate(made.truth, made.runs)
    rest = tuple(run for i, run in enumerate(nominations.systems) if i != new)
    pools = (nominations.depth_pool(10, systems=rest), nominations.depth_pool(10))
    reduced, whole = (pw.align(pool, made.runs) for pool in pools)
    return reduced, whole


@pytest.mark.parametrize("measure", MEASURES)
def test_it_is_nearer_to_the_truth_than_the_usual_assumption(measure: str) -> None:
    """Means of new runs are off by less than where unjudged documents count as not relevant."""
    wanted, ours, plain = pw.parse_measure(measure), [], []
    for new in range(19, 24):
        reduced, whole = one_new_run(new)
        truth = wanted.score(whole)[new].mean()
        drawn = complete_scores(reduced, wanted, RelevanceModelTreatment(draws=100), rng=1)
        ours.append(drawn.values[new].mean() - truth)
        plain.append(wanted.score(reduced)[new].mean() - truth)
    assert np.square(ours).mean() < 0.5 * np.square(plain).mean()


@pytest.mark.parametrize("measure", MEASURES)
def test_estimates_and_ranges_lie_within_the_exact_range(measure: str) -> None:
    """Neither a score, nor a mean, nor an end of a range is impossible."""
    evidence, *_ = collection()
    estimated, exact = estimate(evidence, measure, rng=1), pw.score(evidence, measure)
    for part in (estimated.value, estimated.lower, estimated.upper):
        assert (part >= exact.lower - 1e-12).all()
        assert (part <= exact.upper + 1e-12).all()
    (low, high), (least, most) = estimated.mean_bounds(), exact.mean_bounds()
    assert (least - 1e-12 <= low).all()
    assert (low <= estimated.means()).all()
    assert (estimated.means() <= high).all()
    assert (high <= most + 1e-12).all()


def test_a_run_judged_to_the_depth_of_the_pool_has_its_plain_score() -> None:
    """Where a run's first documents are all judged nothing is guessed, and the range is a point."""
    evidence, *_ = collection()
    for measure in ("P@10", "nDCG@5", "AP@10"):
        estimated, plain = estimate(evidence, measure, rng=1), pw.score(evidence, measure)
        assert np.array_equal(estimated.value[:20], plain.value[:20])
        low, high = estimated.mean_bounds()
        assert np.array_equal(low[:20], high[:20])


def test_estimates_do_not_depend_on_the_order_of_runs() -> None:
    """The same seed gives a run the same estimate, whichever file is read first."""
    forth, back = (estimate(collection(order=o)[0], "AP@20", rng=5) for o in (1, -1))
    assert forth.value == pytest.approx(back.value[::-1], abs=1e-12)
    assert forth.mean_bounds()[0] == pytest.approx(back.mean_bounds()[0][::-1], abs=1e-9)


def test_draws_and_errors_are_the_same_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file is read first, and on one thread and many: the same draws, the same errors."""
    options, measure = RelevanceModelTreatment(draws=50), pw.parse_measure("nDCG@10")
    forth, back = (
        complete_scores(collection(order=o)[0], measure, options, rng=5, shared=True).values
        for o in (1, -1)
    )
    assert np.array_equal(forth, back[::-1])
    evidence, all_errors, drawn = collection()[0], [], []
    monkeypatch.setattr("poolwise.scores.treatments._drawn_scores._MANY", 0)
    monkeypatch.setattr("poolwise.findings.comparison._over_judgments._MANY", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    for threads in (1, 4):
        monkeypatch.setattr("poolwise.results._threads._THREADS", threads)
        evidence.memo.clear()
        fitted = fit_model(evidence, measure, options)
        errors = [fitted.errors(measure, 5, at_once=count) for count in (0, 4)]
        all_errors.append([*errors, fitted.difference_errors(measure, 5)])
        pairs = compare_evidence(evidence, measure, draws=50).drawn
        scores = complete_scores(evidence, measure, options, rng=5, shared=True).values
        drawn.append((scores, pairs.difference, pairs.pvalue, pairs.significant))
    for one, other in zip(*all_errors, strict=True):
        assert all(np.array_equal(a, vars(other)[n], True) for n, a in vars(one).items())
    assert all(np.array_equal(one, other, True) for one, other in zip(*drawn, strict=True))


def test_the_point_is_the_mean_of_the_draws() -> None:
    """One definition of the estimate: the mean over draws, of topics and of means."""
    evidence, *_ = collection()
    options = RelevanceModelTreatment(draws=50)
    measure = pw.parse_measure("nDCG@10")
    draws = complete_scores(evidence, measure, options, rng=1)
    table = options.table(evidence, measure, 1)
    assert table.value == pytest.approx(draws.values.mean(axis=2))
    assert table.means() == pytest.approx(draws.values.mean(axis=(1, 2)))


@pytest.mark.parametrize("measure", ["P@10", "nDCG@10"])
def test_two_runs_are_halfway_to_the_bootstrap_with_the_exact_range(measure: str) -> None:
    """With fewer than five kinds of pooled runs, no range is calibrated, and the name says how."""
    evidence, *_ = collection()
    few = evidence.select(np.array([0, 22]))
    estimated, exact = estimate(few, measure, rng=1), pw.score(few, measure)
    assert np.array_equal(estimated.mean_bounds(), exact.mean_bounds())
    assert "Not calibrated: 1 kind of pooled runs, 5 are needed." in " ".join(estimated.caveats())
    assert dict(estimated.provenance.options)["estimate"] == "halfway to the bootstrap"
    drawn = pw.scores.bootstrap(few, measure, draws=4000, rng=2).mean()
    assert estimated.value == pytest.approx((exact.value + drawn) / 2, abs=0.01)


def test_below_the_pool_the_way_is_to_the_model() -> None:
    """Where the bootstrap would hand a run what it missed, the model takes its place."""
    evidence, *_ = collection()
    few = evidence.select(np.array([0, 1, 2, 22]))
    estimated, plain = estimate(few, "AP@20", rng=1), pw.score(few, "AP@20", bounds="none")
    assert dict(estimated.provenance.options)["estimate"] == "halfway to the model"
    drawn = complete_scores(few, plain.measure, RelevanceModelTreatment(), rng=1)
    assert estimated.value == pytest.approx((plain.value + drawn.mean()) / 2)


@pytest.mark.parametrize("measure", ["P@10", "nDCG@10", "AP@20", "RBP(p=0.8)"])
@given(seed=st.integers(0, 40), judged=st.integers(6, 20))
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_range_is_a_point_while_a_document_is_open(measure: str, seed: int, judged: int) -> None:
    """Where a document above the cut-off is unjudged and could matter, a range has a width."""
    made = pw.simulate(systems=12, topics=5, depth=20, groups=10, rng=seed)
    pool = pw.nominate(made.truth, made.runs).depth_pool(
        judged // 2, systems=made.runs.systems[:judged]
    )
    evidence = pw.align(pool, made.runs)
    exact = pw.score(evidence, measure)
    unjudged = count_ungraded(exact.measure.cut(evidence))
    least, most = exact.mean_bounds()
    matters = (unjudged > 0) & (exact.upper - exact.lower > 1e-9) & ~np.isnan(exact.value)
    for target in ("own", "all"):
        options = RelevanceModelTreatment(draws=4, target=target)
        estimated = estimate(evidence, measure, treatment=options, rng=seed)
        low, high = estimated.mean_bounds()
        if target == "all" and np.isnan(low).any():
            continue  # Where no range can be calibrated, there is none, and it says why.
        assert (high > low)[(unjudged.sum(axis=1) > 0) & (most - least > 1e-9)].all()
        assert (estimated.upper > estimated.lower)[matters].all()


def test_what_stands_deeper_than_the_model_looks_is_in_no_range_and_said() -> None:
    """AP of lists of 120: a run judged to rank 100 has a point, and the heading says of what."""
    made = pw.simulate(systems=12, topics=4, depth=120, groups=10, rng=2)
    pool = pw.nominate(made.truth, made.runs).depth_pool(100, systems=made.runs.systems[:10])
    evidence = pw.align(pool, made.runs)
    estimated = estimate(evidence, "AP", treatment=RelevanceModelTreatment(draws=20), rng=1)
    low, high = estimated.mean_bounds()
    is_open = count_ungraded(evidence.truncate(100)).any(axis=1)
    assert 0 < is_open.sum() < len(is_open)
    assert ((high > low) == is_open).all()
    assert (
        dict(estimated.provenance.options)["target"]
        == "if this run's first 100 documents were judged"
    )
    deep = "of the first 100 ranks: unjudged documents below them count as not relevant"
    assert deep in " ".join(estimated.caveats())
    assert deep in " ".join(pw.compare_evidence(evidence, "AP", draws=4, rng=1).sentences())
    assert deep not in " ".join(estimate(evidence, "AP@20", rng=1).caveats())


def test_a_run_with_more_unjudged_documents_than_any_left_out_is_named() -> None:
    """What the range was calibrated on had fewer: the range may be too narrow, and it says so."""
    evidence, *_ = collection()
    estimated = estimate(evidence, "P@10", rng=1)
    options = RelevanceModelTreatment()
    errors = fit_model(evidence, estimated.measure, options).errors(estimated.measure, 1)
    assert errors is not None
    unjudged = count_ungraded(estimated.measure.cut(evidence)).sum(axis=1)
    beyond = [r for r, n in zip(evidence.systems, unjudged, strict=True) if n > errors.hidden.max()]
    said = " ".join(estimated.caveats())
    assert ("more unjudged documents than any group" in said) == bool(beyond)
    assert all(run in said for run in beyond[:1])


@pytest.mark.parametrize(("pooled", "said"), [(8, "89%"), (20, "95%")])
def test_the_level_that_can_be_promised_is_printed(pooled: int, said: str) -> None:
    """So many groups promise at most m/(m + 1): 8 groups 89%, 19 or more 95%."""
    evidence, *_ = collection(pooled)
    assert said in " ".join(estimate(evidence, "P@10", rng=1).caveats())


def test_what_is_plausible_is_not_called_possible() -> None:
    """A calibrated range has a heading and a sentence of its own, in evaluate as elsewhere."""
    evidence, *_ = collection()
    estimated, exact = estimate(evidence, "P@10", rng=1), pw.score(evidence, "P@10")
    headings = [column.title for column in estimated.tables()[0].columns]
    assert "plausible range by model" in headings
    assert "range if judged" not in headings
    assert "Judging could give" not in " ".join(estimated.sentences())
    assert "By the model, judging would plausibly give bm25-1" in " ".join(estimated.sentences())
    assert "range if judged" in [c.title for c in exact.tables()[0].columns]


def test_runs_of_one_group_are_left_out_together() -> None:
    """Groups that are given are those the range is calibrated on."""
    evidence, *_ = collection()
    groups = Groups.from_dict({run: f"group{i // 3}" for i, run in enumerate(evidence.systems)})
    estimated = estimate(
        evidence, "P@10", treatment=RelevanceModelTreatment(groups=groups, depth=10), rng=1
    )
    assert "7 groups" in " ".join(estimated.caveats())


def test_positive_judgments_are_refused_by_all_that_need_others() -> None:
    """MS MARCO's kind of qrels: the model and every treatment of its kin say why they cannot."""
    evidence = Evidence.from_grades([[1, None, 1], [None, 1]])
    estimates = estimate_all(evidence, "P@2")
    assert list(estimates.scores) == ["nonrelevant", "naive", "exact", "rbp-inspired"]
    assert len(estimates.refused) == len(TREATMENTS) - 4
    assert all("non-relevant" in why and "Hint:" in why for why in estimates.refused.values())
    with pytest.raises(OptionError, match="non-relevant"):
        estimate(evidence, "P@2", treatment="model")


@pytest.mark.parametrize("measure", ["P@10", "AP@10"])
def test_ranges_of_topics_hold_the_scores_of_new_runs(measure: str) -> None:
    """Of the lists of a new run with an unjudged document, some nine in ten are in their range."""
    held = []
    for new in range(15, 24):
        reduced, whole = one_new_run(new)
        estimated = estimate(reduced, measure, treatment=RelevanceModelTreatment(draws=100), rng=1)
        truth = pw.parse_measure(measure).score(whole)[new]
        inside = (estimated.lower[new] - 1e-9 <= truth) & (truth <= estimated.upper[new] + 1e-9)
        held.append(inside[estimated.upper[new] > estimated.lower[new] + 1e-9].mean())
    assert 0.88 <= np.mean(held) <= 0.98


def test_judgments_chosen_one_after_the_other_leave_ranges_uncalibrated() -> None:
    """With adaptive judgments the exact range stands there, and the reason."""
    evidence, *_ = collection()
    estimated = estimate(evidence, "P@10", treatment="model(adaptive=True,draws=50)", rng=1)
    exact = pw.score(evidence, "P@10")
    assert np.array_equal(estimated.mean_bounds(), exact.mean_bounds())
    assert np.array_equal((estimated.lower, estimated.upper), (exact.lower, exact.upper))
    said = " ".join(estimated.caveats())
    assert "not calibrated" in said
    assert "chosen one after the other" in said


def test_a_ridge_of_0_is_refused() -> None:
    """Without any pull to 0, features that say the same leave the fit undecided."""
    with pytest.raises(OptionError, match=r"ridge: .*Hint: use 30"):
        RelevanceModelTreatment(ridge=0)


def test_a_level_outside_0_and_1_is_refused() -> None:
    """A range holds some groups and not all."""
    with pytest.raises(OptionError, match=r"level: .*Hint: use 0\.95"):
        RelevanceModelTreatment(level=1.0)


def test_of_many_groups_a_fixed_number_is_left_out() -> None:
    """The groups that calibrate are drawn by name: another order of runs draws the same."""
    made = pw.simulate(systems=MOST_UNITS + 60, topics=6, depth=30, pool_depth=10, rng=3)
    alone = Groups.from_dict({run: run for run in made.runs.systems})
    options, chosen = RelevanceModelTreatment(depth=10, groups=alone), []
    for order in (1, -1):
        evidence = pw.align(made.judgments, made.runs.select(made.runs.systems[::order]))
        fitted = fit_model(evidence, pw.parse_measure("P@10"), options)
        chosen.append([fitted.pool.groups[unit.unit] for unit in fitted.left_out(7)])
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == MOST_UNITS < len(fitted.pool.pooled_groups)


def test_few_groups_are_all_left_out() -> None:
    """Every pooled group with documents of its own calibrates, where there are not too many."""
    made = pw.simulate(systems=12, topics=6, depth=30, pool_depth=10, rng=3)
    evidence = pw.align(made.judgments, made.runs)
    fitted = fit_model(evidence, pw.parse_measure("P@10"), RelevanceModelTreatment(depth=10))
    owners = fitted.documents.owner[fitted.documents.judged]
    assert [unit.unit for unit in fitted.left_out(7)] == sorted({*owners.tolist()} - {-1})


# If all given runs' documents were judged.


def test_as_many_units_are_left_out_at_once_as_are_new() -> None:
    """Each unit leaves once, in a set of four at least, with all that nobody else brought in."""
    evidence, *_ = collection()
    measure = pw.parse_measure("nDCG@10")
    fitted = fit_model(evidence, measure, RelevanceModelTreatment())
    new, documents = fitted.new_units(measure), fitted.pooled
    assert new == 4  # The four runs that were not pooled are unlike each other, and the others.
    left_out = leave_units_out(documents, fitted.model, rng=7, at_once=new)
    gone = [
        np.unique(documents.unit_of[documents.pool.group_of[unit.systems]]) for unit in left_out
    ]
    assert np.array_equal(np.sort(np.concatenate(gone)), documents.bringing_units)
    assert all(len(units) >= new for units in gone)
    held = documents.held
    for unit, units in zip(left_out, gone, strict=True):
        alone = [
            bool(judged) and len(by) > 0 and set(by.tolist()) <= set(units.tolist())
            for judged, first, past in zip(
                documents.judged, held.starts, held.starts[1:], strict=False
            )
            for by in [documents.unit_of[held.groups[first:past][held.nominates[first:past]]]]
        ]
        assert np.array_equal(unit.rows, documents.rows[np.array(alone)])


def test_where_nothing_is_shared_both_targets_have_the_same_errors() -> None:
    """P knows no ideal: with one unit at a time, errors are those of a run's own documents."""
    evidence, *_ = collection(23)
    fitted = fit_model(evidence, pw.parse_measure("P@10"), RelevanceModelTreatment())
    own, every = (fitted.errors(pw.parse_measure("P@10"), 7, at_once=k) for k in (0, 1))
    assert not isinstance(own, str)
    assert not isinstance(every, str)
    assert np.array_equal(own.mean_error, every.mean_error)
    assert np.array_equal(own.mean_deviation, every.mean_deviation)
    other, ideal = (fitted.errors(pw.parse_measure("nDCG@10"), 7, at_once=k) for k in (0, 1))
    assert not isinstance(other, str)
    assert not isinstance(ideal, str)
    assert not np.array_equal(other.mean_error, ideal.mean_error)


def test_the_second_target_has_a_range_with_its_promise() -> None:
    """It says how many were left out at once, and holds the means with all documents judged."""
    evidence, whole, runs = collection()
    estimated = estimate(evidence, "nDCG@10", treatment="model(target='all')", rng=1)
    assert "left out, 4 at once" in " ".join(estimated.caveats())
    truth = pw.parse_measure("nDCG@10").score(pw.align(whole, runs)).mean(axis=1)
    low, high = estimated.mean_bounds()
    assert ((low <= truth + 1e-9) & (truth <= high + 1e-9)).mean() >= 0.9
    # What the other runs bring makes the ideal better, for runs too of which all is judged.
    assert (estimated.means()[:20] < pw.score(evidence, "nDCG@10").means()[:20]).all()
    assert (high > low).all()


def test_more_new_runs_than_can_be_left_out_twice_have_no_range() -> None:
    """As many units as are new must leave as many behind; else no range, and the reason."""
    evidence, *_ = collection(14)
    estimated = estimate(evidence, "nDCG@10", treatment="model(target='all',draws=50)", rng=1)
    assert np.isnan(estimated.mean_bounds()).all()
    assert "the new runs are 10 runs, and the pooled ones 14 runs" in " ".join(estimated.caveats())
    few = evidence.select(np.array([0, 1, 2, 22, 23]))
    alone = estimate(few, "nDCG@10", treatment="model(target='all',draws=50)", rng=1)
    assert "have no range: 3 kinds of pooled runs, 5 are needed" in " ".join(alone.caveats())


# A machine's labels.

NOISY = ((0.8, 0.15, 0.05, 0.0), (0.2, 0.5, 0.2, 0.1), (0.1, 0.2, 0.5, 0.2), (0.0, 0.1, 0.2, 0.7))


@cache
def labelled() -> tuple[Evidence, Evidence, Labels]:
    """Return a pool that lacks four runs, the pool of all, and a machine's labels of the latter."""
    made = pw.simulate(systems=24, topics=15, depth=40, rng=3)
    nominations = pw.nominate(made.truth, made.runs)
    pools = (
        nominations.depth_pool(10, systems=nominations.systems[:20]),
        nominations.depth_pool(10),
    )
    reduced, whole = (pw.align(pool, made.runs) for pool in pools)
    return reduced, whole, simulate_labels(pools[1], NOISY, rng=1)


def test_the_grade_of_a_machine_makes_estimates_better() -> None:
    """Labels that are right more often than not bring the means of new runs nearer to the truth."""
    reduced, whole, labels = labelled()
    measure = pw.parse_measure("P@10")
    truth = measure.score(whole)[20:].mean(axis=1)
    errors = []
    for label_set in (None, labels):
        options = RelevanceModelTreatment(draws=200, labels=label_set)
        drawn = complete_scores(reduced, measure, options, rng=1)
        errors.append(np.square(drawn.values[20:].mean(axis=(1, 2)) - truth).mean())
    assert errors[1] < 0.7 * errors[0]


def test_a_machine_that_says_the_same_of_all_changes_nothing() -> None:
    """Its one grade is no feature: every estimate is what it is without labels, to the bit."""
    reduced, _, labels = labelled()
    constant = replace(labels, grade=np.full(len(labels), 2.0))
    measure = pw.parse_measure("P@10")
    without, with_ = (
        complete_scores(
            reduced, measure, RelevanceModelTreatment(draws=20, labels=label_set), rng=1
        )
        for label_set in (None, constant)
    )
    assert np.array_equal(without.values, with_.values)


def test_labels_leave_the_exact_range_and_say_what_they_are() -> None:
    """No label moves a bound; the estimate is named, and provenance and meaning tell of labels."""
    reduced, _, labels = labelled()
    estimates = estimate_all(reduced, "P@10", treatments=["model", "exact"], labels=labels)
    plain = estimate_all(reduced, "P@10", treatments=["exact"])
    for end in ("lowest", "highest"):
        assert np.array_equal(getattr(estimates, end), getattr(plain, end))
    assert not estimates.impossible("model").any()
    (table,) = estimates.tables()
    assert "model with labels, if this run's documents were judged" in str(table)
    assert dict(estimates.provenance.options)["labels"] == labels.recorded_as
    judged = int(reduced.pool.sum())
    said = f"learned from {judged:,} documents that people judged too"
    assert any(said in note for note in table.notes)


def test_labels_that_cannot_be_learned_from_are_refused() -> None:
    """Labels of holes alone, of judged documents alone, of two machines, or a name: an error."""
    reduced, _, labels = labelled()
    of_judged = _is_judged(labels, reduced)
    holes = replace(labels, grade=np.where(of_judged, np.nan, labels.grade))
    judged_only = replace(labels, grade=np.where(of_judged, labels.grade, np.nan))
    for some, said in ((holes, "30 at least; got 0"), (judged_only, "say nothing of")):
        options = RelevanceModelTreatment(labels=some)
        with pytest.raises(OptionError, match=said):
            estimate(reduced, "P@10", treatment=options)
    both = join_labels([labels, replace(labels, authors=(Author("other"),))])
    for wrong in (both, "gpt4.qrels"):
        with pytest.raises(OptionError, match="must be the labels of one machine"):
            RelevanceModelTreatment(labels=wrong)  # type: ignore[arg-type] # as people write it


def test_a_run_whose_documents_lack_labels_has_the_range_of_all_that_is_possible() -> None:
    """Errors of labelled documents say nothing of others; runs with labels keep their ranges."""
    reduced, _, labels = labelled()
    ranks = first_ranks(reduced, 10)
    alone = np.setdiff1d(ranks.row[ranks.run == 22], ranks.row[ranks.run != 22])
    lost = _is_of(labels, reduced, alone) & ~_is_judged(labels, reduced)
    some = replace(labels, grade=np.where(lost, np.nan, labels.grade))
    table = estimate(reduced, "P@10", treatment=RelevanceModelTreatment(draws=50, labels=some))
    exact = pw.score(reduced, "P@10", bounds="exact").mean_bounds()
    wider = np.array(exact) - np.array(table.mean_bounds())
    assert lost.any()
    assert not wider[:, 22].any()
    assert (wider[0, [20, 21, 23]] < 0).all()
    assert (wider[1, [20, 21, 23]] > 0).all()
    said = " ".join(table.over_judgments.meaning)
    assert f"Of {reduced.systems[22]}, more than 5% of the unjudged documents have no" in said


def _is_judged(labels: Labels, evidence: Evidence) -> Booleans:
    """Tell of each label whether people judged its document, too."""
    return _is_of(labels, evidence, np.flatnonzero(document_codes(evidence) >= 0))


def _is_of(labels: Labels, evidence: Evidence, rows: Integers) -> Booleans:
    """Tell of each label whether it is of one of these documents."""
    topics = np.searchsorted(evidence.document_starts, rows, side="right") - 1
    names = (evidence.topics[topic] for topic in topics.tolist())
    members = set(zip(names, evidence.document_ids.take(rows), strict=True))
    columns = labels.to_columns()
    pairs = zip(columns["topic"], columns["document"], strict=True)
    return np.array([pair in members for pair in pairs])


def test_a_card_has_no_labels_of_its_documents() -> None:
    """Labels by a machine need the runs that made the pool: a card is refused beside them."""
    made = pw.simulate(systems=6, topics=8, depth=20, rng=1)
    labels = simulate_labels(made.truth, np.eye(len(made.truth.scale)), name="gpt", rng=1)
    card = pw.make_card(made.truth, made.runs)
    with pytest.raises(OptionError, match="card: a card has no labels of its documents"):
        RelevanceModelTreatment(card=card, labels=labels)
