"""How much is judged at the depth of a measure, on which topic least, and how long lists are."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.measures.families._judged_only import first_documents, judged_share_of

RUNS = pw.Runs.from_rankings(
    {
        "long": {t: [f"d{i}" for i in range(40)] for t in "12"},
        "short": {t: [f"d{i}" for i in range(20)] for t in "12"},
    }
)
QRELS = pw.Judgments.from_dict(
    {"1": {f"d{i}": i % 2 for i in range(10)}, "2": {f"d{i}": i % 3 == 0 for i in range(30)}}
)


@pytest.mark.parametrize(
    ("measure", "depth"),
    [("nDCG@20", 20), ("P@5", 5), ("AP", None), ("RBP(p=0.98)", 149), ("RBP(p=0.5)", 5)],
)
def test_the_share_is_that_of_the_depth_of_the_measure(measure: str, depth: int | None) -> None:
    """The cut-off, the ranks with 95% of the weight (p^k ≤ .05), or whole lists."""
    assert judged_share_of(pw.parse_measure(measure)).cutoff == depth
    if measure.startswith("RBP"):
        p = pw.parse_measure(measure).p  # type: ignore[attr-defined] # RBP has it
        assert p**depth <= 0.05 < p ** (depth - 1)


def test_a_share_at_ten_is_not_shown_beside_a_measure_of_whole_lists() -> None:
    """AP has the share of whole lists beside it: a quarter and three quarters, not all of ten."""
    evaluation = pw.evaluate(QRELS, RUNS, ["AP", "P@10"])
    deep, shallow = (table.value for table in evaluation.beside)
    assert deep.tolist() == [[10 / 40, 30 / 40], [10 / 20, 1.0]]
    assert shallow.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    titles = [[column.title for column in table.columns] for table in evaluation.leaderboards()]
    assert "Judged" in titles[0]
    assert "Judged@10" in titles[1]


def test_the_worst_topic_is_named() -> None:
    """A sentence names the smallest share of all, and the columns have those of every topic."""
    evaluation = pw.evaluate(QRELS, RUNS, ["AP"])
    assert "At worst, 25% of long's documents are judged, on topic 1." in evaluation.sentences()
    columns = evaluation.columns()
    cells = zip(columns["run"], columns["topic"], columns["judged"], strict=True)
    assert ("long", "2", 0.75) in list(cells)


def test_parts_of_rows_are_the_rows_of_columns() -> None:
    """What is written piece by piece has the share of judged documents, too."""
    evaluation = pw.evaluate(QRELS, RUNS, ["AP", "P@10"])
    parts = [part["judged"] for part in evaluation.row_parts()]
    joined = [float(cell) for part in parts for cell in part]
    np.testing.assert_array_equal(joined, evaluation.columns()["judged"])


def test_lists_of_unequal_length_are_named() -> None:
    """A measure without cut-off says how deep it looks, and whose lists end before (D10 §4.1)."""
    said = pw.evaluate(QRELS, RUNS, ["AP", "P@10"]).depths()
    assert said[0][:2] == (
        "AP looks at whole lists, here of up to 40 documents.",
        (
            "The lists of short end at rank 20, so that they can score less: AP@20 compares all "
            "runs at one depth."
        ),
    )
    assert said[1] == ()
    alike = pw.evaluate(QRELS, RUNS.select(["long"]), "AP").depths()[0]
    assert not any("end at rank" in sentence for sentence in alike)


def test_weights_that_fade_have_no_short_lists() -> None:
    """20 ranks hold all but a millionth of the weight of RBP(.5): no list is too short for it."""
    (said,) = pw.evaluate(QRELS, RUNS, "RBP(p=0.5)").depths()
    assert said == (
        (
            "RBP(p=0.5) looks at whole lists, here of up to 40 documents; the first 5 have 95% of "
            "its weight."
        ),
    )


def test_a_comparison_says_the_same() -> None:
    """Depth, short lists and the least judged topic stand below a comparison, too."""
    comparisons = pw.compare(QRELS, RUNS, "AP", draws=0)["AP"]
    assert comparisons.judged is not None
    assert comparisons.judged.tolist() == [0.5, 0.75]
    said = pw.evaluate(QRELS, RUNS, "AP").depths()[0]
    assert comparisons.sentences()[-3:] == said


@pytest.mark.parametrize(("k", "words"), [(1, "first"), (5, "first 5"), (10, "first ten")])
def test_documents_are_named_by_their_number(k: int, words: str) -> None:
    """One rank, a few, and ten, as a person says it."""
    assert first_documents(pw.parse_measure(f"P@{k}")) == f"{words} documents"
