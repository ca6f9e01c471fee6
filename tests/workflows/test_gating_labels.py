"""A gate that rests on people's labels on a part, and a machine's on all."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import poolwise as pw
from poolwise.collection import Labels, simulate_labels
from poolwise.errors import InputError, OptionError
from poolwise.findings import Gate
from poolwise.findings.gating._limits import prediction_limits
from poolwise.workflows import compare_with_labels, labelled_sample, sampled_judgments

MADE = pw.simulate(systems=6, topics=60, depth=20, rng=5)
CONFUSION = [[0.7, 0.2, 0.1, 0], [0.3, 0.4, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0, 0.1, 0.3, 0.6]]
MACHINE = simulate_labels(MADE.truth, CONFUSION, rng=2)
OLD, NEW = MADE.runs.systems[:2]


def run(name: str) -> pw.Runs:
    """Return one of the runs."""
    return MADE.runs.select([name])


def people(topics: int = 30) -> pw.Judgments:
    """Return people's judgments of some topics, all of their documents."""
    return MADE.truth.select(topics=MADE.truth.topics[::2][:topics])


def gate(judgments: Any, measure: str = "nDCG@10", **options: Any) -> Gate:
    """Gate the second run against the first one."""
    usual: dict[str, Any] = {"labels": MACHINE, "assume_random": True, "baseline": run(OLD)}
    return pw.gate(judgments, run(NEW), measure, **usual | options)


@cache
def sampled(runs: pw.Runs = MADE.runs) -> pw.Judgments:
    """Draw documents of some runs, and let people label them."""
    judged, _ = sampled_judgments(labelled_sample(runs, 400, labels=MACHINE), MADE.truth)
    return judged


def test_the_difference_is_that_of_compare() -> None:
    """With its interval over labels, in the columns, the table and the sentences."""
    gated = gate(people())
    both = pw.read_runs(run(NEW).to_dict(), run(OLD).to_dict())
    (pair,) = compare_with_labels(
        people(), both, "nDCG@10", labels=MACHINE, baseline=OLD, assume_random=True
    ).parts
    row = {name: cells[0] for name, cells in gated.columns().items()}
    expected = pair.columns()
    assert (row["candidate"], row["baseline"]) == (expected["a"][0], expected["b"][0])
    for name in ("difference", "label_low", "label_high"):
        assert row[name] == pytest.approx(expected[name][0], abs=1e-12)
    for name in ("people", "machine"):
        assert row[f"{name}_difference"] == pytest.approx(expected[name][0], abs=1e-12)
    assert row["candidate_mean"] - row["baseline_mean"] == pytest.approx(row["difference"])
    shown = str(gated)
    assert "95% over labels" in shown
    assert "30 of 60 topics judged by people" in shown
    assert "Over labels: 95% interval" in shown
    assert "Assumed, and not known: that the topics which people judged were drawn" in shown


def test_the_limits_for_topics_like_these_decide() -> None:
    """They are the prediction-powered ones, and wider than the interval over labels."""
    gated = gate(people())
    (part,) = gated.measures
    labelled = part.labelled
    assert labelled is not None
    assert labelled.scores is not None
    scores = (labelled.scores.human, labelled.scores.machine, labelled.scores.judged)
    limits = prediction_limits(*scores, 0.01, alpha=0.05)
    assert (part.low, part.high) == (limits.low[0], limits.high[0])
    (interval,) = part.uncertain
    assert part.low < interval.low[0] < interval.high[0] < part.high
    assert gate(people(), margin=0.001 - min(0.0, part.low)).verdict == "pass"
    worst = MADE.runs.systems[
        int(np.argmin(pw.evaluate(MADE.truth, MADE.runs, "P@5")["P@5"].means()))
    ]
    best = MADE.runs.systems[
        int(np.argmax(pw.evaluate(MADE.truth, MADE.runs, "P@5")["P@5"].means()))
    ]
    options: dict[str, Any] = {"labels": MACHINE, "assume_random": True}
    failed = pw.gate(people(), run(worst), "P@5", baseline=run(best), **options)
    assert (failed.verdict, failed.measures[0].high < -0.01) == ("fail", True)


def test_ranges_ignore_the_machine() -> None:
    """Bounds, judged shares and topics are those of people's judgments alone."""
    (alone,) = gate(people(), labels=None, assume_random=False).measures
    (both,) = gate(people()).measures
    np.testing.assert_array_equal(alone.bounds, both.bounds)
    assert (alone.topics, alone.judged) == (both.topics, both.judged)
    np.testing.assert_array_equal(alone.deltas, both.deltas)
    assert alone.difference != both.difference


def test_a_machine_that_is_right_narrows_the_limits() -> None:
    """Labels that are people's own say on all topics what people say on half of them."""
    perfect = Labels.of(MADE.truth, "perfect")
    (right,), (noisy,) = gate(people(), labels=perfect).measures, gate(people()).measures
    (whole,) = gate(MADE.truth, labels=None, assume_random=False).measures
    assert right.difference == pytest.approx(whole.difference)
    assert right.high - right.low < noisy.high - noisy.low


def test_topics_to_decide_rest_on_the_standard_error_of_the_sampled_differences() -> None:
    """Over topics with labelled documents it is the usual one, by SciPy's ``sem``."""
    (part,) = gate(sampled(), "P@5").measures
    labelled = part.labelled
    assert labelled is not None
    assert labelled.scores is None
    assert labelled.error == pytest.approx(float(stats.sem(labelled.deltas)), rel=1e-12)


def test_few_topics_by_people_decide_nothing() -> None:
    """From 8 to 19 the estimate is shown, and neither a pass nor a failure follows from it."""
    for margin in (0.0, 0.9):
        gated = gate(people(12), margin=margin)
        assert gated.verdict == "undecided"
        assert "labels by people on 12 topics are too few" in " ".join(gated.sentences())
    assert gate(people(20), margin=0.9).verdict == "pass"
    with pytest.raises(OptionError, match="people must have judged 8 topics"):
        gate(people(7))


def test_what_was_chosen_is_wrong_input() -> None:
    """Topics or documents that nobody says were drawn at random leave nothing to decide by."""
    with pytest.raises(OptionError, match=r"a gate needs an interval\. Whether the topics"):
        gate(people(), assume_random=False)
    with pytest.raises(OptionError, match="do not say with which chance"):
        gate(MADE.truth, "P@10", assume_random=False)
    with pytest.raises(OptionError, match="strict: what no grades"):
        gate(people(), strict=True)
    with pytest.raises(OptionError, match="max_topic_loss: the score of one topic"):
        gate(sampled(), "P@10", max_topic_loss=0.5)


def test_a_topic_that_the_machine_labelled_must_be_answered() -> None:
    """A run that lacks it would score 0 there by the machine alone."""
    lists = run(NEW).to_dict()
    missing = next(topic for topic in MADE.truth.topics if topic not in people().topics)
    del lists[NEW][missing]
    with pytest.raises(InputError, match="a run must have results for every judged topic"):
        pw.gate(people(), lists, baseline=run(OLD), labels=MACHINE, assume_random=True)


def test_a_sample_of_documents_is_gated_by_its_estimates() -> None:
    """The difference is that of compare, and every topic counts."""
    gated = gate(sampled(), "P@10", margin=0.9)
    both = pw.read_runs(run(OLD).to_dict(), run(NEW).to_dict())
    (pair,) = compare_with_labels(sampled(), both, "P@10", labels=MACHINE, baseline=OLD).parts
    (part,) = gated.measures
    assert part.difference == pytest.approx(pair.difference[0], abs=1e-12)
    assert (gated.verdict, part.n) == ("pass", 60)
    assert "labels by people)" in gated.line
    assert gated.documents == ()


def test_documents_that_no_sample_could_draw_leave_a_gate_open() -> None:
    """A sample of the old run alone says nothing of the new run's documents."""
    gated = gate(sampled(run(OLD)), "P@10", margin=0.1)
    (part,) = gated.measures
    assert part.labelled is not None
    down, up = part.labelled.never_drawn
    assert down == 0 < up
    assert part.high > part.difference + up
    assert gated.verdict == "undecided"
    assert "documents that the sample could not draw leave it open" in " ".join(gated.sentences())


def test_the_same_run_is_unchanged() -> None:
    """Nothing tells it apart from itself, by people or by the machine."""
    copy = {"copy": run(OLD).to_dict()[OLD]}
    for judged, measure in ((people(), "nDCG@10"), (sampled(), "P@10")):
        gated = pw.gate(
            judged, copy, measure, baseline=run(OLD), labels=MACHINE, assume_random=True
        )
        assert gated.verdict == "pass"
        assert "no score of copy has changed" in gated.line


def test_an_anchor_is_gated_with_the_labels_too() -> None:
    """What was lost since the anchor rests on the machine's labels as well."""
    gated = gate(people(), anchor=run(MADE.runs.systems[2]), looks=3)
    assert gated.since is not None
    assert gated.since.measures[0].labelled is not None
    assert gated.since.rules.alpha == pytest.approx(0.05 / 3)
