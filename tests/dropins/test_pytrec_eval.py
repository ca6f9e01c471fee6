"""A program that imports poolwise.pytrec_eval in place of pytrec_eval gets the same."""

import gzip
import random
from pathlib import Path

import pytest
import pytrec_eval as original

import poolwise.pytrec_eval as ours

SETS_OF_MEASURES = (
    {"map", "ndcg"},
    {"official"},
    {"all_trec"},
    original.supported_measures,
    {"P.5,10", "P_3", "ndcg_cut_3", "recall_5", "set_F.0.5", "iprec_at_recall.0.1,0.5"},
)
"""Names, nicknames, and every form of a cut-off."""


def collection(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return judgments and a run with ties, missing and extra topics, and empty lists."""
    documents = [f"d{i}" for i in range(30)]
    scores = (0.5, 0.25, 0.5 + 1e-9)  # the last is tied with the first in single precision
    judged = {
        str(t): {
            d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(documents, rng.randint(0, 15))
        }
        for t in range(4)
    }
    run = {
        str(t): {
            d: rng.choice([rng.random(), *scores])
            for d in rng.sample(documents, rng.randint(0, 25))
        }
        for t in range(1, 6)
    }
    return judged, run


@pytest.mark.parametrize("measures", SETS_OF_MEASURES, ids=min)
def test_every_value_is_the_same(measures: set[str]) -> None:
    """Topics, keys and values are those of pytrec_eval, whatever the options."""
    rng = random.Random(3)  # noqa: S311 -- no secret
    for level, judged_only in ((1, False), (2, False), (1, True), (2, True)) * 5:
        judged, run = collection(rng)
        expected = original.RelevanceEvaluator(judged, measures, level, judged_only).evaluate(run)
        scores = ours.RelevanceEvaluator(judged, measures, level, judged_only).evaluate(run)
        assert scores.keys() == expected.keys()
        for topic, values in expected.items():
            assert scores[topic] == pytest.approx(values, rel=0, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("nickname", ["all_trec", "official", "set"])
def test_a_run_of_empty_lists_has_every_key(nickname: str) -> None:
    """A test of pytrec_eval asks for the keys; its values are read from where nothing is."""
    evaluator = ours.RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 1}}, {nickname})
    found = evaluator.evaluate({"q1": {"d1": 1.0}, "q2": {"d2": 1.0}})
    empty = evaluator.evaluate({"q1": {}, "q2": {}})
    assert {t: of.keys() for t, of in empty.items()} == {t: of.keys() for t, of in found.items()}
    counts = {"num_q": 1.0, "num_rel": 1.0, "num_ret": 0.0, "num_rel_ret": 0.0, "runid": 0.0}
    assert all(of.items() >= counts.items() for of in empty.values())


def test_a_program_runs_unchanged_on_real_files(data_dir: Path) -> None:
    """From the files of a TREC run to its means, all digits are the same."""
    means = []
    for module in (original, ours):
        with gzip.open(data_dir / "trec8/qrels.gz", "rt") as lines:
            qrels = module.parse_qrel(lines)
        with gzip.open(data_dir / "trec8/runs/mds08a3.gz", "rt") as lines:
            run = module.parse_run(lines)
        values = module.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_20"}).evaluate(run)
        means.append(
            {
                name: module.compute_aggregated_measure(name, [v[name] for v in values.values()])
                for name in ("map", "ndcg_cut_10", "P_20")
            }
        )
    assert means[1] == pytest.approx(means[0], rel=0, abs=1e-12)


def test_names_are_offered_as_there() -> None:
    """Names and nicknames that a program may look up are there, but for those of preferences."""
    assert ours.supported_measures == original.supported_measures
    expected = original.supported_nicknames
    assert ours.supported_nicknames == {name: expected[name] for name in ours.supported_nicknames}
    assert {"official", "all_trec", "set"} <= ours.supported_nicknames.keys()


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "P_10"])
def test_topics_are_combined_as_there(measure: str) -> None:
    """Counts are added up, logarithms averaged, and everything else has a mean."""
    values = [0.1, 0.4, 0.25]
    expected = original.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, abs=1e-15)


def test_lines_are_read_as_there() -> None:
    """Runs and qrels become the same dicts."""
    run, qrels = ["1 Q0 a 1 2.5 x\n", "1 Q0 b 2 -1e3 x\n"], ["1 0 a 1\n", "2 0 a -1\n"]
    assert ours.parse_run(run) == original.parse_run(run)
    assert ours.parse_qrel(qrels) == original.parse_qrel(qrels)


@pytest.mark.parametrize(
    "lines", [["1 Q0 a 1 2.5 x", "1 Q0 a 2 1 x"], ["1 Q0 a 1 2.5"], ["1 Q0 a 1 x y"]]
)
def test_lines_that_are_wrong_are_errors(lines: list[str]) -> None:
    """A document twice, a missing field and a score that is none are refused."""
    with pytest.raises(ValueError, match=r"line|could not convert"):
        ours.parse_run(lines)


def test_input_that_is_wrong_is_an_error_of_the_same_type() -> None:
    """A program that catches pytrec_eval's errors catches ours."""
    for module in (original, ours):
        with pytest.raises(ValueError, match="foo"):
            module.RelevanceEvaluator({"1": {"a": 1}}, {"foo"})
        with pytest.raises(TypeError):
            module.RelevanceEvaluator({1: {"a": 1}}, {"map"})
        with pytest.raises(TypeError):
            module.RelevanceEvaluator({"1": {"a": 1.5}}, {"map"})
        assert module.RelevanceEvaluator({"1": {"a": 1}}, {"map"}).evaluate({}) == {}


def test_a_score_that_is_no_number_is_refused() -> None:
    """pytrec_eval ranks it somewhere; here it is an error that names it."""
    with pytest.raises(ValueError, match="nan"):
        ours.RelevanceEvaluator({"1": {"a": 1}}, {"map"}).evaluate({"1": {"a": float("nan")}})
