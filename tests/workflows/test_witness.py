"""Witnesses: judgments at an end of a range, as any tool would score them."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import poolwise as pw
from poolwise.errors import MeasureError, OptionError

QRELS = {"1": {"x": 1, "y": 0}, "2": {"z": 0}, "3": {"w": 0}, "4": {"p": 2, "q": 0}}
RUNS = {
    "a": {"1": ["x", "u", "y"], "2": ["z", "v"], "3": ["w", "s"], "4": ["q", "t", "p"]},
    "b": {"1": ["y", "x"], "2": ["v", "z"], "4": ["t", "r", "p"]},
    "c": {"1": ["n"], "4": ["q", "m"]},
}
UNJUDGED = [("1", "u"), ("1", "n"), ("2", "v"), ("3", "s"), *(("4", d) for d in "trm")]


def all_gradings() -> list[dict[str, dict[str, float]]]:
    """Return the judgments completed in every way."""
    gradings = []
    for grades in product((0.0, 1.0, 2.0), repeat=len(UNJUDGED)):
        judged = {topic: dict(documents) for topic, documents in QRELS.items()}
        for (topic, document), grade in zip(UNJUDGED, grades, strict=True):
            judged[topic][document] = grade
        gradings.append(judged)
    return gradings


GRADINGS = all_gradings()
LISTS = pw.Runs.from_rankings(RUNS)


def mean_of(judged: dict[str, dict[str, float]], measure: str, runs: tuple[str, ...]) -> float:
    """Return the mean score, or difference, over the topics that have one."""
    judgments = pw.Judgments.from_dict(judged).with_grades([0, 1, 2])
    scores = pw.parse_measure(measure).score(pw.align(judgments, LISTS.select(runs)))
    values = scores[0] if len(runs) == 1 else scores[0] - scores[1]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


@pytest.mark.parametrize("measure", ["AP", "nDCG@2", "Rprec"])
@pytest.mark.parametrize("runs", [("a",), ("a", "b")])
def test_the_mean_is_at_its_end_also_where_topics_may_enter(
    measure: str, runs: tuple[str, ...]
) -> None:
    """Topics 2 and 3 have no relevant document: they are in or out, as it takes the mean there."""
    rng = np.random.default_rng(0)
    # Uncut AP has a valid range for pairs: only that none passes it can be asked there.
    some = [GRADINGS[i] for i in rng.choice(len(GRADINGS), 250, replace=False)]
    means = np.array([mean_of(judged, measure, runs) for judged in some])
    named = {"run": runs[0]} if len(runs) == 1 else {"pair": runs}
    for end in ("low", "high"):
        witness = pw.witness(QRELS, RUNS, measure, end=end, universe_depth="all", **named)
        assert witness.mean == pytest.approx(mean_of(witness.judgments.to_dict(), measure, runs))
        if witness.scope.kind == "exact":
            assert witness.is_reached
            further = means < witness.mean - 1e-12 if end == "low" else means > witness.mean + 1e-12
            assert not further.any()


def test_a_witness_reaches_the_extreme_of_all_gradings() -> None:
    """The smallest and the largest mean AP@3 of a run over all 2,187 gradings, to 1e-12."""
    means = [mean_of(judged, "AP@3", ("a",)) for judged in GRADINGS]
    for end, extreme in (("low", np.nanmin(means)), ("high", np.nanmax(means))):
        witness = pw.witness(QRELS, RUNS, "AP@3", run="a", end=end)
        assert witness.mean == pytest.approx(extreme, abs=1e-12)
        assert witness.limit == pytest.approx(extreme, abs=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP@3", "RR@2", "P@2", "ERR@3", "SetF"])
def test_a_pair_is_reversed_if_any_grading_does_it(measure: str) -> None:
    """Whoever is behind now is ahead under the witness, if that can be at all."""
    for pair in (("a", "b"), ("b", "c"), ("a", "c")):
        witness = pw.witness(QRELS, RUNS, measure, pair=pair)
        differences = np.array([mean_of(judged, measure, pair) for judged in GRADINGS[::7]])
        turned = differences * witness.now < -1e-12
        assert witness.is_reversed or not turned.any()
        assert witness.is_reached


def test_the_judgments_are_those_given_and_all_of_the_universe() -> None:
    """Nothing that was judged changes, and everything in the first ranks has a grade."""
    witness = pw.witness(QRELS, RUNS, "nDCG@2", pair=("a", "b"))
    judged = witness.judgments.to_dict()
    assert all(judged[t][d] == grade for t, graded in QRELS.items() for d, grade in graded.items())
    retrieved = {(t, d) for run in RUNS.values() for t, ranks in run.items() for d in ranks[:2]}
    assert all(document in judged[topic] for topic, document in retrieved)
    assert {grade for graded in judged.values() for grade in graded.values()} <= {0.0, 1.0, 2.0}


def test_trec_eval_gives_what_is_said_of_each_topic() -> None:
    """Oracle: pytrec_eval-terrier, which is trec_eval 9.0.8."""
    witness = pw.witness(QRELS, RUNS, "nDCG@3", pair=("a", "b"))
    assert witness.flags == "-m ndcg_cut.3"
    qrels = {
        t: {d: int(g) for d, g in graded.items()}
        for t, graded in witness.judgments.to_dict().items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.3"})
    for scores, run in zip(witness.scores, witness.runs, strict=True):
        ranked = {t: {d: float(-i) for i, d in enumerate(ranks)} for t, ranks in RUNS[run].items()}
        said = evaluator.evaluate(ranked)
        by_topic = [said[t]["ndcg_cut_3"] if t in said else 0.0 for t in witness.topics]
        assert np.nan_to_num(scores).tolist() == pytest.approx(by_topic, abs=1e-12)


def test_a_written_witness_reads_back_to_the_same_scores(tmp_path: Path) -> None:
    """The file alone gives the end of the range."""
    witness = pw.witness(QRELS, RUNS, "nDCG@3", run="a", end="high")
    pw.write_judgments(witness.judgments, tmp_path / "high.qrels")
    table = pw.evaluate(tmp_path / "high.qrels", RUNS, "nDCG@3")["nDCG@3"]
    assert table.means()[0] == pytest.approx(witness.limit, abs=1e-12)
    assert table.mean_bounds()[0] == pytest.approx(table.mean_bounds()[1])


def test_one_topic_alone_has_its_own_end() -> None:
    """The range of a topic is that of the mean over it, also if it has no score yet."""
    witness = pw.witness(QRELS, RUNS, "AP", run="b", end="high", topics=["2"])
    assert witness.mean == 1.0
    assert np.isnan(witness.now)
    assert witness.sentences()[0].endswith("by those so far it has no score.")
    assert list(witness.judgments.topics) == ["2"]


def test_a_tail_is_no_part_of_a_witness() -> None:
    """RBP could rise past the end of the list, where no document is known."""
    witness = pw.witness(QRELS, RUNS, "RBP(p=0.8)", run="a", end="high")
    assert witness.is_reached
    assert any(sentence.startswith("The tail") for sentence in witness.sentences())


def test_a_range_that_is_only_valid_has_the_best_grading_found() -> None:
    """It says so, and stays within the range."""
    runs = {name: {"1": [*"abcdef"][::step]} for name, step in (("x", 1), ("y", -1))}
    witness = pw.witness({"1": {"c": 1}}, runs, "INST(T=1)")
    assert witness.scope.kind == "valid"
    assert not witness.is_reached
    assert "best grades that were found" in " ".join(witness.sentences())
    assert min(witness.limit, witness.now) <= witness.mean <= max(witness.limit, witness.now)


def test_what_has_no_witness_says_why() -> None:
    """A measure without a range, a corpus without ids, and a wish that is none."""
    for error, said, options in (
        (MeasureError, "passes over unjudged", {"measure": "Bpref", "run": "a", "end": "low"}),
        (OptionError, "no judgments can name", {"universe": "corpus", "run": "a", "end": "low"}),
        (OptionError, "low or high", {"run": "a"}),
        (OptionError, "two different runs", {}),
        (OptionError, "beside the run", {"run": "a", "pair": ("a", "b"), "end": "low"}),
        (OptionError, "'middle' is not known", {"run": "a", "end": "middle"}),
        (OptionError, "'d' is not known", {"run": "d", "end": "low"}),
    ):
        measure = options.pop("measure", "AP")
        with pytest.raises(error, match=said):
            pw.witness(QRELS, RUNS, measure, **options)
    # Without an ideal, documents that no run has do not matter.
    corpus = pw.witness(QRELS, RUNS, "P@2", run="a", end="high", universe="corpus")
    assert corpus.is_reached


def test_trec_eval_has_no_part_where_it_reads_or_orders_otherwise() -> None:
    """Fractional grades, other ties, and measures that it lacks."""
    half = {"1": {"x": 0.5, "y": 0}}
    run = {"a": {"1": ["u", "x"]}}
    assert "integers" in pw.witness(half, run, "nDCG@2", run="a", end="low").no_flags
    assert "ERR" in pw.witness({"1": {"x": 1}}, run, "ERR@2", run="a", end="low").no_flags
    tied = {"a": {"1": {"u": 1.0, "x": 1.0}}}
    how = pw.Reading(ties="docid")
    witness = pw.witness({"1": {"x": 1}}, tied, "P@2", run="a", end="low", reading=how)
    assert "ties" in witness.no_flags


def test_two_runs_that_are_level_get_the_end_that_is_further_from_level() -> None:
    """With two unjudged documents of b and one of a, the end is that at which b is ahead."""
    judged = {"1": {"x": 1, "y": 1}}
    runs = pw.Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "v", "w"]}})
    witness = pw.witness(judged, runs, "P@3", pair=("a", "b"))
    assert (witness.end, witness.limit) == ("low", pytest.approx(-2 / 3))
    other = pw.witness(judged, runs, "P@3", pair=("b", "a"))
    assert (other.end, other.limit) == ("high", pytest.approx(2 / 3))
