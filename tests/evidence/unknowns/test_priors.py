"""The probabilities of grades that label draws start from."""

import numpy as np
import pytest

from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels, join_labels
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence.unknowns._priors import PRIORS, grade_prior

ONE = np.array([0])


@pytest.mark.parametrize("prior", list(PRIORS))
def test_odds_sum_to_one(prior: str) -> None:
    """The probabilities of all grades sum to 1, judged documents or not."""
    lists = [[None, 2, 0, 1], [None, None], [1, None, 0]]
    for judged in ([0, 0, 1, 1, 2], [0]):
        evidence = Evidence.from_grades(lists, judged=judged, scale=[3])
        for system in range(3):
            probabilities = grade_prior(evidence, prior).probabilities(0, np.array([system]), ONE)
            assert probabilities.sum() == pytest.approx(1)
            assert (probabilities >= 0).all()


def test_a_run_without_judged_documents_takes_the_pools_odds() -> None:
    """A list in which nothing is judged has no prior of its own."""
    evidence = Evidence.from_grades([[None, None]], judged=[0, 0, 0, 1])
    assert grade_prior(evidence, "run").probabilities(0, ONE, ONE).tolist() == [[0.75, 0.25]]


def test_odds_by_multiplicity_count_judged_documents_of_the_same_band() -> None:
    """A document of two runs has the probabilities of the judged documents of two runs."""
    runs = Runs.from_rankings(
        {
            "a": {"1": ["rel", "x", "one"]},
            "b": {"1": ["x", "rel", "y"], "2": ["two"]},
            "c": {"2": ["two", "z"]},
        }
    )
    grades = {"1": {"rel": 1, "one": 0}, "2": {"two": 0}}
    prior = grade_prior(align(Judgments.from_dict(grades), runs), "multiplicity")
    # Retrieved twice: rel (relevant) and two (not); retrieved once: one (not).
    assert prior.probabilities(0, ONE, np.array([1])).tolist() == [[0.5, 0.5]]
    assert prior.probabilities(0, np.array([1]), np.array([2])).tolist() == [[1.0, 0.0]]


def test_an_empty_band_takes_the_odds_of_all_judged_documents() -> None:
    """Where no judged document is as often retrieved, all judged ones count."""
    runs = Runs.from_rankings({"a": {"1": ["r", "n", "x"]}, "b": {"1": ["x"]}})
    evidence = align(Judgments.from_dict({"1": {"r": 1, "n": 0}}), runs)
    prior = grade_prior(evidence, "multiplicity")
    assert prior.probabilities(0, ONE, np.array([2])).tolist() == [[0.5, 0.5]]


def test_the_prior_of_all_topics() -> None:
    """Over all topics, shares are those of every judged document; an unjudged list expects 0."""
    runs = Runs.from_rankings({"s": {"1": ["a", "x"], "2": ["y", "z"]}})
    judgments = Judgments.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 0, "d": 0}})
    evidence = align(judgments, runs)
    rank, zero = np.array([1]), np.array([0])
    expected = {"pool": (0.75, 0.25), "run": (0.0, 1.0), "pool+run": (0.375, 0.625)}
    for name, shares in expected.items():
        prior = grade_prior(evidence, name, over="all")
        assert prior.probabilities(0, zero, rank).tolist() == [list(shares)]
        assert prior.probabilities(1, zero, rank).tolist() == [[1.0, 0.0]]


def test_a_prior_that_is_over_all_topics_anyway_refuses_to_be_told() -> None:
    """Multiplicity counts over all topics in any case."""
    evidence = Evidence.from_grades([[1, None]])
    with pytest.raises(OptionError, match="leave over out"):
        grade_prior(evidence, "multiplicity", over="all")
    with pytest.raises(OptionError, match="over"):
        grade_prior(evidence, "pool", over="topic")


def _labelled(*, documents: int = 60) -> tuple[Judgments, Runs, dict[str, float]]:
    """Return one list whose last two documents are unjudged, and a label for all but the last."""
    ids = [f"d{i}" for i in range(documents)]
    grade = {d: int(i % 3 == 0) for i, d in enumerate(ids)}
    label = {d: float((i % 3 == 0) != (i % 7 == 0)) for i, d in enumerate(ids)} | {"x": 1.0}
    return (
        Judgments.from_dict({"1": grade}),
        Runs.from_rankings({"a": {"1": [*ids, "x", "y"]}}),
        label,
    )


@pytest.mark.parametrize("name", ["pool", "run", "pool+run", "multiplicity"])
def test_labels_make_a_prior_more_informed_by_bayes_rule(name: str) -> None:
    """The odds of a labelled document are those before, times the odds of its label by grade."""
    judgments, runs, label = _labelled()
    evidence = align(judgments, runs)
    labels = Labels.from_dict("gpt", {"1": label})
    before, after = (grade_prior(evidence, name, labels=label_set) for label_set in (None, labels))
    place = np.array([60])
    graded = dict(zip(judgments.documents, judgments.codes, strict=True))
    # one document more for each label and grade
    share = [
        (sum(label[d] == 1 for d in graded if graded[d] == g) + 1)
        / (sum(graded[d] == g for d in graded) + 2)
        for g in (0, 1)
    ]
    expected = before.probabilities(0, ONE, place)[0] * share
    probabilities = after.probabilities(0, ONE, place)[0]
    np.testing.assert_allclose(probabilities, expected / expected.sum())
    assert probabilities[1] > before.probabilities(0, ONE, place)[0, 1]
    # without a label, as before
    unlabelled = np.array([61])
    assert (
        after.probabilities(0, ONE, unlabelled) == before.probabilities(0, ONE, unlabelled)
    ).all()


def test_labels_that_say_nothing_of_judged_documents_are_refused() -> None:
    """What a label means is learned from judged documents; of one author."""
    judgments, runs, label = _labelled(documents=20)
    evidence = align(judgments, runs)
    few = Labels.from_dict("gpt", {"1": label})
    with pytest.raises(OptionError, match="30 at least in the ranks that are scored; got 20"):
        grade_prior(evidence, "pool", labels=few)
    both = join_labels([few, Labels.from_dict("other", {"1": label})])
    with pytest.raises(OptionError, match="labels of one machine; got gpt, other"):
        grade_prior(evidence, "pool", labels=both)
