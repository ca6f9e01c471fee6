"""A run in context, and scores over the years: planted improvements, and known medians."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.history._context import run_in_context
from poolwise.findings.history._entries import Entry
from poolwise.findings.history._trend import published_gains


def originals(count: int) -> list[Entry]:
    """Return so many original runs of 1999, every second one automatic."""
    return [
        Entry("c", "3f5a", f"r{i}", "scored", 1999, original=True, automatic=i % 2 == 1)
        for i in range(count)
    ]


@given(st.integers(4, 60), st.integers(0, 10**6))
def test_weak_baselines_are_always_flagged_and_strong_ones_never(count: int, seed: int) -> None:
    """Below the median: weak. From the median to the third quartile: a note. Else nothing."""
    means = np.random.default_rng(seed).permutation(np.linspace(0.1, 0.5, count))
    entries = [*originals(count), Entry("c", "3f5a", "new", "scored", 2005)]
    by_run = {f"r{i}": float(mean) for i, mean in enumerate(means)}
    for baseline, mean in by_run.items():
        others = [m for run, m in by_run.items() if run != baseline]
        scores = {**by_run, "new": mean + 0.01}
        context = run_in_context(entries, scores, "new", measure=pw.AP, baseline=baseline)
        first = context.sentences()[0]
        if mean < np.quantile(others, 0.5):
            assert context.weakness == "weak"
            assert first.startswith("Weak baseline")
        elif mean < np.quantile(others, 0.75):
            assert context.weakness == "middling"
            assert first.startswith("Note")
        else:
            assert context.weakness == ""
            assert "eak" not in first


def test_percentiles_and_roles() -> None:
    """Level runs count half; the best automatic and the best of its time are found."""
    entries = [
        *originals(5),
        Entry("c", "3f5a", "later", "scored", 2003),
        Entry("c", "3f5a", "new", "scored", 2005, baseline="r4"),
        Entry("c", "3f5a", "wrong", "scored", 2004, retracted="a bug"),
    ]
    means = {"r0": 0.5, "r1": 0.4, "r2": 0.3, "r3": 0.2, "r4": 0.1}
    means |= {"later": 0.6, "new": 0.3, "wrong": 0.9}
    context = run_in_context(entries, means, "new", measure=pw.AP)
    assert context.percentile == 50
    roles = {gain.role: gain.run for gain in context.gains}
    assert roles == {
        "baseline": "r4",
        "best": "r0",
        "best automatic": "r1",
        "best then": "later",
        "median": "r2",
    }
    assert context.against("best").gain == pytest.approx(-0.2)  # type: ignore[union-attr]
    assert np.isnan(context.against("best").low)  # type: ignore[union-attr]


def test_gains_have_the_interval_of_the_paired_test() -> None:
    """And the topics that would show them, by the spread of that pair."""
    rng = np.random.default_rng(4)
    scores = rng.beta(2, 4, (4, 25))
    names = ["r0", "r1", "r2", "new"]
    table = pw.ScoreTable.from_matrix(
        scores, systems=names, topics=[str(t) for t in range(25)], measure="AP"
    )
    entries = [*originals(3), Entry("c", "3f5a", "new", "scored", 2005)]
    means = dict(zip(names, scores.mean(axis=1).tolist(), strict=True))
    context = run_in_context(entries, means, "new", measure=pw.AP, table=table)
    gain = context.against("best")
    assert gain is not None
    pair = pw.compare_pair(table, "new", gain.run)
    assert (gain.low, gain.high) == pair.interval(0.95)
    sigma = (scores[3] - scores[names.index(gain.run)]).std(ddof=1)
    needed = pw.power(delta=abs(gain.gain), sigma=float(sigma), power=0.8)
    assert gain.topics_needed == pytest.approx(needed.topics, rel=1e-6)


def test_an_unknown_run_is_named_with_what_is_near() -> None:
    """The hint has names that are there."""
    with pytest.raises(OptionError, match=r"'r9'.*r\d"):
        run_in_context(originals(3), {"r0": 0.1, "r1": 0.2, "r2": 0.3}, "r9", measure=pw.AP)
    with pytest.raises(OptionError, match=r"baseline: .*'x'"):
        run_in_context(originals(2), {"r0": 0.1, "r1": 0.2}, "r0", measure=pw.AP, baseline="x")


def test_published_gains_count_weak_baselines_and_winners() -> None:
    """Pairs by year, beside the best original run, the third quartile and the median."""
    entries = [
        *originals(4),
        Entry("c", "3f5a", "b", "scored", 2004),
        Entry("c", "3f5a", "new", "scored", 2004, baseline="b"),
        Entry("c", "3f5a", "old", "scored", 2001, baseline="r0"),
    ]
    means = {"r0": 0.4, "r1": 0.3, "r2": 0.2, "r3": 0.1, "b": 0.15, "new": 0.2, "old": 0.45}
    gains = published_gains(entries, means, measure=pw.AP)
    assert [pair[3] for pair in gains.pairs] == ["old", "new"]
    assert gains.marks()["best original"] == 0.4
    assert gains.marks()["median"] == pytest.approx(0.25)
    assert "1 of the baselines is below" in gains.sentences()[0]
    assert "1 improved run beats" in gains.sentences()[0]


def test_each_years_own_runs_would_give_every_year_the_same_mean() -> None:
    """So one common set of reference runs is taken: without it every mean of z is 0."""
    rng = np.random.default_rng(1)
    easy, hard = rng.beta(5, 3, (6, 20)), rng.beta(1, 6, (6, 20))
    topics = [str(t) for t in range(20)]
    tables = [
        pw.ScoreTable.from_matrix(x, systems="abcdef", topics=topics, measure="AP")
        for x in (easy, hard)
    ]
    own = [pw.standardize(table).means().mean() for table in tables]
    assert own == pytest.approx([0, 0], abs=1e-12)
    trend = pw.findings.trend_by_reference(
        {"easy": (1997, tables[0]), "hard": (1998, tables[1])}, "easy", tables[0], mapping="none"
    )
    assert trend.columns()["median"][0] > trend.columns()["median"][1]


def test_topics_that_the_reference_lacks_are_refused_or_left_out() -> None:
    """Shared topics alone count; none at all is an error that names the collection."""
    scores = [[0.1, 0.5], [0.4, 0.2]]
    here = pw.ScoreTable.from_matrix(scores, systems="ab", topics="12", measure="AP")
    there = pw.ScoreTable.from_matrix([[0.3], [0.1]], systems="cd", topics="2", measure="AP")
    trend = pw.findings.trend_by_reference({"c": (1999, here)}, "later", there)
    assert trend.columns()["topics"] == [1]
    with pytest.raises(OptionError, match="no topic of c"):
        pw.findings.trend_by_reference({"c": (1999, here.select(topics="1"))}, "later", there)


def test_robust_2004_as_reference_gives_the_known_medians(tmp_path: Path, data_dir: Path) -> None:
    """TREC 6, 7, 8: .394 .457 .526, best .841 .763 .818, by one call on a ledger."""
    results = pw.ledger(tmp_path / "results", make=True)
    scores = data_dir / "scores"
    for number, year, first in ((6, 1997, 301), (7, 1998, 351), (8, 1999, 401)):
        path = scores / f"urbano/sigir2019-statistical/adhoc{number}_ap.csv"
        results.add_scores(
            path, "AP", collection=f"trec{number}", year=year, first_topic=first, original=True
        )
    path = scores / "newbestsub/R04.csv"
    results.add_scores(path, "AP", rows="systems", collection="robust2004", year=2004)
    columns = results.trend("AP", reference="robust2004").columns()
    assert columns["collection"] == ["trec6", "trec7", "trec8"]
    assert [round(x, 3) for x in columns["median"]] == [0.394, 0.457, 0.526]
    assert [round(x, 3) for x in columns["highest"]] == [0.841, 0.763, 0.818]
    plain = results.trend("AP", reference="robust2004", smoothing="none", mapping="none").columns()
    assert [round(x, 2) for x in plain["median"]] == [-0.36, -0.06, 0.18]
