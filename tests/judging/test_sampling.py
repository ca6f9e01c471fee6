"""Samples drawn by a design, and what becomes of their grades."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

from poolwise import Judgments, OptionError, Runs, read_judgments, simulate, write_judgments
from poolwise.collection import Labels
from poolwise.judging import DepthStrata, RankWeights, draw_sample, parse_design
from poolwise.judging._sampling import draw_labelled_sample

MADE = simulate(systems=6, topics=4, depth=60, rng=3)
EVERYTHING = Judgments.from_dict(
    {
        topic: {d: len(d) % 2 for s in MADE.runs.systems for d in MADE.runs.ranking(s, topic)}
        for topic in MADE.runs.topics
    }
)


def test_strata_hold_the_documents_of_their_ranks() -> None:
    """The universe is the pool of the deepest stratum, and each stratum what is new in it."""
    drawn = draw_sample(MADE.runs, "depths:5=1,20=0.5")
    for t, topic in enumerate(drawn.topics):
        rows = range(drawn.starts[t], drawn.starts[t + 1])
        lists = [MADE.runs.ranking(system, topic) for system in MADE.runs.systems]
        top = {d for ranking in lists for d in ranking[:5]}
        deep = {d for ranking in lists for d in ranking[:20]}
        assert {drawn.documents[r] for r in rows} == deep
        assert {drawn.documents[r] for r in rows if drawn.stratum[r] == 1} == top
        assert all(drawn.drawn[r] for r in rows if drawn.stratum[r] == 1)


def test_a_rate_is_kept_and_is_the_probability() -> None:
    """Of each stratum the nearest whole share is drawn, and that share is what is kept."""
    drawn = draw_sample(MADE.runs, "depths:5=0.5,20=0.2")
    topic = np.repeat(np.arange(len(drawn.topics)), np.diff(drawn.starts))
    for t in range(len(drawn.topics)):
        for stratum, rate in ((1, 0.5), (2, 0.2)):
            inside = (topic == t) & (drawn.stratum == stratum)
            share = drawn.drawn[inside].mean()
            assert abs(drawn.drawn[inside].sum() - rate * inside.sum()) <= 0.5
            assert np.allclose(drawn.probability[inside], share)


def test_two_documents_of_a_stratum_are_drawn_at_least() -> None:
    """Without a second document nothing would be known of the spread of a stratum."""
    drawn = draw_sample(MADE.runs, "depths:5=0.001,20=0.001")
    topic = np.repeat(np.arange(len(drawn.topics)), np.diff(drawn.starts))
    counts = np.bincount(topic[drawn.drawn] * 2 + drawn.stratum[drawn.drawn] - 1)
    assert (counts == 2).all()


@given(
    st.lists(st.floats(1e-6, 1), min_size=1, max_size=40),
    st.floats(0.5, 60),
)
def test_chances_sum_to_the_size_and_keep_their_order(weights: list[float], size: float) -> None:
    """No chance exceeds 1, the sum is the size where it can be, and more weight has no less."""
    chances = RankWeights(size).chances(np.array(weights))
    assert ((chances > 0) & (chances <= 1)).all()
    assert chances.sum() == pytest.approx(min(size, len(weights)))
    order = np.argsort(weights)
    assert (np.diff(chances[order]) >= -1e-12).all()
    below = chances < 1
    shares = chances[below] / np.array(weights)[below]
    assert np.allclose(shares, shares[:1] if len(shares) else 0)


def test_documents_are_drawn_as_often_as_they_should_be() -> None:
    """Over seeds, each document is drawn with its chance, by either design."""
    for design in ("depths:5=0.5,20=0.2", "rbp:12,p=0.8,depth=20"):
        samples = [draw_sample(MADE.runs, design, rng=seed) for seed in range(300)]
        share = np.mean([sample.drawn for sample in samples], axis=0)
        chance = samples[0].probability
        spread = np.sqrt(np.maximum(chance * (1 - chance), 1e-9) / len(samples))
        # Five standard deviations: of some hundred documents none should be further off.
        assert (np.abs(share - chance) <= 5 * spread + 1e-9).all()


def test_the_same_seed_draws_the_same_documents() -> None:
    """A sample depends on the seed, not on the order of the runs."""
    turned = MADE.runs.select(MADE.runs.systems[::-1])
    one, other = (draw_sample(r, "rbp:10", rng=7) for r in (MADE.runs, turned))
    assert np.array_equal(one.drawn, other.drawn)
    assert np.allclose(one.probability, other.probability)
    assert list(one.rows()) != list(draw_sample(MADE.runs, "rbp:10", rng=8).rows())


@pytest.mark.parametrize("design", ["depths:5=1,20=0.3", "rbp:10,depth=20"])
def test_sampled_judgments_survive_their_file(design: str, tmp_path: Path) -> None:
    """Grades, strata and probabilities are the same after writing and reading."""
    sampled = draw_sample(MADE.runs, design).graded(EVERYTHING)
    for name in ("out.qrels", "out.gz"):
        write_judgments(sampled, tmp_path / name)
        again = read_judgments(tmp_path / name)
        assert list(again) == list(sampled)
        assert again.stratum is not None
        assert sampled.stratum is not None
        assert again.stratum.tolist() == [str(stratum) for stratum in sampled.stratum]
        assert np.array_equal(again.probability, sampled.probability)  # type: ignore[arg-type]


def test_drawn_documents_without_a_grade_are_counted_and_stay_unknown() -> None:
    """What has no grade is in the universe of a stratum, and not in prels."""
    some = EVERYTHING.keep(np.arange(len(EVERYTHING.codes)) % 2 == 0)
    strata = draw_sample(MADE.runs, "depths:20=1")
    graded = strata.graded(some)
    assert len(graded) == len(strata.drawn)
    assert sum(grade < 0 for _, _, grade in graded) == strata.ungraded(some) > 0
    weighted = draw_sample(MADE.runs, "rbp:10")
    assert len(weighted.graded(some)) == weighted.drawn.sum() - weighted.ungraded(some)


@over("text", ["", "depths:", "depths:10", "depths:10=1,5=1", "depths:5=0", "depths:5=2", "rbp:"])
def test_designs_that_make_no_sense_are_refused(text: str) -> None:
    """A design that cannot be read, or breaks a rule, is refused with one that works."""
    with pytest.raises(OptionError, match=r"design: .* Hint: write depths:10=1,30=0\.4,100=0\.1"):
        parse_design(text)
    for more in ("rbp:0", "rbp:10,p=1", "rbp:10,q=1", "rbp:10,depth=0"):
        with pytest.raises(OptionError, match="design: "):
            parse_design(more)


def test_a_design_is_a_value_that_reads_back() -> None:
    """What a design is printed as is read as the same design."""
    for design in (DepthStrata((3, 9), (1.0, 0.25)), RankWeights(20, 0.8, 50)):
        assert parse_design(str(design)) == design
        assert parse_design(design) is design


def test_runs_without_documents_are_refused() -> None:
    """There must be something to draw from."""
    with pytest.raises(OptionError, match="there must be a document to draw"):
        draw_sample(Runs.from_rankings({"a": {"1": []}}), "rbp:10")


def test_a_sample_says_what_drew_it() -> None:
    """Its rows are the documents drawn, and design and seed are in its provenance."""
    drawn = draw_sample(Runs.from_rankings({"a": {"1": ["x", "y"]}}), "depths:2=1", rng=3)
    assert drawn.columns()["document"] == ["x", "y"]
    assert dict(drawn.provenance.options) == {"design": "depths:2=1", "seed": 3}


def test_every_negative_grade_is_one_of_no_judgment() -> None:
    """A document drawn whose grade is -2 is listed like one that has no grade: with -1."""
    topic = MADE.runs.topics[0]
    drawn = draw_sample(MADE.runs.select(topics=[topic]), "depths:5=1,20=0.5")
    first, second, *_ = (document for _, document, _, _ in drawn.rows())
    sampled = drawn.graded(Judgments.from_dict({topic: {first: -2, second: 1}}))
    grades = {document: grade for _, document, grade in sampled}
    assert (grades[first], grades[second]) == (-1, 1)
    assert sorted(set(grades.values())) == [-1, 1]


def test_a_document_is_drawn_as_often_as_its_chance_says() -> None:
    """Over many seeds, each document of a sample beside labels is drawn with its own chance."""
    ids = [f"d{i}" for i in range(12)]
    runs = Runs.from_rankings({"bm25": {"1": ids}, "ql": {"1": ids[3:] + ids[:3]}})
    labels = Labels.from_dict("gpt", {"1": {d: i % 3 for i, d in enumerate(ids)}})
    drawn = [draw_labelled_sample(runs, labels, 3, measure="P@12", rng=seed) for seed in range(400)]
    share = np.mean([sample.drawn for sample in drawn], axis=0)
    assert share == pytest.approx(drawn[0].probability, abs=0.09)
    assert drawn[0].probability.max() < 0.45
