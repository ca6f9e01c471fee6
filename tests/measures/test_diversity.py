"""Measures of diversity against ndeval, and against what they must be by hand."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pyndeval
import pytest

import poolwise as pw
from poolwise.collection import SubtopicJudgments, read_subtopic_judgments
from poolwise.errors import InputError, MeasureError
from poolwise.measures import DIVERSITY
from poolwise.measures._catalogue import Entry
from poolwise.measures._diversity import greedy_ideal, novelty_gains

Records = list[tuple[str, str, str, int]]
DOCUMENTS = [f"d{i:02}" for i in range(40)]
NDEVAL = {
    **{f"alpha_nDCG@{k}": f"alpha-nDCG@{k}" for k in (3, 10, 20)},
    **{f"alpha_DCG@{k}": f"alpha-DCG@{k}" for k in (3, 20)},
    **{f"ERR_IA@{k}": f"ERR-IA@{k}" for k in (3, 20)},
    "nERR_IA@10": "nERR-IA@10",
    "StRecall@3": "strec@3",
    "StRecall@20": "strec@20",
    "P_IA@5": "P-IA@5",
    "AP_IA": "MAP-IA",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
}


def collection(seed: int) -> tuple[Records, dict[str, dict[str, float]]]:
    """Draw subtopics of different sizes, one of them without a relevant document, and lists."""
    rng = np.random.default_rng(seed)
    records = [
        (topic, str(subtopic), document, int(rng.integers(1, 3) * (rng.random() < chance)))
        for topic in "123"
        for subtopic, chance in enumerate([0.4, 0.2, 0.1, 0.3, 0.0])
        for document in DOCUMENTS[:25]
        if rng.random() < 0.8
    ]
    lists = {
        topic: {
            d: float(s) for d, s in zip(rng.permutation(DOCUMENTS), rng.random(30), strict=False)
        }
        for topic in "123"
    }
    return records, lists


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_ndeval_has_the_same_numbers(seed: int, level: int) -> None:
    """Topic by topic, all nine measures are those of ndeval (pyndeval 0.0.8)."""
    records, lists = collection(seed)
    evaluator = pyndeval.RelevanceEvaluator(records, NDEVAL.values(), relevance_level=level)
    rows = [
        (t, d, s) for t, of in lists.items() for d, s in sorted(of.items(), key=lambda r: -r[1])
    ]
    theirs = evaluator.evaluate(rows)
    names = [pw.parse_measure(name)(rel=level) for name in NDEVAL]
    evaluation = pw.workflows.diversity(records, {"x": lists}, names)
    for table, theirs_name in zip(evaluation.scores, NDEVAL.values(), strict=True):
        expected = [theirs[topic][theirs_name] for topic in table.topics]
        np.testing.assert_allclose(table.value[0], expected, atol=1e-12, err_msg=theirs_name)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.9])
def test_alpha_is_that_of_ndeval(alpha: float) -> None:
    """Another alpha gives ndeval's numbers, too."""
    records, lists = collection(9)
    evaluator = pyndeval.RelevanceEvaluator(records, ["alpha-nDCG@10", "NRBP"], alpha=alpha)
    rows = [
        (t, d, s) for t, of in lists.items() for d, s in sorted(of.items(), key=lambda r: -r[1])
    ]
    theirs = evaluator.evaluate(rows)
    names = [f"alpha_nDCG(alpha={alpha})@10", f"NRBP(alpha={alpha})"]
    evaluation = pw.workflows.diversity(records, {"x": lists}, names)
    for table, name in zip(evaluation.scores, ["alpha-nDCG@10", "NRBP"], strict=True):
        assert table.value[0] == pytest.approx([theirs[t][name] for t in table.topics])


@pytest.mark.parametrize("seed", range(20))
def test_the_greedy_ideal_begins_with_the_best_document(seed: int) -> None:
    """No ranking of documents gains more at the first rank, nor with no loss for repetition."""
    rng = np.random.default_rng(seed)
    covers = rng.random((5, 3)) < 0.5
    order = greedy_ideal(covers, 0.0, 5)
    gains = novelty_gains(covers[order][None], 0.0)[0]
    best = max(
        novelty_gains(covers[list(p)][None], 0.0)[0].cumsum().tolist()
        for p in permutations(range(5))
    )
    assert gains.cumsum().tolist() == pytest.approx(best[: len(gains)])


def test_a_file_reads_like_its_records(tmp_path: Path) -> None:
    """The second column of the qrels of a diversity task is the subtopic."""
    records, lists = collection(1)
    file = tmp_path / "qrels.diversity"
    file.write_text("\n".join(" ".join(map(str, record)) for record in records) + "\n")
    (one,), (other,) = (
        pw.workflows.diversity(source, {"x": lists}, "ERR_IA@10").scores
        for source in (file, records)
    )
    np.testing.assert_array_equal(one.value, other.value)
    assert one.provenance.judgments.path == str(file)


def test_a_topic_without_a_relevant_document_has_no_score() -> None:
    """It is left out of the means; a topic that a run lacks scores 0."""
    records = [("1", "a", "d1", 1), ("2", "a", "d1", 0), ("3", "b", "d2", 1)]
    evaluation = pw.workflows.diversity(records, {"x": {"1": ["d1"], "2": ["d1"]}}, "alpha_nDCG@5")
    (table,) = evaluation.scores
    assert table.value[0] == pytest.approx([1, np.nan, 0], nan_ok=True)
    assert table.means() == pytest.approx([0.5])
    assert table.answered.tolist() == [[True, True, False]]
    assert "no range" in str(evaluation)


def test_the_tables_can_be_compared() -> None:
    """Scores by subtopic go where other scores go."""
    records, lists = collection(3)
    runs = {"x": lists, "y": {t: {d: -s for d, s in of.items()} for t, of in lists.items()}}
    table = pw.workflows.diversity(records, runs, "alpha_nDCG@10").scores[0]
    comparisons = pw.compare_scores(table, rng=1)
    assert len(comparisons.columns()["p"]) == 1


def test_what_is_wrong_is_said() -> None:
    """Wrong lines, two grades, and measures in the wrong place have errors with a remedy."""
    with pytest.raises(InputError, match="one grade for each subtopic"):
        SubtopicJudgments.from_records([("1", "a", "d1", 1), ("1", "a", "d1", 0)])
    with pytest.raises(InputError, match="at least one line"):
        SubtopicJudgments.from_records([])
    with pytest.raises(MeasureError, match="needs judgments by subtopic"):
        pw.evaluate({"1": {"a": 1}}, {"x": {"1": ["a"]}}, "alpha_nDCG@10")
    with pytest.raises(MeasureError, match="no measure of diversity"):
        pw.workflows.diversity([("1", "a", "d1", 1)], {"x": {"1": ["d1"]}}, "nDCG@10")


@pytest.mark.parametrize("line", ["1 2 d1", "1 2 d1 yes", "1 2 d1 inf"])
def test_a_wrong_line_is_named(line: str, tmp_path: Path) -> None:
    """The error says the file and the line."""
    file = tmp_path / "qrels"
    file.write_text(f"1 1 d1 1\n{line}\n")
    with pytest.raises(InputError, match=r"qrels:2: .* Hint: "):
        read_subtopic_judgments(file)


@pytest.mark.parametrize("entry", DIVERSITY, ids=lambda entry: entry.measure.name)
def test_a_name_parses_back_and_explains_itself(entry: Entry) -> None:
    """Every example of the catalogue is canonical, and explained."""
    for name in entry.examples:
        assert repr(pw.parse_measure(name)) == name
        assert entry.measure.citation in str(pw.explain(name))


def test_diversity_is_at_most_one() -> None:
    """Measures by subtopic are shares, whatever the grades are."""
    assert pw.parse_measure("alpha_nDCG@10").maximum(np.array([0.0, 1.0, 3.0])) == 1
