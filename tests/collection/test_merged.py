"""Merging loses no grade, and overwrites none unless a rule says so."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

from poolwise import InputError, Judgments
from poolwise import merge as merge_judgments
from poolwise.collection._merged import CONFLICT_RULES, merge_all

GRADED = st.dictionaries(
    st.sampled_from("12"),
    st.dictionaries(st.sampled_from("abc"), st.integers(-1, 3)),
    max_size=2,
)


@given(st.lists(GRADED, min_size=1, max_size=4), st.sampled_from([*CONFLICT_RULES][1:]))
def test_every_document_keeps_a_grade_that_it_was_given(
    sources: list[dict[str, dict[str, int]]], rule: str
) -> None:
    """No document is lost or invented, and counts are those of a plain loop."""
    outcome = merge_all([Judgments.from_dict(source) for source in sources], conflicts=rule)
    merged = outcome.judgments.to_dict()
    keys = {(t, d) for source in sources for t, graded in source.items() for d in graded}
    assert {(t, d) for t, graded in merged.items() for d in graded} == keys
    conflicts = 0
    for topic, document in keys:
        every = [s[topic][document] for s in sources if document in s.get(topic, {})]
        graded = [g for g in every if g >= 0]
        got = merged[topic][document]
        conflicts += len(set(graded)) > 1
        assert min(graded or every) <= got <= max(graded or every)
        assert rule == "mean" or got in every
    assert outcome.conflicting == conflicts


@over("rule, grade", [("first", 2), ("last", 1), ("highest", 3), ("majority", 1), ("mean", 1.75)])
def test_a_rule_decides(rule: str, grade: float) -> None:
    """Each rule gives the grade of its name."""
    merged = merge_judgments(*({"1": {"a": g}} for g in (2, 3, 1, 1)), conflicts=rule)
    assert merged.judgments.to_dict() == {"1": {"a": grade}}


def test_a_conflict_is_refused() -> None:
    """Without a rule the document, its grades and the remedy are named."""
    with pytest.raises(InputError, match=r"topic 1, document a: .*got '2, 0'\. Hint: .*last"):
        merge_judgments({"1": {"a": 2}}, {"1": {"a": 0}})


@pytest.mark.parametrize("rule", ["error", "last"])
def test_a_document_that_was_not_judged_gets_its_grade(rule: str) -> None:
    """A negative grade is no conflict: it says that there was none."""
    merged = merge_judgments({"1": {"a": -1}}, {"1": {"a": 2}}, {"1": {"a": -1}}, conflicts=rule)
    assert merged.judgments.to_dict() == {"1": {"a": 2}}
    assert (merged.added, merged.conflicting) == (1, 0)


def test_what_was_merged_is_recorded(tmp_path: Path) -> None:
    """The judgments so far, what came in, and the rule are in the provenance."""
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n")
    origin = merge_judgments(path, {"1": {"a": 0}}, conflicts="last").provenance
    assert origin.judgments.path == str(path)
    assert dict(origin.options) == {"merged": ("<dict>",), "conflicts": "last"}
