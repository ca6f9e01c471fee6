"""Slices of the topics: means, corrected intervals and p values, and the macro mean."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import poolwise as pw
from poolwise.findings._by_slice import MACRO, MacroMean, ScoresBySlice, slices_of
from poolwise.workflows import compare_by_slice, evaluate_by_slice

MADE = pw.simulate(systems=3, topics=24, depth=20, rng=6)
BY = {topic: ("de", "en", "fr")[int(topic) % 3] for topic in MADE.judgments.topics}
TABLE = pw.evaluate(MADE.judgments, MADE.runs, "nDCG@10")["nDCG@10"]


def scores() -> ScoresBySlice:
    """Score the runs by language."""
    return evaluate_by_slice(MADE.judgments, MADE.runs, "nDCG@10", by=BY)["nDCG@10"]


def test_the_macro_mean_of_two_slices_is_welchs() -> None:
    """Its interval and p value are those of Welch's test of one slice and minus the other."""
    rng = np.random.default_rng(1)
    for sizes in ((2, 3), (5, 40), (12, 12)):
        a, b = (rng.normal(0.3, 0.1 * n, n) for n in sizes)
        macro = MacroMean.of([a[None], b[None]], level=0.9)
        welch = stats.ttest_ind(a, -b, equal_var=False)
        ends = welch.confidence_interval(0.9)
        assert macro.pvalue[0] == pytest.approx(welch.pvalue, rel=1e-10)
        assert 2 * macro.low[0] == pytest.approx(ends.low, rel=1e-10)
        assert 2 * macro.high[0] == pytest.approx(ends.high, rel=1e-10)


def test_the_macro_interval_covers_what_it_says() -> None:
    """Over slices of unlike sizes and spreads, 95% of the intervals hold the truth, about."""
    rng, held, rounds = np.random.default_rng(2), 0, 2_000
    sizes, means, spreads = (6, 15, 60), (0.2, 0.5, 0.8), (0.3, 0.1, 0.2)
    parts = [
        rng.normal(mean, spread, (rounds, n))
        for n, mean, spread in zip(sizes, means, spreads, strict=True)
    ]
    macro = MacroMean.of(parts, level=0.95)
    held = float(((macro.low <= 0.5) & (macro.high >= 0.5)).mean())
    assert held == pytest.approx(0.95, abs=0.02)


def test_each_slice_has_the_mean_interval_and_range_of_its_topics() -> None:
    """The numbers are those of an evaluation of these topics alone, at the corrected level."""
    rows = scores().columns()
    for name, topics in slices_of(BY, MADE.judgments.topics).items():
        alone = pw.evaluate(MADE.judgments, MADE.runs, "nDCG@10", topics=topics)["nDCG@10"]
        low, high = alone.interval(1 - 0.05 / 3)
        for i, run in enumerate(alone.systems):
            at = list(zip(rows["slice"], rows["run"], strict=True)).index((name, run))
            assert rows["topics"][at] == len(topics)
            assert rows["mean"][at] == pytest.approx(alone.means()[i])
            assert (rows["ci_low"][at], rows["ci_high"][at]) == pytest.approx((low[i], high[i]))
            ends = tuple(end[i] for end in alone.mean_bounds())
            assert (rows["lower"][at], rows["upper"][at]) == pytest.approx(ends)
            assert rows["level"][at] == pytest.approx(1 - 0.05 / 3)


def test_the_macro_mean_weighs_slices_the_same() -> None:
    """It is the mean of the means of slices, whatever their sizes, and so are its ends."""
    few = {topic: name for topic, name in BY.items() if name != "fr" or int(topic) > 420}
    by_slice = evaluate_by_slice(MADE.judgments, MADE.runs, "P@5", by=few)["P@5"]
    rows = by_slice.columns()
    for run in by_slice.table.systems:
        mine = [i for i, name in enumerate(rows["run"]) if name == run]
        slices = [i for i in mine if rows["slice"][i] in ("de", "en", "fr")]
        (macro,) = (i for i in mine if rows["slice"][i] == MACRO)
        for column in ("mean", "lower", "upper"):
            expected = np.mean([rows[column][i] for i in slices])
            assert rows[column][macro] == pytest.approx(expected)
    left = sum(topic not in few for topic in MADE.judgments.topics)
    assert by_slice.left_out == left
    assert f"{left} topics are in no slice, and left out of them." in by_slice.sentences()


def test_p_values_are_corrected_for_slices_and_pairs() -> None:
    """Three slices and three pairs are one family of nine, each tested on its topics alone."""
    differences = compare_by_slice(MADE.judgments, MADE.runs, "nDCG@10", by=BY)["nDCG@10"]
    rows = differences.columns()
    raw = []
    for topics in slices_of(BY, MADE.judgments.topics).values():
        part = TABLE.select(topics=topics).value
        raw += [stats.ttest_rel(part[i], part[j]).pvalue for i, j in ((0, 1), (0, 2), (1, 2))]
    assert rows["p"][:9] == pytest.approx(raw)
    assert rows["p_adjusted"][:9] == pytest.approx(pw.findings.adjust_pvalues(raw).tolist())
    none = compare_by_slice(MADE.judgments, MADE.runs, "P@5", by=BY, correction="none")["P@5"]
    assert none.columns()["p"] == none.columns()["p_adjusted"]


def test_ranges_of_differences_are_those_of_the_slice() -> None:
    """What judging leaves of a difference is found on the topics of the slice."""
    differences = compare_by_slice(MADE.judgments, MADE.runs, "P@5", by=BY, baseline="bm25-1")[
        "P@5"
    ]
    rows = differences.columns()
    topics = slices_of(BY, MADE.judgments.topics)["de"]
    alone = pw.compare(MADE.judgments, MADE.runs, "P@5", topics=topics, baseline="bm25-1", draws=0)[
        "P@5"
    ]
    assert rows["bound_low"][:2] == pytest.approx(alone.bound_low.tolist())
    assert rows["bound_high"][:2] == pytest.approx(alone.bound_high.tolist())


def test_a_slice_of_one_topic_has_no_interval_and_is_named() -> None:
    """Neither it nor the macro mean has one, and the sentence says why."""
    first, *others = MADE.judgments.topics
    by = {first: "alone"} | dict.fromkeys(others, "others")
    by_slice = evaluate_by_slice(MADE.judgments, MADE.runs, "P@5", by=by)["P@5"]
    rows = by_slice.columns()
    for name, low in zip(rows["slice"], rows["ci_low"], strict=True):
        assert np.isnan(low) == (name in ("alone", MACRO))
    assert any(said.startswith("alone has one topic") for said in by_slice.sentences())


def test_columns_of_topics_come_from_every_kind_of_file(tmp_path: Path) -> None:
    """JSONL, CSV, lines with tabs, and lines of topic and slice give the same slices."""
    lines = list(BY.items())
    records = "".join(f'{{"_id": "{t}", "text": "q", "lang": "{n}"}}\n' for t, n in lines)
    (tmp_path / "t.jsonl").write_text(records)
    (tmp_path / "t.csv").write_text("qid,query,lang\n" + "".join(f"{t},q,{n}\n" for t, n in lines))
    (tmp_path / "t.tsv").write_text(
        "topic\tquery\tlang\r\n" + "".join(f"{t}\tq\t{n}\r\n" for t, n in lines)
    )
    (tmp_path / "lang.txt").write_text("".join(f"{t} {n}\n" for t, n in lines))
    both = MADE.judgments, MADE.runs, "nDCG@10"
    expected = scores().columns()
    for name in ("t.jsonl", "t.csv", "t.tsv"):
        by_slice = evaluate_by_slice(*both, by="lang", queries=tmp_path / name)["nDCG@10"]
        assert str(by_slice.columns()) == str(expected)
        assert by_slice.by == "lang"
    assert str(evaluate_by_slice(*both, by=tmp_path / "lang.txt").columns()) == str(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 en more\n", "a line must hold a topic and its group"),
        ("1 en\n1 fr\n", "a topic has one group, and '1' is in 'en' already"),
        ("", "there must be a topic at least"),
    ],
)
def test_files_of_slices_that_cannot_be_read_are_told(
    tmp_path: Path, text: str, message: str
) -> None:
    """Three fields, two slices of one topic, and nothing at all are refused with the place."""
    (tmp_path / "by.txt").write_text(text)
    with pytest.raises(pw.InputError, match=message):
        evaluate_by_slice(MADE.judgments, MADE.runs, "P@5", by=tmp_path / "by.txt")


def test_slices_of_other_topics_are_refused(tmp_path: Path) -> None:
    """Ids of another collection, a column that is not there, and a column of no file."""
    both = MADE.judgments, MADE.runs, "P@5"
    with pytest.raises(pw.OptionError, match="at least one of the topics that are scored"):
        evaluate_by_slice(*both, by={"nosuch": "en"})
    (tmp_path / "t.jsonl").write_text('{"_id": "1", "lang": "en"}\n')
    with pytest.raises(pw.InputError, match=r"must have a column 'language'.*got '_id, lang'"):
        evaluate_by_slice(*both, by="language", queries=tmp_path / "t.jsonl")
    with pytest.raises(pw.OptionError, match="by: 'language' is no file"):
        evaluate_by_slice(*both, by="language")


def test_the_record_of_slices_is_of_all_topics() -> None:
    """No topic of another slice is said to be left out."""
    made = pw.simulate(systems=3, topics=20, depth=20, rng=1)
    halves = {topic: str(i % 2) for i, topic in enumerate(made.judgments.topics)}
    differences = pw.workflows.compare_by_slice(made.judgments, made.runs, "P@5", by=halves)["P@5"]
    assert differences.provenance.topic_rule == "judged"
    assert not any("not named" in str(notice) for notice in differences.provenance.notices)


def test_slices_that_judging_could_reverse_are_named() -> None:
    """Of two significant slices, the one with unjudged documents is named, the judged one not."""
    topics = [str(i) for i in range(20)]
    judged, unknown = topics[:10], topics[10:]
    # On one topic of each slice they are level, or no test has a spread to go by.
    level = {"r": 1, "n": 0, "x": 1, "y": 0}
    qrels = {t: {"r": 1, "n": 0, "x": 0, "y": 0} for t in judged} | {"0": level}
    qrels |= {t: {"r": 1, "n": 0} for t in unknown} | {"10": level}
    runs = {
        "good": {t: {"r": 2.0, "n": 1.0} for t in topics},
        "poor": {t: {"x": 2.0, "y": 1.0} for t in topics},
    }
    by = dict.fromkeys(judged, "judged") | dict.fromkeys(unknown, "open")
    differences = compare_by_slice(qrels, runs, "P@2", by=by)["P@2"]
    first, second, *_ = differences.sentences()
    assert first.startswith("2 of 2 comparisons")
    assert second == "Judging could reverse 1 of them: open."
    qrels |= {t: {"r": 1, "n": 0, "x": 0, "y": 0} for t in unknown[1:]}
    differences = compare_by_slice(qrels, runs, "P@2", by=by)["P@2"]
    assert not any("Judging could reverse" in said for said in differences.sentences())


def test_what_is_in_no_slice_and_slices_without_topics_are_said() -> None:
    """Neither is dropped in silence; a slice of a file that nobody scores is named."""
    first, *others = MADE.judgments.topics
    by = dict.fromkeys(others, "en") | {"999": "nl"}
    both = MADE.judgments, MADE.runs, "P@5"
    for by_slice in (evaluate_by_slice(*both, by=by), compare_by_slice(*both, by=by)):
        said = by_slice["P@5"].sentences()
        assert said[-2:] == (
            "1 topic is in no slice, and left out of them.",
            "No topic that is scored is in nl.",
        )
    assert first not in by


def test_a_slice_without_a_score_has_no_part_in_the_macro_mean() -> None:
    """Where nothing relevant is known AP has no score: the slice is named, not the worst one."""
    judged = {"1": {"a": 1}, "2": {"b": 1, "c": 0}, "3": {"d": 0}}
    run = {"r": {"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}, "3": {"d": 1.0}}}
    by_slice = evaluate_by_slice(judged, run, "AP", by={"1": "en", "2": "en", "3": "de"})["AP"]
    said = by_slice.sentences()
    assert said[0].startswith("r has a macro mean AP of 0.7500 ")
    assert "over 1 slice, the least on en: 0.7500 on 2 topics." in said[0]
    assert "de has no topic with a score, and no part in macro means." in said


def test_the_interval_of_a_macro_mean_stays_in_the_range_of_the_measure() -> None:
    """As the intervals of slices do; where there is none, no sentence has an empty bracket."""
    judged = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    run = {"r": {"1": {"a": 1.0}, "2": {"x": 1.0}, "3": {"x": 1.0}}}
    whole = evaluate_by_slice(judged, run, "P@1", by=dict.fromkeys("123", "en"))["P@1"]
    rows = whole.columns()
    assert rows["ci_low"] == [0.0] * 3
    assert rows["ci_high"] == [1.0] * 3
    single = evaluate_by_slice(judged, run, "P@1", by={"1": "en", "2": "de"})["P@1"]
    assert single.sentences()[0].startswith("r has a macro mean P@1 of 0.5000 over 2 slices")
    other = {"s": {"1": {"x": 1.0}, "2": {"b": 1.0}}}
    pair = compare_by_slice(judged, run | other, "P@1", by={"1": "en", "2": "de"})["P@1"]
    assert not any("–" in said for said in pair.sentences())
