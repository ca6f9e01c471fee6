"""Several treatments of unjudged documents, side by side."""

from dataclasses import replace

import numpy as np
import pytest

from poolwise.collection.simulation import simulate
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.measures._names import parse_measure
from poolwise.results._layout import render
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.scores.treatments.estimates import Estimates, estimate_all, refusal_notes
from poolwise.scores.treatments.estimation import TREATMENTS, estimate


def estimates(**means: list[float]) -> Estimates:
    """Return means of runs a and b on one topic, by treatment."""
    tables = {
        name: ScoreTable.from_matrix([[m] for m in each], systems="ab", topics="1", measure="P@2")
        for name, each in means.items()
    }
    return Estimates(parse_measure("P@2"), tables)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """Return two rankings, one of them with unjudged documents."""
    return Evidence.from_grades([[None, 1, 0, 1], [0, 1, 1, 0]], judged=[0, 1, 1, 0])


def test_each_treatment_is_that_of_estimate(evidence: Evidence) -> None:
    """The table of a treatment is what `estimate` gives with the same seed."""
    found = estimate_all(evidence, "nDCG@4", treatments=["condensed", "bootstrap(draws=30)"], rng=5)
    for name, table in found.scores.items():
        alone = estimate(evidence, "nDCG@4", treatment=name, rng=5)
        np.testing.assert_array_equal(table.value, alone.value)
    assert dict(found.provenance.options) == {"seed": 5, "universe": "runs", "grades": "0,1"}


def test_rows_are_those_of_every_treatment(evidence: Evidence) -> None:
    """Columns have a row per treatment, run and topic, and one for the mean."""
    found = estimate_all(evidence, "P@4", treatments=["condensed", "exact"])
    columns = found.columns()
    assert columns["treatment"] == ["condensed"] * 4 + ["exact"] * 4
    assert columns["topic"] == ["1", "1", "all", "all"] * 2
    assert found.columns(per_topic=False)["topic"] == ["all"] * 4
    assert len(found.to_frame()) == 8


def test_all_is_every_treatment_or_a_reason() -> None:
    """Each treatment is scored or refused; one asked for by name is an error instead."""
    made = simulate(systems=5, topics=6, depth=20, rng=7)
    evidence = align(made.judgments, made.runs)
    found = estimate_all(evidence, "nDCG@4")
    assert len(found.scores) + len(found.refused) == len(TREATMENTS)
    with pytest.raises(OptionError, match="treatment: 'zipf' cannot treat nDCG@4"):
        estimate_all(evidence, "nDCG@4", treatments=["zipf"])
    (table,) = found.tables()
    assert any(note.startswith("left out: ") and "zipf" in note for note in table.notes)


def test_the_best_run_and_the_widest_spread_are_named() -> None:
    """Treatments that agree have one best run; else each is named with its treatment."""
    agreed = estimates(one=[0.2, 0.5], other=[0.3, 0.4])
    assert agreed.sentences() == (
        "b has the highest mean P@2 under 2 treatments of unjudged documents.",
        "The treatments differ most for a: from 0.2000 (one) to 0.3000 (other).",
    )
    opposed = estimates(one=[0.2, 0.5], other=[0.8, 0.4])
    by_treatment = "depends on the treatment of unjudged documents: b by one, a by other."
    assert opposed.sentences() == (
        f"Which run has the highest mean P@2 {by_treatment}",
        "The treatments differ most for a: from 0.2000 (one) to 0.8000 (other).",
    )
    tied = estimates(one=[0.5, 0.5], other=[0.5, 0.5])
    assert tied.sentences() == (
        "a, b have the highest mean P@2 under 2 treatments of unjudged documents.",
        "Every run has the same mean under all of them.",
    )
    assert estimates(one=[float("nan"), 0.1]).sentences() == (
        "No treatment of unjudged documents gives every run a mean P@2.",
    )


def test_an_impossible_mean_is_marked_and_never_best() -> None:
    """A mean that no grades give is said to be so, is not bold, and makes no run the best."""
    found = replace(
        estimates(one=[0.2, 0.5], other=[0.6, 1.07]),
        lowest=np.array([0.2, 0.5]),
        highest=np.array([0.6, 0.9]),
    )
    (table,) = found.tables()
    titles = [column.title for column in table.columns]
    cells = {row[0]: row[titles.index("other")] for row in table.texts()}
    assert cells == {"a": "0.6000", "b": "1.0700 (impossible)"}
    bold = [marks[titles.index("other")] for marks in table.bold()]
    assert dict(zip((row[0] for row in table.texts()), bold, strict=True)) == {
        "a": True,
        "b": False,
    }
    assert found.sentences() == (
        "b has the highest mean P@2 under 1 treatment of unjudged documents.",
        "By other, the mean P@2 of b is impossible: no grades of the unjudged documents give it.",
    )


def test_the_exact_range_of_the_means_says_what_is_possible(evidence: Evidence) -> None:
    """It is the range of the plain scores, whichever treatments are asked for."""
    found = estimate_all(evidence, "nDCG@4", treatments=["condensed"])
    low, high = score(evidence, "nDCG@4").mean_bounds()
    assert (found.lowest.tolist(), found.highest.tolist()) == (low.tolist(), high.tolist())


def test_runs_are_listed_best_first() -> None:
    """The first treatment orders the rows."""
    text = render(estimates(one=[0.2, 0.5], other=[0.8, 0.4]).tables()[0])
    assert text.index("\nb ") < text.index("\na ")
    assert "range of" in text  # scores given as a matrix are their own bounds


def test_reasons_are_said_once() -> None:
    """Treatments refused for one reason share a line."""
    reasons = {"x": "treatment: 'x' cannot.", "y": "other.", "z": "treatment: 'z' cannot."}
    assert refusal_notes(reasons) == (
        "left out: x, z (treatment: cannot.)",
        "left out: y (other.)",
    )
