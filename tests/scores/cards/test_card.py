"""A card tells of a new run what all original runs beside it would."""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence.unknowns.relevance_model._features import gather_documents
from poolwise.scores.cards import _card_file
from poolwise.scores.cards._card import CollectionCard, content_of_runs
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment as Model,
)
from poolwise.scores.treatments._relevance_model_treatment import complete_scores, fit_model

NEW = "dfr-2"


@cache
def collection() -> tuple[pw.Judgments, pw.Runs]:
    """Return a pool of 15 runs to depth 10, and a run that came too late for it."""
    made = pw.simulate(systems=16, topics=25, depth=60, rng=3)
    pooled = [run for run in made.runs.systems if run != NEW]
    return pw.pool(made.judgments, made.runs.select(pooled), depth=10), made.runs


@cache
def card(*, factors_only: bool = False) -> CollectionCard:
    """Return the card of the pool."""
    qrels, runs = collection()
    others = runs.select([run for run in runs.systems if run != NEW])
    measures = ["nDCG@10", "P@5", "AP"]
    return pw.make_card(qrels, others, measures, factors_only=factors_only)


def beside_all() -> pw.Evidence:
    """Return the new run met with the judgments, beside the original ones."""
    return pw.align(*collection())


def alone() -> pw.Evidence:
    """Return the new run, met with the judgments."""
    qrels, runs = collection()
    return pw.align(qrels, runs.select([NEW]))


def test_features_of_ranks_are_those_beside_all_runs() -> None:
    """Sums, best ranks and counts of every judged document follow exactly from the card."""
    whole = gather_documents(beside_all(), find_pool(beside_all(), depth=card().depth))
    judged = whole.of_judged
    ids = [*judged.evidence.document_ids.take(judged.rows)]
    named = zip([judged.evidence.topics[t] for t in judged.topics], ids, strict=True)
    expected = dict(zip(named, judged.profile.tolist(), strict=True))
    met = fit_model(alone(), pw.nDCG @ 10, Model(card=card())).documents
    features = _by_name(met)
    assert features.keys() == expected.keys()
    assert all(np.allclose(features[key], expected[key], atol=1e-7) for key in expected)


def _by_name(met: object) -> dict[tuple[str, str], list[float]]:
    """Return the features of ranks by topic and document, of the judged ones."""
    summed, places = card().require_documents(), met
    of_card = {
        (summed.topics[t], document): None
        for t, document in zip(summed.topic_of.tolist(), summed.ids, strict=True)
    }
    assert of_card
    evidence = places.evidence  # type: ignore[attr-defined]
    names, rest = [], iter(_not_retrieved(evidence))
    for topic, row in zip(places.topics.tolist(), places.rows.tolist(), strict=True):  # type: ignore[attr-defined]
        names.append(
            (evidence.topics[topic], evidence.document_ids[row] if row >= 0 else next(rest))
        )
    judged = places.judged.tolist()  # type: ignore[attr-defined]
    rows = zip(names, places.profile.tolist(), judged, strict=True)  # type: ignore[attr-defined]
    return {name: profile for name, profile, is_judged in rows if is_judged}


def _not_retrieved(evidence: pw.Evidence) -> list[str]:
    """Return the card's judged documents that the new run lacks, in the order of the card."""
    summed = card().require_documents()
    _, runs = collection()
    has = {t: set(runs.ranking(NEW, t)) for t in evidence.topics}
    rows = zip(summed.topic_of.tolist(), summed.ids, summed.grades.tolist(), strict=True)
    return [d for t, d, grade in rows if d not in has[summed.topics[t]] and not np.isnan(grade)]


@pytest.mark.parametrize("name", ["nDCG@10", "P@5"])
def test_one_run_with_the_card_is_estimated_as_beside_all_runs(name: str) -> None:
    """Point within .0005, spread of the draws within 1%, about the same width."""
    measure = pw.parse_measure(name)
    by_card = pw.scores.estimate(alone(), measure, treatment=Model(card=card()), rng=1)
    all_of_them = pw.scores.estimate(beside_all(), measure, treatment=Model(), rng=1)
    at = beside_all().systems.index(NEW)
    assert by_card.means()[0] == pytest.approx(all_of_them.means()[at], abs=5e-4)
    assert by_card.means()[0] != pw.score(alone(), measure).means()[0]
    width, beside = (
        np.ptp([end[s] for end in t.mean_bounds()]) for t, s in ((by_card, 0), (all_of_them, at))
    )
    # With 12 units the largest of their errors decides, and one more run moves it.
    assert width == pytest.approx(beside, rel=0.15)
    spread, spread_beside = (
        complete_scores(evidence, measure, model, rng=1).values[s].mean(axis=0).std()
        for evidence, model, s in ((alone(), Model(card=card()), 0), (beside_all(), Model(), at))
    )
    assert spread == pytest.approx(spread_beside, rel=0.01)
    assert by_card.over_judgments.kind == "calibrated"


def test_an_original_run_counts_once() -> None:
    """A run that is on the card, whatever it is called, is not added to the sums again."""
    qrels, runs = collection()
    original = next(run for run in runs.systems if run != NEW)
    lists = {topic: runs.ranking(original, topic) for topic in runs.topics}
    renamed = pw.Runs.from_rankings({"another name": lists})
    evidence = pw.align(qrels, renamed)
    assert card().knows(evidence).tolist() == [True]
    met = fit_model(evidence, pw.nDCG @ 10, Model(card=card())).documents
    others = pw.align(qrels, runs.select([run for run in runs.systems if run != NEW]))
    whole = gather_documents(others, find_pool(others, depth=card().depth)).of_judged
    judged = met.select(met.judged)
    assert sorted(judged.profile[:, 0].round(7)) == sorted(whole.profile[:, 0].round(7))  # type: ignore[attr-defined]


def test_a_card_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    """What a file holds gives the same estimates, and the same bytes again."""
    path = tmp_path / "made.card"
    pw.scores.write_card(card(), path)
    again = pw.read_card(path)
    assert _card_file.card_bytes(again) == path.read_bytes()
    tables = [
        pw.scores.estimate(alone(), "nDCG@10", treatment=Model(card=version), rng=1)
        for version in (card(), again)
    ]
    assert tables[0].means() == pytest.approx(tables[1].means(), abs=1e-6)
    assert tables[0].mean_bounds()[1] == pytest.approx(tables[1].mean_bounds()[1], abs=1e-5)
    for name, measure in card().measures.items():
        assert (measure.factors.mean == again.measures[name].factors.mean).all()
        assert (measure.standing.means["all"] == again.measures[name].standing.means["all"]).all()


def test_a_card_has_no_ranking() -> None:
    """Of an original run it has name, hash, kind and whether it was pooled, and nothing else."""
    content = json.loads(gzip.decompress(_card_file.card_bytes(card())))
    assert {len(run) for run in content["runs"]} == {4}
    columns = {"ids", "grades", "best", "second", "nominated", "groups", "holders", "fused"}
    for of_topic in content["documents"]["topics"].values():
        rest = of_topic.keys() - columns - {"weight"}
        assert columns < of_topic.keys()
        assert all(name.startswith("quality ") for name in rest)
    # Groups of equal quality cannot be told apart: qualities are rounded.
    documents = card().require_documents()
    once = documents.groups == 1
    steps = documents.quality[:, once] * documents.best[once] / 0.02
    assert np.allclose(steps, steps.round(), atol=1e-6)


def test_the_place_among_original_runs_is_that_of_their_means() -> None:
    """The place of a new run is 1 + the original runs above it."""
    table = pw.score(beside_all(), "AP", bounds="none")
    at = table.systems.index(NEW)
    above = int((table.means() > table.means()[at]).sum())
    place = card().of(pw.parse_measure("AP")).standing.place(float(table.means()[at]))
    assert (place.first, place.of) == (above + 1, len(table.systems))


def test_the_page_says_the_place_that_the_estimate_says() -> None:
    """Of a run that is given with a card, in the same words."""
    qrels, runs = collection()
    asked = (qrels, runs.select([NEW]), "nDCG@10")
    (place,) = pw.estimate(*asked, treatments="model", card=card())["nDCG@10"].places
    estimates = pw.report(*asked, card=card())["nDCG@10"].estimates
    assert estimates is not None
    assert place.startswith("Among 15 original runs, ")
    assert place in estimates.calibration


def test_other_judgments_are_refused_and_more_are_said() -> None:
    """A changed grade is another collection; judgments made since are counted in a notice."""
    qrels, runs = collection()
    judged = qrels.to_dict()
    topic, graded = next(iter(judged.items()))
    document = next(iter(graded))
    changed = judged | {topic: graded | {document: 1 - graded[document]}}
    new = runs.select([NEW])
    with pytest.raises(OptionError, match=f"1 document .* '{document}' of topic '{topic}'"):
        pw.estimate(pw.Judgments.from_dict(changed), new, "P@5", card=card())
    unjudged = next(d for d in runs.ranking(NEW, topic) if d not in graded)
    more = judged | {topic: graded | {unjudged: 0}}
    estimates = pw.estimate(pw.Judgments.from_dict(more), new, "P@5", card=card())
    assert any("made after the card" in str(notice) for notice in estimates.provenance.notices)
    with pytest.raises(OptionError, match="no documents"):
        pw.estimate(qrels, new, "P@5", card=card(factors_only=True))
    with pytest.raises(OptionError, match="leave --pool-depth"):
        pw.estimate(qrels, new, "P@5", card=card(), depth=5)


def test_a_measure_that_is_not_on_the_card_is_not_calibrated() -> None:
    """Its estimate has the exact range, and says which measures the card has."""
    qrels, runs = collection()
    table = pw.estimate(qrels, runs.select([NEW]), "P@20", card=card())["P@20"].scores["model"]
    assert "nothing for P@20, but for nDCG@10, P@5, AP" in " ".join(table.over_judgments.meaning)


def test_a_card_says_how_many_its_estimates_are_calibrated_on() -> None:
    """Where kinds of runs are few, each run is left out alone, and runs are counted."""
    calibrated = Model(card=card()).calibration(alone(), pw.nDCG @ 10, 1)
    assert not isinstance(calibrated, str)
    assert card().units.kinds < calibrated.units
    assert f"calibrated on {calibrated.units} runs left out" in card().sentences()[0]


def test_draws_of_differences_are_spread_out_by_the_card() -> None:
    """Two new runs are compared with the factor of left-out runs, as beside all."""
    qrels, runs = collection()
    two = runs.select([NEW, "ql-1"])
    with_card = pw.compare(qrels, two, "nDCG@10", card=card(), draws=50)["nDCG@10"]
    all_of_them = pw.compare(qrels, runs, "nDCG@10", draws=50, baseline=NEW)["nDCG@10"]
    factors = [comparisons.drawn.calibration.factor for comparisons in (with_card, all_of_them)]
    assert factors[0] == pytest.approx(factors[1], rel=0.1)


def _sealed(content: dict[str, object]) -> bytes:
    body = json.dumps(content)[:-1]
    return gzip.compress(f'{body}, "sha256": "{_card_file.digest(body.encode())}"}}\n'.encode())


def _told() -> dict[str, object]:
    content = json.loads(gzip.decompress(_card_file.card_bytes(card())))
    del content["sha256"]
    return content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"poolwise card": 99}, "version of a card must be 1 or older"),
        ({"runs": [["a"]]}, "form of its version"),
        ({"smoothing": "butter"}, "no smoothing is called 'butter'"),
        ({"documents": {"topics": {"1": {"ids": ["a"]}}, "levels": [1], "longest": 9}}, "'second'"),
        ({"measures": {"P@5": {}}}, "'factors'"),
    ],
)
def test_a_forged_card_is_refused(tmp_path: Path, change: dict[str, object], words: str) -> None:
    """Whatever is not of the form of a card is an error that says what, also under a good hash."""
    path = tmp_path / "forged.card"
    path.write_bytes(_sealed({"poolwise card": 1} | _told() | change))
    with pytest.raises(InputError, match=words):
        pw.read_card(path)


def test_a_changed_or_broken_file_is_refused(tmp_path: Path) -> None:
    """One byte changed, half a file, another file, a folder, a bomb: each is an error."""
    path, good = tmp_path / "made.card", _card_file.card_bytes(card())
    text = gzip.decompress(good)
    for content, words in (
        (gzip.compress(text.replace(b'"depth": 10', b'"depth": 11')), "it was changed"),
        (gzip.compress(text[: len(text) // 2]), "JSON"),
        (good[: len(good) // 2], "made.card"),
        (b"401 0 a 1\n", "card make wrote"),
        (gzip.compress(text.replace(b'"depth": 10', b'"depth": NaN')), "JSON: NaN is no number"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            pw.read_card(path)
    with pytest.raises(InputError, match="a folder"):
        pw.read_card(tmp_path)


def test_a_bomb_is_refused_before_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card that is too large once it is decompressed is refused on the way."""
    path = tmp_path / "made.card"
    path.write_bytes(gzip.compress(b"0" * 5_000_000))
    monkeypatch.setattr(_card_file, "LARGEST", 1 << 20)
    with pytest.raises(InputError, match="at most 1 MB"):
        pw.read_card(path)


def test_contents_tell_runs_apart_by_their_documents() -> None:
    """The hash of a run's first ranks does not depend on the runs beside it."""
    qrels, runs = collection()
    together = dict(zip(runs.systems, content_of_runs(pw.align(qrels, runs)), strict=True))
    assert len(set(together.values())) == len(runs.systems)
    assert content_of_runs(alone()) == (together[NEW],)
