"""What a report is about, over all measures."""

import pytest

import poolwise as pw

MADE = pw.simulate(systems=5, topics=6, depth=30, rng=3)
OVERVIEW = pw.report(MADE.judgments, MADE.runs, ["nDCG@10", "map", "P@5"], groups=MADE.groups)


def test_measures_are_found_by_name_and_by_value() -> None:
    """Canonical names and measures themselves lead to what a measure says."""
    assert [str(part.measure) for part in OVERVIEW] == ["nDCG@10", "AP", "P@5"]
    assert len(OVERVIEW) == 3
    assert OVERVIEW["AP"] is OVERVIEW[pw.AP]
    with pytest.raises(KeyError):
        OVERVIEW["RBP"]


def test_columns_are_those_of_the_measures() -> None:
    """One row per measure and run."""
    columns = OVERVIEW.columns()
    assert columns["measure"] == [m for m in ("nDCG@10", "AP", "P@5") for _ in range(5)]
    assert columns["run"][5:10] == OVERVIEW["AP"].columns()["run"]


def test_groups_go_with_their_runs() -> None:
    """Each run has the group that was given, and none where none was."""
    assert [OVERVIEW.group_of(s) for s in OVERVIEW.systems] == list(MADE.groups.labels)
    assert pw.report(MADE.judgments, MADE.runs, ["P@5"]).group_of("bm25-1") == ""


def test_families_are_groups_of_the_tree() -> None:
    """Families have a mean overlap of a half or more, and the largest is counted."""
    tree = OVERVIEW.tree
    assert tree is not None
    families = [group for group in tree.groups(within=0.5) if len(group) > 1]
    said = OVERVIEW.who_ranks_alike()[0]
    assert said.startswith("No two runs" if not families else f"{len(families)} ")
    assert sorted(map(len, tree.families(within=1)), reverse=True) == [
        len(family) for family in tree.families(within=1)
    ]
    twins = pw.Runs.from_rankings({s: {"1": ["a", "b"]} for s in "xyz"})
    alike = pw.report(pw.Judgments.from_dict({"1": {"a": 1}}), twins, ["P@1"])
    assert alike.who_ranks_alike() == (
        "1 family of runs has a mean overlap of 0.5 or more; the largest has 3 runs.",
        "There are 3 pairs of near-duplicates, with an overlap of 0.95 or more.",
    )


def test_the_origin_holds_every_option() -> None:
    """Seed, draws, test and rules are there to make the same numbers again."""
    origin = pw.report(MADE.judgments, MADE.runs, ["P@5"], rng=7, topics="common").origin()
    assert (origin["seed"], origin["draws"], origin["test"]) == ("7", "200", "t")
    assert origin["topics"] == "common: the judged topics that every run answers"
    assert "baseline" not in origin
