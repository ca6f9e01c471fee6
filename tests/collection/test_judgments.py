"""Judgments by themselves: what they show, and what sampled ones carry."""

import numpy as np
import pytest
from tests.each import over

from poolwise import Judgments, Runs
from poolwise.errors import OptionError

_QRELS = Judgments.from_dict({"1": {"a": 2, "b": 0}, "2": {"c": -1}})


def test_judgments_and_runs_show_themselves_in_one_line() -> None:
    """However many rows there are, a repr counts them and prints none."""
    runs = Runs.from_rankings({"one": {"1": ["a"]}})
    assert repr(_QRELS) == "Judgments(3 documents, 2 topics, grades from -1 to 2)"
    assert repr(_QRELS.keep([True, False, False])).startswith("Judgments(1 document, 2 topics")
    assert repr(runs) == "Runs(1 system, 1 topic, 1 retrieved document)"
    assert repr(Judgments.from_dict({})) == "Judgments(0 documents, 0 topics)"


def test_what_is_known_of_a_sample_stays_with_its_rows() -> None:
    """Hiding judgments keeps the columns of the sample as they were."""
    sampled = _QRELS.with_sampling(
        stratum=["top", "top", "rest"], probability=[1, 0.5, 0.25], source=["ann", "ann", "model"]
    )
    fewer = sampled.keep([True, False, True])
    assert fewer.probability is sampled.probability
    assert fewer.stratum is sampled.stratum
    frame = fewer.to_frame()
    assert frame["docno"].tolist() == ["a", "c"]
    assert frame["probability"].tolist() == [1, 0.25]
    assert frame["source"].tolist() == ["ann", "model"]


def test_what_is_not_given_of_a_sample_stays_as_it_is() -> None:
    """Columns may be added one after another, and judgments without them have no such column."""
    sampled = _QRELS.with_sampling(stratum=[1, 1, 2]).with_sampling(probability=[1, 1, 0.1])
    assert np.array_equal(sampled.stratum, [1, 1, 2])
    assert sampled.grade_source is None
    assert list(_QRELS.to_frame().columns) == ["qid", "docno", "label"]


@over(
    "column, complaint",
    [
        ({"stratum": ["top"]}, r"stratum: must have one entry for each of 3 rows; got 1\."),
        ({"source": "ann"}, r"source: .* got a single value\."),
        ({"probability": [1, 0, 0.5]}, r"probability: must be above 0 and at most 1; got 0\."),
        ({"probability": [1, 0.5, float("nan")]}, r"at most 1; got nan\. Hint: "),
        ({"probability": [1, 0.5, 1.5]}, r"at most 1; got 1\.5\."),
    ],
)
def test_a_column_that_does_not_fit_is_refused(column: dict, complaint: str) -> None:
    """A column has one entry per row, and a probability of inclusion is never 0."""
    with pytest.raises(OptionError, match=complaint):
        _QRELS.with_sampling(**column)
