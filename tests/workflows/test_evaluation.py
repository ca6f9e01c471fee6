"""Files are evaluated as the same runs are in memory: names, topics, options, provenance."""

from pathlib import Path

import pytest

import poolwise as pw

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
FIRST = "1 Q0 a 1 2 same\n1 Q0 x 2 1 same\n2 Q0 c 1 1 same\n"
FILES = pw.Reading(names="file")
SECOND = "1 Q0 b 1 2 same\n1 Q0 a 2 1 same\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write qrels and two runs that have one tag."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "first.run").write_text(FIRST)
    (tmp_path / "second.run").write_text(SECOND)
    return tmp_path


def runs_of(files: Path) -> list[Path]:
    """Return the two runs."""
    return [files / "first.run", files / "second.run"]


def test_systems_are_named_by_their_files(files: Path) -> None:
    """How runs are read is the same for evaluate as for read_runs, and changes no score."""
    table = pw.evaluate(files / "qrels", runs_of(files), "P@1", reading=FILES)["P@1"]
    read = pw.read_runs(*runs_of(files), names="file")
    assert table.systems == read.systems == ("first", "second")
    assert table.value.tolist() == pw.evaluate(files / "qrels", read, "P@1")["P@1"].value.tolist()


@pytest.mark.parametrize("names", ["auto", "tag", "file"])
def test_the_same_file_twice_is_refused(files: Path, names: str) -> None:
    """Two systems of one name would be one row too many, from files as in memory."""
    twice = [files / "first.run", files / "first.run"]
    for read in (
        lambda: pw.evaluate(files / "qrels", twice, "P@1", reading=pw.Reading(names=names)),
        lambda: pw.read_runs(*twice, names=names),
    ):
        with pytest.raises(pw.InputError, match=r"first\.run.*name of its own"):
            read()


@pytest.mark.parametrize("treatment", [None, "condensed"])
@pytest.mark.parametrize("rule", ["judged", "common"])
def test_provenance_says_which_topics_were_scored(
    files: Path, rule: str, treatment: str | None
) -> None:
    """The rule is the one asked for, whichever way the files were read."""
    evaluation = pw.evaluate(
        files / "qrels", runs_of(files), "P@1", topics=rule, reading=FILES, treatment=treatment
    )
    assert evaluation.provenance.topic_rule == rule
    assert evaluation["P@1"].topics == (("1", "2") if rule == "judged" else ("1",))
    in_memory = pw.evaluate(
        files / "qrels", pw.read_runs(*runs_of(files), names="file"), "P@1", topics=rule
    )
    assert in_memory.provenance.topic_rule == rule


@pytest.mark.parametrize(
    ("line", "option"),
    [("1 0 a\n", {"malformed": "skip"}), ("1 0 a 0\n", {"duplicates": "first"})],
)
@pytest.mark.parametrize("call", [pw.evaluate, pw.compare, pw.estimate, pw.report, pw.audit])
def test_options_of_reading_reach_qrels(
    files: Path, line: str, option: dict[str, str], call: object
) -> None:
    """A line of the qrels that is refused is let pass by the option that the error names."""
    (files / "qrels").write_text(QRELS + line)
    about = () if call is pw.audit else ("P@1",) if call is not pw.report else (["P@1"],)
    with pytest.raises(pw.InputError, match="qrels"):
        call(files / "qrels", runs_of(files), *about, reading=FILES)
    finding = call(
        files / "qrels", runs_of(files), *about, reading=pw.Reading(names="file", **option)
    )
    assert finding.provenance.notices


@pytest.mark.parametrize("bounds", ["naive", "none"])
def test_scores_are_the_same_where_no_range_over_all_runs_is_asked_for(
    files: Path, bounds: str
) -> None:
    """Unjudged documents of all runs are counted for exact ranges alone; nothing else changes."""
    exact = pw.evaluate(files / "qrels", runs_of(files), ["AP", "nDCG@2"], reading=FILES)
    other = pw.evaluate(
        files / "qrels", runs_of(files), ["AP", "nDCG@2"], reading=FILES, bounds=bounds
    )
    for measure in ("AP", "nDCG@2"):
        assert other[measure].value.tolist() == exact[measure].value.tolist()


@pytest.mark.parametrize(
    ("sampling", "estimates"),
    [
        ({"stratum": [0, 1, 1]}, "xinfAP, infNDCG and statAP"),
        ({"probability": [1, 0.5, 0.5]}, "statAP and HT"),
    ],
)
def test_a_sample_is_not_taken_for_all_there_is_without_a_word(
    sampling: dict[str, list[float]], estimates: str
) -> None:
    """Plain measures say that they are, and which measures estimate; these say nothing."""
    qrels = pw.Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 1}})
    sampled = qrels.with_sampling(**sampling)
    runs = pw.Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}})
    (remark,) = pw.evaluate(sampled, runs, ["AP", "statAP"]).remarks
    assert remark == (
        "The judgments are a sample: by AP, what was not drawn counts as unjudged (see the range). "
        f"{estimates} estimate from the sample."
    )
    assert pw.evaluate(sampled, runs, ["statAP"]).remarks == ()
    assert pw.evaluate(qrels, runs, ["AP"]).remarks == ()
