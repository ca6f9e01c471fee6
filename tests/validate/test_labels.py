"""What the tables on machine labels say, on fewer samples of a made-up collection."""

from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.collection import Labels, join_labels, read_labels, simulate_labels
from poolwise.findings.labels._document_estimates import document_estimates
from poolwise.workflows import estimate_with_labels, labelled_sample, sampled_judgments
from validate.labels import (
    NONE,
    SHUFFLED,
    Split,
    Tally,
    Track,
    situation,
    study,
)
from validate.model_labels import missed_bars

CONFUSION = [[0.8, 0.2, 0, 0], [0.2, 0.6, 0.2, 0], [0, 0.2, 0.6, 0.2], [0, 0, 0.2, 0.8]]
MADE = pw.simulate(systems=8, topics=30, depth=12, rng=8)


def track() -> Track:
    """Return a track whose people know the truth, and a judge who is often right."""
    judged = pw.pool(MADE.truth, MADE.runs, depth=12)
    whole = pw.Judgments.from_dict(judged.to_dict())
    people = Labels.of(whole, "people", machine=False)
    machine = simulate_labels(whole, CONFUSION, name="judge", rng=1)
    return Track(pw.align(whole, MADE.runs), join_labels([people, machine]), MADE.runs)


def test_samples_of_documents_cover_and_labels_help() -> None:
    """Intervals cover about as often as they say; good labels make them narrower, noise wider."""
    made = track()
    studies = {
        name: study(situation(made, "P(rel=1)@10", name), 8 * 30, 60)
        for name in (NONE, "judge", SHUFFLED)
    }
    for result in studies.values():
        assert 0.9 <= result.means.coverage <= 0.99
        assert result.means.is_unbiased
        assert result.means.narrowest > 0
    assert studies["judge"].means.width < 0.95 * studies[NONE].means.width
    assert studies[SHUFFLED].means.width < 1.08 * studies[NONE].means.width


def test_a_tally_counts_what_is_covered() -> None:
    """Coverage, the worst run, the mean half-width and the bias are those of what was added."""
    tally = Tally(np.array([0.5, 0.5]))
    tally.add(np.array([0.6, 0.5]), np.array([0.05, 0.05]))
    tally.add(np.array([0.5, 0.5]), np.array([0.15, 0.05]))
    assert np.allclose((tally.coverage, tally.worst, tally.width), (0.75, 0.5, 0.075))
    assert np.isclose(tally.bias, 0.025)


def test_bars_over_topics_fail_where_an_interval_is_too_narrow() -> None:
    """A split whose intervals cover half of the time does not hold."""

    def tally(share: float, width: float) -> Tally:
        made = Tally(np.zeros(2))
        made.covered, made.widths = [np.array([i < share * 100] * 2) for i in range(100)], [width]
        return made

    good, bad = tally(0.95, 0.8), tally(0.5, 0.8)
    alone = tally(0.95, 1.0)
    assert Split(good, alone, good, alone).holds(20, shuffled=False)
    assert not Split(bad, alone, good, alone).holds(20, shuffled=False)
    assert not Split(tally(0.95, 1.2), alone, good, alone).holds(20, shuffled=False)


def test_what_is_validated_is_what_people_do(data_dir: Path) -> None:
    """Sample and estimate give the chances and the estimates of the validated functions."""
    folder = data_dir / "trec-dl-2019"
    made = Track.read(folder, ("gpt4-umbrela",))
    case = situation(made, "P(rel=2)@10", "gpt4-umbrela")
    labels = read_labels(folder / "machine-labels" / "gpt4-umbrela.gz")
    drawn = labelled_sample(made.runs, 200, labels=labels, measure="P(rel=2)@10")
    chance = case.chances(200)
    np.testing.assert_allclose(drawn.probability, chance, rtol=1e-6)
    # Documents that nobody judged count as not relevant here, so that every one has a grade.
    official = pw.read_judgments(folder / "qrels.gz").to_dict()
    topic = np.repeat(drawn.topics, np.diff(drawn.starts)).tolist()
    for t, d in zip(topic, drawn.documents, strict=True):
        official[t].setdefault(d, 0)
    sample, ungraded = sampled_judgments(drawn, official)
    assert not ungraded
    estimates = estimate_with_labels(sample, made.runs, "P(rel=2)@10", labels=labels)
    core = document_estimates(case.weights, drawn.drawn, chance, case.gain, case.grade)
    part = estimates.parts[0]
    np.testing.assert_allclose(part.estimate, core.value.mean(axis=1), atol=1e-9)
    half = (part.of_means[0].high - part.of_means[0].low) / 2
    np.testing.assert_allclose(half, 1.959964 * np.sqrt(core.mean_variances()), rtol=1e-5)


def test_labels_in_the_model_must_help_or_do_no_harm() -> None:
    """A row misses a bar if GPT-4 helps too little, or any labels make means worse."""
    fine: dict[str, object] = {
        "depth": 10,
        "labels": "gpt4-umbrela",
        "held": 0.95,
        "loss, ratio": 0.75,
        "RMSE, ratio": 0.9,
    }
    assert not missed_bars(fine)
    assert missed_bars(fine | {"loss, ratio": 0.9}) == "log loss by 0.0500"
    assert not missed_bars(fine | {"loss, ratio": 0.9, "labels": "llama3-8b-four-prompts"})
    assert missed_bars(fine | {"RMSE, ratio": 1.05, "labels": "shuffled"}) == "RMSE by 0.0300"
    assert missed_bars(fine | {"held": 0.8}) == "held by 0.1000"
