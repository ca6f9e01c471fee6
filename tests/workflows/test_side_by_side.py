"""Two runs side by side: every number is that of the command or of brute force."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main
from poolwise.findings import SideBySide

MADE = pw.simulate(systems=6, topics=14, depth=20, rng=4)
GRADES = MADE.judgments.to_dict()
LISTS = MADE.runs.to_dict()
PAIR = ("maverick-1", "bm25-1")
QUERIES = {topic: f"query {topic}" for topic in MADE.judgments.topics}


def found(**options: object) -> SideBySide:
    """Put two runs of six side by side."""
    return pw.side_by_side(
        MADE.judgments, MADE.runs, ["P@5", "nDCG@10"], pair=PAIR, queries=QUERIES, **options
    )


def ranking(run: str, topic: str) -> list[str]:
    """Return the documents of a run on a topic; the scores of simulated runs are not tied."""
    scores = LISTS[run].get(topic, {})
    return sorted(scores, key=lambda document: -scores[document])


def test_the_pair_is_that_of_compare() -> None:
    """Among six runs the pair has the p value, the range and the verdict of the comparison."""
    compared = pw.compare(MADE.judgments, MADE.runs, ["P@5", "nDCG@10"])
    for part, table in zip(found(), compared, strict=True):
        (expected,) = [pair for pair in table if {pair.a, pair.b} == set(PAIR)]
        assert str(part.comparison.columns()) == str(expected.columns())
        assert part.comparison.pair_verdict.sentence == expected.pair_verdict.sentence
        assert part.comparison.pair_verdict.claims == expected.pair_verdict.claims


def test_what_was_compared_before_is_taken_as_it_is() -> None:
    """A comparison by another test gives the page its p values."""
    compared = pw.compare(MADE.judgments, MADE.runs, ["P@5"], test="sign", draws=0)
    both = pw.side_by_side(MADE.judgments, MADE.runs, "P@5", pair=PAIR, compared=compared)
    assert both["P@5"].comparison.test == compared["P@5"][0].test == "sign test"


def test_scores_by_topic_are_counted_by_hand() -> None:
    """P@5 of both runs on each topic, their difference, and the order by it."""
    part = found()["P@5"]
    rows = part.topic_scores()
    for topic, *scores, difference in zip(*rows.values(), strict=True):
        relevant = {d for d, grade in GRADES[topic].items() if grade > 0}
        by_hand = [
            sum(d in relevant for d in ranking(run, topic)[:5]) / 5
            for run in (part.comparison.a, part.comparison.b)
        ]
        assert scores == pytest.approx(by_hand)
        assert difference == pytest.approx(by_hand[0] - by_hand[1])
    assert rows["difference"] == sorted(rows["difference"], reverse=True)
    assert np.mean(rows["difference"]) == pytest.approx(part.comparison.difference)
    assert part.deltas.wins == part.comparison.wins


def test_of_many_topics_those_are_listed_that_differ_most() -> None:
    """The largest differences either way, still in the order of their sign."""
    part = found()["nDCG@10"]
    whole, few = part.topic_scores()["difference"], part.topic_scores(4)["difference"]
    assert sorted(map(abs, few), reverse=True) == sorted(map(abs, whole), reverse=True)[:4]
    assert few == sorted(few, reverse=True)


def test_unjudged_documents_are_those_without_a_grade() -> None:
    """Each is listed once, with its rank in both runs, and nothing judged is among them."""
    both = found()
    rows = both.unjudged()
    expected = {
        (topic, document)
        for topic in both.topics
        for run in PAIR
        for document in ranking(run, topic)[:10]
        if document not in GRADES[topic]
    }
    assert set(zip(rows["topic"], rows["document"], strict=True)) == expected
    assert len(rows["topic"]) == len(expected)
    for topic, query, document, *ranks in zip(*rows.values(), strict=True):
        places = [ranking(run, topic) for run in (both.a, both.b)]
        by_hand = [p.index(document) + 1 if document in p else None for p in places]
        assert ranks == by_hand
        assert query == QUERIES[topic]
    counts = [
        sum(d not in GRADES[t] for t in both.topics for d in ranking(run, t)[:10])
        for run in (both.a, both.b)
    ]
    (said,) = both.what_is_unjudged()
    assert f"{counts[0]} in the first 10 of {both.a}, {counts[1]} in those of {both.b}" in said


def test_the_command_lists_the_same_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the page proposes is what its command prints, from the same files."""
    monkeypatch.chdir(tmp_path)
    pw.write_judgments(MADE.judgments, tmp_path / "the qrels.txt")
    for name in PAIR:
        pw.write_run(MADE.runs, name, tmp_path / f"{name}.run")
    files = [f"{name}.run" for name in PAIR]
    part = pw.side_by_side("the qrels.txt", files, "nDCG@10", budget=7)["nDCG@10"]
    words = shlex.split(part.command)
    assert words[:5] == ["poolwise", "next", "the qrels.txt", *files]
    result = CliRunner().invoke(main, [*words[1:], "--ranks", "--format", "tsv"])
    assert result.exit_code == 0, result.output
    lines = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    rows = part.to_judge.columns()
    assert len(lines) == 7
    assert [line[:2] for line in lines] == [
        list(pair) for pair in zip(rows["topic"], rows["document"], strict=True)
    ]


def test_topics_on_which_the_runs_differ_most_come_first() -> None:
    """Rankings are in the order of the differences by the first measure, whatever their sign."""
    both = found()
    sizes = [abs(both["P@5"].by_topic[shown.topic]) for shown in both.lists()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(both.lists()) == len(both.topics)


def test_texts_go_with_rankings_and_with_what_to_judge() -> None:
    """Queries and documents are shown wherever a topic or a document is."""
    texts = {document: f"text of {document}" for document in MADE.runs.documents}
    both = found(documents=texts)
    for shown in both.lists():
        assert shown.query == QUERIES[shown.topic]
        assert shown.said[shown.documents[0]] == f"text of {shown.documents[0]}"
    rows = both["P@5"].to_judge.columns()
    assert rows["text"] == [f"text of {document}" for document in rows["document"]]
    assert rows["query"] == [QUERIES[topic] for topic in rows["topic"]]


def test_a_page_is_about_two_runs_that_were_compared() -> None:
    """Six runs without a pair, an unknown name, or two that were not compared are refused."""
    with pytest.raises(pw.OptionError, match="15 pairs"):
        pw.side_by_side(MADE.judgments, MADE.runs, "P@5")
    with pytest.raises(pw.OptionError, match="pair: 'nosuch' is not known"):
        pw.side_by_side(MADE.judgments, MADE.runs, "P@5", pair=["nosuch", "bm25-1"])
    compared = pw.compare(MADE.judgments, MADE.runs, "P@5", baseline="bm25-1", draws=0)
    other = [name for name in MADE.runs.systems if name != "bm25-1"][:2]
    with pytest.raises(pw.OptionError, match=f"got {other[0]} and {other[1]}"):
        pw.side_by_side(MADE.judgments, MADE.runs, "P@5", pair=other, compared=compared)


@pytest.mark.parametrize("name", ["queries", "documents"])
def test_a_file_with_none_of_the_ids_is_refused(name: str) -> None:
    """A file of another collection is told at once, with an id that was looked for."""
    what = "topics" if name == "queries" else "documents"
    with pytest.raises(pw.InputError, match=f"at least one of the {what} that are shown"):
        pw.side_by_side(MADE.judgments, MADE.runs, "P@5", pair=PAIR, **{name: {"nosuch": "x"}})
