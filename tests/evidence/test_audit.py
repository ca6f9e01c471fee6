"""An audit finds what is thin or odd, and says so in order of importance."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection._simulation import simulate
from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.evidence._audit import SEVERITIES, Audit, audit_collection
from poolwise.provenance._provenance import Notice

GRADES = {"1": {"a": 2, "b": 0, "c": 1, "n": 1, "p": -1}, "2": {"d": 0}, "3": {"e": 1}}
LISTS = {
    "full": {"1": ["a", "b", "c"], "2": ["d"], "3": ["e"]},
    "twin": {"1": ["a", "b", "c"], "2": ["d"], "3": ["e"]},
    "thin": {"1": ["x", "a", "y", "z"], "9": ["q"]},
    "pooled": {"1": ["p", "a"], "2": ["d"], "3": ["e"]},
}


@pytest.fixture(scope="module")
def found() -> Audit:
    return audit_collection(Judgments.from_dict(GRADES), Runs.from_rankings(LISTS))


def texts(audit: Audit, severity: str) -> list[str]:
    return [r.text for r in audit.remarks() if r.severity == severity]


def test_coverage_counts_judged_documents_where_there_are_any(found: Audit) -> None:
    """Judged@10 averages over the topics answered; a grade below 0 is no judgment."""
    assert found.judged_at_10.tolist() == [1, 1, 0.25, (0.5 + 1 + 1) / 3]
    assert np.array_equal(found.judged_at_10, found.judged_at_100)


def test_first_unjudged_ranks_are_counted_from_one(found: Audit) -> None:
    """The first unjudged rank is one past the end of a judged list, and 1 where there is none."""
    assert found.first_unjudged.tolist() == [[4, 2, 2], [4, 2, 2], [1, 1, 1], [1, 2, 2]]


def test_topics_are_accounted_for(found: Audit) -> None:
    """Missing, extra and barren topics are told apart."""
    assert dict(found.missing) == {"thin": ("2", "3")}
    assert found.extra == ("9",)
    assert found.barren == ("2",)


def test_relevant_documents_that_nobody_retrieved_are_counted(found: Audit) -> None:
    """Of the three relevant documents of topic 1 one is in no list."""
    assert found.relevant.tolist() == [3, 0, 1]
    assert found.unretrieved.tolist() == [1, 0, 0]
    assert found.judged.tolist() == [4, 1, 1]
    assert dict(found.grades) == {-1: 1, 0: 2, 1: 3, 2: 1}


def test_a_document_in_the_table_but_in_no_list_is_not_retrieved() -> None:
    """What only a run that was set aside had found counts as not retrieved."""
    runs = Runs.from_rankings({"a": {"1": ["x"]}, "b": {"1": ["y"]}})
    qrels = Judgments.from_dict({"1": {"x": 1, "y": 1}})
    assert audit_collection(qrels, runs).unretrieved.tolist() == [0]
    assert audit_collection(qrels, runs.select(["a"])).unretrieved.tolist() == [1]


def test_the_relevance_level_is_the_callers() -> None:
    """At level 2, documents of grade 1 are not relevant."""
    strict = audit_collection(Judgments.from_dict(GRADES), Runs.from_rankings(LISTS), rel=2)
    assert strict.relevant.tolist() == [1, 0, 0]
    options = dict(pw.audit(GRADES, Runs.from_rankings(LISTS), rel=2).provenance.options)
    assert options == {"pool_depth": "4 (assumed)", "pooled": "2 of 4 runs", "rel": 2}
    assert strict.barren == ("2", "3")


def test_the_findings_name_the_gravest_first(found: Audit) -> None:
    """Severities come in order, and each sentence carries its numbers."""
    severities = [SEVERITIES.index(r.severity) for r in found.remarks()]
    assert severities == sorted(severities)
    assert texts(found, "problem") == [
        (
            "1 run of 4 without some topics, most of all thin (2 of 3: 2, 3); a topic that a run "
            "lacks scores 0."
        ),
        (
            "2 runs of 4 with unjudged documents among the first 10, most of all thin (judged@10 "
            "0.25); read scores with their bounds."
        ),
    ]
    assert texts(found, "caution") == [
        "1 topic without a relevant document (2); measures that need one leave such topics out.",
        "3 topics with fewer than 10 judged documents (1, 2, 3).",
        "The rankings of full, twin are identical.",
    ]
    assert texts(found, "note") == [
        "1 topic retrieved and not judged (9), left out.",
        "The first unjudged document stands at rank 2.0 on average.",
        (
            "Pool: no depth shows in the judgments; taken as 4 (--pool-depth, --pooled); 2 of 4 "
            "runs pooled."
        ),
        "2 topics with fewer than 5 relevant documents (1, 3).",
        "1 relevant document of 4 that no run retrieved.",
        "1 document pooled and not judged (grade below 0).",
        "Judged documents per topic: 1 to 4, median 1.",
    ]


def test_a_sound_collection_gets_notes_only() -> None:
    """Where everything is judged there is no problem and no caution."""
    made = simulate(systems=4, topics=3, depth=30, rng=2)
    sound = audit_collection(made.truth, made.runs)
    assert texts(sound, "problem") == texts(sound, "caution") == []
    assert "The first 10 documents of every run are judged." in texts(sound, "note")


def test_ties_matter_where_grades_differ(tmp_path: Path) -> None:
    """Tied documents are counted, and as decisive those ties whose order changes a score."""
    path = tmp_path / "tied.run"
    scores = {"a": 9, "b": 8, "c": 8, "x": 8, "d": 7, "y": 7, "e": 6, "f": 6}
    path.write_text("".join(f"1 Q0 {d} 0 {s} tied\n" for d, s in scores.items()))
    qrels = Judgments.from_dict({"1": {"a": 0, "b": 0, "c": 1, "d": 0, "e": 1, "f": 2}})
    audit = audit_collection(qrels, read_runs(path))
    # b, c, x and e, f differ in grade; d and the unjudged y both count as not relevant.
    assert (audit.tied.tolist(), audit.decisive_ties.tolist()) == ([7], [2])
    assert (
        "7 documents with the score of a neighbour; 2 ties in 1 run between documents of "
        "different grades, where the tie rule decides scores." in texts(audit, "caution")
    )


def test_ties_do_not_reach_over_the_end_of_a_list(tmp_path: Path) -> None:
    """The last document of a topic and the first of the next are never tied."""
    path = tmp_path / "flat.run"
    path.write_text("1 Q0 a 0 5 flat\n2 Q0 b 0 5 flat\n")
    audit = audit_collection(Judgments.from_dict({"1": {"a": 1}, "2": {"b": 0}}), read_runs(path))
    assert audit.tied.tolist() == [0]


def test_notices_of_reading_are_repeated(tmp_path: Path) -> None:
    """What a policy let pass when the files were read is among the cautions."""
    path = tmp_path / "twice.run"
    path.write_text("1 Q0 a 1 5 twice\n1 Q0 a 2 4 twice\n")
    audit = audit_collection(
        Judgments.from_dict({"1": {"a": 1}}), read_runs(path, duplicates="first")
    )
    assert [type(n) for n in audit.notices] == [Notice]
    assert any(
        text.startswith("Met when reading: duplicate documents") and text.endswith("twice.run:2).")
        for text in texts(audit, "caution")
    )


def test_the_table_has_a_row_per_run(found: Audit) -> None:
    """Every column has one value for each run."""
    columns = found.columns()
    assert {len(values) for values in columns.values()} == {4}
    assert columns["missing_topics"] == [0, 0, 2, 0]
    assert columns["first_unjudged_min"] == [2, 2, 1, 1]


def test_trec8_as_its_readme_knows_it(data_dir: Path) -> None:
    """All 129 runs answer all 50 topics, and every relevant document was retrieved by some run."""
    runs = read_runs(data_dir / "trec8" / "runs", ties="rank")
    audit = audit_collection(read_judgments(data_dir / "trec8" / "qrels.gz"), runs)
    assert not audit.missing
    assert audit.unretrieved.sum() == 0
    assert dict(audit.grades) == {0: 82_102, 1: 4728}
    assert round(float(audit.first_unjudged.mean()), 1) == 95.8  # U18 table 1


def test_positive_judgments_are_a_problem() -> None:
    """Where every judged document is relevant, as in MS MARCO, no estimate can be made."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}})
    audit = audit_collection(Judgments.from_dict({"1": {"x": 1}}), runs)
    assert any("Every judged document is relevant" in text for text in texts(audit, "problem"))
    both = audit_collection(Judgments.from_dict({"1": {"x": 1, "z": 0}}), runs)
    assert not any("Every judged document" in text for text in texts(both, "problem"))


def test_a_note_does_not_call_itself_one() -> None:
    """A program that prints remarks as notes says the word once; problems keep their label."""
    made = simulate(systems=4, topics=6, depth=20, rng=1)
    said = audit_collection(made.judgments, made.runs).sentences()
    assert not [sentence for sentence in said if sentence.startswith("Note")]


def test_the_collection_is_that_of_table_1(data_dir: Path) -> None:
    """U18 table 1, TREC-8 with ties by rank: judged to rank 50 are 67 runs, first gap at 95.8."""
    folder = data_dir / "trec8"
    runs = pw.read_runs(folder / "runs", ties="rank")
    audit = pw.audit(pw.read_judgments(folder / "qrels.gz"), runs)
    row = {name: cells[0] for name, cells in audit.collection().items()}
    assert (row["topics"], row["runs"], row["judged to rank 50"]) == (50, 129, 67)
    assert row["judged per topic"] == pytest.approx(1736.6, abs=0.05)
    assert row["relevant per topic"] == pytest.approx(94.6, abs=0.05)
    assert row["first unjudged rank"] == pytest.approx(95.8, abs=0.05)
    assert "first unjudged rank" in str(audit)
