"""A trend by cards is that of one set of reference runs on the topics of all collections."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.history._trend import factors_of_cards, trend_by_reference
from poolwise.findings.history._trend import trend_by_factors as by_factors
from poolwise.measures._names import parse_measure
from poolwise.scores import CollectionCard

PUBLIC = ["bm25-1", "ql-1", "bm25-2"]


def halves() -> tuple[pw.Judgments, pw.Runs, tuple[list[str], list[str]]]:
    """Return a collection whose topics are two years."""
    made = pw.simulate(systems=8, topics=20, depth=30, rng=4)
    topics = list(made.judgments.topics)
    return made.judgments, made.runs, (topics[:10], topics[10:])


def cards(names: tuple[list[str], list[str]]) -> list[CollectionCard]:
    """Return a factors-only card of each year by its reference runs."""
    qrels, runs, parts = halves()
    return [
        pw.make_card(
            qrels.select(topics=topics), runs.select(public), "AP", factors_only=True, ddof=1
        )
        for topics, public in zip(parts, names, strict=True)
    ]


def test_two_cards_are_one_set_of_reference_runs() -> None:
    """By cards of each year the numbers are those of the reference runs on all topics."""
    qrels, runs, parts = halves()
    table = pw.score(pw.align(qrels, runs), "AP", bounds="none")
    years = {f"y{i}": (1990 + i, table.select(topics=part)) for i, part in enumerate(parts)}
    how = {"smoothing": "extremes", "mapping": "normal"}
    expected = trend_by_reference(years, "all", table.select(runs=PUBLIC), **how)
    factors = factors_of_cards(cards((PUBLIC, PUBLIC)), parse_measure("AP"))
    trend = by_factors(years, "the cards", factors, **how, left_out=())
    for one, other in zip(trend.years, expected.years, strict=True):
        assert np.allclose(one.means, other.means)
    assert trend.reference_runs == 3


def test_cards_of_different_reference_runs_are_refused() -> None:
    """Levels by different runs cannot be compared; nor can a topic have two cards."""
    with pytest.raises(OptionError, match="different reference runs"):
        factors_of_cards(cards((PUBLIC, PUBLIC[:2])), parse_measure("AP"))
    with pytest.raises(OptionError, match="the same topic"):
        factors_of_cards(cards((PUBLIC, PUBLIC))[:1] * 2, parse_measure("AP"))
