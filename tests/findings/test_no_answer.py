"""Topics without an answer: both rates, and what a run scores there."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import poolwise as pw
from poolwise.findings._no_answer import Rate
from poolwise.workflows import evaluate_no_answer

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"d": 1}, "9": {"z": 0}}
RUNS = {
    "bold": {t: {"a": 3.0, "c": 2.0, "d": 1.0, "z": 0.5} for t in "12378"},
    "careful": {"1": {"a": 1.0}, "2": {"c": 1.0}, "8": {"x": 1.0}},
}
EMPTY = ("7", "8", "9")


def test_returning_nothing_scores_and_returning_something_costs() -> None:
    """By hand: P@1 on three topics with an answer, 1 or 0 on three without."""
    scores = evaluate_no_answer(QRELS, RUNS, "P@1", empty=EMPTY)["P@1"]
    assert scores.table.topics == ("1", "2", "3", *EMPTY)
    by_run = dict(zip(scores.table.systems, scores.table.value.tolist(), strict=True))
    assert by_run == {"bold": [1, 0, 0, 0, 0, 1], "careful": [1, 1, 0, 1, 0, 1]}
    rows = scores.columns()
    assert rows["run"] == ["careful", "bold"]
    assert rows["mean"] == pytest.approx([4 / 6, 2 / 6])
    assert rows["false_alarms"] == [1, 2]
    assert rows["false_alarm_rate"] == pytest.approx([1 / 3, 2 / 3])
    assert rows["silences"] == [1, 0]
    assert rows["silence_rate"] == pytest.approx([1 / 3, 0])


def test_one_run_has_no_highest_mean() -> None:
    """Of one run its mean is said, and only of several which is the highest."""
    alone = evaluate_no_answer(QRELS, {"bold": RUNS["bold"]}, "P@1", empty=EMPTY)["P@1"]
    assert alone.sentences()[0].startswith("bold has a mean of 0.3333; it returned")
    both = evaluate_no_answer(QRELS, RUNS, "P@1", empty=EMPTY)["P@1"]
    assert both.sentences()[0].startswith("careful has the highest mean, 0.6667; it returned")


def test_the_intervals_of_rates_are_exact() -> None:
    """They are those of Clopper and Pearson, as scipy has them, for every count."""
    for of in (1, 7, 40):
        happened = np.tril(np.ones((of + 1, of), np.bool_), -1)
        rate = Rate.over(happened, level=0.95)
        assert rate.topics.tolist() == list(range(of + 1))
        for count, low, high in zip(rate.topics, rate.low, rate.high, strict=True):
            ends = stats.binomtest(int(count), of).proportion_ci(0.95)
            assert (low, high) == pytest.approx((ends.low, ends.high))


def test_ranges_are_those_of_the_topics_with_an_answer() -> None:
    """What is declared empty has no range; the others keep theirs, in their share of the mean."""
    scores = evaluate_no_answer(QRELS, RUNS, "P@2", empty=EMPTY)["P@2"]
    plain = pw.evaluate(QRELS, RUNS, "P@2", topics=["1", "2", "3"])["P@2"]
    low, high = plain.mean_bounds()
    rows = scores.columns()
    for i, run in enumerate(plain.systems):
        at = rows["run"].index(run)
        silent = (~scores.table.answered[i, 3:]).sum()
        assert rows["lower"][at] == pytest.approx((3 * low[i] + silent) / 6)
        assert rows["upper"][at] == pytest.approx((3 * high[i] + silent) / 6)


def test_topics_come_from_a_file_or_from_the_judgments(tmp_path: Path) -> None:
    """A list of topics, or those in which nothing is relevant."""
    (tmp_path / "empty.txt").write_text("\n".join(EMPTY))
    listed = evaluate_no_answer(QRELS, RUNS, "P@1", empty=tmp_path / "empty.txt")
    assert str(listed.columns()) == str(
        evaluate_no_answer(QRELS, RUNS, "P@1", empty=EMPTY).columns()
    )
    judged = evaluate_no_answer(QRELS, RUNS, "P@1", empty="judged")["P@1"]
    assert judged.false_alarms.of == 1
    assert judged.false_alarms.topics.tolist() == [0, 0]


def test_both_rates_or_neither() -> None:
    """A topic with a relevant document is not empty; one kind of topics alone is refused."""
    with pytest.raises(pw.OptionError, match="has no relevant document; got 1"):
        evaluate_no_answer(QRELS, RUNS, "P@1", empty=["1", "7"])
    with pytest.raises(pw.OptionError, match="got none without one"):
        evaluate_no_answer({"1": {"a": 1}}, RUNS, "P@1", empty="judged")
    with pytest.raises(pw.OptionError, match="got none with one"):
        evaluate_no_answer({"9": {"z": 0}}, RUNS, "P@1", empty="judged")
